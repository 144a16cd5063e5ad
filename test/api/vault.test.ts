import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { FORMATS } from '../../api/http/validation/formats.ts';
import { readContract, resolve, type Node } from '../../api/http/contract.ts';
import { authActivities } from '../../activities/auth.ts';
import { isEmail, normaliseEmail } from '../../domain/auth.ts';
import { PII_FIELDS, PII_TYPES, fieldsOf } from '../../domain/vault/fields.ts';
import type { PiiType } from '../../domain/vault/types.ts';
import { startApi, type TestAnswer, type TestRequest } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { EXAMPLES, REQUIRED } from '../helpers/pii.ts';

const clock = movableClock();
const api = startApi({ clock });
const { run, many } = sqlOf(api.services);

/** Has all scopes of the vault. */
let key: string;
let keyId: string;
beforeAll(async () => {
  const scopes = ['read:vault', 'write:vault', 'reveal:vault'] as const;
  const issued = await authActivities(api.services).issueApiKey({ app_id: await api.application(), scopes });
  [key, keyId] = [issued.key, issued.key_id];
});

const STORE = '/api/v1/vault/store';
const BATCH = '/api/v1/vault/batch-retrieve';
const NOWHERE = 'vault:user_email:018f0000-0000-7000-8000-000000000000';
const pathOf = (ref: string, rest = '') => `/api/v1/vault/${ref}${rest}`;
const send = (method: string, path: string, options: TestRequest = {}) =>
  api.request(method, path, { vaultKey: key, ...options });
const store = (body: unknown, options: TestRequest = {}) => send('POST', STORE, { body, ...options });
const verify = (ref: string, field: unknown, value: unknown, options: TestRequest = {}) =>
  send('POST', pathOf(ref, '/verify'), { body: { field, value }, ...options });
const pointersOf = (answer: TestAnswer): string[] =>
  (answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer);

// The metadata may be invalid.
const storeRequest = (metadata: string) =>
  `{"pii_type":"user_email","owner_id":"emp-1","data":{"email":"ada@example.org"},"metadata":${metadata}}`;
const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

const refsIn = async (text: string, value: string) =>
  (await many<{ ref: string }>(text, [value])).map(({ ref }) => ref);

async function stored(pii_type: PiiType, more: object = {}): Promise<string> {
  const answer = await store({ pii_type, data: EXAMPLES[pii_type], owner_id: 'emp-1', ...more });
  expect(answer.status).toBe(201);
  return answer.body.vault_ref as string;
}

function expectProblem(answer: TestAnswer, status: number, code: string): void {
  expect(answer.body).toMatchObject({ status, code, type: `/problems/${code}` });
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
}

const eventsOf = (subject: string) =>
  many<{ kind: string; actor: string; data: Record<string, unknown> }>(
    'select kind, actor, data from audit_events where subject = $1 order by subject_seq',
    [subject],
  );
const lastEventOf = async (subject: string) => (await eventsOf(subject)).at(-1)!;
const refusal = (operation: string, code: string) => {
  return { kind: 'vault.refused', actor: keyId, data: { key_id: keyId, operation, code } };
};
const countRecords = async () => (await many<{ n: number }>('select count(*) as n from vault_records'))[0]!.n;

describe('storeVaultRecord', () => {
  test.each(PII_TYPES)('201: %s: is returned as stored, with its owner and metadata, and audited', async (pii_type) => {
    const given = {
      pii_type,
      data: EXAMPLES[pii_type],
      owner_id: 'Employee № 7',
      metadata: { source: 'onboarding', batch: 12.5, consented: true },
    };
    const answer = await store(given);
    expect(answer).toMatchObject({ status: 201, body: { vault_ref: expect.any(String) } });
    const { vault_ref, created_at } = answer.body;
    expect(vault_ref).toMatch(new RegExp(`^vault:${pii_type}:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`));
    expect(answer.headers.location).toBe(pathOf(vault_ref));
    expect(await eventsOf(vault_ref)).toEqual([{ kind: 'vault.stored', actor: keyId, data: { key_id: keyId } }]);
    expect((await send('GET', pathOf(vault_ref))).body).toEqual({ ...given, vault_ref, created_at });

    const example = EXAMPLES[pii_type] as Record<string, string>;
    const data = Object.fromEntries(REQUIRED[pii_type].map((field) => [field, example[field]]));
    const { body } = await store({ pii_type, data, owner_id: 'emp-1' });
    expect((await send('GET', pathOf(body.vault_ref))).body).toMatchObject({ data, metadata: null });
  });

  test.each<[string, string]>([
    ['with empty and odd names', '{"":1,"a b":2,"\\u0000":3,"\\ud800":4,"é":5}'],
    ['with names of what every object has', '{"__proto__":{"a":1},"constructor":{"prototype":null},"toString":"x"}'],
    ['with control characters and halves of characters', '{"a":"\\u0000\\u0007\\udc00","b":["\\ud83d","😀"]}'],
    ['with numbers of every kind', '{"a":[0.1,-1,1e300,5e-324,9007199254740993,123456789012345678901234567890]}'],
  ])('201: metadata that is %s is returned as the same JSON value', async (_case, metadata) => {
    const answer = await store(storeRequest(metadata), { headers: { 'idempotency-key': randomUUID() } });
    expect(answer).toMatchObject({ status: 201 });
    const { vault_ref } = answer.body;
    const one = await send('GET', pathOf(vault_ref));
    const several = await send('POST', BATCH, { body: { vault_refs: [vault_ref] } });
    for (const record of [one.body, several.body.records[0]])
      expect(JSON.stringify(record.metadata)).toBe(JSON.stringify(JSON.parse(metadata)));
  });

  test('201: a retry with the same Idempotency-Key gives the same reference, and stores once', async () => {
    const options = { headers: { 'idempotency-key': 'store-once' } };
    const body = { pii_type: 'user_phone', data: EXAMPLES.user_phone, owner_id: 'emp-1' };
    const before = await countRecords();
    const answers = await Promise.all(Array.from({ length: 8 }, () => store(body, options)));
    const again = await store(body, options);
    const refs = new Set([...answers, again].filter(({ status }) => status === 201).map((a) => a.body.vault_ref));
    expect(refs.size).toBe(1);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await countRecords()).toBe(before + 1);
    expectProblem(await store({ ...body, owner_id: 'emp-2' }, options), 422, 'idempotency-key-reused');
    expect(await lastEventOf('vault')).toEqual(refusal('storeVaultRecord', 'idempotency-key-reused'));
  });

  const fields = PII_TYPES.flatMap((pii_type) =>
    Object.keys(PII_FIELDS[pii_type]).map((field) => [pii_type, field] as const),
  );

  /** By the name of the field, in whatever type. */
  const WRONG_FORMS: Readonly<Record<string, readonly string[]>> = {
    email: ['a@b', '@example.org', 'a@', 'a b@example.org', 'a@@b.org', 'a@-b.org', 'a@b..org'],
    phone: ['123456', '1234567890123456', '+', '++447700900123', '07700 900123 ext 5', '0770x900123'],
    postcode: ['A', 'SW1A 1AA 1AA', '-1', 'SW1A_1AA'],
    country: ['gb', 'G', 'GBRR', 'G1'],
    date_of_birth: ['1985-02-30', '85-12-10', '10/12/1985', '1899-12-31', '2100-01-01', '1985-12-10T00:00:00Z'],
    national_insurance_number: ['QQ123456C', 'BG123456A', 'AB12345C', 'AB123456E', 'AO123456C', 'AB1234567'],
    passport_number: ['12345', '1234567890123', '533 401 372'],
    licence_number: ['MORGA657054SM9I', '1234567', 'MORG1657054SM9IJ', 'MORGA65705XSM9IJ'],
    sort_code: ['40127', '4012766', '40-1276-', '4-01276', '４０１２７６', '40--12-76', '40.12.76', 'ABCDEF'],
    account_number: ['12345', '123456789', '1234 5678', '1234567a', '１２３４５６７８'],
    paye_reference: ['12/AB456', '123AB456', '123/', '123/AB456789012', '123/AB 456'],
    tax_code: ['1257', 'L1257', '1257l', 'D2', 'K', '1257L M2', 'BRX1', '12571L', 'NT M1'],
  };

  test.each(fields)('400: an invalid %s.%s is named, and nothing is stored', async (pii_type, field) => {
    const example = EXAMPLES[pii_type] as Record<string, string>;
    const value = example[field]!;
    const wrong: unknown[] = [5, null, [value], '', '\u3000', 'x'.repeat(2_000)];
    wrong.push(`\n${value}`, `${value}\u0000`, `${value}\u200b\u202e`, `${value}\ud800`);
    const before = await countRecords();
    for (const given of [...wrong, ...(WRONG_FORMS[field] ?? [])]) {
      const answer = await store({ pii_type, data: { ...example, [field]: given }, owner_id: 'emp-1' });
      expect([given, answer.status, answer.body.code]).toEqual([given, 400, 'invalid-request']);
      const inside = pointersOf(answer).map((pointer) => pointer.startsWith(`/data/${field}`));
      expect([...new Set(inside)]).toEqual([true]);
      expect(answer.text).not.toContain(value);
    }
    if ((REQUIRED[pii_type] as readonly string[]).includes(field)) {
      const { [field]: _missing, ...rest } = example;
      const answer = await store({ pii_type, data: rest, owner_id: 'emp-1' });
      expect(answer.body.errors).toEqual([{ pointer: `/data/${field}`, detail: 'is required' }]);
    }
    expect(await countRecords()).toBe(before);
  });

  test('400: a date of birth that is future by the business clock is named and audited, even with an Idempotency-Key', async () => {
    clock.set('2026-11-21T12:00:00.000Z');
    const born = (date_of_birth: string) => ({
      pii_type: 'user_date_of_birth',
      data: { date_of_birth },
      owner_id: 'e',
    });
    for (const headers of [undefined, { 'idempotency-key': 'born-tomorrow' }]) {
      const before = (await eventsOf('vault')).length;
      const answer = await store(born('2026-11-22'), { headers });
      expect(answer.body.errors).toEqual([{ pointer: '/data/date_of_birth', detail: 'must not be in the future' }]);
      const told = (await eventsOf('vault')).slice(before);
      expect(told).toEqual([refusal('storeVaultRecord', 'invalid-request')]);
    }
    expect((await store(born('2026-11-21'))).body.created_at).toBe('2026-11-21T12:00:00.000Z');
  });

  const email = { pii_type: 'user_email', data: EXAMPLES.user_email, owner_id: 'e' };
  test.each<[string, unknown, string]>([
    ['an inherited name for a type', { ...email, pii_type: 'constructor' }, '/pii_type'],
    ['data of another type', { ...email, data: EXAMPLES.user_phone }, '/data/email /data/phone'],
    ['an owner of 129 characters', { ...email, owner_id: 'x'.repeat(129) }, '/owner_id'],
    ['a field of no type inside', { ...email, data: { ...EXAMPLES.user_email, 'a/b': 1 } }, '/data/a~1b'],
    ['__proto__ inside', JSON.stringify(email).replace('"data":{', '"data":{"__proto__":{},'), '/data/__proto__'],
    [
      'everything wrong at once',
      {
        pii_type: 'employee_bank',
        data: { sort_code: '1', account_number: 2, colour: 'vermilion' },
        metadata: { b: 'x'.repeat(4_096) },
        colour: 'vermilion',
      },
      '/colour /data/account_holder_name /data/account_number /data/colour /data/sort_code /metadata /owner_id',
    ],
  ])('400: %s', async (_case, body, pointers) => {
    const answer = await store(body);
    expectProblem(answer, 400, 'invalid-request');
    expect(pointersOf(answer).sort().join(' ')).toBe(pointers);
    expect(answer.text).not.toContain('vermilion');
  });

  test.each<[string, string]>([
    ['null', 'null'],
    ['4,097 bytes long in UTF-8 only', JSON.stringify({ a: `x${'é'.repeat(2_044)}` })],
    ['nine deep', nested(9)],
    ['a number beyond a double', '{"a":[1e400]}'],
  ])('400: metadata that is %s is refused at /metadata', async (_case, metadata) => {
    const before = await countRecords();
    const answer = await store(storeRequest(metadata), { headers: { 'idempotency-key': randomUUID() } });
    expectProblem(answer, 400, 'invalid-request');
    expect(pointersOf(answer)).toEqual(['/metadata']);
    expect(await countRecords()).toBe(before);
  });

  test('413 for more than a megabyte, 415 for types other than JSON, 400 for malformed JSON, audited', async () => {
    expectProblem(await store('x'.repeat(1_100_000)), 413, 'body-too-large');
    expectProblem(await store('x', { headers: { 'content-type': 'text/plain' } }), 415, 'unsupported-media-type');
    expectProblem(await store('{"pii_type":'), 400, 'malformed-json');
    const codes = (await eventsOf('vault')).slice(-3).map(({ data }) => data.code);
    expect(codes).toEqual(['body-too-large', 'unsupported-media-type', 'malformed-json']);
  });
});

describe('getVaultRecord', () => {
  test('200 for a raw or percent-encoded reference, never cached, always audited', async () => {
    const ref = await stored('user_passport');
    const encoded = Array.from(ref)
      .map((c) => `%${c.charCodeAt(0).toString(16)}`)
      .join('');
    for (const form of [ref, encodeURIComponent(ref), encoded]) {
      const answer = await send('GET', pathOf(form));
      expect(answer).toMatchObject({ status: 200, body: { vault_ref: ref, data: EXAMPLES.user_passport } });
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers.etag).toBeUndefined();
    }
    expect(await send('HEAD', pathOf(ref))).toMatchObject({ status: 200, text: '' });
    const retrieved = { kind: 'vault.retrieved', actor: keyId, data: { key_id: keyId } };
    expect((await eventsOf(ref)).slice(1)).toEqual([retrieved, retrieved, retrieved, retrieved]);
  });

  test.each([
    NOWHERE,
    'vault:user_mail:018f0000-0000-7000-8000-000000000000',
    'x'.repeat(2_000),
    'vault:user_email:%00',
    '%F0%9F%98%80',
    '..%2f..%2fetc',
  ])('404 for %s in every operation', async (ref) => {
    expectProblem(await send('GET', pathOf(ref)), 404, 'not-found');
    expectProblem(await send('GET', pathOf(ref, '/masked')), 404, 'not-found');
    expectProblem(await send('DELETE', pathOf(ref)), 404, 'not-found');
    expectProblem(await verify(ref, 'email', 'x'), 404, 'not-found');
    const subject = ref === NOWHERE ? NOWHERE : 'vault';
    expect(await lastEventOf(subject)).toEqual(refusal('verifyVaultField', 'not-found'));
  });

  test('500 pii-damaged after the row was changed, without any content, even right after a read', async () => {
    const ref = await stored('user_name');
    expect((await send('GET', pathOf(ref))).status).toBe(200);
    await run(`update vault_records set owner_id = 'emp-2' where vault_ref = $1`, [ref]);
    const answer = await send('GET', pathOf(ref));
    expectProblem(answer, 500, 'pii-damaged');
    expect(answer.text).not.toContain('Quux');
    const kinds = (await eventsOf(ref)).map(({ kind }) => kind);
    expect(kinds.slice(2)).toEqual(['vault.retrieved', 'vault.tampering-detected', 'vault.refused']);
    expect((await send('DELETE', pathOf(ref))).status).toBe(204);
  });
});

describe('getMaskedVaultRecord', () => {
  test.each(['read:vault', 'read:profile', 'write:vault'] as const)('200 for a key with %s', async (scope) => {
    const ref = await stored('employee_bank');
    const answer = await send('GET', pathOf(ref, '/masked'), { vaultKey: await api.apiKey([scope]) });
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.body).toEqual({
      vault_ref: ref,
      pii_type: 'employee_bank',
      masked: { sort_code: '**-**-71', account_number: '****1746', account_holder_name: 'P*** Q***' },
    });
    expect(await lastEventOf(ref)).toMatchObject({ kind: 'vault.masked' });
  });
});

describe('verifyVaultField', () => {
  test.each<[PiiType, string, string, boolean]>([
    ['employee_bank', 'sort_code', '20 49 71', true],
    ['employee_bank', 'sort_code', '204972', false],
    ['user_email', 'email', 'PENELOPE.QUUX+BANK@MAIL.EXAMPLE.ORG', true],
    ['user_name', 'last_name', "o'quux-zyx", false],
  ])('200: is %s.%s %j? %s', async (pii_type, field, value, match) => {
    const ref = await stored(pii_type);
    const answer = await verify(ref, field, value, { vaultKey: await api.apiKey(['read:vault']) });
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.body).toEqual({ vault_ref: ref, field, match });
    expect(await lastEventOf(ref)).toMatchObject({ kind: 'vault.verified', data: { field, match } });
  });

  test('a field that the record lacks does not match', async () => {
    const { body } = await store({ pii_type: 'employee_tax', data: { tax_code: 'BR' }, owner_id: 'emp-1' });
    const answer = await verify(body.vault_ref, 'national_insurance_number', 'PX706192B');
    expect(answer.body.match).toBe(false);
  });

  test.each([
    ['a field of another type', 'sort_code', 'x', ['/field']],
    ['an inherited name', 'constructor', 'x', ['/field']],
    ['a value of 257 characters', 'email', 'x'.repeat(257), ['/value']],
  ])('400: %s', async (_case, field, value, pointers) => {
    const ref = await stored('user_email');
    const answer = await verify(ref, field, value);
    expectProblem(answer, 400, 'invalid-request');
    expect([...new Set(pointersOf(answer))]).toEqual(pointers);
    expect(answer.text).not.toContain('Penelope');
  });

  describe('429 after 10 wrong values', () => {
    const LIMIT = 10;

    test('for all keys of the application that sent them, right values too, in every process, and for this record only', async () => {
      const { url: at } = await api.another();
      const [ref, other] = [await stored('user_passport'), await stored('user_passport')];
      const ask = (n: number, value: string) => verify(ref, 'passport_number', value, n % 2 ? { at } : {});
      for (let n = 0; n < LIMIT; n += 1) {
        expect((await ask(n, `53340137${n}X`)).body.match).toBe(false);
        if (n < LIMIT - 1) expect((await ask(n, EXAMPLES.user_passport.passport_number)).body.match).toBe(true);
      }
      for (const [n, value] of [EXAMPLES.user_passport.passport_number, 'wrong'].entries()) {
        const refused = await ask(n, value);
        expectProblem(refused, 429, 'rate-limited');
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
      }
      const another = await verify(ref, 'issuing_country', 'GBR', { vaultKey: await api.apiKey(['read:vault']) });
      expectProblem(another, 429, 'rate-limited');
      expect(await lastEventOf(ref)).toMatchObject({ data: { operation: 'verifyVaultField', code: 'rate-limited' } });
      expect((await verify(other, 'issuing_country', 'GBR')).body.match).toBe(true);
      expect((await send('GET', pathOf(ref))).status).toBe(200);
      const app = await api.anotherApplication();
      const vaultKey = await api.apiKey(['read:vault', 'admin:owners'], { app });
      expect((await verify(ref, 'issuing_country', 'GBR', { vaultKey })).body.match).toBe(true);
    });

    test('40 simultaneous values, one of them right, get no more wrong answers than 40 in turn', async () => {
      const ref = await stored('user_date_of_birth');
      const values = Array.from({ length: 40 }, (_, n) => `19${n + 50}-12-10`);
      const answers = await Promise.all(values.map((value) => verify(ref, 'date_of_birth', value)));
      const told = answers.filter(({ status }) => status === 200);
      expect(told.filter(({ body }) => !body.match)).toHaveLength(LIMIT);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - told.length);
      const events = (await eventsOf(ref)).slice(1);
      // After the tenth wrong value, the service records and returns no result.
      const verified = events.filter(({ kind }) => kind === 'vault.verified').map(({ data }) => data.match);
      expect(verified.filter((match) => match === false)).toHaveLength(LIMIT);
      expect(verified.at(-1)).toBe(false);
    });
  });
});

describe('batchRetrieveVaultRecords', () => {
  test('200: records and errors in the requested order, independent of each other, each audited', async () => {
    const [one, two, erased, damaged] = [
      await stored('user_email'),
      await stored('payee_bank', { metadata: { n: 2 } }),
      await stored('user_phone'),
      await stored('user_name'),
    ];
    await send('DELETE', pathOf(erased));
    await run(`update vault_records set owner_id = 'x' where vault_ref = $1`, [damaged]);
    const vault_refs = [two, 'nonsense', erased, one, NOWHERE, damaged, two];
    const answer = await send('POST', BATCH, { body: { vault_refs }, vaultKey: await api.apiKey(['reveal:vault']) });
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.body.records.map((record: { vault_ref: string }) => record.vault_ref)).toEqual([two, one, two]);
    expect(answer.body.records[0]).toMatchObject({ data: EXAMPLES.payee_bank, metadata: { n: 2 }, owner_id: 'emp-1' });
    expect(answer.body.errors).toEqual([
      { vault_ref: 'nonsense', code: 'not-found' },
      { vault_ref: erased, code: 'pii-erased' },
      { vault_ref: NOWHERE, code: 'not-found' },
      { vault_ref: damaged, code: 'pii-damaged' },
    ]);
    for (const ref of [one, two]) expect(await lastEventOf(ref)).toMatchObject({ kind: 'vault.retrieved' });
    for (const ref of ['vault', erased, NOWHERE, damaged])
      expect(await lastEventOf(ref)).toMatchObject({
        kind: 'vault.refused',
        data: { operation: 'batchRetrieveVaultRecords' },
      });
  });

  test('200 for 100 references, in simultaneous batches of different orders', async () => {
    const refs = await Promise.all(Array.from({ length: 100 }, () => stored('user_phone')));
    const orders = [refs, [...refs].reverse(), [...refs].sort(), [...refs.slice(50), ...refs.slice(0, 50)]];
    const answers = await Promise.all(orders.map((vault_refs) => send('POST', BATCH, { body: { vault_refs } })));
    for (const [n, { status, body }] of answers.entries()) {
      expect(status).toBe(200);
      expect(body.records.map((record: { vault_ref: string }) => record.vault_ref)).toEqual(orders[n]);
    }
    for (const ref of refs) expect(await eventsOf(ref)).toHaveLength(1 + orders.length);
  });

  test.each([
    ['none', [], '/vault_refs'],
    ['101', Array.from({ length: 101 }, () => NOWHERE), '/vault_refs'],
    ['a NUL', ['\0'], '/vault_refs/0'],
  ])('400 for %s', async (_case, vault_refs, pointer) => {
    const answer = await send('POST', BATCH, { body: { vault_refs } });
    expectProblem(answer, 400, 'invalid-request');
    expect(pointersOf(answer)).toEqual([pointer]);
  });
});

describe('eraseVaultRecord', () => {
  test('204, and from then on 410 to every call', async () => {
    const ref = await stored('employee_bank');
    const answer = await send('DELETE', pathOf(ref), { vaultKey: await api.apiKey(['write:vault']) });
    expect(answer).toMatchObject({ status: 204, text: '' });
    expectProblem(await send('GET', pathOf(ref)), 410, 'pii-erased');
    expectProblem(await send('GET', pathOf(ref, '/masked')), 410, 'pii-erased');
    expectProblem(await verify(ref, 'sort_code', '204971'), 410, 'pii-erased');
    expectProblem(await send('DELETE', pathOf(ref)), 410, 'pii-erased');
    const kinds = (await eventsOf(ref)).map(({ kind }) => kind);
    expect(kinds).toEqual(['vault.stored', 'vault.erased', ...Array.from({ length: 4 }, () => 'vault.refused')]);
  });

  test('409 for the address of an account and the bank details of a payee, whose every use is audited', async () => {
    const { token, userId, email } = await api.registerUser();
    const me = () => api.get('/api/v1/auth/me', { token });
    const payees = () => api.get('/api/v1/payments/providers', { token });
    await me();
    const [emailRef = ''] = await refsIn('select email_ref as ref from users where user_id = $1', userId);
    for (let n = 0; n < 3; n += 1) {
      const body = { name: `Payee ${n}`, category: 'OTHER', sort_code: '401276', account_number: '12345678' };
      expect((await api.post('/api/v1/payments/providers', { token, body })).status).toBe(201);
    }
    expect((await payees()).status).toBe(200);
    const bankRefs = await refsIn('select bank_ref as ref from payees where held_by = $1', userId);
    expect(bankRefs).toHaveLength(3);
    const used = (stored: string, opened: string) => [
      { kind: 'vault.stored', actor: userId, data: { purpose: stored } },
      { kind: 'vault.opened', actor: userId, data: { purpose: opened } },
    ];
    expect(await eventsOf(emailRef)).toEqual(used('registration', 'profile'));
    for (const ref of bankRefs) expect(await eventsOf(ref)).toEqual(used('payee', 'payee-list'));

    // The service itself stored these records, so no application owns them, and the key needs `admin:owners`.
    const vaultKey = await api.apiKey(['write:vault', 'admin:owners']);
    const [providerId] = await refsIn('select provider_id as ref from payees where bank_ref = $1', bankRefs[0]!);
    for (const [ref, used_by] of [
      [emailRef, userId],
      [bankRefs[0]!, providerId],
    ] as const) {
      const answer = await send('DELETE', pathOf(ref), { vaultKey });
      expectProblem(answer, 409, 'pii-in-use');
      expect(answer.body).toMatchObject({ used_by });
    }
    expect((await me()).body.email).toBe(email);
    expect((await payees()).status).toBe(200);
  });
});

describe('the contract', () => {
  const { document } = readContract();
  const schemas = (document.components as Node).schemas as Record<string, Node>;

  test('requires a certificate and a key for each operation of the vault', async () => {
    const { paths, components } = (await api.get('/openapi.json')).body;
    expect(Object.keys(components.schemas.VaultRecord.discriminator.mapping)).toEqual(PII_TYPES);
    expect(components.securitySchemes).toMatchObject({
      vaultCertificate: { type: 'mutualTLS' },
      vaultKey: { type: 'apiKey', in: 'header', name: 'X-Vault-API-Key' },
    });
    for (const [path, item] of Object.entries<Record<string, Node>>(paths))
      if (path.startsWith('/api/v1/vault/'))
        for (const { security } of Object.values(item))
          expect(security).toEqual([{ vaultCertificate: [], vaultKey: [] }]);
  });

  test.each(PII_TYPES)('%s has the fields and text lengths of the domain', (piiType) => {
    const { mapping } = schemas.VaultRecordRequest!.discriminator as { mapping: Record<string, string> };
    const form = resolve(document, { $ref: mapping[piiType] }).properties as Record<string, Node>;
    const data = resolve(document, form.data);
    expect(data).toMatchObject({ additionalProperties: false });
    expect(Object.keys(data.properties as Node).sort()).toEqual(Object.keys(PII_FIELDS[piiType]).sort());
    expect([...(data.required as string[])].sort()).toEqual([...REQUIRED[piiType]].sort());
    for (const [field, { most }] of fieldsOf(piiType)) {
      const { maxLength } = resolve(document, (data.properties as Record<string, Node>)[field]);
      if (most !== undefined) expect(maxLength).toBe(most);
      expect(maxLength).toBeLessThanOrEqual(256);
    }
  });

  test('accepts every email address that an account may have', () => {
    const { pattern, format, minLength, maxLength } = resolve(
      document,
      (schemas.UserEmail!.properties as Record<string, Node>).email,
    ) as { pattern: string; format: string; minLength: number; maxLength: number };
    const form = new RegExp(pattern, 'u');
    const characters = fc.constantFrom(...Array.from('ab1.-_@+é字ß́😀 '));
    const texts = fc.oneof(
      fc.emailAddress(),
      fc.string({ unit: characters, maxLength: 20 }),
      fc.tuple(fc.string({ unit: characters, maxLength: 70 }), fc.domain()).map((parts) => parts.join('@')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const email = normaliseEmail(text);
        const length = Array.from(email).length;
        const isOfForm = form.test(email) && FORMATS[format]!(email);
        const fits = isOfForm && minLength <= length && length <= maxLength;
        expect(fits).toBe(isEmail(email));
      }),
      { numRuns: 1_000 },
    );
  });
});
