import { startKeyUse } from '../../infra/background/key-use.ts';
import { newApiKey, newRefreshToken } from '../../infra/keys/credentials.ts';
import { SealBrokenError } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { HERE } from '../helpers/here.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { until } from '../helpers/until.ts';

const services = withDatabase();
const auth = accountsOf(services);
const PASSWORD = 'seven green lanterns';
const HOUR_MS = 3_600_000;

let counter = 0;
const newEmail = () => `person${(counter += 1)}@example.org`;
const { run, many } = sqlOf(services);

async function signedIn(email = newEmail()) {
  const { user_id } = await auth.registerUser({ email, password: PASSWORD });
  const tokens = await auth.login({ from: HERE, email, password: PASSWORD });
  return { userId: user_id, email, ...tokens };
}

const eventsOf = (subject: string) =>
  many<{ kind: string; data: Record<string, unknown> }>(
    'select kind, data from audit_events where subject = $1 order by subject_seq',
    [subject],
  );
const kindsOf = async (subject: string) => (await eventsOf(subject)).map(({ kind }) => kind);
const refused = (code: string) => ({ name: 'DomainError', code });

describe('registerUser', () => {
  test('makes an account, an owner and an audit event, and returns the normalised address', async () => {
    const account = await auth.registerUser({ email: ' Ｚoe@Example.org ', password: PASSWORD });
    expect(account).toEqual({
      user_id: expect.stringMatching(/^usr_[0-9a-f-]{36}$/) as string,
      email: 'Zoe@Example.org',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
    expect(await many('select owner_id from owners where owner_id = $1', [account.user_id])).toHaveLength(1);
    expect(await kindsOf(account.user_id)).toEqual(['user.registered']);
  });

  test('refuses an address that is taken, however it is spelt', async () => {
    const email = newEmail();
    await auth.registerUser({ email, password: PASSWORD });
    for (const spelling of [email, email.toUpperCase(), `  ${email}`, email.replace('@', '＠')]) {
      await expect(auth.registerUser({ email: spelling, password: PASSWORD })).rejects.toMatchObject(
        refused('email-taken'),
      );
    }
  });

  test('of 20 simultaneous registrations of one address exactly one succeeds, and the others store nothing', async () => {
    const email = newEmail();
    const before = await many('select vault_ref from vault_records');
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        auth.registerUser({ email: i % 2 ? email : email.toUpperCase(), password: PASSWORD }),
      ),
    );
    const lost = results.filter((result) => result.status === 'rejected');
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const { reason } of lost) expect(reason).toMatchObject(refused('email-taken'));
    expect(await many('select vault_ref from vault_records')).toHaveLength(before.length + 1);
  });
});

describe('login', () => {
  test('gives an opaque token set with every scope of a user, of which the database stores only hashes', async () => {
    const { userId, access_token, refresh_token, token_type, expires_in, scope } = await signedIn();
    expect(access_token).toMatch(/^rf_at_[\w-]{43}$/);
    expect(refresh_token).toMatch(/^rf_rt_[\w-]{43}$/);
    expect({ token_type, expires_in }).toEqual({ token_type: 'bearer', expires_in: 3600 });
    expect(scope.split(' ')).toEqual(expect.arrayContaining(['read:profile', 'write:payments']));
    expect(scope).not.toMatch(/vault|admin|write:yield/);
    const principal = await auth.authenticate({ token: access_token });
    expect(principal).toMatchObject({ kind: 'user', userId, scopes: scope.split(' ') });
    expect(await kindsOf(userId)).toEqual(['user.registered', 'sign-in.succeeded']);
  });

  test('gives the same response for a wrong password and an unknown or invalid address, and audits it without the address', async () => {
    const { userId, email } = await signedIn();
    const trying = (given: string, password: string) =>
      auth.login({ from: HERE, email: given, password }).catch((error: unknown) => error);
    const wrong = await trying(email, `${PASSWORD}!`);
    expect(wrong).toMatchObject(refused('invalid-credentials'));
    const stranger = newEmail();
    for (const other of [stranger, 'nobody', '', '\u0000']) expect(await trying(other, PASSWORD)).toEqual(wrong);
    expect(await kindsOf(userId)).toContain('sign-in.failed');
    const subject = `email:${services.keys.blindIndex('user_email', stranger).slice(0, 12)}`;
    expect(await eventsOf(subject)).toEqual([{ kind: 'sign-in.failed', data: {} }]);
  });

  test('takes the same time for a wrong password and an unknown address', async () => {
    const { email } = await signedIn();
    // Other load on the machine does not affect processor time.
    const time = async (given: string) => {
      const before = process.cpuUsage();
      await auth.login({ from: HERE, email: given, password: 'not the password' }).catch(() => undefined);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let i = 0; i < 15; i += 1) {
      known.push(await time(email));
      unknown.push(await time(newEmail()));
    }
    const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1]!;
    const ratio = median(unknown) / median(known);
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1.67);
  });
});

describe('authenticate', () => {
  test('refuses an access token after its hour', async () => {
    const { userId, access_token } = await signedIn();
    await run(
      `update access_tokens set expires_at = date_trunc('milliseconds', now()) where family_id in (select family_id from token_families where user_id = $1)`,
      [userId],
    );
    await expect(auth.authenticate({ token: access_token })).rejects.toMatchObject(refused('invalid-token'));
  });

  test('an access token lasts an hour, a refresh token 30 days, a sign-in 90', async () => {
    const { userId } = await signedIn();
    const rows = await many(
      `select extract(epoch from a.expires_at - a.created_at)::int as access, extract(epoch from r.expires_at - r.created_at)::int as refresh,
              extract(epoch from f.expires_at - f.created_at)::int as family
         from token_families f join access_tokens a using (family_id) join refresh_tokens r using (family_id) where f.user_id = $1`,
      [userId],
    );
    expect(rows).toEqual([{ access: 3_600, refresh: 30 * 86_400, family: 90 * 86_400 }]);
  });

  test('refuses anything else', async () => {
    for (const token of ['', 'x', 'rf_at_', newRefreshToken(), 'sk_test_', newApiKey('sandbox'), "' or true --"]) {
      await expect(auth.authenticate({ token })).rejects.toMatchObject(refused('invalid-token'));
      const refreshing = auth.refreshTokens({ refresh_token: token });
      await expect(refreshing).rejects.toMatchObject(refused('invalid-refresh-token'));
    }
  });

  test('a refresh token is not an access token, nor the reverse', async () => {
    const { access_token, refresh_token } = await signedIn();
    await expect(auth.authenticate({ token: refresh_token })).rejects.toMatchObject(refused('invalid-token'));
    await expect(auth.refreshTokens({ refresh_token: access_token })).rejects.toMatchObject(
      refused('invalid-refresh-token'),
    );
  });
});

describe('refreshTokens', () => {
  test('gives a new set with the same scopes, and the old access token stays valid until it expires', async () => {
    const first = await signedIn();
    const second = await auth.refreshTokens({ refresh_token: first.refresh_token });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.scope).toBe(first.scope);
    for (const token of [first.access_token, second.access_token]) {
      await expect(auth.authenticate({ token })).resolves.toHaveProperty('userId', first.userId);
    }
  });

  test('gives the same set again for 30 seconds, and to all simultaneous requests', async () => {
    const { userId, refresh_token } = await signedIn();
    const all = await Promise.all(Array.from({ length: 10 }, () => auth.refreshTokens({ refresh_token })));
    all.push(await auth.refreshTokens({ refresh_token }));
    for (const tokens of all) expect(tokens).toEqual(all[0]);
    expect(
      await many('select token_hash from refresh_tokens join token_families using (family_id) where user_id = $1', [
        userId,
      ]),
    ).toHaveLength(2);
    await expect(auth.refreshTokens({ refresh_token: all[0]!.refresh_token })).resolves.toHaveProperty('access_token');
  });

  test('gives the same set again even if the new token was already used', async () => {
    const first = await signedIn();
    const second = await auth.refreshTokens(first);
    await auth.refreshTokens(second);
    await expect(auth.refreshTokens(first)).resolves.toEqual(second);
  });

  test('a later use of the old token ends the sign-in with all its tokens, and is audited', async () => {
    const first = await signedIn();
    const other = await auth.login({ from: HERE, email: first.email, password: PASSWORD });
    const second = await auth.refreshTokens({ refresh_token: first.refresh_token });
    await passThirtySeconds(first.userId);
    await expect(auth.refreshTokens({ refresh_token: first.refresh_token })).rejects.toMatchObject(
      refused('invalid-refresh-token'),
    );
    for (const token of [first.access_token, second.access_token]) {
      await expect(auth.authenticate({ token })).rejects.toMatchObject(refused('invalid-token'));
    }
    await expect(auth.refreshTokens({ refresh_token: second.refresh_token })).rejects.toMatchObject(
      refused('invalid-refresh-token'),
    );
    await expect(auth.authenticate({ token: other.access_token })).resolves.toHaveProperty('kind', 'user');
    expect((await kindsOf(first.userId)).filter((kind) => kind === 'refresh-token.reused')).toHaveLength(1);
  });

  test('the reply stored for a retry decrypts only with the old token, and later rotations delete it', async () => {
    const first = await signedIn();
    const second = await auth.refreshTokens({ refresh_token: first.refresh_token });
    const stored = async () =>
      many<{ successor_sealed: string | null }>(
        `select successor_sealed from refresh_tokens join token_families using (family_id)
          where user_id = $1 and rotated_at is not null order by refresh_tokens.created_at`,
        [first.userId],
      );
    const [row] = await stored();
    expect(row!.successor_sealed).not.toContain(second.refresh_token);
    await expect(services.keys.open(row!.successor_sealed!, { use: 'successor' })).rejects.toThrow(SealBrokenError);
    await passThirtySeconds(first.userId);
    await auth.refreshTokens({ refresh_token: second.refresh_token });
    expect((await stored()).map(({ successor_sealed }) => successor_sealed === null)).toEqual([true, false]);
  });

  test('refuses a token after 30 days, and after the sign-in’s 90 days, without revoking anything', async () => {
    const { userId, access_token, refresh_token } = await signedIn();
    await run(`update token_families set expires_at = date_trunc('milliseconds', now()) where user_id = $1`, [userId]);
    await expect(auth.refreshTokens({ refresh_token })).rejects.toMatchObject(refused('invalid-refresh-token'));
    await run(`update token_families set expires_at = now() + interval '1 day' where user_id = $1`, [userId]);
    await run(
      `update refresh_tokens set expires_at = date_trunc('milliseconds', now()) where family_id in (select family_id from token_families where user_id = $1)`,
      [userId],
    );
    await expect(auth.refreshTokens({ refresh_token })).rejects.toMatchObject(refused('invalid-refresh-token'));
    await expect(auth.authenticate({ token: access_token })).resolves.toHaveProperty('userId', userId);
  });

  const passThirtySeconds = (userId: string) =>
    run(
      `update refresh_tokens set rotated_at = rotated_at - interval '31 seconds'
        where family_id in (select family_id from token_families where user_id = $1)`,
      [userId],
    );
});

test('a changed buffer rate is kept where the paycheck engine reads it', async () => {
  const { userId, access_token } = await signedIn();
  const principal = await auth.authenticate({ token: access_token });
  await auth.updateProfile({ principal, buffer_rate: '0.1550' });
  await expect(auth.updateProfile({ principal, buffer_rate: '1.5' })).rejects.toMatchObject(refused('invalid-request'));
  expect(await many('select buffer_rate from owners where owner_id = $1', [userId])).toEqual([
    { buffer_rate: '0.1550' },
  ]);
});

describe('logout', () => {
  test('ends the sign-in and its tokens at once, and no other sign-in', async () => {
    const { userId, email, access_token, refresh_token } = await signedIn();
    const other = await auth.login({ from: HERE, email, password: PASSWORD });
    const later = await auth.refreshTokens({ refresh_token });
    const principal = await auth.authenticate({ token: access_token });
    await auth.logout({ principal });
    await auth.logout({ principal });
    for (const token of [access_token, later.access_token]) {
      await expect(auth.authenticate({ token })).rejects.toMatchObject(refused('invalid-token'));
    }
    await expect(auth.refreshTokens({ refresh_token: later.refresh_token })).rejects.toMatchObject(
      refused('invalid-refresh-token'),
    );
    await expect(auth.authenticate({ token: other.access_token })).resolves.toHaveProperty('kind', 'user');
    expect((await kindsOf(userId)).filter((kind) => kind === 'sign-out')).toHaveLength(1);
  });
});

async function issue() {
  const { app_id } = await auth.createApplication({ name: 'Payroll' });
  return { app_id, ...(await auth.issueApiKey({ app_id, scopes: ['read:payments'] })) };
}

describe('API keys', () => {
  test('are stored only as hashes, and identify their application', async () => {
    const { app_id, key_id, key } = await issue();
    expect(await auth.authenticate({ token: key })).toEqual({
      kind: 'api_key',
      keyId: key_id,
      appId: app_id,
      lineage: key_id,
      environment: 'sandbox',
      scopes: ['read:payments'],
    });
    expect(JSON.stringify(await many('select * from api_keys'))).not.toContain(key);
    expect(JSON.stringify(await auth.listApiKeys({ app_id }))).not.toContain(key.slice(8));
    const ofNobody = auth.issueApiKey({ app_id: 'app_none', scopes: ['read:debt'] });
    await expect(ofNobody).rejects.toMatchObject(refused('not-found'));
  });

  test('of the other environment are refused by name, whatever follows the prefix', async () => {
    for (const token of [newApiKey('production'), 'sk_live_', 'sk_live_x']) {
      await expect(auth.authenticate({ token })).rejects.toMatchObject(refused('wrong-environment-key'));
    }
  });

  test('rotated without an overlap, the old key is refused at once, and the new key is the same caller', async () => {
    const { key_id, key } = await issue();
    const rotated = await auth.rotateApiKey({ key_id, overlap_days: 0 });
    await expect(auth.authenticate({ token: key })).rejects.toMatchObject(refused('invalid-token'));
    const principal = await auth.authenticate({ token: rotated.key });
    expect(principal).toMatchObject({ keyId: rotated.key_id, lineage: key_id, scopes: ['read:payments'] });
    expect(await kindsOf(key_id)).toEqual(['key.issued', 'key.rotated']);
    expect(await kindsOf(rotated.key_id)).toEqual(['key.issued']);
  });

  test('rotated with an overlap, both work until it is over', async () => {
    const { key_id, key } = await issue();
    const rotated = await auth.rotateApiKey({ key_id, overlap_days: 7 });
    await expect(auth.authenticate({ token: key })).resolves.toHaveProperty('keyId', key_id);
    await expect(auth.authenticate({ token: rotated.key })).resolves.toHaveProperty('keyId', rotated.key_id);
    await run(`update api_keys set expires_at = date_trunc('milliseconds', now()) where key_id = $1`, [key_id]);
    await expect(auth.authenticate({ token: key })).rejects.toMatchObject(refused('invalid-token'));
  });

  test('an overlap outside 0 to 7 whole days is refused', async () => {
    const { key_id } = await issue();
    for (const overlap_days of [-1, 8, 0.5, Number.NaN])
      await expect(auth.rotateApiKey({ key_id, overlap_days })).rejects.toMatchObject(refused('invalid-request'));
  });

  test('rotated twice at the same time, exactly one new key is made', async () => {
    const { app_id, key_id } = await issue();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => auth.rotateApiKey({ key_id, overlap_days: 7 })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await auth.listApiKeys({ app_id })).items).toHaveLength(2);
  });

  test('are refused at once after a revocation, even in an overlap; revoking again changes nothing', async () => {
    const { key_id, key } = await issue();
    await auth.rotateApiKey({ key_id, overlap_days: 7 });
    const { revoked_at } = await auth.revokeApiKey({ key_id });
    await expect(auth.authenticate({ token: key })).rejects.toMatchObject(refused('invalid-token'));
    await expect(auth.revokeApiKey({ key_id })).resolves.toEqual({ key_id, revoked_at });
    await expect(auth.rotateApiKey({ key_id, overlap_days: 0 })).rejects.toMatchObject(refused('invalid-request'));
    expect((await kindsOf(key_id)).filter((kind) => kind === 'key.revoked')).toHaveLength(1);
  });
});

describe('the last use of an API key', () => {
  const usedAt = async (key_id: string) =>
    (await auth.listApiKeys({})).items.find((item) => item.key_id === key_id)!.last_used_at;
  const thisHour = () => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString();

  function counted() {
    const told = { writes: 0, away: false };
    const keyUse = new Set<string>();
    const db = {
      ...services.db,
      run: (query: Parameters<Services['db']['run']>[0]) => {
        if (told.away) return Promise.reject(new Error('the database is away'));
        told.writes += 1;
        return services.db.run(query);
      },
    };
    return { told, keyUse, parts: { db, keyUse, log: services.log } };
  }

  test('is stored by the hour, and a failed use is not stored', async () => {
    const [used, unused] = [await issue(), await issue()];
    const before = thisHour();
    await auth.authenticate({ token: used.key });
    await expect(auth.authenticate({ token: `${unused.key.slice(0, -1)}!` })).rejects.toMatchObject({
      code: 'invalid-token',
    });
    expect(await usedAt(used.key_id)).toBeNull();
    await startKeyUse(services).stop();
    expect([before, thisHour()]).toContain(await usedAt(used.key_id));
    expect(await usedAt(unused.key_id)).toBeNull();
  });

  test('that another process stored within the hour is not written again', async () => {
    const { key_id } = await issue();
    const version = async () =>
      (await many<{ xmin: string }>('select xmin::text from api_keys where key_id = $1', [key_id]))[0]!.xmin;
    const use = async () => {
      const { keyUse, parts } = counted();
      keyUse.add(key_id);
      await startKeyUse(parts).stop();
      return version();
    };
    const before = await version();
    const [first, hour] = [await use(), await usedAt(key_id)];
    expect(first).not.toBe(before);
    const second = await use();
    // The service stores the second use only if a new hour began after the first use.
    if ((await usedAt(key_id)) === hour) expect(second).toBe(first);
  });

  test('is stored later if the database is down, and requests continue', async () => {
    const { key_id } = await issue();
    const { told, keyUse, parts } = counted();
    told.away = true;
    const task = startKeyUse(parts, 10);
    keyUse.add(key_id);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await usedAt(key_id)).toBeNull();
    told.away = false;
    await until(async () => (await usedAt(key_id)) !== null, 'the use of the key');
    await task.stop();
    expect(told.writes).toBe(1);
  });
});

describe('OAuth clients', () => {
  const client = {
    name: 'Budget app',
    redirect_uris: ['https://app.example/cb'],
    scopes: ['read:payments'],
    public: false,
  } as const;

  test('get a secret that is stored as a hash; public clients get none', async () => {
    const { app_id } = await auth.createApplication({ name: 'Budget' });
    const made = await auth.createClient({ ...client, app_id });
    expect(made).toEqual({
      client_id: expect.stringMatching(/^client_/) as string,
      client_secret: expect.stringMatching(/^rf_cs_/) as string,
    });
    expect(JSON.stringify(await many('select * from oauth_clients'))).not.toContain(made.client_secret!);
    expect(await auth.createClient({ ...client, app_id, public: true })).toMatchObject({ client_secret: null });
  });

  test('cannot redirect to a place without TLS, with a fragment, or of another scheme', async () => {
    const { app_id } = await auth.createApplication({ name: 'Budget' });
    const wrong = ['http://app.example/cb', 'https://app.example/cb#x', '/cb', 'javascript:alert(1)', 'app:/cb'];
    for (const uri of wrong) {
      const making = auth.createClient({ ...client, app_id, redirect_uris: [uri] });
      await expect(making).rejects.toMatchObject(refused('invalid-request'));
    }
  });

  test('cannot be registered for scopes that no user has', async () => {
    const { app_id } = await auth.createApplication({ name: 'Budget' });
    await expect(auth.createClient({ ...client, app_id, scopes: ['read:vault'] })).rejects.toMatchObject(
      refused('invalid-request'),
    );
  });
});
