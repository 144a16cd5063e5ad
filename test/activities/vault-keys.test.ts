import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idempotencyActivities } from '../../activities/idempotency.ts';
import {
  listMasterKeys,
  retireMasterKey,
  vaultKeyActivities,
  type ScanPosition,
  type RewrappedPage,
  type RotatedTable,
} from '../../activities/vault-keys.ts';
import { SEALED_TABLES } from '../../infra/db/queries/vault-keys.ts';
import type { Log } from '../../infra/telemetry/log.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf } from '../helpers/activities.ts';
import { ownerSql } from '../helpers/owner.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { partsOf } from '../helpers/keys.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { watched } from '../helpers/watched-database.ts';

const FILE = join(testEnvironment().dir, 'keys', `rotated-${randomBytes(4).toString('hex')}.json`);
const env = { MASTER_KEY_FILE: FILE, KEY_RELOAD_MS: '100' };
const said: { fields: object; message: string }[] = [];
const silent = () => undefined;
const error = (fields: object, message: string) => void said.push({ fields, message });
const log: Log = { debug: silent, info: silent, warn: silent, error };

const services = withDatabase({ env, log });
const rotation = vaultKeyActivities(services);

const { run, many } = sqlOf(services);
const context = (ref: string) => ({ use: 'vault', vault_ref: ref });
let refs = 0;
async function store(text = 'ada@example.org', { keys } = services): Promise<string> {
  const ref = `vault:user_email:${String((refs += 1)).padStart(6, '0')}`;
  const { sealed, keyVersion } = await keys.seal(text, context(ref));
  await run(
    `insert into vault_records (vault_ref, pii_type, owner_id, sealed, key_version, created_at)
     values ($1, 'user_email', 'usr_1', $2, $3, now())`,
    [ref, sealed, keyVersion],
  );
  return ref;
}
const open = async (ref: string, { keys } = services) => keys.open((await recordOf(ref)).sealed!, context(ref));
const recordOf = async (ref: string) => {
  const text = 'select sealed, key_version from vault_records where vault_ref = $1';
  return (await many<{ sealed: string | null; key_version: number }>(text, [ref]))[0]!;
};
const storeSecret = (sealed: string) =>
  run(`insert into sealed_secrets (name, sealed, created_at) values ('s', $1, now())`, [sealed]);
const erase = (ref: string) =>
  run('update vault_records set sealed = null, erased_at = now() where vault_ref = $1 and sealed is not null', [ref]);
const told = (kind: string) =>
  many<{ data: object }>(`select data from audit_events where subject = 'master-key' and kind = $1 order by seq`, [
    kind,
  ]);

// As the workflow does, but without its pause.
async function newVersion(by = rotation): Promise<number> {
  const { version } = await by.readMasterKey();
  return (await by.makeMasterKey({ from_version: version })).version;
}

async function look(table: RotatedTable, version: number, by = rotation): Promise<Omit<RewrappedPage, 'next'>> {
  const sum = { found: 0, rewrapped: 0, unreadable: 0 };
  for (let after: ScanPosition = null; ;) {
    const { next, ...page } = await by.rewrapPage({ table, version, after });
    for (const count of ['found', 'rewrapped', 'unreadable'] as const) sum[count] += page[count];
    if (next === null) return sum;
    after = next;
  }
}

async function rotate(): Promise<number> {
  const version = await newVersion();
  for (const { table } of await rotation.countUnderOlderKeys({ version })) await look(table, version);
  return version;
}

async function anHourLater(): Promise<void> {
  const file = JSON.parse(await readFile(FILE, 'utf8')) as { versions: { created_at: string }[] };
  for (const version of file.versions) {
    version.created_at = new Date(Date.parse(version.created_at) - 3_600_000).toISOString();
  }
  await writeFile(FILE, JSON.stringify(file));
}

afterEach(async () => {
  for (const table of ['vault_records', 'identity_providers', 'idempotency_records'])
    await ownerSql(services, `delete from ${table}`);
  await run(`delete from sealed_secrets where name = 's'`);
  said.length = 0;
});

describe('makeMasterKey', () => {
  test('that runs again makes no second version, and audits the first once, even if it was interrupted', async () => {
    const { version: from } = await rotation.readMasterKey();
    const before = (await told('master-key.rotated')).length;
    const made = await Promise.all(Array.from({ length: 5 }, () => rotation.makeMasterKey({ from_version: from })));
    made.push(await rotation.makeMasterKey({ from_version: from }));
    expect(new Set(made.map(({ version }) => version))).toEqual(new Set([from + 1]));
    expect((await told('master-key.rotated')).slice(before)).toEqual([
      { data: { from_version: from, to_version: from + 1 } },
    ]);
    expect(made[0]!.settled_ms).toBeGreaterThan(services.config.keys.reloadMs);
    // A call that was interrupted between the key and the event.
    await services.keys.masterKeys.rotate(from + 1);
    await rotation.makeMasterKey({ from_version: from + 1 });
    const data = { from_version: from + 1, to_version: from + 2 };
    expect((await told('master-key.rotated')).at(-1)).toEqual({ data });
  });
});

describe('rewrapPage', () => {
  test('rewraps everything under older versions, page by page, and changes no content', async () => {
    const old = (await rotation.readMasterKey()).version;
    const refs = Array.from({ length: 1_203 }, (_, n) => `vault:user_phone:${String(n).padStart(5, '0')}`);
    const sealed = await Promise.all(refs.map((ref) => services.keys.seal(ref, context(ref))));
    await run(
      `insert into vault_records (vault_ref, pii_type, owner_id, sealed, key_version, created_at)
       select ref, 'user_phone', 'usr_1', sealed, $3, now() from unnest($1::text[], $2::text[]) as r (ref, sealed)`,
      [refs, sealed.map((record) => record.sealed), old],
    );
    const version = await newVersion();
    expect(await rotation.countUnderOlderKeys({ version })).toContainEqual({ table: 'vault_records', records: 1_203 });
    const first = await rotation.rewrapPage({ table: 'vault_records', version, after: null });
    expect(first).toEqual({ found: 500, rewrapped: 500, unreadable: 0, next: { version: old, id: refs[499] } });
    // A new pass starts from the beginning, as after a crash, and finds the records that are not rewrapped yet.
    expect(await look('vault_records', version)).toEqual({ found: 703, rewrapped: 703, unreadable: 0 });
    expect(await look('vault_records', version)).toEqual({ found: 0, rewrapped: 0, unreadable: 0 });

    const all = 'select sealed, key_version from vault_records order by vault_ref';
    const after = await many<{ sealed: string; key_version: number }>(all);
    expect(new Set(after.map(({ key_version }) => key_version))).toEqual(new Set([version]));
    const parts = after.map((record) => partsOf(record.sealed));
    expect(new Set(parts.map(({ key }) => key.version))).toEqual(new Set([version]));
    expect(parts.map(({ content }) => content)).toEqual(sealed.map((record) => partsOf(record.sealed).content));
    for (const ref of refs.filter((_, place) => place % 100 === 0)) expect(await open(ref)).toBe(ref);
  });

  test('also rewraps what earlier rotations left', async () => {
    const refs = [await store()];
    await newVersion();
    refs.push(await store());
    const version = await rotate();
    for (const ref of refs) expect(await recordOf(ref)).toMatchObject({ key_version: version });
    for (const ref of refs) expect(await open(ref)).toBe('ada@example.org');
  });

  test('a record that is erased or replaced during the rewrap stays erased or replaced', async () => {
    const [kept, gone, changed] = [await store(), await store(), await store()];
    const version = await newVersion();
    const other = (await recordOf(kept)).sealed;
    const rewrap: Services['keys']['rewrap'] = async (sealed, atLeast) => {
      const wrapped = await services.keys.rewrap(sealed, atLeast);
      await erase(gone);
      await run('update vault_records set sealed = $2 where vault_ref = $1', [changed, other]);
      return wrapped;
    };
    const { db, config, newId } = services;
    const slow = vaultKeyActivities({ ...services, db, config, newId, log, keys: { ...services.keys, rewrap } });
    expect(await look('vault_records', version, slow)).toEqual({ found: 3, rewrapped: 1, unreadable: 0 });
    expect(await recordOf(gone)).toMatchObject({ sealed: null });
    expect(await recordOf(changed)).toMatchObject({ sealed: other });
    expect(await open(kept)).toBe('ada@example.org');
  });

  test('a record that does not decrypt is left and reported, and stops nothing', async () => {
    const [one, broken, other] = [await store(), await store(), await store()];
    const tampered = (await recordOf(broken)).sealed!.replace(/"wrapped":"..../, '"wrapped":"AAAA');
    await run('update vault_records set sealed = $2 where vault_ref = $1', [broken, tampered]);
    const version = await newVersion();
    expect(await look('vault_records', version)).toEqual({ found: 2, rewrapped: 2, unreadable: 1 });
    expect(await look('vault_records', version)).toEqual({ found: 0, rewrapped: 0, unreadable: 1 });
    expect((await recordOf(broken)).sealed).toBe(tampered);
    for (const ref of [one, other]) expect(await recordOf(ref)).toMatchObject({ key_version: version });
    expect(said[0]).toEqual({
      fields: { table: 'vault_records', id: broken },
      message: 'an encrypted record cannot be decrypted; skipped',
    });
  });

  test('rewraps the secrets of sign-in providers and of the service, but not of a removed provider', async () => {
    const seal = async (text: string) => (await services.keys.seal(text, { use: 'test', text })).sealed;
    const insert = `insert into identity_providers
      (provider_id, name, issuer, client_id, client_secret_sealed, created_at, removed_at)
      values ($1, $1, $1, 'c', $2, now(), $3)`;
    await run(insert, ['sip_1', await seal('sip_1'), null]);
    await run(insert, ['sip_2', await seal('sip_2'), new Date()]);
    await storeSecret(await seal('s'));
    const version = await rotate();
    const rows = await many<{ id: string; sealed: string }>(
      `select provider_id as id, client_secret_sealed as sealed from identity_providers
        union all select name, sealed from sealed_secrets where name = 's' order by id`,
    );
    expect(rows.map(({ id, sealed }) => [id, partsOf(sealed).key.version])).toEqual([
      ['s', version],
      ['sip_1', version],
      ['sip_2', version - 1],
    ]);
    for (const { id, sealed } of rows) expect(await services.keys.open(sealed, { use: 'test', text: id })).toBe(id);
  });
});

describe('listMasterKeys', () => {
  test('shows each version, newest first, with the number of its records, even a missing version', async () => {
    const version = await rotate();
    const secrets = (await many(`select from sealed_secrets where name like 'mac %'`)).length;
    await store();
    const { sealed } = await services.keys.seal('x', { use: 'test' });
    await storeSecret(sealed.replace(/"version":\d+/, '"version":999'));
    for (const junk of ['', '{}', '{"key":{"version":', '{"key":{"version":x,', '{"key":{"version":-7,'])
      await run('update vault_records set sealed = $2 where vault_ref = $1', [await store(), junk]);
    const current = await newVersion();
    await store();
    await store();
    const { service, items } = await listMasterKeys(services);
    expect(service).toBe('file');
    const tables = [
      ...Object.keys(SEALED_TABLES),
      'api_keys',
      'calculations',
      'payees',
      'payment_outcomes',
      'idempotent_answers',
    ];
    const none = Object.fromEntries(tables.map((table) => [table, 0]));
    const created_at = expect.stringMatching(/^20.*Z$/) as string;
    expect(items.slice(0, 3)).toEqual([
      { version: 999, status: 'missing', created_at: null, sealed: { ...none, sealed_secrets: 1 } },
      // The current version also seals its secret for MACs, and the previous version the earlier ones.
      { version: current, status: 'current', created_at, sealed: { ...none, vault_records: 2, sealed_secrets: 1 } },
      { version, status: 'older', created_at, sealed: { ...none, vault_records: 1, sealed_secrets: secrets } },
    ]);
  });
});

describe('retireMasterKey', () => {
  const refused = (version: number) => expect(retireMasterKey(services, { version })).rejects;

  test('retires an unused version and all earlier ones, and audits that', async () => {
    const ref = await store();
    const version = (await rotate()) - 1;
    await anHourLater();
    const old = (await services.keys.masterKeys.versions()).versions.length;
    expect(await retireMasterKey(services, { version })).toEqual({ version, status: 'retired' });
    expect(old).toBeGreaterThan(1);
    expect((await services.keys.masterKeys.versions()).versions).toHaveLength(1);
    expect(await open(ref)).toBe('ada@example.org');
    expect((await told('master-key.retired')).at(-1)).toEqual({ data: { version } });
    await refused(version).toMatchObject({ code: 'not-found' });
  });

  test('keeps the version if the audit event was not committed, and can run again after a crash', async () => {
    const version = (await rotate()) - 1;
    await anHourLater();
    const has = async () => (await services.keys.masterKeys.versions()).versions.some((one) => one.version === version);
    const failing = watched(services, { commit: () => Promise.reject(new Error('the commit failed')) });
    await expect(retireMasterKey(failing, { version })).rejects.toThrow('the commit failed');
    expect(await has()).toBe(true);
    await expect(retireMasterKey(services, { version })).resolves.toEqual({ version, status: 'retired' });
    expect(await has()).toBe(false);
  });

  test('is refused for the current and an unknown version, and for a while after the version was current', async () => {
    const version = (await rotate()) - 1;
    const message = expect.stringContaining('is the current') as string;
    await refused(version + 1).toMatchObject({ code: 'invalid-request', message });
    await refused(version + 2).toMatchObject({ code: 'not-found' });
    await refused(version).toThrow(/was current until recently\. You can retire it after 20.*Z\./);
    await anHourLater();
    await expect(retireMasterKey(services, { version })).resolves.toMatchObject({ status: 'retired' });
  });

  test('is refused while a vault record, a secret, or a stored response of the last day needs the version', async () => {
    const request = { caller: 'c', operation: 'o', key: 'k', request: 'r', personal: true, early: 'group' } as const;
    const answer = { status: 201, headers: {}, body: '{"secret":"x"}', finished: true };
    const [answering, refusal] = [async () => answer, () => undefined];
    await idempotencyActivities(services).answerOnce({ ...request, run: answering, refusal });
    await storeSecret((await services.keys.seal('x', { use: 'test' })).sealed);
    const ref = await store();
    const version = (await newVersion()) - 1;
    await anHourLater();
    await refused(version).toThrow(
      `Version ${version} of the master key is still needed: 1 in vault_records, 2 in sealed_secrets, 1 in idempotent_answers.`,
    );
    for (const { table } of await rotation.countUnderOlderKeys({ version: version + 1 }))
      await look(table, version + 1);
    await refused(version).toThrow('still needed: 1 in idempotent_answers.');
    await run(`update idempotency_records set created_at = now() - interval '25 hours'`);
    await expect(retireMasterKey(services, { version })).resolves.toMatchObject({ status: 'retired' });
    expect(await open(ref)).toBe('ada@example.org');
  });

  test('is refused while a row has a MAC under the version, as a row does that did not fit when the MACs were renewed', async () => {
    const auth = accountsOf(services);
    const { app_id } = await auth.createApplication({ name: 'Test' });
    const { key_id } = await auth.issueApiKey({ app_id, scopes: ['read:debt'] });
    await ownerSql(services, 'update api_keys set per_minute = 7 where key_id = $1', [key_id]);
    const version = (await rotate()) - 1;
    await anHourLater();
    const secrets = () => many(`select from sealed_secrets where name = $1`, [`mac ${version}`]);
    await refused(version).toThrow('still needed: 1 in api_keys.');
    expect(await secrets()).toHaveLength(1);
    await ownerSql(services, 'delete from api_keys where key_id = $1', [key_id]);
    await expect(retireMasterKey(services, { version })).resolves.toMatchObject({ status: 'retired' });
    expect(await secrets()).toHaveLength(0);
    expect(await services.keys.mac('payee', [])).toMatchObject({ version: version + 1 });
  });

  test('counts by the version in the ciphertext, even if the column differs', async () => {
    const ref = await store();
    const version = (await newVersion()) - 1;
    await look('sealed_secrets', version + 1);
    await run('update vault_records set key_version = key_version + 1 where vault_ref = $1', [ref]);
    await anHourLater();
    await refused(version).toThrow('1 in vault_records');
    // An erased record does not need its version.
    await erase(ref);
    await expect(retireMasterKey(services, { version })).resolves.toMatchObject({ status: 'retired' });
  });
});
