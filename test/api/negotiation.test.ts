import fc from 'fast-check';
import { contractOf, readContract, type Node } from '../../api/http/contract.ts';
import { deprecationsOf } from '../../api/http/reply/deprecation.ts';
import { startApi } from '../helpers/api.ts';

/* The contract deprecates nothing yet, so these tests add deprecations to a copy of the contract. */

interface Operation {
  parameters?: Record<string, unknown>[];
  [member: string]: unknown;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties: Record<string, Record<string, unknown>> }> };
}

const mark = (on: string, until: string) => ({ deprecated: true, 'x-deprecated-on': on, 'x-sunset': until });

function planted() {
  const document = structuredClone(readContract().document) as unknown as Document;
  Object.assign(document.paths['/api/v1/payments/providers']!.get!, mark('2026-12-01', '2027-12-01'));
  const { parameters } = document.paths['/api/v1/payments']!.get!;
  Object.assign(
    parameters!.find(({ name }) => name === 'status')!,
    mark('2027-01-01', '2028-01-01'),
  );
  Object.assign(document.components.schemas.AllocationRequest!.properties.label!, mark('2026-12-01', '2027-06-01'));
  return contractOf(document as unknown as Node);
}

const api = startApi({ contract: planted() });
const JSON_TYPE = 'application/json';
const SVG = 'image/svg+xml; charset=utf-8';
let token: string;
beforeAll(async () => {
  token = await api.apiKey(['read:paycheck', 'write:paycheck']);
});

const simulate = (accept?: string) =>
  api.post('/api/v1/engine/paycheck/simulate', {
    token,
    body: { employee_id: 'emp-accept', gross_pay: 200_000, obligations: [] },
    ...(accept !== undefined && { headers: { accept } }),
  });

describe('Accept', () => {
  test.each([
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    ['  ', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['image/*', SVG],
    ['image/svg+xml', SVG],
    ['IMAGE/SVG+XML', SVG],
    ['image/svg+xml, application/json', SVG],
    ['application/json, image/svg+xml', JSON_TYPE],
    ['application/json;q=0.5, image/svg+xml;q=0.6', SVG],
    ['image/*;q=0.4, */*;q=0.5', JSON_TYPE],
    ['application/json;q=0, */*', SVG],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['image/svg+xml;charset=utf-8', SVG],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', JSON_TYPE],
    ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', SVG],
    ['nonsense, */*', JSON_TYPE],
  ])('%p gets %s', async (accept, expected) => {
    const { status, headers } = await simulate(accept);
    expect({ status, type: headers['content-type'], vary: headers.vary }).toEqual({
      status: 200,
      type: expected,
      vary: 'Origin, Accept',
    });
  });

  test.each(['text/html', 'image/png', 'application/json;q=0', 'image/svg+xml;q=0, text/*', 'nonsense', ';', 'json'])(
    '%p is refused with the available types',
    async (accept) => {
      const detail = expect.stringContaining('application/json or image/svg+xml') as string;
      expect(await simulate(accept)).toMatchObject({ status: 406, body: { code: 'not-acceptable', detail } });
    },
  );

  test('never fails in another way, for any header', async () => {
    const accepts = fc.sample(fc.stringMatching(/^[ab*/;=,"q0.1 +-]{0,60}$/), 30);
    for (const accept of accepts) expect([200, 406]).toContain((await simulate(accept)).status);
  });
});

describe('If-None-Match', () => {
  const contract = (headers: Record<string, string>) => api.get('/openapi.json', { headers });
  let etag: string;
  beforeAll(async () => {
    etag = String((await contract({})).headers.etag);
  });

  test.each([
    ['the tag', () => etag],
    ['the tag as a weak one', () => `W/${etag}`],
    ['a list with the tag', () => `"v0", ${etag}`],
    ['a list with the tag as a weak one', () => `"a,b" , W/${etag}`],
    ['any tag', () => '*'],
  ])('that names %s gets 304 without a body, with the tag', async (_what, header) => {
    const answer = await contract({ 'if-none-match': header() });
    expect(answer).toMatchObject({ status: 304, text: '' });
    expect(answer.headers).toMatchObject({ etag, 'cache-control': 'no-cache' });
    expect(answer.headers['content-type']).toBeUndefined();
  });

  test.each(['', '"v2"', 'v1', '"v1', '"v11"'])('of %p gets the whole response', async (header) => {
    const answer = await contract({ 'if-none-match': header });
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).toBe(etag);
  });

  test('applies only where the contract has a 304', async () => {
    const body = {
      user_id: 'emp-tagged',
      debts: [{ name: 'Card', balance: 50_000, rate: 1_000, minimum: 5_000 }],
      monthly_budget: 6_000,
    };
    const writer = await api.apiKey(['write:debt']);
    const plan = await api.post('/api/v1/engine/debt/plan', { token: writer, body });
    expect(plan.status).toBe(201);
    const headers = { 'if-none-match': String(plan.headers.etag) };
    const again = await api.get(String(plan.headers.location), { token: writer, headers });
    expect(again).toMatchObject({ status: 200, headers: { etag: plan.headers.etag } });
  });
});

describe('Deprecation', () => {
  const told = ({ headers }: { headers: Record<string, unknown> }) => [headers.deprecation, headers.sunset];

  test('a deprecated operation names its dates and the policy', async () => {
    const answer = await api.get('/api/v1/payments/providers', { token: await api.apiKey(['read:payments']) });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      deprecation: '@1796083200',
      sunset: 'Wed, 01 Dec 2027 00:00:00 GMT',
      link: '</docs/guide/versions>; rel="deprecation"; type="text/html"',
    });
  });

  test('a deprecated parameter or field is reported only to callers that send it', async () => {
    const token = await api.apiKey(['read:payments', 'write:allocations']);
    expect(told(await api.get('/api/v1/payments', { token }))).toEqual([undefined, undefined]);
    const asked = await api.get('/api/v1/payments?status=failed', { token });
    expect(told(asked)).toEqual(['@1798761600', 'Sat, 01 Jan 2028 00:00:00 GMT']);
    const allocate = (more: object) =>
      api.post('/api/v1/allocations/allocate', {
        token,
        body: { user_id: 'emp-1042', vault_type: 'SAVINGS', amount: 1, ...more },
      });
    expect(told(await allocate({}))).toEqual([undefined, undefined]);
    // Even a refusal has the deprecation headers.
    const refused = await allocate({ label: 'Holiday' });
    expect(refused.status).toBe(422);
    expect(told(refused)).toEqual(['@1796083200', 'Tue, 01 Jun 2027 00:00:00 GMT']);
  });

  test.each([
    ['no date', { deprecated: true }],
    ['no sunset', { deprecated: true, 'x-deprecated-on': '2026-12-01' }],
    ['179 days', mark('2026-12-01', '2027-05-29')],
  ])('a deprecation with %s prevents the start', (_what, node) => {
    expect(() => deprecationsOf({}, { id: 'listPayments', node })).toThrow(/listPayments: /);
  });
});
