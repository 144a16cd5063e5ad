import { knownPlaces, rememberPlaces } from '../../infra/db/statements/sign-in.ts';
import { addressGroup } from '../../infra/limits.ts';
import type { Services } from '../../infra/services.ts';

/** Where a sign-in comes from. */
export interface SignInPlace {
  address: string;
  /** What the browser's cookie holds; undefined for a program. */
  browser?: string | undefined;
}

type Needs = Pick<Services, 'db' | 'keys'>;

/**
 * Whether this network or this browser has signed in to the account before. Strangers who lock an account do not lock these out.
 * Takes the same time for an account that there is not.
 */
export async function knowsPlace(services: Needs, userId: string | undefined, from: SignInPlace): Promise<boolean> {
  const found = await services.db.maybe(knownPlaces(userId ?? '', placesOf(services, userId ?? '', from)));
  return found !== undefined;
}

/** Remembers where a sign-in that succeeded came from. */
export async function rememberPlace(services: Needs, userId: string, from: SignInPlace, at: Date): Promise<void> {
  await services.db.run(rememberPlaces(userId, placesOf(services, userId, from), at));
}

/** Fingerprints that nobody can compare between accounts, or make without the keys of the service. */
function placesOf({ keys }: Pick<Services, 'keys'>, userId: string, { address, browser }: SignInPlace): string[] {
  const network = `network ${addressGroup(address)}`;
  const named = browser === undefined ? [network] : [network, `browser ${browser}`];
  return named.map((place) => keys.blindIndex('sign-in place', `${userId} ${place}`));
}
