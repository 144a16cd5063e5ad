import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { FORMATS } from '../../api/http/validation/formats.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { cpuMs } from '../helpers/cpu.ts';

const run = promisify(execFile);
const bundle = readFileSync(new URL('../../openapi/bundle.json', import.meta.url), 'utf8');

const PATTERNS = patternsIn(JSON.parse(bundle));

function patternsIn(node: unknown): string[] {
  const found = new Set<string>();
  JSON.parse(JSON.stringify(node), (name, value: unknown) => {
    if (name === 'pattern' && typeof value === 'string') found.add(value);
    return value;
  });
  return [...found];
}

describe('every pattern of the contract', () => {
  test.each([
    ['looks neither ahead nor behind, which Go cannot', /\(\?[=!<]/],
    ['names no Unicode category, which Python cannot', /\\p|\\P/],
    ['has no class whose members differ between languages', /\\[wWdDsSbB]|\[\[|&&|--|~~/],
    ['refers back to nothing, which Go cannot', /\\[1-9k]/],
    ['escapes with nothing but x, two hexadecimal digits', /\\(?:u|x(?![0-9a-f]{2})|[a-wyzA-Z])/],
    ['repeats at most 1,000 times, which is the most in Go', /\{\d*,?(?:[1-9]\d{3,}|\d{5,})\}/],
  ])('%s', (_name, unsafe) => {
    expect(PATTERNS.length).toBeGreaterThan(30);
    expect(PATTERNS.filter((pattern) => unsafe.test(pattern))).toEqual([]);
  });

  test("is a regular expression of Python's", async () => {
    const compiling = 'import json, re, sys; print(len([re.compile(p) for p in json.load(sys.stdin)]))';
    const running = run('python3', ['-c', compiling]);
    running.child.stdin!.end(JSON.stringify(PATTERNS));
    const { stdout } = await running;
    expect(Number(stdout)).toBe(PATTERNS.length);
  });

  test('checks the longest hostile text quickly, as do the formats', () => {
    const texts = ['A', ' ', '1', '-', 'a.', 'é', '@', '1-'].map((part) => part.repeat(100_000 / part.length));
    const tries = [
      ...PATTERNS.map((pattern) => [pattern, (text: string) => new RegExp(pattern, 'u').test(text)] as const),
      ...Object.entries(FORMATS),
    ];
    for (const [name, fits] of tries) {
      const began = cpuMs();
      for (const text of texts) fits(`${text}\u0000`);
      expect([name, cpuMs() - began < 1_000]).toEqual([name, true]);
    }
  });
});

interface Schema {
  pattern?: string;
  not?: { pattern: string };
  properties: Record<string, Schema>;
}
const { schemas } = (JSON.parse(bundle) as { components: { schemas: Record<string, Schema> } }).components;

function takes({ pattern, not }: Schema, text: string): boolean {
  return new RegExp(pattern!, 'u').test(text) && !(not && new RegExp(not.pattern, 'u').test(text));
}

describe('without looking ahead, the contract accepts', () => {
  test('National Insurance numbers of every prefix that HMRC gives', () => {
    const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ');
    const isGiven = (prefix: string) =>
      /^[A-Z]{2}$/i.test(prefix) && !/[DFIQUV]|^.O|BG|GB|NK|KN|TN|NT|ZZ/i.test(prefix);
    const prefixes = letters.flatMap((first) => letters.map((second) => first + second));
    const taken = prefixes.filter((prefix) => takes(schemas.PiiNationalInsuranceNumber!, `${prefix}123456A`));
    expect(taken).toEqual(prefixes.filter(isGiven));
    expect(taken.length).toBeGreaterThan(1_000);
  });

  test.each<[string, Schema, good: string[], bad: string[]]>([
    [
      'phone numbers',
      schemas.UserPhone!.properties.phone!,
      ['+44 7700 900123', '(0161) 496-0000', '1234567', '123456789012345', '( 1234567'],
      ['123456', '1234567890123456', '+ 1234567', '1234567 ', '++1234567', '1234567a', ')1234567', '12345-(.) 6'],
    ],
    [
      'durations',
      schemas.ClockMove!.properties.advance!,
      ['P1D', 'P31DT1H', 'PT12H30M', 'P1Y2M3W4DT5H6M7.8S', 'PT0.5S', 'P9999Y'],
      ['', 'P', 'PT', 'P1DT', 'P1D1Y', 'PT1', 'PT.5S', 'P1', 'P99999Y', 'PT1S1M', '-P1D', 'P1DT1D'],
    ],
    [
      'references',
      schemas.PaymentReference!,
      ['RENT NOV', ' A', 'A ', 'A B', '  -  '],
      ['', ' ', '  ', 'a_b', 'é', 'A\n'],
    ],
  ])('%s', (_name, schema, good, bad) => {
    expect([...good, ...bad].filter((text) => takes(schema, text))).toEqual(good);
  });
});

describe('formats and longer patterns refuse in the same words:', () => {
  const api = startApi();
  let key = '';
  beforeAll(async () => {
    key = await api.apiKey(SCOPES);
  });
  const faultsOf = async (sent: Promise<{ status: number; body: { errors: unknown } }>) => {
    const { status, body } = await sent;
    return [status, body.errors];
  };
  const refusal = (pointer: string, detail: string) => [400, [{ pointer, detail }]];
  const simulate = (employee_id: string, type: string) =>
    api.post('/api/v1/engine/paycheck/simulate', {
      token: key,
      body: { employee_id, gross_pay: 1_000, obligations: [{ type, amount: 100, category: 'FIXED' }] },
    });
  const store = (pii_type: string, data: object) =>
    api.post('/api/v1/vault/store', { vaultKey: key, body: { pii_type, owner_id: 'emp-1042', data } });

  const TYPES = {
    first_name: 'user_name',
    email: 'user_email',
    national_insurance_number: 'user_national_insurance',
    phone: 'user_phone',
  };

  // A zero-width space, a soft hyphen, text turned round, a private, an unassigned and a control character.
  const UNPRINTABLE = ['a\u200bb', 'a\u00adb', 'a\u202eb', 'a\ue000b', 'a\u0378b', 'a\u0007b'];

  test.each([
    ...[...UNPRINTABLE, '\u00a0', '\u2003\u2003', ' \u3000 '].map((text) => [
      'first_name',
      text,
      'must be 1 to 100 printable characters',
    ]),
    ['first_name', 'a\ud800b', 'must be Unicode text without lone surrogates'],
    ...[
      'ada..king@example.org',
      'ada@-example.org',
      'ada@example.o-',
      '.a@example.org',
      'a b@example.org',
      'a@b.1c',
    ].map((address) => ['email', address, 'must be an email address']),
    ...['BG123456A', 'nt 12 34 56 A'].map((number) => [
      'national_insurance_number',
      number,
      'must be a National Insurance number of two letters, six digits and a letter from A to D',
    ]),
    ...['(12) 3-456', '+1234567890123456'].map((number) => [
      'phone',
      number,
      'must be a phone number of 7 to 15 digits',
    ]),
  ] as [name: keyof typeof TYPES, value: string, detail: string][])('the %s %j', async (name, value, detail) => {
    const more = name === 'first_name' ? { last_name: 'King' } : {};
    expect(await faultsOf(store(TYPES[name], { [name]: value, ...more }))).toEqual(refusal(`/data/${name}`, detail));
  });

  const person = 'must be 1 to 128 printable characters, but not . or ..';
  test.each([...UNPRINTABLE, '.', '..'])('%j as an id, in a body or in a query', async (text) => {
    expect(await faultsOf(simulate(text, 'Rent'))).toEqual(refusal('/employee_id', person));
    const history = `/api/v1/engine/paycheck/history?employee_id=${encodeURIComponent(text)}`;
    expect(await faultsOf(api.get(history, { token: key }))).toEqual(refusal('/query/employee_id', person));
  });

  test.each([...UNPRINTABLE, '\u00a0', '\u3164', '\u200d', 'Rent\u200d'])('%j as a label', async (text) => {
    const label = 'must be 1 to 64 printable characters';
    expect(await faultsOf(simulate('emp-1042', text))).toEqual(refusal('/obligations/0/type', label));
  });

  test.each(['P', 'PT', 'P1DT', 'PT1'])('the duration %s', async (advance) => {
    const detail = 'must be an ISO 8601 duration without a sign, such as P31D, P1M or PT12H30M';
    const moved = api.post('/api/v1/sandbox/clock', { token: key, body: { advance } });
    expect(await faultsOf(moved)).toEqual(refusal('/advance', detail));
  });

  test('and valid values are accepted', async () => {
    expect((await simulate('Zoë O’Neill 💷', 'Miete für März')).status).toBe(200);
    for (const id of ['...', '.a']) expect((await simulate(id, '👩‍👩‍👧 می\u200cخواهم')).status).toBe(200);
    expect((await store('user_name', { first_name: 'Zoë', last_name: '王' })).status).toBe(201);
    expect((await store('user_email', { email: 'zoë@exämple.org' })).status).toBe(201);
  });
});
