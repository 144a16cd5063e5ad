import type { SignInPlace } from '../../activities/auth/places.ts';

/** The place from which tests sign in: their own machine. */
export const HERE: SignInPlace = { address: '127.0.0.1' };
