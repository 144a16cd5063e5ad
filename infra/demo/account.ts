import { randomBytes } from 'node:crypto';
import { mustBe } from './expect.ts';
import type { Stage } from './stage.ts';

/** A person of the story. Each run registers a new person. */
export interface Person {
  userId: string;
  email: string;
  password: string;
}

export async function register({ caller, teller }: Stage): Promise<Person> {
  teller.step(
    'Register',
    'Each run makes a new person. The email address is stored encrypted, the password as an Argon2id hash.',
  );
  const mark = randomBytes(4).toString('hex');
  const given = { email: `demo-${mark}@example.org`, password: `demo passphrase ${mark}` };
  const { body } = await caller.call('registerUser', {
    method: 'POST',
    path: '/api/v1/auth/register',
    expect: 201,
    body: given,
  });
  teller.answered(201, `the account ${body.user_id}, which is also the owner of the money`);
  mustBe('The email address of the new account', body.email, given.email);
  return { userId: body.user_id, ...given };
}

export async function logIn({ caller, teller }: Stage, { userId, email, password }: Person): Promise<void> {
  teller.step('Log in', 'From here on every request carries the access token, as Authorization: Bearer.');
  const { body: tokens } = await caller.call('login', {
    method: 'POST',
    path: '/api/v1/auth/login',
    expect: 200,
    body: { email, password },
  });
  const scopes = tokens.scope.split(' ').length;
  teller.answered(
    200,
    `an access token for ${tokens.expires_in / 60} minutes with ${scopes} scopes, and a refresh token`,
  );
  caller.signedInWith(tokens.access_token);
  const { body: profile } = await caller.call('getProfile', { method: 'GET', path: '/api/v1/auth/me', expect: 200 });
  const seen = profile.authenticated_by === 'user' ? profile.user_id : profile.key_id;
  mustBe('The user of the token', seen, userId);
  teller.answered(200, `the token belongs to ${seen}`);
}
