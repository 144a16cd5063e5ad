import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ConfigError } from '../../infra/config/index.ts';
import { textQuery } from '../helpers/text-query.ts';
import { openKeys, openMasterKeys, type Keys } from '../../infra/keys/index.ts';
import { openWith, SealBrokenError, sealWith } from '../../infra/keys/seal.ts';
import { readSealed } from '../../infra/keys/sealed-text.ts';
import { openTransitService } from '../../infra/keys/transit-service.ts';
import { openTestServices, withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { transitKeys } from '../helpers/keys.ts';
import { administer, dropDatabase, urlOf } from '../helpers/postgres.ts';
import { describeTransit } from '../helpers/transit-contract.ts';
import { startTransitServer, type TransitServer } from '../helpers/transit-server.ts';

const services = withDatabase();
const CONTEXT = { vault_ref: 'vault:user_email:1' };
const AWAY = { code: 'dependency-unavailable', extra: { dependency: 'key service' } };

let dir: string;
let server: TransitServer;
const start = (wordless = false) => startTransitServer({ pki: join(testEnvironment().dir, 'pki'), dir, wordless });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ringfence-transit-'));
  server = await start();
});
afterAll(async () => {
  await server.stop();
  await rm(dir, { recursive: true });
});

describeTransit('an engine that answers every change with the key as it is', () => start());
describeTransit('an engine that answers changes without a word', () => start(true));

describe('a request to the engine', () => {
  test('follows the documentation, with the token in its header, and contains only wrapped keys and content keys', async () => {
    const service = await openTransitService({ ...server.config, key: 'asked' }, { create: true });
    server.asked.length = 0;
    const { sealed } = await sealWith(service, 'very private', CONTEXT);
    await openWith(service, sealed, CONTEXT);
    await service.rotate(1);
    await service.rewrap([readSealed(sealed).key], 2);
    await service.retire(1);
    await service.versions();

    const base64 = expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/) as string;
    const ciphertext = expect.stringMatching(/^vault:v1:[A-Za-z0-9+/]+=*$/) as string;
    const asked = server.asked.map(({ method, path, body }) => [
      `${method} ${path}`,
      body === '' ? {} : JSON.parse(body),
    ]);
    expect(asked).toEqual([
      ['POST /v1/transit/encrypt/asked', { plaintext: base64 }],
      ['POST /v1/transit/decrypt/asked', { ciphertext }],
      ['GET /v1/transit/keys/asked', {}],
      ['POST /v1/transit/keys/asked/rotate', {}],
      ['GET /v1/transit/keys/asked', {}],
      ['POST /v1/transit/rewrap/asked', { batch_input: [{ ciphertext }] }],
      ['GET /v1/transit/keys/asked', {}],
      ['POST /v1/transit/keys/asked/config', { min_decryption_version: 2 }],
      ['GET /v1/transit/keys/asked', {}],
    ]);
  });

  test('has nested mounts and special names correctly in its path', async () => {
    const config = { ...server.config, mount: 'teams/a b', key: 'x?y' };
    server.asked.length = 0;
    await expect(openMasterKeys(transitKeys(config))).rejects.toThrow(ConfigError);
    expect(server.asked.map(({ path }) => path)).toEqual(['/v1/teams/a%20b/keys/x%3Fy']);
  });
});

test('without database tables the error says what to do first', async () => {
  const { databaseUrl } = testEnvironment();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(databaseUrl, `create database ${name}`);
  const empty = await openTestServices(urlOf(databaseUrl, name));
  const config = transitKeys({ ...server.config, key: 'early' });
  await openTransitService(config.transit, { create: true });
  await expect(openKeys(config, 'production', empty.db)).rejects.toThrow(
    expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining('Run them first') as string }),
  );
  await empty.close();
  await dropDatabase(databaseUrl, name);
});

describe('an engine that fails', () => {
  const answers: readonly (readonly [string, (body: string) => { status: number; body: string }])[] = [
    ['an error that quotes the request', (body) => ({ status: 500, body })],
    ['a refusal that quotes the request', (body) => ({ status: 400, body: JSON.stringify({ errors: [body] }) })],
    ['no JSON', (body) => ({ status: 200, body })],
    ['JSON of something else', () => ({ status: 200, body: '[1]' })],
    ['no data', () => ({ status: 200, body: '{"data":null}' })],
    ['a ciphertext that is none', (body) => ({ status: 200, body: JSON.stringify({ data: { ciphertext: body } }) })],
    ['a ciphertext of no version', () => ({ status: 200, body: '{"data":{"ciphertext":"vault:v0:AAAA"}}' })],
    ['a way to another place', () => ({ status: 307, body: '' })],
    ['a limit', () => ({ status: 429, body: '' })],
    ['nothing but white space', () => ({ status: 200, body: ' ' })],
    ['more than anybody asked for', () => ({ status: 200, body: `"${'x'.repeat(9_000_000)}"` })],
  ];

  test.each(answers)('%s: is an outage that shows no key, token or text', async (_, answer) => {
    const keys = await openKeys(transitKeys(server.config), 'sandbox', services.db);
    let sent = '';
    server.answer = ({ body }) => {
      sent = body;
      return answer(body);
    };
    const failed = await keys.seal('very private', CONTEXT).catch((error: unknown) => error);
    server.answer = undefined;
    expect(failed).toMatchObject(AWAY);
    const contentKey = (JSON.parse(sent) as { plaintext: string }).plaintext;
    for (const secret of [contentKey, 'very private', 'hvs.']) {
      expect(inspect(failed, { depth: 9 })).not.toContain(secret);
    }
  });

  test('with a content key in another form does not decrypt the record', async () => {
    const keys = await openKeys(transitKeys(server.config), 'sandbox', services.db);
    const { sealed } = await keys.seal('text', CONTEXT);
    for (const plaintext of ['', 'AAAA', Buffer.alloc(64).toString('base64'), Buffer.alloc(9_000).toString('base64')]) {
      server.answer = () => ({ status: 200, body: JSON.stringify({ data: { plaintext } }) });
      await expect(keys.open(sealed, CONTEXT)).rejects.toThrow(SealBrokenError);
    }
    server.answer = undefined;
    expect(await keys.open(sealed, CONTEXT)).toBe('text');
  });

  test.each([['{}'], ['{"batch_results":[]}'], ['{"batch_results":[{},{}]}']])(
    'with %s for a batch is an outage, and nothing of the batch is used',
    async (data) => {
      const { masterKeys, seal } = await openKeys(transitKeys(server.config), 'sandbox', services.db);
      const { key } = readSealed((await seal('text', CONTEXT)).sealed);
      server.answer = () => ({ status: 200, body: `{"data":${data}}` });
      await expect(masterKeys.rewrap([key], 1)).rejects.toMatchObject(AWAY);
      server.answer = undefined;
    },
  );

  test('after its key was deleted is an outage, not a broken record', async () => {
    const keys = await openKeys(transitKeys(server.config), 'sandbox', services.db);
    const { sealed } = await keys.seal('text', CONTEXT);
    server.answer = () => ({ status: 400, body: '{"errors":["encryption key not found"]}' });
    await expect(keys.open(sealed, CONTEXT)).rejects.toMatchObject(AWAY);
    server.answer = undefined;
  });
});

describe('the settings', () => {
  const opening = (changes: Partial<TransitServer['config']>) =>
    openMasterKeys(transitKeys({ ...server.config, ...changes }));

  test('a plain HTTP address is refused, except on this machine', async () => {
    await expect(opening({ url: 'http://vault.example' })).rejects.toThrow(/^TRANSIT_URL begins with http:\/\//);
    await expect(opening({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject(AWAY);
  });

  test('unusable files are named', async () => {
    const file = async (name: string, text: string, mode = 0o600) => {
      const path = join(dir, name);
      await writeFile(path, text);
      await chmod(path, mode);
      return path;
    };
    const absent = join(dir, 'absent');
    await expect(opening({ tokenFile: absent })).rejects.toThrow(/^TRANSIT_TOKEN_FILE names .*absent.*ENOENT/);
    await expect(opening({ tokenFile: await file('blank', '\n') })).rejects.toThrow(/contains no token/);
    await expect(opening({ tokenFile: await file('two', 'hvs.a\nhvs.b') })).rejects.toThrow(/contains no token/);
    await expect(opening({ tokenFile: await file('open', 'hvs.a', 0o644) })).rejects.toThrow(/Run chmod 600/);
    await expect(opening({ ca: absent })).rejects.toThrow(/^TRANSIT_CA names .*ENOENT/);
    await expect(opening({ ca: await file('ca', 'x') })).rejects.toThrow(/^TRANSIT_CA names .*no certificate/);
  });
});

describe('the secret of the blind indexes', () => {
  const transit = async () => transitKeys((await server.makeKey('shared', {}), { ...server.config, key: 'shared' }));

  test('is the same for all processes of a database, even if they start together, and is encrypted', async () => {
    await services.db.run(textQuery('test.forgetSecret', 'delete from sealed_secrets')());
    const config = await transit();
    const all = await Promise.all(Array.from({ length: 12 }, () => openKeys(config, 'sandbox', services.db)));
    const later = await openKeys(config, 'production', services.db);
    const indexes = [...all, later].map((keys: Keys) => keys.blindIndex('user_email', 'ada@example.org'));
    expect(new Set(indexes).size).toBe(1);
    const rows = await services.db.many(
      textQuery<{ sealed: string }>('test.secrets', 'select sealed from sealed_secrets')(),
    );
    expect(rows.map(({ sealed }) => readSealed(sealed).key.version)).toEqual([1]);
  });

  test('is refused if it was changed', async () => {
    const config = await transit();
    await services.db.run(
      textQuery('test.swapSecret', `update sealed_secrets set sealed = replace(sealed, '"tag":"', '"tag":"A')`)(),
    );
    await expect(openKeys(config, 'sandbox', services.db)).rejects.toThrow(SealBrokenError);
  });
});
