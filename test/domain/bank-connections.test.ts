import fc from 'fast-check';
import {
  checkLimits,
  CONNECTION_STATUSES,
  endedAs,
  isEnded,
  limitsFromForm,
  mayBecome,
  penceFromPounds,
  poundsText,
  remindersDue,
  vrpTypeFor,
} from '../../domain/bank/connections.ts';
import { DomainError } from '../../domain/errors.ts';
import { MAX_AMOUNT } from '../../domain/money.ts';

const NOW = new Date('2026-11-29T23:30:00Z');

const refusal = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return (error.extra.errors as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer) ?? error.code;
  }
};

test('a connection takes only the steps of its life, and an ended one none', () => {
  const steps = CONNECTION_STATUSES.flatMap((from) =>
    CONNECTION_STATUSES.filter((to) => mayBecome(from, to)).map((to) => `${from} -> ${to}`),
  );
  expect(steps).toEqual([
    'awaiting_authorisation -> authorised',
    'awaiting_authorisation -> rejected',
    'awaiting_authorisation -> expired',
    'authorised -> reauthorisation_needed',
    'authorised -> revoked',
    'authorised -> expired',
    'reauthorisation_needed -> authorised',
    'reauthorisation_needed -> revoked',
    'reauthorisation_needed -> expired',
  ]);
  const ended = CONNECTION_STATUSES.filter((status) => isEnded(status));
  expect(ended).toEqual(['rejected', 'revoked', 'expired']);
  for (const from of CONNECTION_STATUSES) expect(isEnded(from) || mayBecome(from, endedAs(from))).toBe(true);
});

test.each([
  [
    { per_payment: 1, per_month: 1 },
    { per_payment: 1, per_month: 1, valid_until: null },
  ],
  [{ per_payment: 5, per_month: MAX_AMOUNT, valid_until: null }, expect.objectContaining({ valid_until: null })],
  [{ per_payment: 5, per_month: 6, valid_until: '2026-11-30' }, expect.objectContaining({ valid_until: '2026-11-30' })],
  [{ per_payment: 5, per_month: 6, valid_until: '2026-11-29' }, ['/limits/valid_until']],
  [{ per_payment: 5, per_month: 6, valid_until: '2027-02-29' }, ['/limits/valid_until']],
  [{ per_payment: 7, per_month: 6 }, ['/limits/per_payment']],
  [{ per_payment: 0, per_month: 6 }, ['/limits/per_payment']],
  [{ per_payment: 1.5, per_month: MAX_AMOUNT + 1 }, ['/limits/per_payment', '/limits/per_month']],
])('the limits %j are checked: whole pence, a month of at least one payment, an end after today', (given, expected) => {
  expect(refusal(() => checkLimits(given, { at: '/limits', now: NOW }))).toEqual(expected);
});

describe('pounds in a form', () => {
  test('are read exactly, whatever the amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_AMOUNT }), (amount) => {
        expect(penceFromPounds(poundsText(amount))).toBe(amount);
      }),
    );
  });

  test.each([
    ['1,250', 125_000],
    [' £12.50 ', 1_250],
    ['0.29', 29],
  ])('%j is %p pence', (text, amount) => {
    expect(penceFromPounds(text)).toBe(amount);
  });

  test.each(['12.5', '1,25', '1e3', '-1', '12.505', '1.250,00', '', '£', '0x10', 'NaN'])('%j is none', (text) => {
    expect(penceFromPounds(text)).toBeUndefined();
  });

  test('that are no amounts, and an end in the past, name their fields', () => {
    const form = (per_payment: string, per_month: string, valid_until = '') =>
      refusal(() => limitsFromForm({ per_payment, per_month, valid_until }, NOW));
    expect(form('950', '1,200.00')).toEqual({ per_payment: 95_000, per_month: 120_000, valid_until: null });
    expect(form('much', '1.2.3')).toEqual(['/per_payment', '/per_month']);
    expect(form('2', '1', '2026-11-29')).toEqual(['/per_payment', '/valid_until']);
  });
});

test.each([
  [15, 0],
  [14, 1],
  [4, 1],
  [3, 2],
  [0, 2],
  [-1, 0],
])('%i days before reading stops, %i emails are due', (days, due) => {
  const reconfirmBy = new Date(Date.parse('2026-11-29') + days * 86_400_000).toISOString().slice(0, 10);
  expect(remindersDue(reconfirmBy, '2026-11-29')).toBe(due);
});

const [BILLS, SWEEPS] = [{ UTILITIES: 'commercial' }, { OWN_ACCOUNT: 'sweeping' }] as const;
test.each([
  [{ ...BILLS, ...SWEEPS }, 'UTILITIES', false, 'commercial'],
  [{ ...BILLS, ...SWEEPS }, 'HOUSING', false, 'payee-not-payable'],
  [{ ...BILLS, ...SWEEPS }, 'UTILITIES', true, 'sweeping'],
  [{ ...BILLS, ...SWEEPS }, 'HOUSING', true, 'sweeping'],
  [BILLS, 'UTILITIES', true, 'commercial'],
  [BILLS, 'HOUSING', true, 'payee-not-payable'],
  [SWEEPS, 'UTILITIES', false, 'payee-not-payable'],
  [{}, 'HOUSING', true, 'bank-cannot-pay'],
] as const)('a bank that pays %j pays %s, own account %p: %s', (pays, category, isOwn, expected) => {
  expect(refusal(() => vrpTypeFor(pays, category, { isOwn }))).toBe(expected);
});
