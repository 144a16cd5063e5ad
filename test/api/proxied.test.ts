import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { request as send } from 'undici';
import { clientCertificates } from '../../api/http/access/client-certificate.ts';
import { startApi, type TestRequest } from '../helpers/api.ts';
import { asHeaders, asTls, certify, localCertificate, untilItEnds, type Certified } from '../helpers/certificates.ts';
import { allClients, authority, type Client } from '../helpers/client-certificates.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { freePort } from '../helpers/ports.ts';

const caFile = join(testEnvironment().dir, `proxied-authorities-${process.pid}.crt`);
let root: Certified;
let clients: Client[];
beforeAll(async () => {
  root = await authority();
  clients = await allClients(root);
  const local = readFileSync(join(testEnvironment().dir, 'pki', 'vault-client-ca.crt'), 'utf8');
  await writeFile(caFile, `${root.certificate.toString('pem')}\n${local}`);
});

const PROXY = '127.0.0.1';
const STRANGER = '127.0.0.2';
const env = { VAULT_CLIENT_CA: caFile, RINGFENCE_TRUSTED_PROXIES: '127.0.0.1/32', LIMIT_TOKENS_PER_MINUTE: '100000' };
const api = startApi({ env });
let key: string;
let good: Record<string, string>;
beforeAll(async () => {
  key = await api.apiKey(['read:vault', 'write:vault', 'reveal:vault']);
  good = asHeaders(await certify({ by: root }));
});

const PATH = '/api/v1/vault/vault:user_email:018f0000-0000-7000-8000-000000000000';
const ask = (headers: Record<string, string>, options: TestRequest = {}) =>
  api.get(PATH, { proxiedFrom: PROXY, certificate: 'none', vaultKey: key, headers, ...options });

describe('Client-Cert of a trusted proxy', () => {
  test('is accepted with a valid certificate and a key', async () => {
    const body = { pii_type: 'user_email', data: { email: 'ada@example.org' }, owner_id: 'emp-1' };
    const options = { proxiedFrom: PROXY, vaultKey: key, headers: good };
    const stored = await api.post('/api/v1/vault/store', { ...options, body });
    expect(stored.status).toBe(201);
    expect((await api.get(stored.headers.location as string, options)).body.data).toEqual(body.data);
  });

  test('is checked as TLS checks it', async () => {
    const judged: [string, number][] = [];
    for (const { what, leaf, above } of clients) judged.push([what, (await ask(asHeaders(leaf, above))).status]);
    expect(judged).toEqual(clients.map((client) => [client.what, client.good ? 404 : 401]));
  });

  test('does not count if an authority has name constraints, or signs with SHA-1', async () => {
    const { loadX509 } = await import('../../infra/keys/pki.ts');
    const { Extension } = await loadX509();
    const names = new Extension('2.5.29.30', false, new Uint8Array([0x30, 0]));
    const limited = await certify({ name: 'Limited', by: root, authority: true, extensions: [names] });
    const refused = [
      asHeaders(await certify({ by: limited }), [limited]),
      asHeaders(await certify({ by: root, hash: 'SHA-1' })),
    ];
    for (const headers of refused) expect((await ask(headers)).status).toBe(401);
  });

  test('with one bit changed anywhere does not count', async () => {
    const der = Buffer.from(good['client-cert']!.slice(1, -1), 'base64');
    for (let place = 0; place < der.length; place += 7) {
      const changed = Buffer.from(der);
      changed[place]! ^= 1 << (place % 8);
      const { status } = await ask({ 'client-cert': `:${changed.toString('base64')}:` });
      expect([place, status]).toEqual([place, 401]);
    }
  });

  const pem = (der: string) => `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`;
  test.each<[string, (der: string) => string]>([
    ['empty', () => ''],
    ['bare base64', (der) => der],
    ['a string', (der) => `"${der}"`],
    ['a token', () => 'certificate'],
    ['not closed', (der) => `:${der}`],
    ['cut', (der) => `:${der.slice(0, -40)}:`],
    ['base64 of nothing', () => '::'],
    ['base64 of something else', () => ':aGVsbG8=:'],
    ['followed by rubbish', (der) => `:${der}: x`],
    ['a list of two', (der) => `:${der}:, :${der}:`],
    ['an inner list', (der) => `(:${der}:)`],
    ['a dictionary', (der) => `a=:${der}:`],
    ['PEM as some proxies have it', (der) => encodeURIComponent(pem(der))],
  ])('that is %s does not count', async (_case, headerOf) => {
    const answer = await ask({ 'client-cert': headerOf(good['client-cert']!.slice(1, -1)) });
    expect(answer).toMatchObject({ status: 401, body: { code: 'client-certificate-missing' } });
  });

  test.each<[string, (given: string) => Record<string, string>]>([
    ['missing', () => ({})],
    ['by another name', (given) => ({ 'x-client-cert': given, 'x-ssl-cert': given })],
    ['with a chain that is none', (given) => ({ 'client-cert': given, 'client-cert-chain': 'x y' })],
    ['with a chain of something else', (given) => ({ 'client-cert': given, 'client-cert-chain': ':aGVsbG8=:' })],
  ])('%s does not count', async (_case, headersOf) => {
    const answer = await ask(headersOf(good['client-cert']!));
    expect(answer).toMatchObject({ status: 401, body: { code: 'client-certificate-missing' } });
  });

  test('may have parameters, which are ignored, and surrounding white space', async () => {
    expect((await ask({ 'client-cert': `  ${good['client-cert']!};v=1 ` })).status).toBe(404);
  });

  test('that is sent twice does not count', async () => {
    const twice = Object.entries({ ...good, 'x-vault-api-key': key }).flatMap(([name, value]) => [name, value]);
    const base = new URL(api.plainUrl);
    const { statusCode, body } = await send(new URL(PATH, base), {
      headers: [...twice, 'client-cert', good['client-cert']!],
    });
    await body.dump();
    expect(statusCode).toBe(401);
  });

  test('counts until the certificate or an authority above it expires', async () => {
    const leaf = await certify({ by: root, to: 6 });
    const middle = await certify({ name: 'Middle', by: root, authority: true, to: 6 });
    const expiring = [asHeaders(leaf), asHeaders(await certify({ by: middle }), [middle])];
    for (const headers of expiring) expect((await ask(headers)).status).toBe(404);
    await Promise.all([untilItEnds(leaf), untilItEnds(middle)]);
    for (const headers of expiring) expect((await ask(headers)).status).toBe(401);
  });

  test('is checked separately for each chain', async () => {
    const middle = await certify({ name: 'Middle', by: root, authority: true });
    const leaf = await certify({ by: middle });
    expect((await ask(asHeaders(leaf, [middle]))).status).toBe(404);
    expect((await ask(asHeaders(leaf))).status).toBe(401);
    expect((await ask(asHeaders(leaf, [middle]))).status).toBe(404);
  });
});

describe('Client-Cert of anybody else', () => {
  test('on the plain listener, from an address that is no trusted proxy, does not count', async () => {
    expect((await ask(good, { proxiedFrom: STRANGER })).status).toBe(401);
    expect((await ask({ ...good, 'x-forwarded-for': PROXY }, { proxiedFrom: STRANGER })).status).toBe(401);
  });

  test('on the TLS listener does not count, from whatever address', async () => {
    const answer = await api.get(PATH, { certificate: 'none', vaultKey: key, headers: good });
    expect(answer).toMatchObject({ status: 401, body: { code: 'client-certificate-missing' } });
  });

  test('does not hide a certificate by TLS', async () => {
    const bad = asHeaders(await certify());
    const certificate = await asTls(await localCertificate('vault-client'));
    expect((await api.get(PATH, { certificate, vaultKey: key, headers: bad })).status).toBe(404);
  });
});

describe('the file of authorities', () => {
  test.each([
    ['is not there', join(testEnvironment().dir, 'nowhere.crt'), 'cannot be read (ENOENT)'],
    ['holds something else', join(testEnvironment().dir, 'pki', 'ca.key'), 'contains no PEM certificate'],
  ])('that %s is refused by the name of its setting', (_case, file, words) => {
    expect(() => clientCertificates(file, () => true)).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        message: expect.stringContaining(`VAULT_CLIENT_CA names ${file}, which ${words}`),
      }),
    );
  });
});

const MAIN = resolve(import.meta.dirname, '../../programs/api.ts');

describe("the API's process", () => {
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  test('also listens for proxies if a port is set, and serves the vault on both ports', async () => {
    const { dir } = testEnvironment();
    const [port, proxiedPort] = [await freePort(), await freePort()];
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env.PATH,
        RINGFENCE_DATA: dir,
        MASTER_KEY_FILE: join(dir, 'keys', 'master.json'),
        DATABASE_URL: api.services.config.database.url,
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        RINGFENCE_PORT_API: String(port),
        RINGFENCE_PORT_PROXIED: String(proxiedPort),
        VAULT_CLIENT_CA: caFile,
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(child);
    await once(child, 'message');
    const plain = `http://127.0.0.1:${proxiedPort}`;
    expect((await ask(good, { at: plain })).status).toBe(404);
    expect((await ask({}, { at: plain })).status).toBe(401);
    const overTls = await api.get(PATH, { vaultKey: key, at: `https://localhost:${port}` });
    expect(overTls.status).toBe(404);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });
});
