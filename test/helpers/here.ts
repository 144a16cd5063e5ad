import type { SignInPlace } from '../../activities/auth/places.ts';

/** The IP address from which tests sign in. */
export const HERE: SignInPlace = { address: '127.0.0.1' };
