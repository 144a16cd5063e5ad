import { createApp } from '../../api/app.ts';
import { contractOf, readContract, type Node } from '../../api/http/contract.ts';
import { validatorOf } from '../../api/http/validation/validator.ts';
import { warmUp } from '../../api/http/validation/warm-up.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi, type TestAnswer, type TestRequest } from '../helpers/api.ts';
import { cableTo, type Cable } from '../helpers/cable.ts';
import { cpuMs } from '../helpers/cpu.ts';
import { newClient, postForm, TOKEN } from '../helpers/oauth.ts';
import { pointersOf } from '../helpers/problem.ts';

/* Tests what the service adds to express-openapi-validator. */

const api = startApi();
let key: string;
beforeAll(async () => {
  key = await api.apiKey(SCOPES);
});

const CALCULATE = '/api/v1/engine/paycheck/calculate';
const STORE = '/api/v1/vault/store';
const UPLOAD = '/api/v1/legacy/payslip/upload';
const errorsOf = ({ body }: TestAnswer) => body.errors as { pointer: string; detail: string }[];

describe('while the database is down every kind of credential gets 503 instead of 401', () => {
  let cable: Cable;
  let credentials: Record<string, () => Promise<TestAnswer>>;
  const lost = startApi({
    async reachedBy(databaseUrl) {
      cable = await cableTo(databaseUrl);
      return cable.url;
    },
  });
  beforeAll(async () => {
    const [lostKey, user] = [await lost.apiKey(SCOPES), await lost.registerUser()];
    const client = await newClient(lost.services);
    const login = { email: user.email, password: user.password };
    const refresh_token = `rf_rt_${'x'.repeat(43)}`;
    const secret = { client_id: client.clientId, client_secret: client.secret };
    const session = `__Host-rf_session=rf_ss_${'x'.repeat(43)}; __Host-rf_browser=rf_br_${'x'.repeat(43)}`;
    const authorize = new URLSearchParams({ response_type: 'code', client_id: client.clientId, scope: 'read:profile' });
    credentials = {
      'an API key': () => lost.get('/api/v1/auth/me', { token: lostKey }),
      "a person's token": () => lost.get('/api/v1/auth/me', { token: user.token }),
      'a vault key with its certificate': () => lost.post(STORE, { vaultKey: lostKey, body: '{"broken' }),
      'a password': () => lost.post('/api/v1/auth/login', { body: login }),
      'a refresh token': () => lost.post('/api/v1/auth/refresh', { body: { refresh_token } }),
      'the secret of a client': () => postForm(lost, TOKEN, { grant_type: 'refresh_token', refresh_token, ...secret }),
      'the session of a browser': () =>
        lost.get(`/api/v1/auth/authorize?${authorize.toString()}`, { headers: { cookie: session } }),
      'the origin of a page': () =>
        lost.get('/.well-known/oauth-authorization-server', { headers: { origin: 'https://app.example' } }),
    };
    cable.cut();
  });

  test('a key, a token, a certificate, a password, a secret, a session and an origin', async () => {
    expect(Object.keys(credentials)).toHaveLength(8);
    for (const [name, ask] of Object.entries(credentials)) {
      const { status, headers } = await ask();
      expect([name, status, headers['www-authenticate']]).toEqual([name, 503, undefined]);
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
  });
});

describe('a Content-Type', () => {
  const times = async (count: number, request: (index: number) => [string, string, TestRequest]) => {
    const started = cpuMs();
    const statuses = new Set<number>();
    for (let index = 0; index < count; index += 1) statuses.add((await api.request(...request(index))).status);
    return { ms: cpuMs() - started, statuses: [...statuses] };
  };

  test.each([
    ['of a body', 415, CALCULATE, 'POST', { body: '{}' }],
    ['without a body', 400, CALCULATE, 'POST', {}],
    ['of a GET', 200, '/api/v1/auth/me', 'GET', {}],
  ] as const)('%s costs nothing, however many parameters there are', async (_what, status, path, method, more) => {
    const typed = (type: string): [string, string, TestRequest] => [
      method,
      path,
      { token: key, ...more, headers: { 'content-type': type } },
    ];
    await times(20, () => typed('text/plain'));
    const same = await times(200, () => typed('text/plain'));
    const each = await times(200, (index) => typed(`application/json; version=${index}`));
    expect([same.statuses, each.statuses]).toEqual([[status], [status]]);
    // Compiling a validator is slow, so it must not happen for each request.
    expect(each.ms).toBeLessThan(3 * same.ms + 500);
  });
});

describe('a query', () => {
  test('may contain characters that are reserved in other parts of a URL', async () => {
    const list = await api.get(`/api/v1/payments?cursor=a:b/c?d@e!$'()*,;=f`, { token: key });
    expect(errorsOf(list).map(({ detail }) => detail)).not.toContain(
      expect.stringContaining('reserved characters') as string,
    );
    expect(list.status).toBe(400);
    expect(pointersOf(list)).toEqual(['/query/cursor']);
  });
});

describe('a form with a file', () => {
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const upload = (body: string, type = 'multipart/form-data; boundary=b') =>
    api.post(UPLOAD, { token: key, body, headers: { 'content-type': type } });

  test.each(['multipart/form-data; boundary=b', 'Multipart/Form-Data ;charset=UTF-8; ;Boundary="\\b";'])(
    'of type %s that has text instead of the file is refused for the file’s type',
    async (type) => {
      const answer = await upload(`${part('user_id', 'emp-1')}${part('file', 'some text')}--b--\r\n`, type);
      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported-document-type' } });
    },
  );
});

describe('the validation of a request', () => {
  const contract = readContract('production');

  test('is compiled before the service is ready, for each operation', async () => {
    const operations = contract.operations.filter(({ path }) => path.startsWith('/api/v1/vault'));
    const validator = validatorOf(contract, operations, { responses: false });
    const times: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const started = cpuMs();
      await warmUp(validator, operations);
      times.push(cpuMs() - started);
    }
    expect(times[1]).toBeLessThan(times[0]! / 4);
  });

  test('prevents the start in production if it cannot be compiled', async () => {
    const broken = structuredClone(contract.document) as { components: { schemas: Record<string, Node> } };
    broken.components.schemas.LoginRequest = { type: 'object', properties: { email: { type: 'nothing known' } } };
    const { config: given } = api.services;
    const config = { api: given.api, limits: given.limits, environment: 'production' };
    const services = new Proxy(api.services, {
      get: (whole, name) => (name === 'config' ? config : whole[name as keyof typeof whole]),
    });
    await expect(createApp(services, contractOf(broken as unknown as Node))).rejects.toThrow('cannot be compiled');
  });
});
