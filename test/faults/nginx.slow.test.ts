import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { Agent, FormData, request } from 'undici';
import { PROBLEMS } from '../../api/http/reply/problem.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { addressGroup } from '../../infra/limits/index.ts';
import { startApi, type TestRequest, type TestUser } from '../helpers/api.ts';
import { blindWriter, chunkOf, headOf, type BlindWriter } from '../helpers/blind-writer.ts';
import { asHeaders, asTls, certify, localCertificate } from '../helpers/certificates.ts';
import { startFront, type Front } from '../helpers/front.ts';
import { valueOf } from '../helpers/metrics.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';

/* Debian's nginx with infra/deploy/nginx/, in front of the API, of a server that records, and of nothing. */

const [ME, UPLOAD, LOGIN] = ['/api/v1/auth/me', '/api/v1/legacy/payslip/upload', '/api/v1/auth/login'];
const VAULT = '/api/v1/vault/vault:user_email:018f0000-0000-7000-8000-000000000000';
const LOGINS = 5;
const NJS = new URL('../../infra/deploy/nginx/front.js', import.meta.url).href;
const api = startApi({ env: { LIMIT_CREDENTIALS_PER_MINUTE: String(LOGINS) } });
const fronts: Front[] = [];
const writers: BlindWriter[] = [];
let front: Front;
let alone: Front;
let recorded: Front;
let recorder: Server;
let answering: (request: IncomingMessage, response: ServerResponse) => void;
let user: TestUser;
let key: string;

const at = (one: Front) => `https://localhost:${one.port}`;
const frontOf = async (apiPort: number) => {
  const { tls, vaultClientCa } = api.services.config.api;
  const one = await startFront({ apiPort, tls, vaultClientCa });
  fronts.push(one);
  return one;
};
/** Connects from an address of its own, with the vault client's certificate. */
const writerFrom = async (address: string, one = front) => {
  const writer = await blindWriter({ url: at(one), services: api.services }, address);
  writers.push(writer);
  return writer;
};
const half = (target: string) =>
  headOf(`POST ${target}`, { 'Content-Type': 'application/json', 'Content-Length': 1_000_000 }) + '{"email": "';

let stalled: Promise<number>;
let waited: Promise<{ status: number; seconds: number }>;
beforeAll(async () => {
  recorder = createServer((asked, response) => answering(asked, response)).listen(0, '127.0.0.1');
  await once(recorder, 'listening');
  front = await frontOf(Number(new URL(api.plainUrl).port));
  recorded = await frontOf((recorder.address() as AddressInfo).port);
  alone = await frontOf(await freePort());
  user = await api.registerUser();
  key = await api.apiKey(['read:vault', 'write:vault', 'reveal:vault']);
  // The half minute of the last tests passes meanwhile.
  stalled = stall();
  answering = (_asked, response) => void sleep(32_000).then(() => response.end('{}'));
  waited = secondsOf(api.get('/', { at: at(recorded) }));
  // A run of selected tests might not wait for them.
  for (const late of [stalled, waited]) late.catch(() => undefined);
  await sleep(500);
});
afterAll(async () => {
  for (const writer of writers) writer.destroy();
  await Promise.all(fronts.map((one) => one.stop()));
  recorder.closeAllConnections();
  recorder.close();
});

async function stall(): Promise<number> {
  const writer = await writerFrom('127.0.0.20');
  await writer.write(half(LOGIN));
  const began = performance.now();
  await writer.ended();
  return (performance.now() - began) / 1_000;
}

async function secondsOf(answer: Promise<{ status: number }>) {
  const began = performance.now();
  const { status } = await answer;
  return { status, seconds: (performance.now() - began) / 1_000 };
}

const metric = async (name: string) => valueOf(await api.services.metrics.registry.metrics(), name);
const inFlight = () => metric('ringfence_http_requests_in_flight');

interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** As the API writes its own problem documents. */
function expectProblem({ status, headers, text }: Answered, code: ErrorCode, more: object = {}): void {
  expect(headers['content-type']).toBe('application/problem+json');
  expect(headers.server).toBe('nginx');
  const { title, status: wanted } = PROBLEMS[code];
  const detail = expect.any(String) as string;
  const instance = expect.stringMatching(`^/.*#${String(headers['x-request-id'])}$`) as string;
  const document: unknown = JSON.parse(text);
  const standard = { type: `/problems/${code}`, title, status: wanted, detail, instance, code };
  expect([status, document]).toEqual([wanted, { ...standard, ...more }]);
  const { retry_after: seconds } = more as { retry_after?: number };
  expect(headers['retry-after']).toBe(seconds?.toString());
}

test('TLS 1.2 is refused', async () => {
  const socket = connect({ host: '127.0.0.1', port: front.port, maxVersion: 'TLSv1.2', rejectUnauthorized: false });
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
});

describe('a client certificate', () => {
  const ask = (options: TestRequest) => api.get(VAULT, { at: at(front), vaultKey: key, ...options });
  let forged: Record<string, string>;
  beforeAll(async () => {
    forged = asHeaders(await localCertificate('vault-client'), [await localCertificate('vault-client-ca')]);
  });

  test('of TLS reaches the vault, whatever the headers say', async () => {
    expect((await ask({})).status).toBe(404);
    const others = asHeaders(await certify());
    expect((await ask({ headers: others })).status).toBe(404);
  });

  test('of a header never does, without a certificate and with one of somebody else', async () => {
    const unknown = await asTls(await certify());
    for (const certificate of ['none', unknown] as const)
      for (const headers of [{}, forged, { client_cert: forged['client-cert']! }])
        expect(await ask({ certificate, headers })).toMatchObject({
          status: 401,
          body: { code: 'client-certificate-missing' },
        });
  });

  test('that has expired is refused', async () => {
    const expired = await asTls(await certify({ by: await localCertificate('vault-client-ca'), from: -60, to: -30 }));
    expectProblem(await ask({ certificate: expired }), 'client-certificate-missing');
  });
});

test('the API gets the caller’s own address and request id, and none that the caller claims', async () => {
  let headers: string[] = [];
  answering = (asked, response) => {
    headers = asked.rawHeaders;
    response.end('{}');
  };
  const claimed = { 'x-forwarded-for': '203.0.113.7', 'client-cert': ':aGVsbG8=:', 'client-cert-chain': ':aGVsbG8=:' };
  await api.get('/', { at: at(recorded), headers: { ...claimed, 'x-request-id': 'mine' } });
  const given = (name: string) => headers.filter((_value, index) => headers[index - 1]?.toLowerCase() === name);
  expect(given('x-forwarded-for')).toEqual([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]);
  expect(given('x-request-id')).toEqual(['mine']);
  expect([given('client-cert'), given('client-cert-chain')]).toEqual([[], []]);
});

test('the API counts sign-ins by the caller’s own address', async () => {
  const signIn = async (address: string, claimed: string) => {
    const body = JSON.stringify({ email: 'nobody@example.test', password: 'a long enough passphrase' });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, 'X-Forwarded-For': claimed };
    const writer = await writerFrom(address);
    await writer.write(headOf(`POST ${LOGIN}`, headers) + body);
    return (await writer.answer()).status;
  };
  const statuses = [];
  for (let claim = 0; claim <= LOGINS; claim += 1) statuses.push(await signIn('127.0.0.30', `203.0.113.${claim}`));
  expect(statuses).toEqual([...Array.from({ length: LOGINS }, () => 401), 429]);
  expect(await signIn('127.0.0.31', '127.0.0.30')).toBe(401);
});

describe('a body', () => {
  const form = (bytes: number) => {
    const payslip = readFileSync('programs/demo/payslip.pdf');
    const body = new FormData();
    body.set('user_id', user.userId);
    body.set('file', new File([payslip, Buffer.alloc(bytes - payslip.length, '\n')], 'payslip.pdf'));
    return body;
  };
  const upload = async (bytes: number) => {
    const dispatcher = new Agent({ connect: { ca: readFileSync(api.services.config.api.tls.ca) } });
    const headers = { authorization: `Bearer ${user.token}`, 'idempotency-key': `${bytes}`, prefer: 'respond-async' };
    const answer = await request(`${at(front)}${UPLOAD}`, { method: 'POST', headers, body: form(bytes), dispatcher });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };
  test('of 5 MiB is uploaded, the API refuses a byte more, and nginx what no form needs', async () => {
    expect((await upload(5_242_880)).status).toBe(202);
    const more = await upload(5_242_881);
    expect([more.status, JSON.parse(more.text)]).toMatchObject([413, { code: 'file-too-large' }]);
    expectProblem(await upload(5_308_416), 'body-too-large', { limit: 5_308_416 });
  });

  test('of more than 1 MiB is refused elsewhere, with a length or in chunks', async () => {
    const long = await api.post(LOGIN, { at: at(front), body: 'x'.repeat(1_048_577) });
    expectProblem(long, 'body-too-large', { limit: 1_048_576 });
    const writer = await writerFrom('127.0.0.21');
    await writer.write(headOf(`POST ${LOGIN}`, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }));
    for (let piece = 0; piece < 17; piece += 1) await writer.write(chunkOf(Buffer.alloc(65_536, 'x')));
    expectProblem(await writer.answer(), 'body-too-large', { limit: 1_048_576 });
  });

  test('reaches the API only as a whole', async () => {
    const seen = await metric('ringfence_http_requests_total');
    const halves = await Promise.all(Array.from({ length: 20 }, () => writerFrom('127.0.0.22')));
    for (const writer of halves) await writer.write(half(ME));
    expect((await api.get(ME, { at: at(front), token: user.token })).status).toBe(200);
    expect(await inFlight()).toBe(0);
    expect((await metric('ringfence_http_requests_total')) - seen).toBe(1);
    await halves[0]!.write('x'.repeat(1_000_000 - 11));
    expect((await halves[0]!.answer()).status).toBe(405);
  });
});

test('an answer of 20 MB that nobody reads does not hold the API', async () => {
  let isSent = false;
  answering = (_asked, response) => {
    response.once('finish', () => (isSent = true)).end(Buffer.alloc(20_000_000));
  };
  const writer = await writerFrom('127.0.0.23', recorded);
  await writer.write(headOf('GET /', {}));
  await until(() => isSent, 'the end of the answer', 30_000);
});

describe('an address', () => {
  const refusal = { retry_after: 5 };

  test('has a hundred requests at a time, and does not hinder others', async () => {
    const halves = await Promise.all(Array.from({ length: 100 }, () => writerFrom('127.0.0.24')));
    for (const writer of halves) await writer.write(half(LOGIN));
    const ask = async () => {
      const writer = await writerFrom('127.0.0.24');
      await writer.write(headOf(`GET ${ME}`, {}));
      return writer.answer();
    };
    await until(async () => (await ask()).status === 429, 'the hundred bodies');
    expectProblem(await ask(), 'rate-limited', refusal);
    const other = await writerFrom('127.0.0.25');
    await other.write(headOf(`GET ${ME}`, {}));
    expect((await other.answer()).status).toBe(401);
    for (const writer of halves) writer.destroy();
  });

  test('has eight uploads at a time, beside which others behind it use the service', async () => {
    const halves = await Promise.all(Array.from({ length: 9 }, () => writerFrom('127.0.0.26')));
    for (const writer of halves) await writer.write(half(UPLOAD));
    expectProblem(await Promise.any(halves.map((writer) => writer.answer())), 'rate-limited', refusal);
    const other = await writerFrom('127.0.0.26');
    await other.write(headOf(`GET ${ME}`, { Authorization: `Bearer ${user.token}` }));
    expect((await other.answer()).status).toBe(200);
  });

  test('has 300 requests a second', async () => {
    const writer = await writerFrom('127.0.0.27', alone);
    const count = 1_500;
    await writer.write(headOf('GET /', {}).repeat(count));
    const statuses = [];
    for (let answer = 0; answer < count; answer += 1) statuses.push((await writer.answer()).status);
    expect(new Set(statuses)).toEqual(new Set([503, 429]));
  });

  test('is grouped as in the API', async () => {
    const { default: njs } = (await import(NJS)) as {
      default: { addressGroup: (r: { variables: { remote_addr: string } }) => string };
    };
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::1', '::', '2001:db8::', '2001:db8:1:2:3:4:5:6'])
      expect(njs.addressGroup({ variables: { remote_addr: address } })).toBe(addressGroup(address));
    for (const address of ['2001:db8::7:8', '2001:db8:1:2::', '2001:db8:0:1::1', 'fe80::1:2:3:4'])
      expect(njs.addressGroup({ variables: { remote_addr: address } })).toBe(addressGroup(address));
  });
});

describe('an error of nginx', () => {
  test('while the API is down is a problem document that says when to try again', async () => {
    const answer = await api.get(`${ME}?code=secret`, { at: at(alone), headers: { 'x-request-id': 'mine' } });
    expectProblem(answer, 'dependency-unavailable', { dependency: 'api', retry_after: 5 });
    expect(answer.body.instance).toBe(`${ME}#mine`);
  });

  test.each<[ErrorCode, string]>([
    ['invalid-request', 'rubbish\r\n\r\n'],
    ['invalid-request', 'GET / HTTP/1.1\r\n\r\n'],
    ['headers-too-large', headOf('GET /', { Long: 'x'.repeat(17_000) })],
    ['headers-too-large', headOf(`GET /${'x'.repeat(17_000)}`, {})],
    ['method-not-allowed', headOf('TRACE /', {})],
    ['not-found', headOf('GET /_problem', {})],
  ])('is a problem document: %s', async (code, head) => {
    const writer = await writerFrom('127.0.0.28');
    await writer.write(head);
    expectProblem(await writer.answer(), code);
  });
});

test('a request may wait for half a minute, and a body that stalls for as long ends', async () => {
  const { status, seconds } = await waited;
  expect([status, seconds > 31]).toEqual([200, true]);
  const stalledFor = await stalled;
  expect(stalledFor).toBeGreaterThan(29);
  expect(await inFlight()).toBe(0);
});

test('the log has no token, no URL, no id, and an address only of refused callers', async () => {
  await api.get(`${ME}?code=secret`, { at: at(front), token: user.token, headers: { referer: 'https://a.example/x' } });
  await until(() => front.log().trimEnd().endsWith('}'), 'the log');
  const lines = front
    .log()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const names = ['time', 'method', 'status', 'bytes_in', 'bytes_out', 'seconds', 'upstream_status', 'upstream_seconds'];
  for (const line of lines) {
    expect(Object.keys(line)).toEqual([...names, 'refused_address']);
    expect(line.refused_address === '').toBe(!['401', '408', '429'].includes(line.status!));
  }
  const written = `${front.log()}${alone.log()}${recorded.log()}`;
  for (const secret of [user.token, key, 'secret', 'mine', 'example', '/api', 'vault', 'rubbish', user.userId])
    expect(written).not.toContain(secret);
});
