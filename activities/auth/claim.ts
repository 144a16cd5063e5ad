import { removeProvidersOf } from '../../infra/db/statements/payees.ts';
import * as statements from '../../infra/db/statements/proof.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { cancelPendingPayments } from '../payments/pending.ts';
import { endAllElse } from './end-access.ts';

/**
 * An impostor may have registered the account. So the first confirmation ends its sign-ins, cancels pending payments
 * and removes payees. The caller must replace or delete the password.
 * Locks the account, then its sign-ins, then its balances. Requests that add a payee or pay lock the sign-in first, so
 * they commit before this transaction or fail.
 * @returns whether this was the first confirmation.
 */
export async function proveWithoutPassword(
  services: Services,
  given: { userId: string; reason: string; data: Readonly<Record<string, string>>; at: Date },
): Promise<boolean> {
  const { db } = services;
  const { userId, reason, data, at } = given;
  const { first } = await db.one(statements.proveAddress(userId, at, null));
  if (!first) return false;
  await endAllElse(services, { userId, familyId: null, reason, at });
  await db.run(statements.useVerificationsOfUser(userId, at));
  await db.run(statements.deleteConsents(userId));
  await db.run(statements.deleteIdentities(userId));
  const payees = await db.run(removeProvidersOf(userId, at));
  const payments = await cancelPendingPayments(services, {
    ownerId: userId,
    actor: userId,
    detail: 'Cancelled, because the owner of the email address has confirmed that the account is theirs.',
  });
  const told = { ...data, payees_removed: payees, payments_cancelled: payments };
  await audit(services, { subject: userId, kind: 'account.claimed', actor: userId, data: told });
  return true;
}
