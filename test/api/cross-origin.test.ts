import { readContract, type Operation } from '../../api/http/contract.ts';
import { startApi } from '../helpers/api.ts';

const api = startApi();
const { operations } = readContract('sandbox');
const ORIGINS: readonly Record<string, string>[] = [{}, { origin: 'https://shop.example' }];
const [, FROM_PAGE] = ORIGINS;
const JWKS = '/.well-known/jwks.json';
const VERIFY = '/api/v1/credential/verify';
const STATUS = '/api/v1/credential/status-lists';

const FOR_EVERY_PAGE: readonly [method: string, path: string, status: number, body: unknown][] = [
  ['GET', JWKS, 200, undefined],
  ['GET', '/.well-known/jwt-vc-issuer', 200, undefined],
  ['GET', '/api/v1/credential/types/payment-reliability', 200, undefined],
  ['POST', VERIFY, 400, {}],
  ['POST', VERIFY, 415, Buffer.from('x')],
  ['GET', `${STATUS}/999`, 404, undefined],
  ['GET', `${JWKS}?a=1`, 400, undefined],
  ['PUT', JWKS, 405, undefined],
  ['GET', VERIFY, 405, undefined],
];

describe('what verifies a credential', () => {
  test.each(FOR_EVERY_PAGE)('%s %s (%d) is for pages of every origin', async (method, path, status, body) => {
    const type: Record<string, string> = Buffer.isBuffer(body) ? { 'content-type': 'text/plain' } : {};
    for (const headers of ORIGINS) {
      const answer = await api.request(method, path, { body, headers: { ...type, ...headers } });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('Retry-After') as string,
        'cross-origin-resource-policy': 'cross-origin',
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      expect(String(answer.headers.vary)).not.toContain('Origin');
    }
  });

  test('allows the preflight of every page', async () => {
    const headers = { ...FROM_PAGE, 'access-control-request-method': 'POST' };
    expect(await api.request('OPTIONS', VERIFY, { headers })).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': expect.stringContaining('Content-Type') as string,
      },
    });
  });
});

describe('every other operation', () => {
  const open = new Set(FOR_EVERY_PAGE.map(([, path]) => path));
  const others = operations.filter(({ path }) => !open.has(path) && !path.startsWith(STATUS));
  const PUBLIC: readonly string[] = ['readAuthorizationServer', 'exchangeToken', 'revokeToken'];
  const isForKnownPages = ({ id, scopes, credential }: Operation) =>
    scopes === 'public' ? PUBLIC.includes(id) : credential !== 'vault';

  test('is for no unknown page, and says whether the response depends on Origin, with or without one', async () => {
    for (const operation of others) {
      const path = operation.path.replace(/\{[^}]+\}/g, 'x');
      for (const headers of ORIGINS) {
        const answer = await api.request(operation.method, path, { headers });
        const { vary, 'access-control-allow-origin': allowed, 'cross-origin-resource-policy': policy } = answer.headers;
        const varies = String(vary).includes('Origin');
        expect([operation.id, allowed, policy, varies]).toEqual([
          ...[operation.id, undefined, 'same-origin'],
          isForKnownPages(operation),
        ]);
      }
    }
  });

  test('says so in the answer to a preflight too', async () => {
    const headers = { ...FROM_PAGE, 'access-control-request-method': 'GET' };
    const { vary } = (await api.request('OPTIONS', '/api/v1/auth/me', { headers })).headers;
    expect(vary).toBe('Origin');
  });
});
