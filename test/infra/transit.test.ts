import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { ConfigError, type KeysConfig } from '../../infra/config/index.ts';
import { openMasterKeys } from '../../infra/keys/index.ts';
import { openWith, SealBrokenError, sealWith } from '../../infra/keys/seal.ts';
import { readSealed } from '../../infra/keys/sealed-text.ts';
import { openTransitService } from '../../infra/keys/transit-service.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { transitKeys } from '../helpers/keys.ts';

/* What the real engine (test/infra/openbao.slow.test.ts) cannot be made to show: what it is asked, and how it fails. */

const CONTEXT = { vault_ref: 'vault:user_email:1' };
const AWAY = { code: 'dependency-unavailable', extra: { dependency: 'key service' } };
const TOKEN = 'hvs.the-token-of-this-test';

interface Asked {
  method: string;
  path: string;
  body: string;
}
interface Answer {
  status: number;
  body: string;
}
interface Given {
  plaintext: string;
  ciphertext: string;
  batch_input: { ciphertext: string }[];
}

let version = 1;
const data = (of: object): Answer => ({ status: 200, body: JSON.stringify({ data: of }) });
const supports = { derived: false, supports_encryption: true, supports_decryption: true };

/** Encrypts nothing. Changes get no body, as from older releases of Vault. */
function engine({ method, path, body }: Asked): Answer {
  if (method === 'GET')
    return data({ latest_version: version, min_decryption_version: 1, keys: { [version]: 1 }, ...supports });
  const { plaintext, ciphertext, batch_input } = JSON.parse(body || '{}') as Given;
  if (path.includes('/encrypt/')) return data({ ciphertext: `vault:v${version}:${plaintext}` });
  if (path.includes('/decrypt/')) return data({ plaintext: ciphertext.split(':')[2] });
  if (path.includes('/rewrap/'))
    return data({ batch_results: batch_input.map((one) => ({ ciphertext: one.ciphertext.replace('v1', 'v2') })) });
  if (path.endsWith('/rotate')) version += 1;
  return { status: 204, body: '' };
}

let dir: string;
let config: KeysConfig['transit'];
let asked: (Asked & { token: unknown })[] = [];
let answer: (asked: Asked) => Answer = engine;

const pki = (file: string) => join(testEnvironment().dir, 'pki', file);
const server = createServer(
  { key: readFileSync(pki('server.key')), cert: readFileSync(pki('server.crt')) },
  (request, response) => {
    const { method, url, headers } = request;
    void textOf(request).then((body) => {
      const one = { method: method!, path: url!, body };
      asked.push({ ...one, token: headers['x-vault-token'] });
      const { status, body: text } = answer(one);
      response.writeHead(status).end(text);
    });
  },
);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ringfence-transit-'));
  const tokenFile = join(dir, 'token');
  await writeFile(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  config = { url, mount: 'transit', key: 'ringfence', tokenFile, ca: pki('ca.crt'), timeoutMs: 60_000 };
});
beforeEach(() => {
  [version, asked, answer] = [1, [], engine];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await rm(dir, { recursive: true });
});

const opened = () => openTransitService(config, { create: false });

describe('a request to the engine', () => {
  test('follows the documentation, with the token in its header, and contains only wrapped keys and content keys', async () => {
    const service = await opened();
    asked = [];
    const { sealed } = await sealWith(service, 'very private', CONTEXT);
    expect(await openWith(service, sealed, CONTEXT)).toBe('very private');
    expect(await service.rotate(1)).toBe(2);
    expect(await service.rewrap([readSealed(sealed).key], 2)).toMatchObject([{ version: 2 }]);
    await service.retire(1);

    const base64 = expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/) as string;
    const ciphertext = expect.stringMatching(/^vault:v1:[A-Za-z0-9+/]+=*$/) as string;
    expect(asked.map(({ method, path, body }) => [`${method} ${path}`, JSON.parse(body || '{}')])).toEqual([
      ['POST /v1/transit/encrypt/ringfence', { plaintext: base64 }],
      ['POST /v1/transit/decrypt/ringfence', { ciphertext }],
      ['GET /v1/transit/keys/ringfence', {}],
      ['POST /v1/transit/keys/ringfence/rotate', {}],
      ['GET /v1/transit/keys/ringfence', {}],
      ['POST /v1/transit/rewrap/ringfence', { batch_input: [{ ciphertext }] }],
      ['GET /v1/transit/keys/ringfence', {}],
      ['POST /v1/transit/keys/ringfence/config', { min_decryption_version: 2 }],
    ]);
    expect(new Set(asked.map(({ token }) => token))).toEqual(new Set([TOKEN]));
  });

  test('has nested mounts and special names correctly in its path', async () => {
    answer = () => ({ status: 404, body: '{"errors":[]}' });
    const elsewhere = transitKeys({ ...config, mount: 'teams/a b', key: 'x?y' });
    await expect(openMasterKeys(elsewhere)).rejects.toThrow(ConfigError);
    expect(asked.map(({ path }) => path)).toEqual(['/v1/teams/a%20b/keys/x%3Fy']);
  });
});

describe('an engine that fails', () => {
  test.each<[string, (body: string) => Answer]>([
    ['an error that quotes the request', (body) => ({ status: 500, body })],
    ['a refusal that quotes the request', (body) => ({ status: 400, body: JSON.stringify({ errors: [body] }) })],
    ['no JSON', (body) => ({ status: 200, body })],
    ['JSON of something else', () => ({ status: 200, body: '[1]' })],
    ['no data', () => ({ status: 200, body: '{"data":null}' })],
    ['a ciphertext that is none', (body) => data({ ciphertext: body })],
    ['a ciphertext of no version', () => data({ ciphertext: 'vault:v0:AAAA' })],
    ['a way to another place', () => ({ status: 307, body: '' })],
    ['a limit', () => ({ status: 429, body: '' })],
    ['nothing but white space', () => ({ status: 200, body: ' ' })],
    ['more than anybody asked for', () => ({ status: 200, body: `"${'x'.repeat(9_000_000)}"` })],
  ])('%s: is an outage that shows no key, token or text', async (_, answerTo) => {
    const service = await opened();
    answer = ({ body }) => answerTo(body);
    const failed = await sealWith(service, 'very private', CONTEXT).catch((error: unknown) => error);
    expect(failed).toMatchObject(AWAY);
    const { plaintext } = JSON.parse(asked.at(-1)!.body) as Given;
    for (const secret of [plaintext, 'very private', 'hvs.'])
      expect(inspect(failed, { depth: 9 })).not.toContain(secret);
  });

  test('with a content key in another form does not decrypt the record', async () => {
    const service = await opened();
    const { sealed } = await sealWith(service, 'text', CONTEXT);
    for (const plaintext of ['', 'AAAA', Buffer.alloc(64).toString('base64'), Buffer.alloc(9_000).toString('base64')]) {
      answer = () => data({ plaintext });
      await expect(openWith(service, sealed, CONTEXT)).rejects.toThrow(SealBrokenError);
    }
  });

  test.each([{}, { batch_results: [] }, { batch_results: [{}, {}] }])(
    'with %j for a batch is an outage, and nothing of the batch is used',
    async (results) => {
      const service = await opened();
      const { key } = readSealed((await sealWith(service, 'text', CONTEXT)).sealed);
      answer = () => data(results);
      await expect(service.rewrap([key], 1)).rejects.toMatchObject(AWAY);
    },
  );
});

describe('the settings', () => {
  const opening = (changes: Partial<KeysConfig['transit']>) => openMasterKeys(transitKeys({ ...config, ...changes }));

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
