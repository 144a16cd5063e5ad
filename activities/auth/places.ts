import { knownPlaces, rememberPlaces } from '../../infra/db/queries/sign-in.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { addressGroup } from '../../infra/limits/index.ts';
import type { Services } from '../../infra/services.ts';

export interface SignInPlace {
  address: string;
  /** The cookie's value, or undefined for a program. */
  browser?: string | undefined;
}

type Needs = Pick<Services, 'db' | 'keys'>;

/** Whether somebody has signed in to the account from this network or browser before. */
export async function knowsPlace(services: Needs, userId: string | undefined, from: SignInPlace): Promise<boolean> {
  const found = await services.db.maybe(knownPlaces(userId ?? '', placesOf(services, userId ?? '', from)));
  return found !== undefined;
}

export async function rememberPlace(
  tx: Tx,
  services: Pick<Services, 'keys'>,
  userId: string,
  from: SignInPlace,
  at: Date,
): Promise<void> {
  await tx.run(rememberPlaces(userId, placesOf(services, userId, from), at));
}

/** Keyed hashes, different for each account. */
function placesOf({ keys }: Pick<Services, 'keys'>, userId: string, { address, browser }: SignInPlace): string[] {
  const network = `network ${addressGroup(address)}`;
  const named = browser === undefined ? [network] : [network, `browser ${browser}`];
  return named.map((place) => keys.blindIndex('sign-in place', `${userId} ${place}`));
}
