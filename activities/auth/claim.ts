import { removePayeesOf } from '../../infra/db/queries/payees.ts';
import * as queries from '../../infra/db/queries/proof.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { endConnections } from '../bank/record.ts';
import { dropSplit } from '../payday/pause.ts';
import { cancelPendingPayments } from '../payments/pending.ts';
import type { ChangeServices } from '../payments/record.ts';
import { endAllElse } from './sessions.ts';

/**
 * An impostor may have registered the account. So the first confirmation replaces the password, ends the sign-ins,
 * cancels pending payments, removes payees, deletes the standing split, and ends connections to banks.
 * Locks the account, then its sign-ins, then its balances. Requests that add a payee or pay hold the sign-in, so they
 * commit before this transaction or fail.
 * @param given.passwordHash the password from the first confirmation on, or null for none.
 * @returns whether this was the first confirmation.
 */
export async function proveWithoutPassword(
  tx: Tx,
  services: ChangeServices & Pick<Services, 'clock'>,
  given: {
    userId: string;
    passwordHash: string | null;
    reason: string;
    data: Readonly<Record<string, string>>;
    at: Date;
  },
): Promise<boolean> {
  const { userId, passwordHash, reason, data, at } = given;
  const { first } = await tx.one(queries.claimAddress(userId, at, passwordHash));
  if (!first) return false;
  await endAllElse(tx, { userId, familyId: null, reason, at });
  await tx.run(queries.useLinksOf('email_verifications', userId, at));
  await tx.run(queries.deleteConsents(userId));
  await tx.run(queries.deleteIdentities(userId));
  const payees = await tx.run(removePayeesOf(userId, at));
  const payments = await cancelPendingPayments(tx, services, {
    ownerId: userId,
    actor: userId,
    detail: 'Cancelled, because the owner of the email address has confirmed that the account is theirs.',
  });
  await dropSplit(tx, services, { ownerId: userId, actor: userId });
  const connections = await endConnections(tx, services, {
    of: { ownerId: userId },
    ...{ reason: 'account-claimed', actor: userId },
  });
  const removed = { payees_removed: payees, payments_cancelled: payments, connections_ended: connections };
  const counted = { ...data, ...removed };
  await audit(tx, services, { subject: userId, kind: 'account.claimed', actor: userId, data: counted });
  return true;
}
