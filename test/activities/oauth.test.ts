import fc from 'fast-check';
import * as oidc from 'openid-client';
import { presentedClient } from '../../activities/auth/oauth/clients.ts';
import { revokeToken } from '../../activities/auth/oauth/revoke.ts';
import { exchangeToken } from '../../activities/auth/oauth/token.ts';
import type { TokenSet } from '../../openapi/types.ts';
import { sessionOf } from '../../activities/auth/sessions.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf, signInOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { HERE } from '../helpers/here.ts';
import { basic, newClient, newCode, newPkce, REDIRECT_URI, sqlOf, type TestClient } from '../helpers/oauth.ts';
import { watched } from '../helpers/watched-database.ts';

const services = withDatabase();
const auth = accountsOf(services);
const sql = sqlOf(services);

let client: TestClient;
let userId: string;
beforeAll(async () => {
  client = await newClient(services);
  ({ user_id: userId } = await auth.registerUser({ email: 'ada@example.org', password: 'seven green lanterns' }));
});

const redeem = (code: string, by: Services = services, of = client) =>
  exchangeToken(by, {
    authorization: basic(of),
    parameters: { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI },
  });
const refresh = (refreshToken: string, more: object = {}) =>
  exchangeToken(services, {
    authorization: undefined,
    parameters: { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client.clientId, ...more },
  });
const granted = async () => redeem(await newCode(services, { clientId: client.clientId, userId }));
const works = (token: string) =>
  auth.authenticate({ token }).then(
    () => true,
    () => false,
  );
const won = (results: readonly PromiseSettledResult<TokenSet>[]) =>
  results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
const lost = (results: readonly PromiseSettledResult<TokenSet>[]) =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));

describe('exchangeToken', () => {
  test('of many simultaneous uses of one code one gets tokens, the others end these tokens, and that is audited once', async () => {
    for (const uses of [2, 3, 10]) {
      const code = await newCode(services, { clientId: client.clientId, userId });
      const before = await sql.many(`select 1 as n from audit_events where kind = 'authorization-code.reused'`);
      const results = await Promise.allSettled(Array.from({ length: uses }, () => redeem(code)));
      expect(won(results)).toHaveLength(1);
      for (const reason of lost(results)) expect(reason).toMatchObject({ name: 'DomainError', code: 'invalid-grant' });
      const [tokens] = won(results);
      expect(await works(tokens!.access_token)).toBe(false);
      await expect(refresh(tokens!.refresh_token)).rejects.toMatchObject({ code: 'invalid-grant' });
      const after = await sql.many(`select 1 as n from audit_events where kind = 'authorization-code.reused'`);
      expect(after.length - before.length).toBe(1);
    }
  });

  test('a refresh and a simultaneous second use of the code leave no valid token', async () => {
    for (let round = 0; round < 5; round += 1) {
      const code = await newCode(services, { clientId: client.clientId, userId });
      const first = await redeem(code);
      const results = await Promise.allSettled([
        refresh(first.refresh_token),
        redeem(code),
        refresh(first.refresh_token),
      ]);
      for (const tokens of [first, ...won(results)]) expect(await works(tokens.access_token)).toBe(false);
    }
  });

  test('tokens of a code that is redeemed during the sign-out end with the session', async () => {
    const signIn = signInOf(services);
    const { cookie } = await signIn.beginSession({ from: HERE, userId, method: 'password', at: new Date() });
    const session = (await sessionOf(services, { cookie: cookie.split(';', 1)[0]! }))!;
    const code = await newCode(services, { clientId: client.clientId, userId, sessionHash: session.sessionHash });
    const [reached, released] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
    // Stops after the code was locked and its session was found alive, and before the tokens are stored.
    const slow = watched(services, {
      query: async (name) => {
        if (name !== 'oauth.useCode') return;
        reached.resolve(null);
        await released.promise;
      },
    });
    const redeemed = redeem(code, slow);
    await reached.promise;
    const signedOut = signIn.signOut(session);
    await new Promise((resolve) => setTimeout(resolve, 500));
    released.resolve(null);
    const { access_token } = await redeemed;
    await signedOut;
    expect(await works(access_token)).toBe(false);
  });

  test('after an internal error the code is still valid, and the error is not reported as a refusal', async () => {
    const code = await newCode(services, { clientId: client.clientId, userId });
    const broken: Services = new Proxy(services, {
      get: (target, name) =>
        name === 'newId'
          ? () => {
              throw new RangeError('out of identifiers');
            }
          : (Reflect.get(target, name) as unknown),
    });
    await expect(redeem(code, broken)).rejects.toThrow(new RangeError('out of identifiers'));
    await expect(redeem(code)).resolves.toMatchObject({ token_type: 'bearer' });
  });

  test('no secret, code or token is stored in the clear', async () => {
    const { verifier, challenge } = newPkce();
    const code = await newCode(services, { clientId: client.clientId, userId, challenge });
    const first = await exchangeToken(services, {
      authorization: basic(client),
      parameters: { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier },
    });
    const second = await refresh(first.refresh_token);
    const secrets = [client.secret, code, verifier, first, second].flatMap((secret) =>
      typeof secret === 'string' ? [secret] : [secret.access_token, secret.refresh_token],
    );
    for (const table of [
      'authorization_codes',
      'token_families',
      'access_tokens',
      'refresh_tokens',
      'oauth_clients',
      'audit_events',
    ]) {
      const rows = JSON.stringify(await sql.many(`select t::text from ${table} t`));
      for (const secret of secrets) expect(rows).not.toContain(secret);
    }
  });

  test('a retry returns the same narrowed token set', async () => {
    const { refresh_token } = await granted();
    const narrowed = await refresh(refresh_token, { scope: 'read:debt' });
    expect(narrowed.scope).toBe('read:debt');
    expect(await refresh(refresh_token, { scope: 'read:debt' })).toEqual(narrowed);
    expect(await refresh(refresh_token)).toEqual(narrowed);
    await expect(auth.authenticate({ token: narrowed.access_token })).resolves.toMatchObject({ scopes: ['read:debt'] });
    await expect(refresh(refresh_token, { scope: 'read:yield' })).rejects.toMatchObject({ code: 'invalid-scope' });
  });
});

describe('revokeToken', () => {
  test('a simultaneous revocation and refresh leave no valid token', async () => {
    for (let round = 0; round < 5; round += 1) {
      const first = await granted();
      const revoke = () =>
        revokeToken(services, { authorization: basic(client), parameters: { token: first.refresh_token } });
      const [refreshed] = await Promise.allSettled([refresh(first.refresh_token), revoke(), revoke()]);
      for (const tokens of [first, ...won([refreshed])]) expect(await works(tokens.access_token)).toBe(false);
    }
  });
});

describe('presentedClient', () => {
  test('parses what an independent client writes, with any characters', () => {
    const printable = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    });
    fc.assert(
      fc.property(printable, printable, (clientId, secret) => {
        const headers = new Headers();
        oidc.ClientSecretBasic(secret)({} as never, { client_id: clientId }, new URLSearchParams(), headers);
        const presented = presentedClient({ authorization: headers.get('authorization')! });
        expect(presented).toEqual({ clientId, secret });
      }),
    );
  });

  test('turns any header into a client or a refusal, never an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
        ),
        (authorization) => {
          try {
            const { clientId, secret } = presentedClient({ authorization });
            expect(clientId).toMatch(/^[\x20-\x7e]+$/);
            if (secret !== undefined) expect(secret).toMatch(/^[\x20-\x7e]+$/);
          } catch (error) {
            expect(error).toMatchObject({ name: 'DomainError', code: 'invalid-client' });
          }
        },
      ),
    );
  });
});
