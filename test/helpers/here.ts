import type { SignInPlace } from '../../activities/auth/places.ts';

/** Where a test signs in from: its own machine. */
export const HERE: SignInPlace = { address: '127.0.0.1' };
