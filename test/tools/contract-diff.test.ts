import { readContract } from '../../api/http/contract.ts';
import { adviceOn, breakingChanges } from '../../tools/contract/breaking.ts';

/* Tests which changes `npm run contract:diff` treats as breaking, one change at a time. */

const document = readContract().document;
const TODAY = '2026-11-21';

interface Changed {
  // Tests know that the parts that they change exist.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  paths: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  components: any;
}

function changed(change: (contract: Changed) => void) {
  const after = structuredClone(document) as unknown as Changed;
  change(after);
  return after as unknown as typeof document;
}

const EXECUTE = '/api/v1/payments/execute';
const PAYMENTS = '/api/v1/payments';

test('a contract does not break itself', () => {
  expect(breakingChanges(document, document, TODAY)).toEqual([]);
});

test.each<[string, (contract: Changed) => void, RegExp]>([
  [
    'an operation that is gone',
    ({ paths }) => Reflect.deleteProperty(paths, EXECUTE),
    /^POST \/api\/v1\/payments\/execute: is gone$/,
  ],
  ['another operationId', ({ paths }) => (paths[EXECUTE].post.operationId = 'pay'), /operationId was executePayment/],
  ['another scope', ({ paths }) => (paths[PAYMENTS].get['x-scope'] = 'admin:audit'), /x-scope was read:payments/],
  [
    'a parameter that is gone',
    ({ paths }) => paths[PAYMENTS].get.parameters.shift(),
    /parameter query user_id: is gone/,
  ],
  [
    'a parameter that is required now',
    ({ paths }) => (paths[PAYMENTS].get.parameters[0].required = true),
    /parameter query user_id: is required now/,
  ],
  [
    'a field of a body that is gone',
    ({ components }) => delete components.schemas.PaymentRequest.properties.reference,
    /body\.reference: is gone/,
  ],
  [
    'a field of a body that is required now',
    ({ components }) => components.schemas.PaymentRequest.required.push('reference'),
    /body\.reference: is required now/,
  ],
  [
    'a smaller most',
    ({ components }) => (components.schemas.Amount.maximum = 1_000),
    /body\.amount: maximum is stricter/,
  ],
  [
    'another pattern, of which nobody says that it takes as much',
    ({ components }) => (components.schemas.PayeeRequest.properties.account_number.pattern = '^[0-9]{6,8}$'),
    /body\.account_number: pattern is stricter/,
  ],
  [
    'a value that is taken no longer',
    ({ components }) => components.schemas.VaultType.enum.pop(),
    /"DISCRETIONARY" is no longer accepted/,
  ],
  [
    'a field of an answer that is gone',
    ({ components }) => delete components.schemas.Payment.properties.attempt,
    /response 201\.attempt: is gone/,
  ],
  [
    'a field of an answer that may be missing now',
    ({ components }) => components.schemas.Payment.required.pop(),
    /may be missing now/,
  ],
  [
    'a field of an answer of another type',
    ({ components }) => (components.schemas.Payment.properties.attempt.type = 'string'),
    /response 201\.attempt: type was integer and is string/,
  ],
  [
    'a field of an answer that may be null now',
    ({ components }) => (components.schemas.Payment.properties.attempt.type = ['integer', 'null']),
    /response 201\.attempt: type was integer and is integer or null/,
  ],
  [
    'a state that an answer never had',
    ({ components }) => components.schemas.PaymentStatus.enum.push('lost'),
    /response 201\.status: "lost" is a new value in responses/,
  ],
  [
    'a format that nothing asked for before',
    ({ components }) => (components.schemas.PayeeRequest.properties.account_number.format = 'account-number'),
    /account_number: format is stricter/,
  ],
  ['an answer that is gone', ({ paths }) => delete paths[EXECUTE].post.responses['201'], /response 201: is gone/],
])('%s breaks', (_what, change, sentence) => {
  const changes = breakingChanges(document, changed(change), TODAY);
  expect(changes.join('\n')).toMatch(sentence);
});

test.each<[string, (contract: Changed) => void]>([
  ['another operation', ({ paths }) => (paths['/api/v1/new'] = { get: { operationId: 'new', responses: {} } })],
  [
    'a field that may be sent',
    ({ components }) => (components.schemas.PaymentRequest.properties.note = { type: 'string' }),
  ],
  ['a field of an answer', ({ components }) => (components.schemas.Payment.properties.note = { type: 'string' })],
  ['one more scope that will do', ({ paths }) => (paths[PAYMENTS].get['x-scope'] = 'read:payments write:debt')],
  ['a larger most', ({ components }) => (components.schemas.Label.maxLength = 1_000)],
  [
    'a pattern that takes more, and says so',
    ({ components }) =>
      Object.assign(components.schemas.PayeeRequest.properties.account_number, {
        pattern: '^[0-9]{6,8}$',
        'x-widens': ['^[0-9]{8}$'],
      }),
  ],
  [
    'a pattern and a format that together take what a pattern took, and say so',
    ({ components }) =>
      Object.assign(components.schemas.PayeeRequest.properties.account_number, {
        pattern: '^[0-9]+$',
        format: 'account-number',
        'x-widens': ['^[0-9]{8}$'],
      }),
  ],
  [
    'another category of payees, which the contract declares open',
    ({ components }) => components.schemas.PayeeCategory.enum.push('PETS'),
  ],
  [
    'another code of a failed document, which the contract declares open',
    ({ components }) => components.schemas.DocumentFailure.properties.code.enum.push('new'),
  ],
  ['other words', ({ paths }) => (paths[EXECUTE].post.description = 'In other words.')],
])('%s does not', (_what, change) => {
  expect(breakingChanges(document, changed(change), TODAY)).toEqual([]);
});

test('deprecated parts may go after their sunset, and not before', () => {
  const mark = { deprecated: true, 'x-deprecated-on': '2026-01-01', 'x-sunset': '2026-12-01' };
  const before = changed(({ paths }) => Object.assign(paths[EXECUTE].post, mark));
  const after = changed(({ paths }) => void Reflect.deleteProperty(paths, EXECUTE));
  expect(breakingChanges(before, after, '2026-12-01')).toHaveLength(1);
  expect(breakingChanges(before, after, '2026-12-02')).toEqual([]);
  const marked = changed(({ components }) =>
    Object.assign(components.schemas.PaymentRequest.properties.reference, mark),
  );
  const without = changed(({ components }) => delete components.schemas.PaymentRequest.properties.reference);
  expect(breakingChanges(marked, without, '2026-12-01')).toHaveLength(1);
  expect(breakingChanges(marked, without, '2026-12-02')).toEqual([]);
});

test('every breaking change is reported with what to do', () => {
  expect(adviceOn('GET /a: response 200.status: "lost" is a new value in responses')).toContain('`x-open: true`');
  expect(adviceOn('POST /a: body.amount: maximum is stricter')).toContain('`x-widens`');
  expect(adviceOn('GET /a: is gone')).toContain('`x-sunset`');
  expect(adviceOn('GET /a: operationId was a and is b')).toBe('keep the old form, and add the new one beside it');
});
