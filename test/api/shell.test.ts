import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { readContract } from '../../api/http/contract.ts';
import { PROBLEMS } from '../../api/http/reply/problem.ts';
import { SCOPES } from '../../domain/auth.ts';
import type { Log, LogFields } from '../../infra/telemetry/log.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { cableTo, type Cable } from '../helpers/cable.ts';
import { newClient, newCode, redeem, sqlOf } from '../helpers/oauth.ts';
import { administer } from '../helpers/postgres.ts';

const logged: { level: string; fields: LogFields; message: string }[] = [];
const at = (level: string) => (fields: LogFields, message: string) => void logged.push({ level, fields, message });
const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };

// Runs each time an operation reads the clock.
let atNow: () => Promise<void> = () => Promise.resolve();
const clock = {
  async now() {
    await atNow();
    return new Date();
  },
  real: () => Promise.resolve(new Date()),
};

let cable: Cable;
const api = startApi({
  clock,
  log,
  async reachedBy(databaseUrl) {
    cable = await cableTo(databaseUrl);
    return cable.url;
  },
});
const { services } = api;
const { run, many } = sqlOf(services);
let key: string;

beforeAll(async () => {
  key = await api.apiKey(SCOPES);
});
afterEach(() => {
  atNow = () => Promise.resolve();
  logged.length = 0;
});

const CALCULATE = '/api/v1/engine/paycheck/calculate';
const HISTORY = '/api/v1/engine/paycheck/history';
const paycheck = (owner: string, gross = 250_000) => ({
  employee_id: owner,
  gross_pay: gross,
  obligations: [{ type: 'Rent', amount: 90_000, category: 'FIXED' }],
});
const calculate = (body: unknown, headers: Record<string, string> = {}, token = key) =>
  api.post(CALCULATE, { token, body, headers });
const faultsOf = ({ body }: TestAnswer) => body.errors as { pointer: string; detail: string }[];
const pointersOf = (answer: TestAnswer) => faultsOf(answer).map(({ pointer }) => pointer);
async function countOf(owner: string): Promise<number> {
  const answer = await api.get(`${HISTORY}?employee_id=${owner}`, { token: key });
  return answer.body.items.length as number;
}

function expectProblem(answer: TestAnswer, status: number, code: string): void {
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.body).toMatchObject({ type: `/problems/${code}`, status, code });
  expect(answer.status).toBe(status);
  expect(answer.body.instance).toMatch(new RegExp(`#${String(answer.headers['x-request-id'])}$`));
  expect(answer.body.detail).not.toBe('');
}

/** @returns what the service sends until the connection closes or is silent for `leaveAfterMs` */
const exchange = (sent: string, leaveAfterMs = 60_000) =>
  new Promise<string>((resolve, reject) => {
    const { port } = new URL(api.url);
    const ca = readFileSync(services.config.api.tls.ca);
    const socket = connect({ host: 'localhost', port: Number(port), ca }, () => socket.write(sent));
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
    socket.setTimeout(leaveAfterMs, () => socket.destroy());
  });

describe('every response', () => {
  test('browsers are told to require HTTPS, but not for all ports of localhost', async () => {
    const elsewhere = await exchange('GET /livez HTTP/1.1\r\nHost: money.example\r\nConnection: close\r\n\r\n');
    expect(elsewhere).toMatch(/^strict-transport-security: max-age=31536000\r$/im);
    expect((await api.get('/livez')).headers['strict-transport-security']).toBeUndefined();
  });

  test('a caller may give the request id, if the id is valid', async () => {
    for (const sane of ['order-1234.a_b', '7', 'x'.repeat(128)]) {
      const named = await api.get('/livez', { headers: { 'x-request-id': sane } });
      expect(named.headers['x-request-id']).toBe(sane);
    }
    for (const odd of ['', 'with space', 'x'.repeat(129), 'semi;colon-12', '<script>alert']) {
      const answer = await api.get('/livez', { headers: { 'x-request-id': odd } });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('the address', () => {
  test('that is unknown is a 404 problem', async () => {
    expectProblem(await api.get('/api/v1/nothing'), 404, 'not-found');
    expectProblem(await api.post('/api/v2/auth/login', { body: {} }), 404, 'not-found');
  });

  test('answers HEAD like GET without the body', async () => {
    const [head, get] = [await api.request('HEAD', '/problems'), await api.get('/problems')];
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  test('may be percent-encoded, but an encoded slash starts no segment, and what is malformed is a 400', async () => {
    expect((await api.get('/%6civez')).status).toBe(200);
    expect((await api.get('/problems/a%2Fb')).status).toBe(400);
    for (const path of ['/api/v1/payments/%E0%A4%A', '/%']) {
      const answer = await api.get(path, { token: key });
      expectProblem(answer, 400, 'invalid-request');
      expect(pointersOf(answer)).toEqual(['/path']);
    }
  });
});

describe('a body', () => {
  test.each<[string, string | Buffer]>([
    ['in single quotes', "{'a':1}"],
    ['followed by text', '{} {}'],
    ['NaN', '{"gross_pay": NaN}'],
    ['not UTF-8', Buffer.from('{"employee_id":"\xff\xfe"}', 'latin1')],
  ])('that is %s is a 400 malformed-json', async (_case, body) => {
    expectProblem(await api.post(CALCULATE, { token: key, body }), 400, 'malformed-json');
  });

  test.each([
    ['{\n  "gross_pay": 1\n  "b": 2\n}', 3, 3],
    ['{"gross_pay":}', 1, 14],
    ['{"gross_pay": 1,}', 1, 17],
    ['{"a": "b', 1, 7],
    ['{', 1, 2],
    ['[1] // why', 1, 5],
    ["\r\n{'s3cret-name': 1}", 2, 2],
  ])('that is not JSON names the line and column of the first error: %j', async (body, line, column) => {
    const answer = await api.post(CALCULATE, { token: key, body });
    expectProblem(answer, 400, 'malformed-json');
    expect(answer.body).toMatchObject({ line, column });
    expect(answer.body.detail).toContain(`line ${line}, column ${column}`);
    expect(answer.text).not.toContain('s3cret');
  });

  test('that is not JSON gets no position if it is long, and is refused however deep it is', async () => {
    const long = await api.post(CALCULATE, { token: key, body: `${' '.repeat(100_000)}x` });
    expectProblem(long, 400, 'malformed-json');
    expect(long.body).not.toHaveProperty('line');
    expectProblem(await api.post(CALCULATE, { token: key, body: '['.repeat(10_000) }), 400, 'malformed-json');
  });

  test.each([
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-8; charset=utf-8', 415],
    ['application/json; charset = utf-8', 415],
    ['application/json; charset="utf-8', 415],
    ['application/json; charset="utf-8"x', 415],
    ['application/json charset=utf-8', 415],
    ['application/json; version=1', 415],
    ['application/json, application/json', 415],
    ['application/jsonx', 415],
    ['', 415],
    ['application/json;', 201],
    ['application/json ;\t; ;charset=utf-8;', 201],
    ['application/json; boundary="a;b"; Charset="u\\tf-8"', 201],
    ['application/json;charset="UTF-8"', 201],
    ['Application/JSON ; charset=utf8', 201],
  ])('of type "%s" gets %d', async (type, status) => {
    const body = JSON.stringify(paycheck('emp-typed'));
    const answer = await api.post(CALCULATE, { token: key, body, headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
    if (status === 415) expectProblem(answer, 415, 'unsupported-media-type');
  });

  test('of 2,000 values is validated, and one value more is refused before', async () => {
    const most = [{ pointer: '', detail: 'must contain at most 2,000 values, including lists and objects' }];
    // Four of the values are the body itself, its two other fields, and this list.
    const withList = (employee_id: readonly unknown[]) => calculate({ ...paycheck(''), obligations: [], employee_id });
    const of = (values: number, item: unknown) => withList(Array.from({ length: values - 4 }, () => item));
    for (const item of [{}, 7, []]) {
      expectProblem(await of(2_000, item), 400, 'invalid-request');
      expect((await of(2_000, item)).body.errors).not.toEqual(most);
      expect((await of(2_001, item)).body.errors).toEqual(most);
    }
    const deep = Array.from({ length: 999 }, () => [{}]);
    expect((await withList(deep)).body.errors).toEqual(most);
    // Parsing deep nesting would be slow.
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const body = `${open.repeat(100_000)}0${close.repeat(100_000)}`;
      expect((await api.post(CALCULATE, { token: key, body })).body.errors).toEqual(most);
    }
  });

  test('of more than a megabyte is a 413 that names the limit', async () => {
    const answer = await calculate({ employee_id: 'x'.repeat(1_048_576) });
    expectProblem(answer, 413, 'body-too-large');
    expect(answer.body).toMatchObject({ limit: 1_048_576 });
  });

  test('of an operation without a body may be absent or {}, and nothing else', async () => {
    const { token } = await api.registerUser();
    for (const body of ['[]', 'x', 'x'.repeat(2_000_000)])
      expectProblem(await api.post('/api/v1/auth/logout', { token, body }), 400, 'invalid-request');
    for (const body of [undefined, '', '{}', ' { } ']) {
      const { token: another } = await api.registerUser();
      expect((await api.post('/api/v1/auth/logout', { token: another, body })).status).toBe(204);
    }
  });
});

describe('a request that does not match the contract', () => {
  test('gets every fault at once, with pointer and words, without the value', async () => {
    const answer = await api.post(`${CALCULATE}?colour=s3cret-value`, {
      token: key,
      headers: { 'idempotency-key': 'é' },
      body: {
        gross_pay: 12.5,
        obligations: [{ type: 'x', amount: 0, category: 's3cret-value' }, {}],
        pay_date: '2026-02-30',
        surprise: 's3cret-value',
      },
    });
    expectProblem(answer, 400, 'invalid-request');
    expect(faultsOf(answer)).toEqual(
      expect.arrayContaining([
        { pointer: '/query/colour', detail: 'is not a parameter of this request' },
        { pointer: '/header/idempotency-key', detail: 'must be 1 to 255 printable ASCII characters' },
        { pointer: '/employee_id', detail: 'is required' },
        { pointer: '/gross_pay', detail: 'must be a whole number of pence' },
        { pointer: '/obligations/0/amount', detail: 'must be at least 1 pence' },
        { pointer: '/obligations/0/category', detail: 'must be one of FIXED, SAVINGS, DISCRETIONARY' },
        { pointer: '/obligations/1/type', detail: 'is required' },
        { pointer: '/pay_date', detail: 'must be a date that exists, in the form YYYY-MM-DD' },
        { pointer: '/surprise', detail: 'is not a field of this request' },
      ]),
    );
    expect(answer.text).not.toContain('s3cret-value');
  });

  test('gets a pointer of valid Unicode, even if the name is cut', async () => {
    const body = { ...paycheck('emp-cut'), [`${'x'.repeat(99)}😀`]: 1 };
    const answer = await api.post(CALCULATE, { token: key, body });
    expect(faultsOf(answer)).toEqual([
      { pointer: `/${'x'.repeat(99)}\ufffd`, detail: 'is not a field of this request' },
    ]);
  });

  test.each([
    ...['0', '101', '1e400', '1e1', '0x10', '1.0', '01', ''].map((limit) => [`limit=${limit}`, '/query/limit']),
    ['from=2026-13-01', '/query/from'],
    ['employee_id=%zz', '/query'],
    ['employee_id=%ED%A0%80', '/query'],
    ['employee_id=%00', '/query/employee_id'],
  ])('%s in the query points at %s', async (query = '', pointer = '') => {
    const answer = await api.get(`${HISTORY}?${query}`, { token: key });
    expectProblem(answer, 400, 'invalid-request');
    expect(pointersOf(answer)).toContain(pointer);
  });

  test.each([
    ['a lone surrogate', '{"employee_id":"\\ud800"}', '/employee_id'],
    ['__proto__', '{"__proto__":{"admin":true}}', '/__proto__'],
    ['an amount beyond all numbers', '{"gross_pay":1e400}', '/gross_pay'],
    ['an amount beyond the largest', '{"gross_pay":100000000001}', '/gross_pay'],
    ['10,000 objects in each other', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, ''],
    ['a list of 300,000 wrong items', `{"obligations":[${'0,'.repeat(300_000)}0]}`, ''],
  ])('%s in the body is a 400', async (_case, body, pointer) => {
    const answer = await api.post(CALCULATE, { token: key, body });
    expectProblem(answer, 400, 'invalid-request');
    expect(pointersOf(answer)).toContain(pointer);
    expect(pointersOf(answer).length).toBeLessThanOrEqual(101);
  });
});

describe('bytes that are not a valid request', () => {
  test.each([
    ['data other than HTTP gets a 400 problem', 400, 'HELLO WORLD\r\n\r\n'],
    ['no Host gets a 400 problem', 400, 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts get one', 400, 'GET /livez HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
    [
      'two Authorization headers get one',
      400,
      'GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer a\r\nConnection: close\r\n\r\n',
    ],
    [
      'two Idempotency-Keys get one',
      400,
      'GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\n\r\n',
    ],
    ['HTTP/1.0 knows no Host', 200, 'GET /livez HTTP/1.0\r\n\r\n'],
    [
      'what else is expected is not heeded',
      200,
      'GET /livez HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n',
    ],
  ])('%s', async (_what, status, sent) => {
    const received = await exchange(sent);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im);
    if (status === 400) expect(received).toContain('"code":"invalid-request"');
  });

  test('a caller who disconnects in the middle of a body affects no others and logs no error', async () => {
    await exchange(
      `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"a`,
      200,
    );
    expect((await api.get('/livez')).status).toBe(200);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a request target in absolute form is accepted, as proxies send it', async () => {
    const received = await exchange(
      'GET https://elsewhere.example/livez?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(received).toContain('"pointer":"/query/x"');
  });
});

describe('an internal error', () => {
  test('is a 500 with only the request id, and is logged without personal data', async () => {
    atNow = () => Promise.reject(new Error('the row of someone@example.test broke sk_test_abcdef'));
    const answer = await calculate(paycheck('emp-500'));
    expectProblem(answer, 500, 'internal-error');
    expect(answer.text).not.toMatch(/row|broke|example\.test|node_modules|\.ts/);
    const fault = logged.find(({ level }) => level === 'error');
    expect(fault?.fields).toMatchObject({ request_id: answer.headers['x-request-id'], operation: 'calculatePaycheck' });
    expect(JSON.stringify(fault)).toContain('the row of [email] broke [secret]');
    expect(JSON.stringify(logged)).not.toContain('someone@example.test');
  });
});

describe('an Idempotency-Key', () => {
  const tokenOfClient = async (userId: string) => {
    const scopes = ['write:paycheck'] as const;
    const client = await newClient(services, { scopes });
    const code = await newCode(services, { clientId: client.clientId, userId, scopes });
    return (await redeem(api, client, code)).body.access_token as string;
  };

  test('gives the stored response byte for byte, and does nothing again', async () => {
    const { employee_id, gross_pay, obligations } = paycheck('emp-once');
    const first = await calculate({ employee_id, gross_pay, obligations }, { 'idempotency-key': 'once "1"' });
    expect(first.status).toBe(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    // In quotes, and with the body's members in another order.
    const second = await calculate({ obligations, gross_pay, employee_id }, { 'idempotency-key': '"once \\"1\\""' });
    expect(second).toMatchObject({ status: 201, text: first.text });
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await countOf('emp-once')).toBe(1);
    const other = await calculate(paycheck('emp-once', 260_000), { 'idempotency-key': 'once "1"' });
    expectProblem(other, 422, 'idempotency-key-reused');
  });

  test('of a person belongs to the client that sent it', async () => {
    const { userId, token } = await api.registerUser();
    const tokens = [await tokenOfClient(userId), await tokenOfClient(userId)];
    const headers = { 'idempotency-key': 'of one client' };
    const replies = [];
    for (const each of [token, ...tokens, tokens[1]!]) replies.push(await calculate(paycheck(userId), headers, each));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const replayed = [undefined, undefined, undefined, 'true'];
    expect(replies.map(({ headers: sent }) => sent['idempotent-replayed'])).toEqual(replayed);
  });

  test('is scoped to caller and operation', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const other = await api.apiKey(SCOPES);
    expect((await calculate(paycheck('emp-a'), headers)).status).toBe(201);
    const theirs = await calculate(paycheck('emp-b'), headers, other);
    expect(theirs.status).toBe(201);
    expect(theirs.headers['idempotent-replayed']).toBeUndefined();
    const body = { user_id: 'emp-a', vault_type: 'SAVINGS', amount: 100 };
    const elsewhere = await api.post('/api/v1/allocations/allocate', { token: key, headers, body });
    expect(elsewhere.status).toBe(201);
  });

  test('stores a refusal by a rule, and rolls back its effects', async () => {
    const headers = { 'idempotency-key': 'refused' };
    const body = { ...paycheck('emp-refused'), gross_pay: 100 };
    const first = await calculate(body, headers);
    expectProblem(first, 422, 'obligations-exceed-income');
    const second = await calculate(body, headers);
    expect(second.text).toBe(first.text);
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true', 'content-type': 'application/problem+json' });
  });

  test('does not store the response to an invalid or unauthorised request, nor an internal error', async () => {
    const headers = { 'idempotency-key': 'fixed-later' };
    expect((await calculate({ employee_id: 'emp-fixed' }, headers)).status).toBe(400);
    atNow = () => Promise.reject(new Error('broken'));
    expect((await calculate(paycheck('emp-fixed'), headers)).status).toBe(500);
    atNow = () => Promise.resolve();
    const user = await api.registerUser();
    expectProblem(await calculate(paycheck('somebody-else'), headers, user.token), 403, 'other-owner');
    expect((await calculate(paycheck(user.userId), headers, user.token)).status).toBe(201);
    const first = await calculate(paycheck('emp-fixed'), headers);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  test('is in use while its first request runs, and then gives the response', async () => {
    const headers = { 'idempotency-key': 'slow' };
    const gate = Promise.withResolvers<undefined>();
    const entered = Promise.withResolvers<undefined>();
    atNow = async () => {
      entered.resolve(undefined);
      await gate.promise;
    };
    const first = calculate(paycheck('emp-slow'), headers);
    await entered.promise;
    expectProblem(await calculate(paycheck('emp-slow'), headers), 409, 'idempotency-key-in-use');
    gate.resolve(undefined);
    expect((await first).status).toBe(201);
    expect((await calculate(paycheck('emp-slow'), headers)).text).toBe((await first).text);
  });

  test('sent twenty times at once takes effect once', async () => {
    const headers = { 'idempotency-key': 'at-once' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => calculate(paycheck('emp-at-once'), headers)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status)).size).toBeLessThanOrEqual(2);
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, 409, 'idempotency-key-in-use');
    expect(await countOf('emp-at-once')).toBe(1);
  });

  test('is free again when the process that worked on it is gone, and nothing of it is left', async () => {
    const headers = { 'idempotency-key': 'crashed' };
    atNow = async () => {
      const ended = await administer(
        services.config.database.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where state = 'idle in transaction' and datname = current_database()`,
      );
      // The time is also read outside of the transaction.
      if (ended > 0) atNow = () => Promise.resolve();
    };
    const crashed = await calculate(paycheck('emp-crashed'), headers);
    expect([500, 503]).toContain(crashed.status);
    expect(await countOf('emp-crashed')).toBe(0);
    expect((await calculate(paycheck('emp-crashed'), headers)).status).toBe(201);
    expect(await countOf('emp-crashed')).toBe(1);
  });

  test('is valid for 24 hours', async () => {
    const headers = { 'idempotency-key': 'old' };
    await calculate(paycheck('emp-old'), headers);
    const stored = services.keys.blindIndex('idempotency key', 'old');
    await run(`update idempotency_records set created_at = created_at - interval '25 hours' where key = $1`, [stored]);
    const again = await calculate(paycheck('emp-old', 260_000), headers);
    expect(again).toMatchObject({ status: 201, body: { revision: 2 } });
  });

  test('of a registration leaves neither the address nor the password in the database', async () => {
    const headers = { 'idempotency-key': 'register' };
    const body = { email: 'only.once@example.test', password: 'tr0ub4dor and friends' };
    const first = await api.post('/api/v1/auth/register', { body, headers });
    const second = await api.post('/api/v1/auth/register', { body, headers });
    expect(second).toMatchObject({ status: 201, text: first.text });
    const other = { ...body, password: 'tr0ub4dor and others' };
    expectProblem(await api.post('/api/v1/auth/register', { body: other, headers }), 422, 'idempotency-key-reused');
    const rows = await many('select row_to_json(r)::text as row from idempotency_records r');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toMatch(/only\.once|tr0ub4dor|127\.0\.0\.1|::1"/);
  });
});

describe('the pages', () => {
  test('list and explain every code, and an unknown code is a 404', async () => {
    const { text: list } = await api.get('/problems');
    for (const code of Object.keys(PROBLEMS)) {
      expect(list).toContain(`/problems/${code}`);
      const { status, text, headers } = await api.get(`/problems/${code}`);
      expect([code, status, headers['content-type']]).toEqual([code, 200, 'text/html; charset=utf-8']);
      expect(text).toContain(code);
      expect(text).toContain('What to do');
    }
    expectProblem(await api.get('/problems/no-such-code'), 404, 'not-found');
  });

  test('the documentation loads everything from the service itself', async () => {
    const page = await api.get('/docs/reference');
    const linked = [...page.text.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(linked.length).toBeGreaterThan(2);
    for (const path of linked) {
      expect(path).toMatch(/^\/docs\//);
      expect((await api.get(path)).status).toBe(200);
    }
    // Where scripts are off, the reference leads to the contract and the guide.
    const [without] = /<noscript>[^]*<\/noscript>/.exec(page.text)!;
    for (const path of ['/openapi.yaml', '/docs/guide']) expect(without).toContain(`href="${path}"`);
    expect((await api.get('/')).headers.location).toBe('/docs');
    expect((await api.get('/docs/index.html')).status).toBe(404);
    expect((await api.get('/docs/..%2fpackage.json')).status).toBe(404);
  });

  test.each(['/docs/nothing', '/docs/guide/nothing'])('%s is a page with a search form in a browser', async (path) => {
    const { status, text, headers } = await api.get(path, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('<h1>Page not found</h1>');
    expect(text).toContain('action="/docs/search"');
    expectProblem(await api.get(path), 404, 'not-found');
  });
});

test('the contract declares for each operation every response of the request pipeline', () => {
  const lacking = readContract().operations.map(({ id, scopes, bodyTypes, idempotent, responses }) => {
    const needed = [
      ['400', '500'],
      scopes === 'public' ? [] : ['401', '503'],
      scopes === 'public' || scopes === 'any' ? [] : ['403'],
      bodyTypes.length > 0 ? ['413', '415'] : [],
      idempotent ? ['409', '422', '503'] : [],
    ].flat();
    return `${id}: ${needed.filter((status) => !(status in responses)).join(', ')}`;
  });
  expect(lacking.filter((line) => !line.endsWith(': '))).toEqual([]);
});

// Last, because the API stays without its database.
test('without a database the API is live but not ready, and refuses with Retry-After', async () => {
  expect((await api.get('/readyz')).status).toBe(200);
  cable.cut();
  expect((await api.get('/livez')).status).toBe(200);
  expectProblem(await api.get('/readyz'), 503, 'dependency-unavailable');
  const answer = await api.get('/api/v1/auth/me', { token: key });
  expectProblem(answer, 503, 'dependency-unavailable');
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
});
