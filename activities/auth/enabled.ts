import { DomainError } from '../../domain/errors.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { accountState, holdAccount } from '../../infra/db/queries/accounts.ts';
import type { Tx } from '../../infra/db/transaction.ts';

/** Every way to sign in calls this. A command that disables the account waits, and then also ends this sign-in. */
export async function requireEnabled(tx: Tx, userId: string): Promise<void> {
  const account = await tx.maybe(holdAccount(userId));
  if (account !== undefined && account.disabled_at !== null) throw accountDisabled();
}

/** False for an owner without an account. */
export async function isDisabled(db: Queries, ownerId: string): Promise<boolean> {
  return ((await db.maybe(accountState(ownerId)))?.disabled_at ?? null) !== null;
}

export function accountDisabled(): DomainError {
  return new DomainError(
    'account-disabled',
    'The operator of this service has disabled this account. Ask the operator.',
  );
}
