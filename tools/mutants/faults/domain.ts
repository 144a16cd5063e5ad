import type { Fault } from '../fault.ts';

type Line = readonly [name: string, text: string, replacement: string];

const inFile = (file: string, tests: readonly string[], lines: readonly Line[]): Fault[] =>
  lines.map(([name, text, replacement]) => ({ name, file: `domain/${file}.ts`, text, replacement, tests }));

/** Faults in the rules. */
export const DOMAIN_FAULTS: readonly Fault[] = [
  ...inFile(
    'money',
    ['test/domain/money'],
    [
      [
        'rounds half a penny down',
        'toDecimalPlaces(0, Decimal.ROUND_HALF_UP)',
        'toDecimalPlaces(0, Decimal.ROUND_HALF_DOWN)',
      ],
      ['accepts a fraction of a penny', '!Number.isSafeInteger(value)', '!Number.isFinite(value)'],
      ['rounds a ratio down', 'toFixed(places, Decimal.ROUND_HALF_UP)', 'toFixed(places, Decimal.ROUND_DOWN)'],
    ],
  ),
  ...inFile(
    'ledger',
    ['test/domain/ledger'],
    [
      ['does not notice legs that do not balance', 'leg.amount)) !== 0) throw', 'leg.amount)) < 0) throw'],
      ['draws more from an allocation than it holds', 'least(allocation.available, missing)', 'missing'],
      ['takes money from allocations that hold too little', 'available < amount', 'available + 1 < amount'],
      ['forgets the earlier legs of an account', 'held.set(account, after);', ''],
    ],
  ),
  ...inFile(
    'allocations',
    ['test/domain/allocations', 'test/activities/vault-limits'],
    [
      ['allocates more than is safe to spend', 'if (amount > safeToSpend) {', 'if (amount > safeToSpend + 1) {'],
      ['transfers from a vault to itself', 'if (fromVaultId === toVaultId) {', 'if (fromVaultId === "") {'],
      ['lets an owner have one vault too many', 'held + more <= limit', 'held + more <= limit + 1'],
    ],
  ),
  ...inFile(
    'paycheck',
    ['test/domain/paycheck'],
    [
      [
        'locks a buffer above what is left',
        'least(share(grossPay, bufferRate), afterBills)',
        'share(grossPay, bufferRate)',
      ],
      ['accepts obligations above the income', 'if (afterBills < 0) {', 'if (afterBills < -1) {'],
      ['funds a removed obligation again', 'change: pence(0 - allocation.amount)', 'change: pence(0)'],
      ['frees money that is already spent', 'if (shortfall === 0) return;', 'if (shortfall < 100) return;'],
      [
        'forgets the booked buffer of a revision',
        'split.lockedBuffer - (booked?.lockedBuffer ?? 0)',
        'split.lockedBuffer',
      ],
      [
        'allows an income above the limit',
        'if (received + more <= MAX_RECEIVED) return;',
        'if (more <= MAX_RECEIVED) return;',
      ],
    ],
  ),
  ...inFile(
    'paycheck/evidence',
    ['test/domain/paycheck-evidence'],
    [
      ['counts a payslip twice', 'isInPeriod && !documentUsed', 'isInPeriod'],
      ['accepts a payslip of another period', 'payDate <= period.to', 'true'],
      ['counts a stated income as asserted', "mayAssert ? 'asserted' : 'stated'", "'asserted'"],
      ['lets an income that earned interest shrink', 'if (!hasEarned) return;', 'return;'],
      ['lets any wage reduce a paycheck', 'wage !== null && !wage.ownSignIn', 'false'],
      ['lets a wage change an asserted paycheck', '(wage !== null || !mayAssert)', '!mayAssert'],
      ['asserts above the limit of a key', 'asserted <= limit', 'asserted <= limit + 1'],
    ],
  ),
  ...inFile(
    'payments',
    ['test/domain/payments', 'test/activities/payments', 'test/activities/payments-statuses'],
    [
      ['retries a completed payment', "completed: ['returned'],", "completed: ['returned', 'processing'],"],
      [
        'takes a blocked payment for a failed one',
        "bankStatus === 'RJCT' ?",
        "bankStatus === 'RJCT' || bankStatus === 'BLCK' ?",
      ],
      ['takes a duplicate for a rejection', '&& !isDuplicate(reason.code)', ''],
      ['retries a payment that must not be retried', 'payment.failure && !payment.failure.retryable', 'false'],
      [
        'pays more than the allocation holds',
        'if (available >= amount) return;',
        'if (available + 1 >= amount) return;',
      ],
      ['attempts a payment eleven times', 'payment.attempt >= MAX_ATTEMPTS', 'payment.attempt > MAX_ATTEMPTS'],
      [
        'sends a scheduled payment a day early',
        'startOfLondonDay(executeOn).getTime()',
        'startOfLondonDay(addDays(executeOn, -1)).getTime()',
      ],
      [
        'ignores a return by the bank',
        "(news.returned || said === 'failed')) step('returned')",
        "said === 'failed') step('returned')",
      ],
      [
        'overlooks that a failed payment moved money',
        "(status === 'failed' || status === 'cancelled')",
        "status === 'cancelled'",
      ],
    ],
  ),
  ...inFile(
    'sending',
    ['test/activities/payments', 'test/domain/payments'],
    [['repeats an order after the bank has forgotten it', '> SAFE_TO_REPEAT_MS', '> 10 * SAFE_TO_REPEAT_MS']],
  ),
  ...inFile(
    'reliability',
    ['test/domain/reliability'],
    [
      ['counts a late payment as on time', 'new Date(completed_at) < deadline', 'true'],
      [
        'allows an extra day',
        'payment.due_date ?? addDays(dayOf(payment), 1)',
        'payment.due_date ?? addDays(dayOf(payment), 2)',
      ],
    ],
  ),
  ...inFile(
    'bills',
    ['test/domain/credential', 'test/domain/credential-score', 'test/domain/reliability'],
    [
      [
        'counts a split bill as on time if one part was',
        'payments.every(({ onTime }) => onTime)',
        'payments.some(({ onTime }) => onTime)',
      ],
    ],
  ),
  ...inFile(
    'yield',
    ['test/domain/yield'],
    [
      ['loses the carried fraction', '+ BigInt(carried);', ';'],
      ['counts a day twice', 'BigInt(daysBetween(day, to));', 'BigInt(daysBetween(day, addDays(to, 1)));'],
      ['earns interest on posted interest late', 'opening += accrued;', ''],
      ['starts the tax year on 5 April', "'04-06' ?", "'04-05' ?"],
      ['accrues a day that is not over', 'if (asOf > today)', 'if (asOf > addDays(today, 1))'],
    ],
  ),
  ...inFile(
    'debt/simulation',
    ['test/domain/debt'],
    [
      ['rounds interest down', 'rest * rate + PER_MONTH / 2', 'rest * rate'],
      ['pays the cheapest debt first', 'b.rate - a.rate', 'a.rate - b.rate'],
      [
        'keeps a freed minimum out of the budget',
        'let left: number = budget;',
        'let left: number = budget - (open.length === 1 ? open[0]!.minimum : 0);',
      ],
      ['pays more than is owed', 'Math.min(debt.minimum, debt.balance, left)', 'Math.min(debt.minimum, left)'],
    ],
  ),
  ...inFile(
    'debt/standing',
    ['test/domain/debt', 'test/domain/debt-counting'],
    [['forgets a month of interest', 'month <= months; month += 1', 'month < months; month += 1']],
  ),
  ...inFile(
    'payday/split',
    ['test/domain/payday/split'],
    [['leaves out an entry that the wage just covers', '> wage) covered', '>= wage) covered']],
  ),
  ...inFile(
    'payday/days',
    ['test/activities/payday/paydays'],
    [
      ['pays a bill of a day before its entry was set', '[receivedOn, setOn, earliest]', '[receivedOn, earliest]'],
      ['pays bills of long ago', '[receivedOn, setOn, earliest]', '[receivedOn, setOn]'],
      ['skips short months', 'return day < last ? day : last;', 'return day;'],
    ],
  ),
  ...inFile(
    'payday/changes',
    ['test/domain/payday/changes'],
    [
      ['pays a bill again that is put again', 'paidThrough === undefined ? null : addMonths(paidThrough, 1)', 'null'],
      ['takes an entry of before as new', 'known.delete(entry.entryId);', ''],
    ],
  ),
  ...inFile(
    'reconciliation',
    ['test/domain/reconciliation'],
    [
      ['misses payments before their account was read', 'readThrough !== null && readThrough > lastDay', 'true'],
      ['finds a payment on any day', 'bookedOn >= from && bookedOn <= to && ', ''],
      ['finds a payment by its amount alone', ' && says.has(payment.words)', ''],
      ['keeps silent about a second debit', 'const left = isAgain ? 2 : ', 'const left = '],
    ],
  ),
  ...inFile(
    'outlook',
    ['test/domain/outlook'],
    [
      ['forgets what vaults hold', 'least(balanceOf(entry), amount)', 'pence(0)'],
      ['pays a bill twice a month', 'if (!bill.paidMonths.includes(monthStartOf(on))) ', ''],
    ],
  ),
];
