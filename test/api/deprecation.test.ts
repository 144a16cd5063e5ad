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
const told = ({ headers }: { headers: Record<string, unknown> }) => [headers.deprecation, headers.sunset];

test('a deprecated operation names its dates and the policy', async () => {
  const answer = await api.get('/api/v1/payments/providers', { token: await api.apiKey(['read:payments']) });
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    deprecation: '@1796083200',
    sunset: 'Wed, 01 Dec 2027 00:00:00 GMT',
    link: '</docs/guide/versions>; rel="deprecation"; type="text/html"',
  });
  expect(Number('1796083200')).toBe(Date.parse('2026-12-01T00:00:00Z') / 1_000);
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
