import type { SignInPlace } from '../../activities/auth/places.ts';

/** Tests sign in from this IP address. */
export const HERE: SignInPlace = { address: '127.0.0.1' };
