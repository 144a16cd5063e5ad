import { hash } from 'node:crypto';
import type { Access } from './access.ts';
import type { Accounts } from './accounts.ts';
import { behaviourOf, type Course, type Delays } from './behaviour.ts';
import type { Calendar } from './calendar.ts';
import type { BankClock } from './clock.ts';
import type { Consents } from './consents.ts';
import type { BankExchange, Fault } from './exchange.ts';
import { readInstruction } from './instruction.ts';
import { faultOfLimits, faultOfMandate } from './mandate.ts';
import { requireSigned, type SignedDesk } from './signed-request.ts';
import type { BankStore, StoredPayment, Submission } from './store.ts';

export interface PaymentDesk extends SignedDesk {
  store: BankStore;
  consents: Consents;
  accounts: Accounts;
  clock: BankClock;
  calendar: Calendar;
  delays: Delays;
  /** The consent of the house account, which pays any payee. */
  consentId: string;
}

export async function submitVrp(desk: PaymentDesk, access: Access, exchange: BankExchange): Promise<void> {
  const { body, fail } = exchange;
  const idempotencyKey = await requireSigned(desk, exchange);
  if (idempotencyKey === null) return;
  const instruction = readInstruction(body);
  if ('code' in instruction) return fail(400, instruction);
  const stranger = faultOfToken(desk, access, instruction.consentId);
  if (stranger !== null) return fail(stranger.status, stranger);

  // No `await` from here until the result is stored. Otherwise two requests could both find the key unused.
  const bodyHash = hash('sha256', body);
  const earlier = desk.store.submissionOf(idempotencyKey);
  if (earlier && earlier.bodyHash !== bodyHash) return fail(400, KEY_USED);
  // For a repeated instruction, the specification requires the current payment under its original id.
  if (earlier?.bankPaymentId) return answerVrp(desk, exchange, 201, earlier.bankPaymentId);
  const payer = instruction.consentId === desk.consentId ? null : access.consent;
  const fault =
    payer && (faultOfMandate(payer, instruction, desk.clock.now()) ?? faultOfLimits(payer, instruction, desk));
  if (fault) return fail(400, fault);
  const from = { payerConsentId: payer?.id ?? null, paidFrom: access.consent?.accountIds[0] ?? null };
  return decide(desk, exchange, { idempotencyKey, bodyHash, ...from, ...instruction });
}

export const KEY_USED: Fault = {
  code: 'U029',
  message: 'This idempotency key was used for a different request.',
  path: 'x-idempotency-key',
};

/** The client itself may pay by the house account's consent alone, and a payer's token by the payer's consent alone. */
function faultOfToken(
  { consentId: house, consents }: PaymentDesk,
  { consent, scopes }: Access,
  consentId: string,
): (Fault & { status: 400 | 403 }) | null {
  const path = 'Data.ConsentId';
  if (!scopes.has('payments')) return { status: 403, code: 'U028', message: 'The token is not for payments.' };
  if (consent !== null && consent.id !== consentId)
    return { status: 400, code: 'U008', message: 'The token belongs to a different consent.', path };
  if (consent === null && consents.find(consentId) === undefined)
    return { status: 400, code: 'U008', message: 'There is no consent with this id.', path };
  if (consent === null && consentId !== house)
    return { status: 403, code: 'U028', message: 'The payer must grant a token for this consent.', path };
  return null;
}

async function decide(desk: PaymentDesk, exchange: BankExchange, submission: Submission): Promise<void> {
  const { store, calendar, delays } = desk;
  const behaviour = isClosed(desk, submission)
    ? CLOSED
    : behaviourOf(submission, store.memoryOf(submission.paymentId), delays);
  if (behaviour.kind === 'unavailable') {
    store.noteUnavailable(submission.paymentId);
    return exchange.fail(
      503,
      { code: 'U000', message: 'The bank accepts no payments at the moment.' },
      { 'retry-after': '1' },
    );
  }
  if (behaviour.kind === 'refuse') {
    store.noteRefused(submission);
    return exchange.fail(403, behaviour.fault);
  }
  const bankPaymentId = store.take(submission, behaviour, Date.now());
  calendar.changed();
  if (behaviour.losesReply) {
    exchange.dropConnection();
    return;
  }
  return answerVrp(desk, exchange, 201, bankPaymentId);
}

const CLOSED: Course = {
  kind: 'take',
  startsAs: 'ACSP',
  steps: [{ afterMs: 0, to: 'RJCT', reason: { code: 'AC04', detail: 'The account of the payer is closed.' } }],
  losesReply: false,
};

function isClosed({ accounts }: PaymentDesk, { paidFrom }: Submission): boolean {
  return paidFrom !== null && accounts.find(paidFrom) === undefined;
}

export async function answerVrp(
  desk: PaymentDesk,
  exchange: BankExchange,
  status: 200 | 201,
  bankPaymentId: string,
): Promise<void> {
  const payment = desk.store.payment(bankPaymentId);
  if (payment === undefined)
    return exchange.fail(400, { code: 'U011', message: 'There is no payment with this id.', path: 'DomesticVRPId' });
  return exchange.answerSigned(status, vrpResponse(payment, exchange.base));
}

function vrpResponse(payment: StoredPayment, base: string) {
  const { Data, Risk } = JSON.parse(payment.request) as { Data: Record<string, unknown>; Risk: unknown };
  const { ConsentId, Initiation, Instruction } = Data;
  const { id, status, reasonCode, reasonDetail, createdAt, changedAt } = payment;
  return {
    Data: {
      DomesticVRPId: id,
      ConsentId,
      CreationDateTime: createdAt,
      Status: status,
      ...(reasonCode !== null && {
        StatusReason: [{ StatusReasonCode: reasonCode, StatusReasonDescription: reasonDetail }],
      }),
      StatusUpdateDateTime: changedAt,
      Initiation: Initiation ?? {},
      Instruction,
    },
    Risk,
    Links: { Self: `${base}/domestic-vrps/${id}` },
    Meta: {},
  };
}
