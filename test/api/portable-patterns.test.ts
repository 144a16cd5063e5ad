import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import fc from 'fast-check';
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

const schemas = (JSON.parse(bundle) as { components: { schemas: Record<string, Schema> } }).components.schemas;
interface Schema {
  pattern?: string;
  not?: { pattern: string };
  properties: Record<string, Schema>;
}

function takes({ pattern, not }: Schema, text: string): boolean {
  return new RegExp(pattern!, 'u').test(text) && !(not && new RegExp(not.pattern, 'u').test(text));
}

// Valid texts with characters replaced, inserted or removed.
const nearly = (good: readonly string[], alphabet: string) =>
  fc
    .tuple(
      fc.constantFrom(...good),
      fc.array(fc.tuple(fc.nat(40), fc.constantFrom('', ...Array.from(alphabet)), fc.boolean()), { maxLength: 8 }),
    )
    .map(([text, edits]) =>
      edits.reduce((all, [at, by, keeps]) => {
        const place = at % (all.length + 1);
        return all.slice(0, place) + by + all.slice(place + (keeps ? 0 : 1));
      }, text),
    );

describe('without lookaheads, the contract still accepts:', () => {
  const nino = schemas.PiiNationalInsuranceNumber!;
  const NINO =
    /^(?![Bb] ?[Gg]|[Gg] ?[Bb]|[Nn] ?[Kk]|[Kk] ?[Nn]|[Tt] ?[Nn]|[Nn] ?[Tt]|[Zz] ?[Zz])[A-CEGHJ-PR-TW-Za-ceghj-pr-tw-z][A-CEGHJ-NPR-TW-Za-ceghj-npr-tw-z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-Da-d]$/u;
  test('National Insurance numbers of every prefix', () => {
    const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ');
    const texts = letters.flatMap((first) => letters.map((second) => `${first}${second}123456A`));
    expect(texts.filter((text) => takes(nino, text))).toEqual(texts.filter((text) => NINO.test(text)));
    expect(texts.filter((text) => takes(nino, text)).length).toBeGreaterThan(1_000);
  });

  test.each<[string, Schema, RegExp, readonly string[], string]>([
    [
      'phone numbers',
      schemas.UserPhone!.properties.phone!,
      /^(?=(?:[^0-9]*[0-9]){7,15}[^0-9]*$)\+?[0-9(][0-9 ().\-]*[0-9]$/u,
      ['+44 7700 900123', '(0161) 496-0000', '1234567', '123456789012345', '( 1234567'],
      '0123456789 ().-+a',
    ],
    [
      'durations',
      schemas.ClockMove!.properties.advance!,
      /^P(?=[0-9]|T[0-9])([0-9]{1,4}Y)?([0-9]{1,5}M)?([0-9]{1,5}W)?([0-9]{1,6}D)?(T(?=[0-9])([0-9]{1,7}H)?([0-9]{1,9}M)?([0-9]{1,9}(\.[0-9]{1,9})?S)?)?$/u,
      ['P', 'PT', 'P1D', 'P1DT', 'P31DT1H', 'PT12H30M', 'P1Y2M3W4DT5H6M7.8S', 'PT0.5S'],
      'PT0123456789YMWDHS.',
    ],
    [
      'references',
      schemas.PaymentReference!,
      /^(?=.*[^ ])[A-Za-z0-9 .\-/&]+$/u,
      ['RENT NOV', ' ', '  ', ' A', 'A ', 'A B', '  -  '],
      'Az09 .-/&_é',
    ],
  ])('%s', (_name, schema, before, good, alphabet) => {
    fc.assert(
      fc.property(nearly(good, alphabet), (text) => {
        expect([text, takes(schema, text)]).toEqual([text, before.test(text)]);
      }),
      { numRuns: 3_000 },
    );
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
  const simulate = (employee_id: string, type: string) =>
    api.post('/api/v1/engine/paycheck/simulate', {
      token: key,
      body: { employee_id, gross_pay: 1_000, obligations: [{ type, amount: 100, category: 'FIXED' }] },
    });
  const store = (pii_type: string, data: object) =>
    api.post('/api/v1/vault/store', { vaultKey: key, body: { pii_type, owner_id: 'emp-1042', data } });

  const unprintable: [string, string][] = [
    ['a zero-width space', 'a\u200bb'],
    ['a soft hyphen', 'a\u00adb'],
    ['text turned round', 'a\u202eb'],
    ['a private character', 'a\ue000b'],
    ['a character that is not assigned', 'a\u0378b'],
    ['a control character', 'a\u0007b'],
  ];

  test.each(unprintable)('%s', async (_name, text) => {
    const person = 'must be 1 to 128 printable characters';
    const label = 'must be 1 to 64 printable characters';
    expect(await faultsOf(simulate(text, 'Rent'))).toEqual([400, [{ pointer: '/employee_id', detail: person }]]);
    expect(await faultsOf(simulate('emp-1042', text))).toEqual([
      400,
      [{ pointer: '/obligations/0/type', detail: label }],
    ]);
    const query = `?employee_id=${encodeURIComponent(text)}`;
    expect(await faultsOf(api.get(`/api/v1/engine/paycheck/history${query}`, { token: key }))).toEqual([
      400,
      [{ pointer: '/query/employee_id', detail: person }],
    ]);
    expect(await faultsOf(store('user_name', { first_name: text, last_name: 'King' }))).toEqual([
      400,
      [{ pointer: '/data/first_name', detail: 'must be 1 to 100 printable characters' }],
    ]);
  });

  test.each(['\u00a0', '\u2003\u2003', ' \u3000 '])('white space other than a space: %j', async (text) => {
    expect(await faultsOf(store('user_name', { first_name: text, last_name: 'King' }))).toEqual([
      400,
      [{ pointer: '/data/first_name', detail: 'must be 1 to 100 printable characters' }],
    ]);
  });

  test.each([
    'ada..king@example.org',
    'ada@-example.org',
    'ada@example.o-',
    '.a@example.org',
    'a b@example.org',
    'a@b.1c',
  ])('the address %s', async (email) => {
    expect(await faultsOf(store('user_email', { email }))).toEqual([
      400,
      [{ pointer: '/data/email', detail: 'must be an email address' }],
    ]);
  });

  test('a lone surrogate', async () => {
    const said = [400, [{ pointer: '/data/first_name', detail: 'must be Unicode text without lone surrogates' }]];
    expect(await faultsOf(store('user_name', { first_name: 'a\ud800b', last_name: 'King' }))).toEqual(said);
  });

  const nino = 'must be a National Insurance number of two letters, six digits and a letter from A to D';
  const phone = 'must be a phone number of 7 to 15 digits';
  test.each([
    ['user_national_insurance', 'national_insurance_number', 'BG123456A', nino],
    ['user_national_insurance', 'national_insurance_number', 'nt 12 34 56 A', nino],
    ['user_phone', 'phone', '(12) 3-456', phone],
    ['user_phone', 'phone', '+1234567890123456', phone],
  ])('a %s whose %s is %s', async (type, name, value, detail) => {
    expect(await faultsOf(store(type, { [name]: value }))).toEqual([400, [{ pointer: `/data/${name}`, detail }]]);
  });

  test.each(['P', 'PT', 'P1DT', 'PT1'])('the duration %s', async (advance) => {
    const detail = 'must be an ISO 8601 duration without a sign, such as P31D, P1M or PT12H30M';
    const moved = api.post('/api/v1/sandbox/clock', { token: key, body: { advance } });
    expect(await faultsOf(moved)).toEqual([400, [{ pointer: '/advance', detail }]]);
  });

  test('and valid values are accepted', async () => {
    expect((await simulate('Zoë O’Neill 💷', 'Miete für März')).status).toBe(200);
    expect((await store('user_name', { first_name: 'Zoë', last_name: '王' })).status).toBe(201);
    expect((await store('user_email', { email: 'zoë@exämple.org' })).status).toBe(201);
  });
});
