import { randomBytes } from 'node:crypto';
import { mustBe, type Stage } from './stage.ts';

export type Person = Awaited<ReturnType<typeof register>>;

export async function register({ client, teller }: Stage) {
  teller.step(
    'Register',
    'Each run makes a new person. The email address is stored encrypted, the password as an Argon2id hash.',
  );
  const mark = randomBytes(4).toString('hex');
  const given = { email: `demo-${mark}@example.org`, password: `demo passphrase ${mark}` };
  const account = await client.registerUser({ body: given });
  teller.answered(201, `the account ${account.user_id}, which is also the owner of the money`);
  mustBe('The email address of the new account', account.email, given.email);
  return { userId: account.user_id, ...given };
}

export async function logIn(stage: Stage, { userId, email, password }: Person): Promise<void> {
  const { api, client, teller } = stage;
  teller.step('Log in', 'The requests of this person now carry the access token, as Authorization: Bearer.');
  const tokens = await client.login({ body: { email, password } });
  const scopes = tokens.scope.split(' ').length;
  teller.answered(
    200,
    `an access token for ${tokens.expires_in / 60} minutes with ${scopes} scopes, and a refresh token`,
  );
  stage.client = api.clientFor({ tokens });
  stage.quiet = api.clientFor({ tokens }, { quiet: true });
  const profile = await stage.client.getProfile();
  const seen = profile.authenticated_by === 'user' ? profile.user_id : profile.key_id;
  mustBe('The user of the token', seen, userId);
  teller.answered(200, `the token belongs to ${seen}`);
}
