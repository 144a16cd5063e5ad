import { knownPlaces, rememberPlaces } from '../../infra/db/statements/sign-in.ts';
import { addressGroup } from '../../infra/limits.ts';
import type { Services } from '../../infra/services.ts';

/** Where a sign-in comes from. */
export interface SignInPlace {
  address: string;
  /** The value of the browser's cookie; undefined for a program. */
  browser?: string | undefined;
}

type Needs = Pick<Services, 'db' | 'keys'>;

/**
 * Whether this network or this browser has signed in to the account before. Such places stay usable while strangers'
 * failures lock the account. Takes the same time if the account does not exist.
 */
export async function knowsPlace(services: Needs, userId: string | undefined, from: SignInPlace): Promise<boolean> {
  const found = await services.db.maybe(knownPlaces(userId ?? '', placesOf(services, userId ?? '', from)));
  return found !== undefined;
}

/** Remembers where a sign-in that succeeded came from. */
export async function rememberPlace(services: Needs, userId: string, from: SignInPlace, at: Date): Promise<void> {
  await services.db.run(rememberPlaces(userId, placesOf(services, userId, from), at));
}

/** Fingerprints that cannot be compared between accounts, or made without the service's keys. */
function placesOf({ keys }: Pick<Services, 'keys'>, userId: string, { address, browser }: SignInPlace): string[] {
  const network = `network ${addressGroup(address)}`;
  const named = browser === undefined ? [network] : [network, `browser ${browser}`];
  return named.map((place) => keys.blindIndex('sign-in place', `${userId} ${place}`));
}
