import fc from 'fast-check';
import { startApi } from '../helpers/api.ts';

const api = startApi();
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
      vary: 'Accept',
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
    const accepts = fc.sample(fc.stringMatching(/^[ab*/;=,"q0.1 +-]{0,60}$/), 300);
    const statuses = await Promise.all(accepts.map(async (accept) => (await simulate(accept)).status));
    expect(statuses.filter((status) => status !== 200 && status !== 406)).toEqual([]);
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
