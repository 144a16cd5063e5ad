import { DomainError } from '../../domain/errors.ts';
import { ACCOUNT_DISABLED } from '../../domain/payment-failures.ts';
import * as queries from '../../infra/db/queries/accounts.ts';
import { userByEmail } from '../../infra/db/queries/auth.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { failPendingPayments } from '../payments/pending.ts';
import type { ChangeServices } from '../payments/record.ts';
import { actorOf, type Operated } from './applications.ts';
import { emailIndexOf } from './register.ts';
import { endAllElse } from './sessions.ts';

/** Newest first. `disabled` leaves out accounts that are not disabled. */
export async function listUsers(
  { db }: Pick<Services, 'db'>,
  { disabled, limit }: { disabled: boolean; limit: number },
) {
  return { items: await db.many(queries.listAccounts({ disabled, most: limit })) };
}

/** `user` is a user id or an email address. The address is looked up by its keyed hash, and not in the result. */
export async function showUser(services: Pick<Services, 'db' | 'keys'>, { user }: { user: string }) {
  const { db } = services;
  const found = user.includes('@') ? await db.maybe(userByEmail(emailIndexOf(services, user))) : { user_id: user };
  const account = found && (await db.maybe(queries.accountById(found.user_id)));
  if (account) return account;
  throw new DomainError('not-found', 'There is no such user. The command "user list" shows all users.');
}

interface ToDisable {
  user_id: string;
  reason?: string | undefined;
}

/** Money that the bank may already have moves on. */
export async function disableUser(
  services: ChangeServices & Pick<Services, 'db' | 'clock'> & Operated,
  { user_id: userId, reason }: ToDisable,
) {
  const at = new Date();
  const actor = actorOf(services);
  return services.db.transaction(async (tx) => {
    if ((await tx.run(queries.setDisabled(userId, at))) === 0) {
      const disabled_at = await disabledSince(tx, userId);
      return { user_id: userId, disabled_at, sign_ins_ended: 0, payments_failed: 0 };
    }
    const families = await endAllElse(tx, { userId, familyId: null, reason: 'account-disabled', at });
    const failure = ACCOUNT_DISABLED;
    const payments_failed = await failPendingPayments(tx, services, { ownerId: userId, failure, actor });
    const counted = { sign_ins_ended: families.length, payments_failed };
    const data = { ...counted, ...(reason !== undefined && { reason }) };
    await audit(tx, services, { subject: userId, kind: 'user.disabled', actor, data });
    return { user_id: userId, disabled_at: at.toISOString(), ...counted };
  });
}

/** What ended stays ended: the person signs in and grants access again. */
export async function enableUser(
  services: Pick<Services, 'db' | 'newId'> & Operated,
  { user_id: userId }: { user_id: string },
) {
  return services.db.transaction(async (tx) => {
    if ((await tx.run(queries.setDisabled(userId, null))) === 0) await disabledSince(tx, userId);
    else await audit(tx, services, { subject: userId, kind: 'user.enabled', actor: actorOf(services), data: {} });
    return { user_id: userId, disabled_at: null };
  });
}

async function disabledSince(tx: Tx, userId: string): Promise<string | null> {
  const account = await tx.maybe(queries.accountState(userId));
  if (account !== undefined) return account.disabled_at;
  throw new DomainError('not-found', `There is no user ${userId}. The command "user list" shows all users.`);
}
