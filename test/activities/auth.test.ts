import { startKeyUse } from '../../infra/background/key-use.ts';
import { newApiKey, newRefreshToken } from '../../infra/keys/credentials.ts';
import { SealBrokenError } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { HERE } from '../helpers/here.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { until } from '../helpers/until.ts';
import { ownerSql } from '../helpers/owner.ts';

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
const familiesOf = 'family_id in (select family_id from token_families where user_id = $1)';
const justNow = `date_trunc('milliseconds', now())`;

async function expectAccess(accepted: readonly string[], invalid: readonly string[] = []): Promise<void> {
  for (const token of accepted) await expect(auth.authenticate({ token })).resolves.toHaveProperty('scopes');
  for (const token of invalid)
    await expect(auth.authenticate({ token })).rejects.toMatchObject(refused('invalid-token'));
}
const expectNoRefresh = (refresh_token: string) =>
  expect(auth.refreshTokens({ refresh_token })).rejects.toMatchObject(refused('invalid-refresh-token'));

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
    const { email } = await signedIn();
    for (const spelling of [email, email.toUpperCase(), `  ${email}`, email.replace('@', '＠')]) {
      const registering = auth.registerUser({ email: spelling, password: PASSWORD });
      await expect(registering).rejects.toMatchObject(refused('email-taken'));
    }
  });

  test('of 20 simultaneous registrations of one address exactly one succeeds, and the others store nothing', async () => {
    const email = newEmail();
    const before = await many('select vault_ref from vault_records');
    const register = (spelt: string) => auth.registerUser({ email: spelt, password: PASSWORD });
    const spellings = Array.from({ length: 20 }, (_, i) => (i % 2 ? email : email.toUpperCase()));
    const results = await Promise.allSettled(spellings.map(register));
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost).toHaveLength(19);
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

  test('gives the same response for a wrong password and an unknown or invalid address, and audits it without anything computed from the address', async () => {
    const { userId, email } = await signedIn();
    const trying = (given: string, password: string) =>
      auth.login({ from: HERE, email: given, password }).catch((error: unknown) => error);
    const wrong = await trying(email, `${PASSWORD}!`);
    expect(wrong).toMatchObject(refused('invalid-credentials'));
    const stranger = newEmail();
    for (const other of [stranger, 'nobody', '', '\u0000']) expect(await trying(other, PASSWORD)).toEqual(wrong);
    expect(await kindsOf(userId)).toContain('sign-in.failed');
    const unknown = (await eventsOf('sign-in:unknown')).slice(-4);
    expect(unknown).toEqual(Array.from({ length: 4 }, () => ({ kind: 'sign-in.failed', data: {} })));
    const lines = await many<{ line: string }>('select concat(subject, actor, data) as line from audit_events');
    const index = services.keys.blindIndex('user_email', stranger).slice(0, 8);
    expect(lines.filter(({ line }) => line.includes(index) || line.includes(stranger))).toEqual([]);
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
  test('an access token lasts an hour, a refresh token 30 days, a sign-in 90', async () => {
    const { userId, access_token } = await signedIn();
    const seconds = (table: string) => `extract(epoch from ${table}.expires_at - ${table}.created_at)::int`;
    const rows = await many(
      `select ${seconds('a')} as access, ${seconds('r')} as refresh, ${seconds('f')} as family from token_families f
         join access_tokens a using (family_id) join refresh_tokens r using (family_id) where f.user_id = $1`,
      [userId],
    );
    expect(rows).toEqual([{ access: 3_600, refresh: 30 * 86_400, family: 90 * 86_400 }]);
    await ownerSql(services, `update access_tokens set expires_at = ${justNow} where ${familiesOf}`, [userId]);
    await expectAccess([], [access_token]);
  });

  test('refuses anything else, and a refresh token is not an access token, nor the reverse', async () => {
    const { access_token, refresh_token } = await signedIn();
    const others = ['', 'x', 'rf_at_', newRefreshToken(), 'sk_test_', newApiKey('sandbox'), "' or true --"];
    await expectAccess([], [...others, refresh_token]);
    for (const other of [...others, access_token]) await expectNoRefresh(other);
  });
});

describe('refreshTokens', () => {
  test('gives a new set with the same scopes, and the old access token stays valid until it expires', async () => {
    const first = await signedIn();
    const second = await auth.refreshTokens(first);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.scope).toBe(first.scope);
    await expectAccess([first.access_token, second.access_token]);
  });

  test('gives the same set again for 30 seconds, and to all simultaneous requests', async () => {
    const { userId, refresh_token } = await signedIn();
    const all = await Promise.all(Array.from({ length: 10 }, () => auth.refreshTokens({ refresh_token })));
    all.push(await auth.refreshTokens({ refresh_token }));
    for (const tokens of all) expect(tokens).toEqual(all[0]);
    expect(await many(`select token_hash from refresh_tokens where ${familiesOf}`, [userId])).toHaveLength(2);
    // Even if the new token was already used.
    await auth.refreshTokens(all[0]!);
    expect(await auth.refreshTokens({ refresh_token })).toEqual(all[0]);
  });

  const passThirtySeconds = (userId: string) =>
    run(`update refresh_tokens set rotated_at = rotated_at - interval '31 seconds' where ${familiesOf}`, [userId]);

  test('a later use of the old token ends the sign-in with all its tokens, and is audited', async () => {
    const first = await signedIn();
    const other = await auth.login({ from: HERE, email: first.email, password: PASSWORD });
    const second = await auth.refreshTokens(first);
    await passThirtySeconds(first.userId);
    await expectNoRefresh(first.refresh_token);
    await expectAccess([other.access_token], [first.access_token, second.access_token]);
    await expectNoRefresh(second.refresh_token);
    expect((await kindsOf(first.userId)).filter((kind) => kind === 'refresh-token.reused')).toHaveLength(1);
  });

  test('the reply stored for a retry decrypts only with the old token, and later rotations delete it', async () => {
    const first = await signedIn();
    const second = await auth.refreshTokens(first);
    const stored = async () => {
      const text = `select successor_sealed from refresh_tokens where ${familiesOf} and rotated_at is not null order by created_at`;
      const rows = await many<{ successor_sealed: string | null }>(text, [first.userId]);
      return rows.map(({ successor_sealed }) => successor_sealed);
    };
    const [sealed] = await stored();
    expect(sealed).not.toContain(second.refresh_token);
    await expect(services.keys.open(sealed!, { use: 'successor' })).rejects.toThrow(SealBrokenError);
    await passThirtySeconds(first.userId);
    await auth.refreshTokens(second);
    expect(await stored()).toEqual([null, expect.any(String)]);
  });

  test('refuses a token after 30 days, and after the sign-in’s 90 days, without revoking anything', async () => {
    const { userId, access_token, refresh_token } = await signedIn();
    await run(`update token_families set expires_at = ${justNow} where user_id = $1`, [userId]);
    await expectNoRefresh(refresh_token);
    await run(`update token_families set expires_at = now() + interval '1 day' where user_id = $1`, [userId]);
    await run(`update refresh_tokens set expires_at = ${justNow} where ${familiesOf}`, [userId]);
    await expectNoRefresh(refresh_token);
    await expectAccess([access_token]);
  });
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
    await expectAccess([other.access_token], [access_token, later.access_token]);
    await expectNoRefresh(later.refresh_token);
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
    await expectAccess([], [key]);
    const principal = await auth.authenticate({ token: rotated.key });
    expect(principal).toMatchObject({ keyId: rotated.key_id, lineage: key_id, scopes: ['read:payments'] });
    expect(await kindsOf(key_id)).toEqual(['key.issued', 'key.rotated']);
    expect(await kindsOf(rotated.key_id)).toEqual(['key.issued']);
  });

  test('rotated with an overlap, both work until it is over', async () => {
    const { key_id, key } = await issue();
    const rotated = await auth.rotateApiKey({ key_id, overlap_days: 7 });
    await expectAccess([key, rotated.key]);
    await run(`update api_keys set expires_at = ${justNow} where key_id = $1`, [key_id]);
    await expectAccess([rotated.key], [key]);
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
    await expectAccess([], [key]);
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
    await expectAccess([], [`${unused.key.slice(0, -1)}!`]);
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

test('an OAuth client redirects only to HTTPS without a fragment, and has only scopes that people have', async () => {
  const { app_id } = await auth.createApplication({ name: 'Budget' });
  const good = {
    app_id,
    name: 'Budget',
    redirect_uris: ['https://app.example/cb'],
    scopes: ['read:payments'],
  } as const;
  const places = ['http://app.example/cb', 'https://app.example/cb#x', '/cb', 'javascript:alert(1)', 'app:/cb'];
  const wrong = [{ scopes: ['read:vault'] as const }, ...places.map((place) => ({ redirect_uris: [place] }))];
  for (const one of wrong) {
    const making = auth.createClient({ ...good, public: false, ...one });
    await expect(making).rejects.toMatchObject(refused('invalid-request'));
  }
  await expect(auth.createClient({ ...good, public: false })).resolves.toHaveProperty('client_secret');
});
