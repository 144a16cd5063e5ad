import { randomBytes } from 'node:crypto';
import { ConfigError } from '../../infra/config/index.ts';
import { openKeys } from '../../infra/keys/index.ts';
import { openWith, SealBrokenError, sealWith } from '../../infra/keys/seal.ts';
import { readSealed, sealedText } from '../../infra/keys/sealed-text.ts';
import { openTransitService } from '../../infra/keys/transit-service.ts';
import { openTestServices, withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { partsOf, transitKeys } from '../helpers/keys.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { startOpenBao, type OpenBao } from '../helpers/openbao.ts';
import { administer, dropDatabase, urlOf } from '../helpers/postgres.ts';

/* OpenBao's token may do what the service needs and no more. */

const services = withDatabase();
const sql = sqlOf(services);
const CONTEXT = { vault_ref: 'vault:user_email:1', owner_id: 'usr_1' };
const AWAY = { code: 'dependency-unavailable', extra: { dependency: 'key service' } };
let names = 0;
let bao: OpenBao;
beforeAll(async () => {
  bao = await startOpenBao();
});
afterAll(() => bao?.stop());

const config = (changes: Partial<OpenBao['config']> = {}) => ({ ...bao.config, ...changes });
const fresh = (changes: Partial<OpenBao['config']> = {}) =>
  openTransitService(config({ key: `key-${(names += 1)}`, ...changes }), { create: true });

test('repeated rotation requests make one version, and older data decrypts and can be rewrapped', async () => {
  const service = await fresh();
  const { sealed, keyVersion } = await sealWith(service, 'old', CONTEXT);
  expect(keyVersion).toBe(1);
  expect([await service.rotate(1), await service.rotate(1)]).toEqual([2, 2]);
  expect((await sealWith(service, 'new', CONTEXT)).keyVersion).toBe(2);
  expect(await openWith(service, sealed, CONTEXT)).toBe('old');

  const old = readSealed(sealed);
  const broken = { ...old.key, wrapped: Buffer.from(old.key.wrapped).fill(0, 20) };
  const short = { version: 1, wrapped: new Uint8Array(3) };
  const [none, anew, nothing] = await service.rewrap([broken, old.key, short], 2);
  expect([none, nothing]).toEqual([undefined, undefined]);
  expect(anew!.version).toBe(2);
  expect(await openWith(service, sealedText({ ...old, key: anew! }), CONTEXT)).toBe('old');
  await expect(service.rewrap([old.key], 3)).rejects.toMatchObject(AWAY);
  expect(await service.rewrap([], 2)).toEqual([]);
  const created_at = expect.stringMatching(/^20.*Z$/) as string;
  const versions = [1, 2].map((version) => ({ version, created_at }));
  expect(await service.versions()).toEqual({ current: 2, versions });
});

test('a batch of rewrapped keys keeps its order', async () => {
  const service = await fresh();
  const contentKeys = Array.from({ length: 40 }, (_, n) => new Uint8Array(64).fill(n));
  const wrapped = await Promise.all(contentKeys.map((key) => service.wrap(key)));
  await service.rotate(1);
  const many = Array.from({ length: 1_210 }, (_, n) => wrapped[n % 40]!);
  const anew = await service.rewrap(many, 2);
  expect(anew).toHaveLength(1_210);
  for (const n of [0, 99, 100, 777, 1_209]) {
    expect(anew[n]!.version).toBe(2);
    expect(Array.from(await service.unwrap(anew[n]!))).toEqual(Array.from(contentKeys[n % 40]!));
  }
});

test('a retired version and all earlier ones do not decrypt, and the current one is never retired', async () => {
  const service = await fresh();
  const records = [await sealWith(service, '1', CONTEXT)];
  for (const from of [1, 2]) {
    await service.rotate(from);
    records.push(await sealWith(service, String(from + 1), CONTEXT));
  }
  await service.retire(2);
  await service.retire(1);
  for (const { sealed } of records.slice(0, 2))
    await expect(openWith(service, sealed, CONTEXT)).rejects.toThrow(SealBrokenError);
  await service.retire(9);
  expect(await openWith(service, records[2]!.sealed, CONTEXT)).toBe('3');
  expect(await service.versions()).toMatchObject({ current: 3, versions: [{ version: 3 }] });
});

test('a key of another record or version, and a changed key, do not decrypt the record', async () => {
  const service = await fresh();
  const [{ sealed }, other] = [await sealWith(service, 'one', CONTEXT), await sealWith(service, 'other', CONTEXT)];
  await service.rotate(1);
  const [{ key, content }, b] = [partsOf(sealed), partsOf(other.sealed)];
  const wrong = [b.key, { ...key, version: 2 }, { ...key, version: 7 }];
  const { wrapped } = key;
  for (let at = 0; at < wrapped.length; at += 5)
    wrong.push({ ...key, wrapped: wrapped.slice(0, at) + (wrapped[at] === 'A' ? 'B' : 'A') + wrapped.slice(at + 1) });
  for (const mixed of wrong)
    await expect(openWith(service, JSON.stringify({ key: mixed, content }), CONTEXT)).rejects.toThrow(SealBrokenError);
});

test('a refused token is an outage that does not show the token, and a new token in the file works at once', async () => {
  const service = await fresh();
  const { sealed } = await sealWith(service, 'text', CONTEXT);
  const token = await bao.newToken();
  const refused = await service.unwrap(readSealed(sealed).key).catch((error: unknown) => error);
  expect(refused).toMatchObject(AWAY);
  expect((refused as Error).message).toContain('it rejects the token of this service');
  await expect(service.check()).rejects.toMatchObject(AWAY);
  await bao.writeToken(token);
  expect(await openWith(service, sealed, CONTEXT)).toBe('text');
  await expect(service.check()).resolves.toBeUndefined();
});

test('an engine that does not answer is an outage, reported in time', async () => {
  const [patient, impatient] = [await fresh(), await fresh({ timeoutMs: 4_000 })];
  const goOn = await bao.freeze();
  try {
    const begun = Date.now();
    await expect(impatient.check()).rejects.toMatchObject(AWAY);
    expect(Date.now() - begun).toBeLessThan(bao.config.timeoutMs);
  } finally {
    goOn();
  }
  await expect(patient.check()).resolves.toBeUndefined();
});

test('nobody listening, an unknown engine, and a certificate of an unknown authority, are outages', async () => {
  for (const changes of [{ ca: undefined }, { url: 'https://localhost:1' }, { mount: 'no/such' }]) {
    const { ca, ...others } = config(changes);
    const opening = openTransitService(ca === undefined ? others : { ...others, ca }, { create: true });
    await expect(opening).rejects.toMatchObject(AWAY);
  }
});

test('a missing key is made if allowed, else the error names it, as for a key of the wrong type', async () => {
  const missing = config({ key: `missing-${(names += 1)}` });
  await expect(openTransitService(missing, { create: false })).rejects.toThrow(ConfigError);
  await expect(openTransitService(missing, { create: false })).rejects.toThrow(/^TRANSIT_KEY names missing-/);
  await openTransitService(missing, { create: true });
  await openTransitService(missing, { create: false });
  await bao.askAsRoot('POST', 'keys/derived', { derived: true });
  await expect(openTransitService(config({ key: 'derived' }), { create: true })).rejects.toThrow(/cannot encrypt keys/);
});

test('a deleted key is an outage, and its records do not count as broken', async () => {
  const key = `key-${(names += 1)}`;
  const service = await fresh({ key });
  const { sealed } = await sealWith(service, 'text', CONTEXT);
  await bao.askAsRoot('POST', `keys/${key}/config`, { deletion_allowed: true });
  await bao.askAsRoot('DELETE', `keys/${key}`);
  await expect(openWith(service, sealed, CONTEXT)).rejects.toMatchObject(AWAY);
});

test('without database tables the error says what to do first', async () => {
  const { databaseUrl } = testEnvironment();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(databaseUrl, `create database ${name}`);
  const empty = await openTestServices(urlOf(databaseUrl, name));
  await expect(openKeys(transitKeys(config({ key: 'early' })), 'sandbox', empty.db)).rejects.toThrow(
    expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining('Run them first') as string }),
  );
  await empty.close();
  await dropDatabase(databaseUrl, name);
});

test('the secret of the blind indexes is the same for all processes of a database, even if they start together', async () => {
  const keys = transitKeys(config({ key: 'shared' }));
  await openTransitService(keys.transit, { create: true });
  const all = await Promise.all(Array.from({ length: 12 }, () => openKeys(keys, 'sandbox', services.db)));
  all.push(await openKeys(keys, 'production', services.db));
  expect(new Set(all.map(({ blindIndex }) => blindIndex('user_email', 'ada@example.org'))).size).toBe(1);
  const rows = await sql.many<{ sealed: string }>('select sealed from sealed_secrets');
  expect(rows.map(({ sealed }) => readSealed(sealed).key.version)).toEqual([1]);

  await sql.run(`update sealed_secrets set sealed = replace(sealed, '"tag":"', '"tag":"A')`);
  await expect(openKeys(keys, 'sandbox', services.db)).rejects.toThrow(SealBrokenError);
});
