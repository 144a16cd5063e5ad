import { hash, randomBytes } from 'node:crypto';
import { findKeyTampering } from '../../activities/auth/key-macs.ts';
import { requireClient } from '../../activities/auth/oauth/clients.ts';
import { exchangeToken } from '../../activities/auth/oauth/token.ts';
import { describeReset } from '../../activities/auth/password-reset.ts';
import { describeVerification } from '../../activities/auth/proof.ts';
import { sessionOf } from '../../activities/auth/sessions.ts';
import { findIncomeTampering } from '../../activities/paycheck/income-macs.ts';
import { vaultKeyActivities, type RotatedTable } from '../../activities/vault-keys.ts';
import type { Principal } from '../../domain/auth.ts';
import * as credentials from '../../infra/keys/credentials.ts';
import { accountsOf, paychecksOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { evidenceOf } from '../helpers/money.ts';
import { newClient, REDIRECT_URI, sqlOf } from '../helpers/oauth.ts';
import { ownerSql } from '../helpers/owner.ts';
import { newOwner } from '../helpers/paying.ts';
import { withProductionKeys } from '../helpers/production-keys.ts';

/* What somebody with the password of the service's database role cannot do. `run` acts as this role. */

const services = withDatabase({ env: withProductionKeys({ KEY_RELOAD_MS: '100' }) });
const auth = accountsOf(services);
const paychecks = paychecksOf(services);
const { run, many } = sqlOf(services);

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error as { code?: string }).code,
  );
async function counted(what: string): Promise<number> {
  const { values } = await services.metrics.tampering.get();
  return values.find(({ labels }) => labels.what === what)!.value;
}

let app = '';
const issue = async (limit = 10_000) => {
  const scopes = ['write:paycheck', 'assert:income'] as const;
  return auth.issueApiKey({ app_id: app, scopes, income_limits: { perOwner: limit, perMonth: limit } });
};
beforeAll(async () => {
  app = (await auth.createApplication({ name: 'Employer' })).app_id;
});

describe('a credential that the role made up and stored as the hash SHA-256', () => {
  let victim = '';
  let client = '';
  beforeAll(async () => {
    const email = 'victim@example.org';
    victim = (await auth.registerUser({ email, password: 'seven green lanterns' })).user_id;
    client = (await newClient(services, { scopes: ['read:profile'] })).clientId;
    await run('update users set email_verified_at = now() where user_id = $1', [victim]);
    await auth.beginFamily({ user_id: victim, client_id: null, session_hash: null, scopes: [] }, new Date());
  });

  const ofFamily = `created_at, expires_at) select $1, family_id, now(), now() + interval '1 hour'
      from token_families where user_id = $2`;
  const ofPerson = `user_id, created_at, expires_at`;
  const values = `values ($1, $2, now(), now() + interval '1 minute'`;
  const redeem = (code: string) =>
    exchangeToken(services, {
      authorization: undefined,
      parameters: { client_id: client, client_secret: secret, code, redirect_uri: REDIRECT_URI },
    });
  const secret = credentials.newClientSecret();
  const setSecret = 'update oauth_clients set secret_hash = $1 where client_id = $2';

  test.each<[string, () => string, string, (credential: string) => Promise<unknown>]>([
    [
      'an access token',
      credentials.newAccessToken,
      `insert into access_tokens (token_hash, family_id, ${ofFamily}`,
      (token) => auth.authenticate({ token }),
    ],
    [
      'a refresh token',
      credentials.newRefreshToken,
      `insert into refresh_tokens (token_hash, family_id, ${ofFamily}`,
      (refresh_token) => auth.refreshTokens({ refresh_token }),
    ],
    [
      'a session',
      credentials.newSessionId,
      `insert into sessions (session_hash, ${ofPerson}, signed_in_with) ${values}, 'password')`,
      async (id) => {
        if (!(await sessionOf(services, { cookie: `__Host-rf_session=${id}` }))) throw new Error('no session');
      },
    ],
    [
      'an authorization code',
      credentials.newAuthorizationCode,
      `insert into authorization_codes (code_hash, ${ofPerson}, client_id, redirect_uri, scopes)
       ${values}, (select max(client_id) from oauth_clients), '${REDIRECT_URI}', '{}')`,
      async (code) => {
        await run(setSecret, [credentials.hashOf(services, secret), client]);
        return redeem(code);
      },
    ],
    [
      'a reset link',
      credentials.newResetToken,
      `insert into password_resets (token_hash, ${ofPerson}) ${values})`,
      (token) => describeReset(services, { token }),
    ],
    [
      'a client secret',
      credentials.newClientSecret,
      setSecret.replace('$2', `(case when $2 = '' then '' else (select max(client_id) from oauth_clients) end)`),
      (given) => requireClient(services.db, services, { clientId: client, secret: given }, { secretRequired: true }),
    ],
  ])('opens nothing as %s, although the row is right', async (_what, make, plant, open) => {
    const forged = make();
    await run(plant, [hash('sha256', forged, 'base64url'), victim]);
    expect(await codeOf(open(forged))).not.toBe('done');
    const real = make();
    await run(plant, [credentials.hashOf(services, real), victim]);
    expect(await codeOf(open(real))).toBe('done');
  });

  test('opens nothing as a verification link, nor as a key that says what another key says', async () => {
    const link = credentials.newVerificationToken();
    await run(`insert into email_verifications (token_hash, ${ofPerson}) ${values})`, [
      hash('sha256', link, 'base64url'),
      victim,
    ]);
    expect(await codeOf(describeVerification(services, { token: link }))).toBe('invalid-verification-token');
    const { key_id } = await issue();
    const columns = 'app_id, scopes, environment, created_at, income_per_owner, income_per_month, mac, mac_version';
    for (const hashed of [(key: string) => hash('sha256', key, 'base64url'), credentials.hashOf.bind(null, services)]) {
      const key = credentials.newApiKey('production');
      const id = `key_${randomBytes(8).toString('hex')}`;
      await run(
        `insert into api_keys (key_id, lineage, secret_hash, ${columns}) select $1, $1, $2, ${columns} from api_keys where key_id = $3`,
        [id, hashed(key), key_id],
      );
      expect(await codeOf(auth.authenticate({ token: key }))).toBe('invalid-token');
    }
  });
});

describe('an API key', () => {
  // The role may not change these columns. As the owner, to show that each is part of the MAC.
  test.each([
    ['scopes', `'{write:paycheck,assert:income,admin:owners}'`],
    ['lineage', `(select max(key_id) from api_keys)`],
    ['income_per_owner', '10000000'],
    ['income_per_month', 'null'],
    ['per_minute', '100000'],
    ['created_at', `created_at + interval '1 day'`],
    ['expires_at', `now() + interval '1 day'`],
    ['mac', `(select mac from api_keys where key_id <> k.key_id limit 1)`],
    ['mac_version', 'mac_version + 1'],
  ])('whose %s something else changed is refused, raises the alert, and cannot be rotated', async (column, value) => {
    await issue();
    const { key_id, key } = await issue();
    await issue();
    const before = await counted('api key');
    await ownerSql(services, `update api_keys k set ${column} = ${value} where key_id = $1`, [key_id]);
    expect(await codeOf(auth.authenticate({ token: key }))).toBe('invalid-token');
    expect(await counted('api key')).toBe(before + 1);
    if (column !== 'expires_at')
      expect(await codeOf(auth.rotateApiKey({ key_id, overlap_days: 7 }))).toBe('invalid-request');
    expect((await findKeyTampering(services.db, services.keys, { limit: 1_000 })).faults).toContainEqual({
      what: 'api key',
      id: key_id,
    });
  });

  test('that ends cannot get its row of before back, and belongs to the application of its lineage', async () => {
    const { key_id, key } = await issue();
    const [before] = await many('select mac, mac_version from api_keys where key_id = $1', [key_id]);
    await auth.rotateApiKey({ key_id, overlap_days: 7 });
    expect(await codeOf(auth.authenticate({ token: key }))).toBe('done');
    const again = [key_id, before!.mac, before!.mac_version];
    const text = 'update api_keys set expires_at = null, mac = $2, mac_version = $3 where key_id = $1';
    await expect(run(text, again)).rejects.toThrow('api_keys is append-only');
    for (const column of ['scopes', 'lineage', 'app_id', 'secret_hash', 'income_per_owner', 'environment'])
      await expect(run(`update api_keys set ${column} = ${column}`)).rejects.toThrow('permission denied');
    const columns = 'secret_hash, scopes, environment, created_at, mac, mac_version';
    const plant = `insert into api_keys (key_id, lineage, app_id, ${columns})
      select $1, $2, 'app_of_thief', 'x' || ${columns} from api_keys where key_id = $3`;
    await expect(run(plant, ['key_planted', key_id, key_id])).rejects.toThrow('api_keys_lineage_fk');
    await expect(run(plant, ['usr_victim', 'usr_victim', key_id])).rejects.toThrow('api_keys_id');
  });
});

describe('an asserted income', () => {
  const assert = async (employee_id: string, gross_pay: number, { limit = 10_000, pay_date = '2026-11-20' } = {}) => {
    const principal: Principal = await auth.authenticate({ token: (await issue(limit)).key });
    const newOwner = { ownerId: employee_id, appId: app };
    return paychecks.calculatePaycheck({ principal, employee_id, gross_pay, obligations: [], pay_date, newOwner });
  };
  const COLUMNS = `owner_id, pay_date, number, locked_for_bills, buffer_rate, obligations,
    calculated_at, income_evidence, calculated_by, mac, mac_version`;
  /** Inserts the next revision as a copy of the last, as the role. */
  const copy = (owner: string, gross: number, more = '') =>
    run(
      `insert into calculations (calculation_id, revision, gross_income, locked_buffer, safe_to_spend, ${COLUMNS})
       select 'calc_' || gen_random_uuid(), revision + 1, $2::int, $2::int / 10, $2::int - $2::int / 10, ${COLUMNS} from calculations
        where owner_id = $1 ${more} order by revision desc limit 1`,
      [owner, gross],
    );
  const evidenced = async (owner: string) => (await evidenceOf(services, owner)).evidenced;

  test('evidences what the service stored, and nothing that the role inserted or copied', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    await assert(owner, 1_000);
    await assert(owner, 500, { pay_date: '2026-10-20' });
    expect(await evidenced(owner)).toBe(1_500);
    const before = await counted('asserted income');
    await copy(owner, 9_999_999);
    expect(await evidenced(owner)).toBe(500);
    await run(
      `insert into calculations (calculation_id, revision, gross_income, locked_buffer, safe_to_spend, ${COLUMNS})
       select 'calc_' || gen_random_uuid(), 1, 700, 0, 700, ${COLUMNS.replace('owner_id', '$2')} from calculations
        where owner_id = $1 and revision = 1`,
      [owner, other],
    );
    expect(await evidenced(other)).toBe(0);
    expect(await counted('asserted income')).toBeGreaterThan(before);
    await expect(run('update calculations set gross_income = 5 where owner_id = $1', [owner])).rejects.toThrow(
      'permission denied',
    );
    const found = await findIncomeTampering(services.db, services.keys, { limit: 1_000 });
    expect(found).toMatchObject({ next: null, faults: [{ what: 'asserted income' }, {}, {}] });
  });

  test('that the role inserted lends no key more than its limit', async () => {
    const owner = newOwner();
    await assert(owner, 1_000);
    await copy(owner, 50_000);
    const exceeds = { code: 'exceeds-income-limit', extra: { limit: 10_000 } };
    await expect(assert(owner, 50_001)).rejects.toMatchObject(exceeds);
    expect(await evidenced(owner)).toBe(0);
  });
});

test('a rotation renews the MACs that fit, and leaves and counts the others', async () => {
  const rotation = vaultKeyActivities(services);
  const { key_id, key } = await issue();
  const { key_id: changed } = await issue();
  await ownerSql(services, 'update api_keys set per_minute = 7 where key_id = $1', [changed]);
  const { version: from } = await rotation.readMasterKey();
  const { version } = await rotation.makeMasterKey({ from_version: from });
  const renew = async (table: RotatedTable) => rotation.rewrapPage({ table, version, after: null });
  const keys = await renew('api_keys');
  expect(keys).toMatchObject({ rewrapped: keys.found });
  expect(keys.unreadable).toBeGreaterThan(0);
  expect((await renew('calculations')).rewrapped).toBeGreaterThan(0);
  expect(await renew('api_keys')).toEqual({ found: 0, rewrapped: 0, unreadable: keys.unreadable, next: null });
  const versions = 'select mac_version from api_keys where key_id = any($1) order by key_id = $2';
  expect(await many(versions, [[key_id, changed], changed])).toEqual([{ mac_version: version }, { mac_version: from }]);
  expect(await codeOf(auth.authenticate({ token: key }))).toBe('done');
});
