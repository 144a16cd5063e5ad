import { givesBack, type PaymentStatus, type Submission } from '../../domain/payments.ts';
import type { Queries } from '../../infra/db/connection.ts';
import type { MacedOutcome } from '../../infra/db/queries/macs.ts';
import { outcomeById, outcomesToVerify, type StoredOutcome } from '../../infra/db/queries/payment-outcomes.ts';
import type { AttemptId, LockedPayment } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import {
  isGenuine,
  macColumns,
  reportTampering,
  scanned,
  type Authentic,
  type MacedKind,
  type Scanned,
} from '../macs.ts';
import type { SlicedScan } from '../verify/part.ts';

type OutcomeFacts = Omit<MacedOutcome, 'mac' | 'mac_version'>;

/** The id names the attempt. An attempt that gave its money back is never sent again: a trigger sees to that. */
export const OUTCOME_MACS: MacedKind<OutcomeFacts> = {
  what: 'payment outcome',
  idOf: ({ outcome_id }) => outcome_id,
  fieldsOf: ({ outcome_id, payment_id, sends, outcome }) => [outcome_id, payment_id, sends, outcome],
};

export interface Ending {
  to: PaymentStatus;
  submission?: Submission;
  /** Nobody but the service's own row says that the bank does not have the payment. */
  unsent?: boolean;
}

/** What to store of a change that gives the money back, or after which the bank does not have the payment. Null: nothing. */
export async function macedOutcome(
  payment: LockedPayment,
  services: Authentic,
  { to, submission, unsent = false }: Ending,
): Promise<StoredOutcome | null> {
  const outcome: StoredOutcome['outcome'] | null = submission === 'none' ? 'unsent' : givesBack(to) ? to : null;
  // What might have left stays spent.
  if (outcome === null || (unsent && !(await isNotAtBank(payment, services)))) return null;
  const { payment_id, owner_id, sends } = payment;
  const facts = { outcome_id: outcomeId(payment), payment_id, sends, outcome };
  return { ...facts, owner_id, ...(await macColumns(services.keys, OUTCOME_MACS, facts)) };
}

/** Whether the attempt was never sent, or the service found after the last time that the bank does not have it. */
export async function isNotAtBank(payment: LockedPayment, services: Authentic): Promise<boolean> {
  if (payment.submission !== 'none') return false;
  if (payment.sends === 0) return true;
  const stored = await payment.owner.tx.maybe(outcomeById(outcomeId(payment)));
  if (stored?.outcome === 'unsent' && stored.sends === payment.sends) return isGenuine(services, OUTCOME_MACS, stored);
  reportTampering(services, OUTCOME_MACS.what, outcomeId(payment));
  return false;
}

const outcomeId = ({ payment_id, attempt }: AttemptId) => `${payment_id}/${attempt}`;

/** Reads the attempts that gave their money back. Each needs a MAC. */
export async function findOutcomeTampering(db: Queries, keys: Services['keys'], scan: SlicedScan): Promise<Scanned> {
  const [payment_id = '', attempt = '0'] = scan.after?.split('/') ?? [];
  const wanted = { most: scan.limit, slice: scan.slice ?? null, since: scan.since ?? null };
  const rows = await db.many(outcomesToVerify({ payment_id, attempt: Number(attempt), ...wanted }));
  return scanned(keys, OUTCOME_MACS, rows, scan);
}
