import type { SignInOrigin } from '../../activities/auth/known-origins.ts';

export const HERE: SignInOrigin = { address: '127.0.0.1' };
