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
  schemas: any;
}
type Change = (contract: Changed) => unknown;

function changed(change: Change) {
  const after = structuredClone(document) as unknown as { paths: unknown; components: { schemas: unknown } };
  change({ paths: after.paths, schemas: after.components.schemas });
  return after as unknown as typeof document;
}
const changesAfter = (change: Change) => breakingChanges(document, changed(change), TODAY);

const EXECUTE = '/api/v1/payments/execute';
const PAYMENTS = '/api/v1/payments';
const NUMBER = { pattern: '^[0-9]{6,8}$', 'x-widens': ['^[0-9]{8}$'] };

test('a contract does not break itself', () => {
  expect(changesAfter(() => undefined)).toEqual([]);
});

test.each<[string, Change]>([
  ['POST /api/v1/payments/execute: is gone', ({ paths }) => Reflect.deleteProperty(paths, EXECUTE)],
  ['operationId was executePayment', ({ paths }) => (paths[EXECUTE].post.operationId = 'pay')],
  ['x-scope was read:payments', ({ paths }) => (paths[PAYMENTS].get['x-scope'] = 'admin:audit')],
  ['parameter query user_id: is gone', ({ paths }) => paths[PAYMENTS].get.parameters.shift()],
  ['query user_id: is required now', ({ paths }) => (paths[PAYMENTS].get.parameters[0].required = true)],
  ['body.reference: is gone', ({ schemas }) => delete schemas.PaymentRequest.properties.reference],
  ['body.reference: is required now', ({ schemas }) => schemas.PaymentRequest.required.push('reference')],
  ['body.amount: maximum is stricter', ({ schemas }) => (schemas.Amount.maximum = 1_000)],
  [
    // The contract does not say that the new pattern accepts as much as the old one.
    'body.account_number: pattern is stricter',
    ({ schemas }) => (schemas.PayeeRequest.properties.account_number.pattern = NUMBER.pattern),
  ],
  ['"DISCRETIONARY" is no longer accepted', ({ schemas }) => schemas.VaultType.enum.pop()],
  ['response 201.attempt: is gone', ({ schemas }) => delete schemas.Payment.properties.attempt],
  ['may be missing now', ({ schemas }) => schemas.Payment.required.pop()],
  ['type was integer and is string', ({ schemas }) => (schemas.Payment.properties.attempt.type = 'string')],
  [
    'response 201.attempt: type was integer and is integer or null',
    ({ schemas }) => (schemas.Payment.properties.attempt.type = ['integer', 'null']),
  ],
  ['response 201.status: "lost" is a new value in responses', ({ schemas }) => schemas.PaymentStatus.enum.push('lost')],
  [
    'account_number: format is stricter',
    ({ schemas }) => (schemas.PayeeRequest.properties.account_number.format = 'account-number'),
  ],
  ['response 201: is gone', ({ paths }) => delete paths[EXECUTE].post.responses['201']],
])('breaks: %s', (sentence, change) => {
  expect(changesAfter(change).join('\n')).toContain(sentence);
});

test.each<[string, Change]>([
  ['another operation', ({ paths }) => (paths['/api/v1/new'] = { get: { operationId: 'new', responses: {} } })],
  ['a field that may be sent', ({ schemas }) => (schemas.PaymentRequest.properties.note = { type: 'string' })],
  ['a field of an answer', ({ schemas }) => (schemas.Payment.properties.note = { type: 'string' })],
  ['one more scope that will do', ({ paths }) => (paths[PAYMENTS].get['x-scope'] = 'read:payments write:debt')],
  ['a larger most', ({ schemas }) => (schemas.Label.maxLength = 1_000)],
  [
    'a pattern that takes more, and says so',
    ({ schemas }) => Object.assign(schemas.PayeeRequest.properties.account_number, NUMBER),
  ],
  [
    'a pattern and a format that together take what a pattern took, and say so',
    ({ schemas }) =>
      Object.assign(schemas.PayeeRequest.properties.account_number, NUMBER, { format: 'account-number' }),
  ],
  ['another value of an open enumeration', ({ schemas }) => schemas.PayeeCategory.enum.push('PETS')],
  ['another code of an open list', ({ schemas }) => schemas.DocumentFailure.properties.code.enum.push('new')],
  ['other words', ({ paths }) => (paths[EXECUTE].post.description = 'In other words.')],
])('does not break: %s', (_what, change) => {
  expect(changesAfter(change)).toEqual([]);
});

test('deprecated parts may go after their sunset, and not before', () => {
  const mark = { deprecated: true, 'x-deprecated-on': '2026-01-01', 'x-sunset': '2026-12-01' };
  const before = changed(({ paths }) => Object.assign(paths[EXECUTE].post, mark));
  const after = changed(({ paths }) => Reflect.deleteProperty(paths, EXECUTE));
  expect(breakingChanges(before, after, '2026-12-01')).toHaveLength(1);
  expect(breakingChanges(before, after, '2026-12-02')).toEqual([]);
  const marked = changed(({ schemas }) => Object.assign(schemas.PaymentRequest.properties.reference, mark));
  const without = changed(({ schemas }) => delete schemas.PaymentRequest.properties.reference);
  expect(breakingChanges(marked, without, '2026-12-01')).toHaveLength(1);
  expect(breakingChanges(marked, without, '2026-12-02')).toEqual([]);
});

test('every breaking change is reported with what to do', () => {
  expect(adviceOn('GET /a: response 200.status: "lost" is a new value in responses')).toContain('`x-open: true`');
  expect(adviceOn('POST /a: body.amount: maximum is stricter')).toContain('`x-widens`');
  expect(adviceOn('GET /a: is gone')).toContain('`x-sunset`');
  expect(adviceOn('GET /a: operationId was a and is b')).toBe('keep the old form, and add the new one beside it');
});
