import type { SignInPlace } from '../../activities/auth/places.ts';

export const HERE: SignInPlace = { address: '127.0.0.1' };
