import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import {
  ACCOUNT_DISABLED,
  BEYOND_CONSENT,
  NOT_EVIDENCED,
  NO_CONSENT,
  OUT_OF_REACH,
  PAYEE_GONE,
  PAYS_BY_CONNECTION,
  SPLIT_PAUSED,
} from '../../domain/payment-failures.ts';
import type { PaymentFailure, PaymentStatus } from '../../domain/payments.ts';
import { sendingOf } from '../../domain/sending.ts';
import { claimAgain, countOn } from '../../infra/db/queries/payment-changes.ts';
import { pausedSplitOf } from '../../infra/db/queries/payday.ts';
import type { PayingConnection } from '../../infra/db/queries/payers.ts';
import { connectionOfPayment } from '../../infra/db/queries/payment-consents.ts';
import type { MacedPayee } from '../../infra/db/queries/macs.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { LockedPayment, PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import { requireNotRestoring } from '../../infra/witness/restoring.ts';
import { isDisabled } from '../auth/enabled.ts';
import type { Authentic } from '../macs.ts';
import { attemptInReach } from '../reach.ts';
import { requireSendable } from './consent.ts';
import { beyondConsentOf, missingEvidence } from './limits.ts';
import { isNotAtBank } from './outcome-macs.ts';
import { mayHousePay } from './payer.ts';
import { lockPayment, type AttemptRef } from './record.ts';
import { doubtUnsent, failUnsent, onItsWay } from './unsent.ts';

export const ACTOR = 'payments-workflow';

/** `sends` counts how often the attempt was claimed for sending, including this time. */
type Claim =
  | { kind: 'over'; status: PaymentStatus }
  | { kind: 'taken' | 'early' | 'expired' }
  | {
      kind: 'submit';
      payment: PaymentRow;
      bankId: string;
      payee: MacedPayee;
      wasInDoubt: boolean;
      sends: number;
    };

export type ClaimToSubmit = Extract<Claim, { kind: 'submit' }>;

/**
 * While an attempt is claimed, its payment cannot be cancelled.
 * @throws BankError, before the attempt is claimed, if no bank could take it. @throws DomainError `restoring`
 */
export async function claimSubmission(services: Services, ref: AttemptRef): Promise<Claim> {
  const { all, house } = services.banks;
  const known = { house: house?.bank.bankId ?? null, banks: all.map(({ bankId }) => bankId) };
  const fresh = await services.db.maybe(queries.claimFresh({ ...ref, ...known }));
  if (!fresh) return claimLocked(services, ref);
  const { payee, bank_id: bankId, sends, ...payment } = fresh;
  return { kind: 'submit', payment, bankId, payee, sends, wasInDoubt: false };
}

/** For an attempt that `claimFresh` did not claim, for example because the bank may already have its payment. */
async function claimLocked(services: Services, { payment_id, attempt }: AttemptRef): Promise<Claim> {
  const { db, clock } = services;
  return db.transaction(async (tx): Promise<Claim> => {
    await requireNotRestoring(tx);
    const at = await clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    const payee = await tx.one(queries.payeeOfAttempt(payment));
    const connection = payment.connection_id === null ? null : await tx.maybe(connectionOfPayment(payment_id));
    const asked = { attempt, now: at, realNow: new Date(), connection: connection?.status ?? null };
    const sending = sendingOf(payment, asked);
    if (sending === 'over') return { kind: 'over', status: payment.status };
    if (sending !== 'send') return { kind: sending };
    const by = { actor: ACTOR, at };
    const isUnsent = payment.submission === 'none';
    // Sent again under a key that the bank has forgotten, it would be paid twice.
    if (isUnsent && !(await isNotAtBank(payment, services))) {
      await doubtUnsent(payment, services, by);
      return { kind: 'expired' };
    }

    const today = londonDateOf(at);
    const facts = { isPayable: payee.payable, connection, today };
    // If the bank may have the payment, a refusal could return the money while the bank still pays it out.
    const refused = isUnsent ? await refusalToSend(payment, services, facts) : null;
    if (refused) {
      await failUnsent(payment, services, { failure: refused, ...by });
      return { kind: 'over', status: 'failed' };
    }
    requireSendable(services, payment);
    const counted = isUnsent ? await countedToday(payment, today) : payment;
    const { sends } = await payment.owner.one(claimAgain(counted));
    const sent = counted.status === 'processing' ? counted : await onItsWay(counted, services, by);
    const { bank_id: bankId, submission } = payment;
    const wasInDoubt = submission === 'in_doubt';
    return { kind: 'submit', payment: sent, bankId, payee, wasInDoubt, sends };
  });
}

interface Facts {
  isPayable: boolean;
  /** Null for the house account. Undefined if the payment's connection is not the owner's. */
  connection: PayingConnection | null | undefined;
  today: CalendarDate;
}

async function refusalToSend(
  payment: LockedPayment,
  services: Pick<Services, 'banks' | 'config'> & Authentic,
  { isPayable, connection, today }: Facts,
): Promise<PaymentFailure | null> {
  const { owner } = payment;
  if (await isDisabled(owner.tx, owner.id)) return ACCOUNT_DISABLED;
  if (!isPayable) return PAYEE_GONE;
  if (connection !== null && connection?.status !== 'authorised') return NO_CONSENT;
  if (payment.status !== 'pending') return null;
  if (await isOfPausedSplit(payment)) return SPLIT_PAUSED;
  if (!(await attemptInReach(payment, services))) return OUT_OF_REACH;
  if (connection === null) {
    if (!(await mayHousePay(owner, services, payment.provider_id))) return PAYS_BY_CONNECTION;
    return (await missingEvidence(owner, services, payment)) === null ? null : NOT_EVIDENCED;
  }
  return (await beyondConsentOf(owner, connection, payment, today)) === null ? null : BEYOND_CONSENT;
}

/** Somebody ordered later attempts themselves. */
async function isOfPausedSplit({ owner, payment_id, attempt }: LockedPayment): Promise<boolean> {
  return attempt === 1 && (await owner.tx.maybe(pausedSplitOf(payment_id))) !== undefined;
}

async function countedToday(payment: LockedPayment, today: CalendarDate): Promise<LockedPayment> {
  if (payment.connection_id === null || payment.counts_on === today) return payment;
  await payment.owner.run(countOn(payment, today));
  return { ...payment, counts_on: today };
}
