import { knownOrigins, rememberOrigins } from '../../infra/db/queries/sign-in.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { addressGroup } from '../../infra/limits/index.ts';
import type { Services } from '../../infra/services.ts';

export interface SignInOrigin {
  address: string;
  /** The cookie's value, or undefined for a program. */
  browser?: string | undefined;
}

type Needs = Pick<Services, 'db' | 'keys'>;

/** Whether somebody has signed in to the account from this network or browser before. */
export async function isKnownOrigin(services: Needs, userId: string | undefined, from: SignInOrigin): Promise<boolean> {
  const found = await services.db.maybe(knownOrigins(userId ?? '', originsOf(services, userId ?? '', from)));
  return found !== undefined;
}

export async function rememberOrigin(
  tx: Tx,
  services: Pick<Services, 'keys'>,
  userId: string,
  from: SignInOrigin,
  at: Date,
): Promise<void> {
  await tx.run(rememberOrigins(userId, originsOf(services, userId, from), at));
}

/** Keyed hashes, different for each account. */
function originsOf({ keys }: Pick<Services, 'keys'>, userId: string, { address, browser }: SignInOrigin): string[] {
  const network = `network ${addressGroup(address)}`;
  const named = browser === undefined ? [network] : [network, `browser ${browser}`];
  return named.map((origin) => keys.blindIndex('sign-in place', `${userId} ${origin}`));
}
