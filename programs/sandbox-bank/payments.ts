import { createHash, type X509Certificate } from 'node:crypto';
import { verifyMessage } from '../../infra/bank/obie-4.0/message-signing.ts';
import { behaviourOf, type Delays } from './behaviour.ts';
import type { Calendar } from './calendar.ts';
import type { BankExchange } from './exchange.ts';
import { readInstruction } from './instruction.ts';
import type { BankStore, StoredPayment, Submission } from './store.ts';

export interface PaymentDesk {
  store: BankStore;
  calendar: Calendar;
  delays: Delays;
  consentId: string;
  trusted: readonly X509Certificate[];
  publicUrl: string;
}

export async function submitVrp(desk: PaymentDesk, exchange: BankExchange): Promise<void> {
  const { header, body, fail } = exchange;
  const idempotencyKey = header('x-idempotency-key') ?? '';
  if (!/^\S(.{0,38}\S)?$/.test(idempotencyKey)) {
    return fail(400, {
      code: 'U006',
      message: 'The idempotency key must have 1 to 40 characters.',
      path: 'x-idempotency-key',
    });
  }
  try {
    await verifyMessage(body, header('x-jws-signature'), desk.trusted);
  } catch (error) {
    const code = header('x-jws-signature') === undefined ? 'U019' : 'U015';
    return fail(400, {
      code,
      message: error instanceof Error ? error.message : 'invalid signature',
      path: 'x-jws-signature',
    });
  }
  const instruction = readInstruction(body, desk.consentId);
  if ('code' in instruction) return fail(400, instruction);

  // No `await` from here until the result is stored. Otherwise two requests could both find the key unused.
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const submission: Submission = { idempotencyKey, bodyHash, ...instruction };
  const earlier = desk.store.submissionOf(idempotencyKey);
  if (earlier && earlier.bodyHash !== bodyHash) {
    return fail(409, {
      code: 'U029',
      message: 'This idempotency key was used for a different instruction.',
      path: 'x-idempotency-key',
    });
  }
  // For a repeated instruction, the specification requires the current payment under its original id.
  if (earlier?.bankPaymentId) return answerVrp(desk, exchange, 201, earlier.bankPaymentId);
  return decide(desk, exchange, submission);
}

async function decide(desk: PaymentDesk, exchange: BankExchange, submission: Submission): Promise<void> {
  const { store, calendar, delays } = desk;
  const behaviour = behaviourOf(submission, store.memoryOf(submission.paymentId), delays);
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

export async function answerVrp(
  desk: PaymentDesk,
  exchange: BankExchange,
  status: 200 | 201,
  bankPaymentId: string,
): Promise<void> {
  const payment = desk.store.payment(bankPaymentId);
  if (payment === undefined)
    return exchange.fail(400, { code: 'U011', message: 'There is no payment with this id.', path: 'DomesticVRPId' });
  return exchange.answerSigned(status, vrpResponse(payment, desk.publicUrl));
}

function vrpResponse(payment: StoredPayment, publicUrl: string) {
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
      Initiation,
      Instruction,
    },
    Risk,
    Links: { Self: vrpUrl(publicUrl, id) },
    Meta: {},
  };
}

export function vrpUrl(publicUrl: string, bankPaymentId: string): string {
  return `${publicUrl}/domestic-vrps/${bankPaymentId}`;
}
