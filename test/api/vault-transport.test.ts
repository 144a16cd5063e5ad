import { once } from 'node:events';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type ConnectionOptions } from 'node:tls';
import { createVaultCertificate } from '../../programs/admin/vault-certificates.ts';
import { authActivities } from '../../activities/auth.ts';
import { startApi, vaultClient, type TestAnswer, type TestRequest } from '../helpers/api.ts';
import { asTls, certify, localCertificate, untilItEnds, type Certified } from '../helpers/certificates.ts';
import { loadX509 } from '../../infra/keys/pki.ts';
import { allClients, authority, type Client } from '../helpers/client-certificates.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { sqlOf } from '../helpers/oauth.ts';

const caFile = join(testEnvironment().dir, `vault-authorities-${process.pid}.crt`);
let root: Certified;
let clients: Client[];
beforeAll(async () => {
  root = await authority();
  clients = await allClients(root);
  const local = readFileSync(join(testEnvironment().dir, 'pki', 'vault-client-ca.crt'), 'utf8');
  await writeFile(caFile, `${root.certificate.toString('pem')}\n${local}`);
});

const VAULT_CLIENT_CA_KEY = join(testEnvironment().dir, 'pki', 'vault-client-ca.key');
const api = startApi({ env: { VAULT_CLIENT_CA: caFile, VAULT_CLIENT_CA_KEY } });
let key: string;
beforeAll(async () => {
  key = await api.apiKey(['read:vault', 'write:vault', 'reveal:vault']);
});

const NOWHERE = 'vault:user_email:018f0000-0000-7000-8000-000000000000';
const PATH = `/api/v1/vault/${NOWHERE}`;
const OPERATIONS: [string, string, string, unknown?][] = [
  ['storeVaultRecord', 'POST', '/api/v1/vault/store', {}],
  ['batchRetrieveVaultRecords', 'POST', '/api/v1/vault/batch-retrieve', {}],
  ['getVaultRecord', 'GET', PATH],
  ['eraseVaultRecord', 'DELETE', PATH],
  ['verifyVaultField', 'POST', `${PATH}/verify`, {}],
  ['getMaskedVaultRecord', 'GET', `${PATH}/masked`],
];
const { many } = sqlOf(api.services);
const refusals = () =>
  many<{ kind: string; actor: string; data: Record<string, unknown> }>(
    `select kind, actor, data from audit_events where kind = 'vault.refused' order by seq`,
  );

const OF_ANOTHER = 'client-certificate-of-another-application';
function expectRefused(answer: TestAnswer, status: number, code: string): void {
  expect(answer.body).toMatchObject({ status, code });
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  // A certificate of another application gets no `WWW-Authenticate` header.
  if (code !== OF_ANOTHER) expect(answer.headers['www-authenticate']).toBeDefined();
}

describe('certificate and key', () => {
  const keys: Record<string, () => Promise<string> | string | undefined> = {
    none: () => undefined,
    empty: () => '',
    nonsense: () => 'hello',
    'with spaces': () => 'sk_test_ a b',
    unknown: () => `${key.slice(0, -8)}${key.endsWith('00000000') ? '1' : '0'}0000000`,
    live: () => `sk_live_${key.slice(8)}`,
    async revoked() {
      const auth = authActivities(api.services);
      const revoked = await auth.issueApiKey({ app_id: await api.application(), scopes: ['read:vault'] });
      await auth.revokeApiKey({ key_id: revoked.key_id });
      return revoked.key;
    },
    token: async () => (await api.registerUser()).token,
    'other scopes': () => api.apiKey(['read:payments', 'admin:audit']),
    good: () => key,
  };
  const certificates: Record<string, () => TestRequest['certificate'] | ReturnType<typeof asTls>> = {
    none: () => 'none',
    'of the server': async () => asTls(await localCertificate('server')),
    'of nobody': async () => asTls(await certify()),
    good: () => 'vault',
  };
  const withoutCertificate = ['none', 'of the server', 'of nobody'].flatMap((certificate) =>
    ['none', 'revoked', 'good'].map((sent) => [certificate, sent, 401, 'client-certificate-missing'] as const),
  );

  test.each([
    ...withoutCertificate,
    ['good', 'none', 401, 'credentials-missing'] as const,
    ['good', 'empty', 401, 'credentials-missing'] as const,
    ['good', 'nonsense', 401, 'invalid-token'] as const,
    ['good', 'with spaces', 401, 'credentials-missing'] as const,
    ['good', 'unknown', 401, 'invalid-token'] as const,
    ['good', 'live', 401, 'wrong-environment-key'] as const,
    ['good', 'revoked', 401, 'invalid-token'] as const,
    ['good', 'token', 401, 'invalid-token'] as const,
    ['good', 'other scopes', 403, 'insufficient-scope'] as const,
  ])('certificate %s, key %s: refused with %d %s, and audited', async (shown, sent, status, code) => {
    const before = (await refusals()).length;
    const [certificate, value] = [await certificates[shown]!(), await keys[sent]!()];
    const headers: Record<string, string> = value === undefined ? {} : { 'x-vault-api-key': value };
    for (const [, method, path, body] of OPERATIONS)
      expectRefused(await api.request(method, path, { certificate: certificate!, headers, body }), status, code);
    // The audit log names the caller only if the certificate and the key are valid, and only a scope is missing.
    const actor = status === 403 ? (expect.stringMatching(/^key_/) as string) : 'anonymous';
    const told = (await refusals()).slice(before).map((event) => [event.actor, event.data.operation, event.data.code]);
    expect(told).toEqual(OPERATIONS.map(([operation]) => [actor, operation, code]));
  });

  test('certificate good, key good: accepted', async () => {
    expect((await api.get(PATH, { vaultKey: key })).status).toBe(404);
  });

  test('the vault refuses a key in Authorization, and other operations refuse a key in X-Vault-API-Key', async () => {
    expectRefused(await api.get(PATH, { certificate: 'vault', token: key }), 401, 'credentials-missing');
    expectRefused(await api.get('/api/v1/auth/me', { vaultKey: key }), 401, 'credentials-missing');
  });

  test('two keys in one request are refused', async () => {
    const { cert, key: secret } = await vaultClient();
    const twice = `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Vault-API-Key: ${key}\r\nX-Vault-API-Key: ${key}\r\n\r\n`;
    expect((await exchange(twice, { cert, key: secret })).received).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('a client certificate by TLS', () => {
  test('is checked by all its properties', async () => {
    const judged: [string, boolean | undefined][] = [];
    for (const { what, leaf, above } of clients) {
      const asked = api.get(PATH, { vaultKey: key, certificate: await asTls(leaf, above) });
      // If an unknown CA signed the certificate, TLS can close the connection before the service can respond.
      const isIn = await asked.then(
        ({ status }) => ({ 404: true, 401: false })[status],
        () => false,
      );
      judged.push([what, isIn]);
    }
    expect(judged).toEqual(clients.map(({ what, good }) => [what, good]));
    expect(clients.filter(({ good }) => good).length).toBeGreaterThan(10);
  });

  test('counts until it expires, even on an open or resumed connection', async () => {
    const leaf = await certify({ by: root, to: 6 });
    const client = await asTls(leaf);
    const first = await exchange(request(), client);
    expect(first.received).toMatch(/^HTTP\/1\.1 404 /);
    const ask = () => api.get(PATH, { vaultKey: key, certificate: client });
    expect((await ask()).status).toBe(404);
    await untilItEnds(leaf);
    expectRefused(await ask(), 401, 'client-certificate-missing');
    const resumed = await exchange(request(), { session: first.session! });
    expect(resumed.resumed).toBe(true);
    expect(resumed.received).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('does not count in a session that was started without it', async () => {
    const first = await exchange(request());
    const resumed = await exchange(request(), { session: first.session! });
    expect([first.received.slice(0, 13), resumed.received.slice(0, 13)]).toEqual(['HTTP/1.1 401 ', 'HTTP/1.1 401 ']);
    expect(resumed.resumed).toBe(true);
  });

  test('is required only for the vault', async () => {
    const { token } = await api.registerUser();
    for (const certificate of ['none' as const, await asTls(await certify())])
      expect((await api.get('/api/v1/auth/me', { token, certificate })).status).toBe(200);
  });
});

describe('a certificate issued for an application', () => {
  // As `vault-certificate create` does.
  async function issued(app_id: string) {
    const reply = await createVaultCertificate(api.services, { app_id });
    const { certificate, private_key } = reply as { certificate: string; private_key: string };
    return { cert: certificate, key: private_key, headers: headersOf(certificate) };
  }
  const headersOf = (pem: string) => ({ 'client-cert': `:${new X509Certificate(pem).raw.toString('base64')}:` });
  const ways = ['by TLS', 'through a trusted proxy'] as const;
  type Shown = Awaited<ReturnType<typeof issued>>;
  const ask = (way: (typeof ways)[number], { cert, key: secret, headers }: Shown, vaultKey: string) =>
    way === 'by TLS'
      ? api.get(PATH, { vaultKey, certificate: { cert, key: secret } })
      : api.get(PATH, { vaultKey, headers, proxiedFrom: '127.0.0.1', certificate: 'none' });

  test.each(ways)('%s accepts only keys of that application, and audits a refusal', async (way) => {
    const [own, other] = [await api.application(), await api.anotherApplication()];
    const ofOther = await api.apiKey(['read:vault', 'reveal:vault'], { app: other });
    const shown = await issued(own);
    expect((await ask(way, shown, key)).status).toBe(404);
    const refused = await ask(way, shown, ofOther);
    expectRefused(refused, 403, OF_ANOTHER);
    expect((await refusals()).at(-1)!.data).toMatchObject({ code: OF_ANOTHER });
    expect((await ask(way, await issued(other), ofOther)).status).toBe(404);
  });

  test.each(ways)('%s cannot be widened by another name in the certificate', async (way) => {
    const [own, other] = [await api.application(), await api.anotherApplication()];
    const { SubjectAlternativeNameExtension } = await loadX509();
    const uri = `urn:ringfence:application:${other}`;
    const value = `urn:x, URI:urn:ringfence:application:${own}, DNS:y`;
    for (const type of ['url', 'dns'] as const) {
      const names = new SubjectAlternativeNameExtension([
        { type: 'url', value: uri },
        { type, value },
      ]);
      const leaf = await certify({ by: root, extensions: [names] });
      const { cert, key: secret } = await asTls(leaf);
      const answer = await ask(way, { cert, key: secret, headers: headersOf(cert) }, key);
      expectRefused(answer, 403, OF_ANOTHER);
    }
  });

  test('is audited without its key, and is not issued for an unknown application', async () => {
    const app_id = await api.anotherApplication();
    const reply = await createVaultCertificate(api.services, { app_id, days: 1 });
    const text = `select kind, actor, data from audit_events where subject = $1 order by seq desc limit 1`;
    const [event] = await many(text, [app_id]);
    const { serial, expires_at } = reply as { serial: string; expires_at: string };
    expect(event).toEqual({ kind: 'vault-certificate.issued', actor: 'operator', data: { serial, expires_at } });
    expect(Date.parse(expires_at)).toBeLessThan(Date.now() + 86_400_000);
    await expect(createVaultCertificate(api.services, { app_id: 'app_none' })).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});

const request = () => `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Vault-API-Key: ${key}\r\n\r\n`;

/** @returns the TLS session for a later connection, and whether this connection resumed a session */
async function exchange(sent: string, options: ConnectionOptions = {}) {
  const ca = readFileSync(api.services.config.api.tls.ca);
  let resumed = false;
  const socket = connect({ host: 'localhost', port: Number(new URL(api.url).port), ca, ...options }, () => {
    resumed = socket.isSessionReused();
    socket.write(sent);
  });
  let received = '';
  let session: Buffer | undefined;
  socket.on('data', (chunk) => (received += String(chunk)));
  socket.on('session', (ticket) => (session = ticket));
  await once(socket, 'close');
  return { received, session, resumed };
}
