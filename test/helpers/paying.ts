import { acknowledgePayment, listPaymentsNeedingAttention } from '../../activities/payments/attention.ts';
import type { BankReason, BankStatus, SubmitOutcome } from '../../domain/bank/payments.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Services } from '../../infra/services.ts';
import { paymentsOf } from './activities.ts';
import { movableClock } from './clock.ts';
import { withDatabase } from './database.ts';
import { anyKey, balancesOf, expectSoundLedger, fund, userOf } from './money.ts';
import { bankIdOf, playedBank, type PlayedBank } from './played-bank.ts';
import { textQuery } from './text-query.ts';

/** In pence. */
export const FUNDS = 100_000;
export const AMOUNT = 40_000;
export const IN_FLIGHT = { vault: FUNDS - AMOUNT, in_flight: AMOUNT };
export const PAID = { vault: FUNDS - AMOUNT, in_flight: 0, payees: AMOUNT };
export const BACK = { vault: FUNDS, in_flight: 0 };

const RETURN = { at: '2026-11-21T12:00:05.000Z', reason: { code: 'RETN', detail: 'account closed' } };

const auditOf = textQuery<{ kind: string }>(
  'test.auditOf',
  'select kind from audit_events where subject = $1 order by subject_seq',
);
const messagesTo = textQuery<{ status: string }>(
  'test.messagesTo',
  `select payload->>'status' as status from outbox_messages
    where workflow_id = $1 and kind = 'payment.changed' order by message_id`,
);

/** @returns the code and the figures of the refusal, or `done` */
export const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done' as const,
    (error: unknown) => {
      if (error instanceof DomainError) return { code: error.code, ...error.extra };
      throw error;
    },
  );

export const codeOf = async (work: Promise<unknown>) => {
  const refused = await refusal(work);
  return refused === 'done' ? refused : refused.code;
};

/** `word` is such as `ACSC`, `RJCT MS03`, or `ACCC returned`. */
function newsOf(word: string) {
  const [status, code] = word.split(' ') as [BankStatus, string | undefined];
  const isReturned = code === 'returned';
  const reason: BankReason | null = code && !isReturned ? { code, detail: 'words of the bank' } : null;
  return { status, reason, returned: isReturned ? RETURN : null };
}

interface Attempt {
  paymentId: string;
  attempt: number;
}

/** `word` can also be `refused AM04`, `timeout` or `no connection`. */
export function outcomeOf(attempt: Attempt, word: string): SubmitOutcome {
  if (word === 'no connection') return { kind: 'not-accepted', detail: word, until: null };
  if (word === 'timeout') return { kind: 'unknown', detail: word };
  const { status, reason, returned } = newsOf(word);
  if ((status as string) === 'refused') return { kind: 'refused', reason: reason! };
  return { kind: 'accepted', bankPaymentId: bankIdOf(attempt), status, reason, ...(returned && { returned }) };
}

/** A payment of a test, and what can happen to it. */
export function paymentOf(services: Services, bank: PlayedBank, payment_id: string, bank_id = 'sandbox') {
  const payments = paymentsOf(services);
  const idOf = (attempt: number) => ({ paymentId: payment_id, attempt });
  const asked = { payment_id, reason: 'seen on the statement', actor: 'operator' };
  const submit = (attempt = 1) => payments.submitPayment({ payment_id, attempt, settle_within_ms: 0 });
  return {
    payment_id,
    bankId: (attempt = 1) => bankIdOf(idOf(attempt)),
    submit,
    /** Submits an attempt to which the bank responds with `word`. */
    submitTo(word: string, attempt = 1) {
      bank.answers = [outcomeOf(idOf(attempt), word)];
      return submit(attempt);
    },
    /** The bank reports `word` about an attempt, which its record names. */
    tell(word: string, attempt = 1) {
      bank.says = { ...newsOf(word), instruction: idOf(attempt) };
      return payments.recordBankEvent({ bank_id, bank_payment_id: bankIdOf(idOf(attempt)) });
    },
    check: (attempt = 1) => payments.checkPayment({ payment_id, attempt }),
    retry: (principal = anyKey) => payments.retryPayment({ principal, payment_id }),
    cancel: (principal = anyKey) => payments.cancelPayment({ principal, payment_id }),
    resolve: (as: 'completed' | 'failed') => codeOf(payments.resolvePayment({ ...asked, as })),
    acknowledge: () => codeOf(acknowledgePayment(services, asked)),
    read: async () => (await payments.getPayment({ payment_id })).payment,
    timeline: async () => (await payments.getPayment({ payment_id })).payment.timeline.map(({ status }) => status),
    sent: () => bank.submitted.filter(({ paymentId }) => paymentId === payment_id).length,
    /** Why the payment needs an operator. */
    listed: async () => {
      const { payments: all } = await listPaymentsNeedingAttention(services);
      return all.filter((one) => one.payment_id === payment_id).map(({ reason }) => reason);
    },
    /** The kinds of the payment's audit events, without `payment.`. */
    audited: async () => (await services.db.many(auditOf(payment_id))).map(({ kind }) => kind.replace('payment.', '')),
    /** The statuses in the messages to the payment's workflow. */
    told: async () => (await services.db.many(messagesTo(payment_id))).map(({ status }) => status),
  };
}

type Settings = Readonly<Record<string, string>>;
let owners = 0;
export const newOwner = () => `owner-${(owners += 1)}`;

/** Services whose bank and clock a test sets. The ledger is checked after each test, or after all. */
export function withPayments({ checks = afterEach, env = {} }: { checks?: typeof afterEach; env?: Settings } = {}) {
  const bank = playedBank();
  const clock = movableClock();
  // This line must come first, because `withDatabase` closes the services in `afterAll`.
  checks(() => expectSoundLedger(services));
  const services = withDatabase({ bank, clock, env });
  const payments = paymentsOf(services);
  beforeAll(() => payments.ensureSandboxPayees());
  beforeEach(() => {
    bank.answers = [];
    bank.submitted = [];
    bank.says = { status: 'ACSP', reason: null, returned: null };
    clock.set('2026-11-21T12:00:00Z');
  });

  type Order = Parameters<typeof payments.executePayment>[0];
  /** Pays `AMOUNT` from a new allocation of `FUNDS`, unless `more` says otherwise. */
  async function pay({ owner = newOwner(), ...more }: Partial<Order> & { owner?: string } = {}) {
    const { allocationId, vaultId } = await fund(services, owner, FUNDS);
    const order = {
      principal: userOf(owner),
      vault_allocation_id: allocationId,
      amount: AMOUNT,
      currency: 'GBP',
      provider_id: 'prov_sandbox_instant',
    } as const;
    const payment = await payments.executePayment({ ...order, ...more });
    return {
      ...paymentOf(services, bank, payment.payment_id),
      owner,
      order,
      vaultId,
      payment,
      balances: () => balancesOf(services, owner),
    };
  }
  return { bank, clock, services, payments, pay };
}
