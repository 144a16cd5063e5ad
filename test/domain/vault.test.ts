import fc from 'fast-check';
import {
  dataFaults,
  fieldsOf,
  maskedData,
  PII_FIELDS,
  PII_TYPES,
  piiTypeOf,
  storedData,
} from '../../domain/vault/fields.ts';
import { accountNumberForm, phoneForm, storedForm } from '../../domain/vault/forms.ts';
import { metadataFaults } from '../../domain/vault/metadata.ts';
import { vaultRefOf, type PiiType } from '../../domain/vault/types.ts';
import { jsonObject } from '../helpers/json.ts';

const UUID = '01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11';

describe('a reference', () => {
  test('names its type', () => {
    for (const piiType of PII_TYPES) expect(piiTypeOf(vaultRefOf(piiType, UUID))).toBe(piiType);
  });

  test.each([
    '',
    'vault::',
    `vault:user_email`,
    `vault:user_mail:${UUID}`,
    `vault:user_email:${UUID.toUpperCase()}`,
    `vault:user_email:${UUID}0`,
    `vault:user_email:${UUID}\n`,
    ` vault:user_email:${UUID}`,
    `Vault:user_email:${UUID}`,
    `vault:constructor:${UUID}`,
    'vault:user_email:\0',
  ])('cannot be %j', (text) => {
    expect(piiTypeOf(text)).toBeUndefined();
  });
});

// The last column has values and their masks.
const MASKS: [PiiType, string, Record<string, string>][] = [
  ['user_email', 'email', { 'jane@example.com': 'j***@e***.com', 'j@example.com': '***@e***.com' }],
  ['user_email', 'email', { 'a@b.uk': '***@***.uk', 'jane@mail.example.co.uk': 'j***@m***.uk' }],
  ['user_email', 'email', { 'éva@exämple.org': 'é***@e***.org', 'not an address': '***' }],
  ['user_phone', 'phone', { '+44 7700 900123': '*** *** 0123', '(020) 7946-0958': '*** *** 0958' }],
  ['user_phone', 'phone', { '9460958': '*** *** 958', '1234': '*** ***' }],
  ['user_name', 'first_name', { Jane: 'J***', 'Mary Ann Sue': 'M*** S***', J: '***' }],
  ['user_name', 'middle_names', { 'Mary Ann Sue': 'M*** S***' }],
  ['user_name', 'last_name', { 'van der Berg': 'v*** B***', '  Smith ': 'S***', '😀x': '😀***' }],
  ['user_name', 'title', { Dr: '***' }],
  ['user_address', 'line_1', { '10 Downing Street': '***' }],
  ['user_address', 'line_2', { X: '***' }],
  ['user_address', 'line_3', { Westminster: '***' }],
  ['user_address', 'city', { London: 'L***' }],
  ['user_address', 'county', { Kent: 'K***' }],
  ['user_address', 'postcode', { 'sw1a 2aa': 'SW1A ***', 'M1 1AE': 'M1 ***', '10115': '***' }],
  ['user_address', 'country', { GB: '***' }],
  ['user_date_of_birth', 'date_of_birth', { '1985-12-10': '19**-**-**', '10.12.1985': '***' }],
  ['user_national_insurance', 'national_insurance_number', { ab123456c: 'AB ** ** ** C' }],
  ['user_national_insurance', 'national_insurance_number', { 'AB 12 34 56 C': 'AB ** ** ** C', ABC: '***' }],
  ['user_passport', 'passport_number', { '533401372': '****1372', AB1234: '****34' }],
  ['user_passport', 'issuing_country', { GBR: '***' }],
  ['user_passport', 'expires_on', { '2031-05-14': '20**-**-**' }],
  ['user_driving_licence', 'licence_number', { MORGA657054SM9IJ: '****M9IJ', '12345678': '****5678' }],
  ['user_driving_licence', 'expires_on', { '2031-05-14': '20**-**-**' }],
  ['employee_bank', 'sort_code', { '401256': '**-**-56', '40-12-56': '**-**-56', '56': '**-**-**' }],
  ['employee_bank', 'account_number', { '12345678': '****5678', '1234567': '****567', '123456': '****56' }],
  ['employee_bank', 'account_number', { '5678': '****' }],
  ['employee_bank', 'account_holder_name', { 'Jane Mary Smith': 'J*** S***', 'J Smith': '*** S***' }],
  ['employee_payroll', 'payroll_number', { '004217': '****17', '00421765': '****1765', '7': '****' }],
  ['employee_payroll', 'employer_name', { 'Analytical Engines Ltd': 'A*** L***' }],
  ['employee_payroll', 'paye_reference', { '123/AB456': '123/***', AB456: '***' }],
  ['employee_tax', 'tax_code', { '1257L': '***' }],
  ['employee_tax', 'national_insurance_number', { AB123456C: 'AB ** ** ** C' }],
  ['payee_bank', 'sort_code', { '40 12 76': '**-**-76' }],
  ['payee_bank', 'account_number', { '12345678': '****5678' }],
  ['payee_bank', 'account_holder_name', { Energy: 'E***' }],
];

describe('a mask', () => {
  test.each(MASKS)('of %s.%s: %j', (piiType, field, masks) => {
    for (const [value, mask] of Object.entries(masks))
      expect(maskedData(piiType, { [field]: value })).toEqual({ [field]: mask });
  });

  test('exists for every field of every type', () => {
    const covered = new Set(MASKS.map(([piiType, field]) => `${piiType} ${field}`));
    const all = PII_TYPES.flatMap((piiType) => [...fieldsOf(piiType).keys()].map((field) => `${piiType} ${field}`));
    expect(all.filter((field) => !covered.has(field))).toEqual([]);
  });

  test('shows no field that the type does not have', () => {
    expect(maskedData('user_email', { email: 'jane@example.com', note: 'Jane Smith' })).toEqual({
      email: 'j***@e***.com',
    });
  });

  const visible = (mask: string) => Array.from(mask).filter((character) => !'*- /@'.includes(character)).length;

  test('shows no more of a value than the examples do, and hides part of short values', () => {
    const allowed = new Map<string, number>();
    for (const [, field, masks] of MASKS)
      for (const mask of Object.values(masks)) allowed.set(field, Math.max(visible(mask), allowed.get(field) ?? 0));
    const fields = PII_TYPES.flatMap((piiType) => [...fieldsOf(piiType)].map(([field, { mask }]) => ({ field, mask })));
    const values = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.stringMatching(/^[0-9A-Z]{0,12}$/),
      fc.stringMatching(/^[0-9A-Za-z /@.-]{0,20}$/),
    );
    fc.assert(
      fc.property(fc.constantFrom(...fields), values, ({ field, mask }, value) => {
        const shown = visible(mask(value));
        if (field === 'email') {
          // The mask shows the top-level domain, and an initial on both sides of the at sign.
          const domain = value.slice(value.lastIndexOf('@') + 1);
          const end = Array.from(domain.slice(domain.lastIndexOf('.'))).length;
          expect(shown).toBeLessThanOrEqual(2 + end);
          return;
        }
        expect(shown).toBeLessThanOrEqual(allowed.get(field)!);
        const characters = Array.from(value.normalize('NFKC').replace(/\s/g, ''));
        if (characters.length > 0 && characters.length <= 4) expect(shown).toBeLessThan(characters.length);
      }),
      { numRuns: 5_000 },
    );
  });
});

// The last columns have other spellings of the value, and other values.
const COMPARED: [PiiType, string, string, string[], string[]][] = [
  ['user_email', 'email', 'Jane@Example.com', [' jane@EXAMPLE.COM '], ['jane@example.org']],
  ['user_phone', 'phone', '+44 7700 900123', ['07700 900123'], ['07700 900124']],
  ['user_phone', 'phone', '+44 (0)7700 900123', ['0044 7700-900.123'], []],
  ['user_phone', 'phone', '+1 202 555 0123', ['0012025550123'], []],
  ['user_name', 'first_name', 'José', ['Jose\u0301'], []],
  ['user_name', 'first_name', 'Jane', [], ['jane']],
  ['user_address', 'postcode', 'SW1A 2AA', ['sw1a2aa'], []],
  ['user_address', 'country', 'GB', ['gb'], []],
  ['user_date_of_birth', 'date_of_birth', '1985-12-10', ['1985-12-10'], ['1985-10-12']],
  ['user_national_insurance', 'national_insurance_number', 'AB123456C', ['ab 12 34 56 c'], []],
  ['user_passport', 'passport_number', '533401372', ['533 401 372'], []],
  ['user_driving_licence', 'licence_number', 'MORGA657054SM9IJ', ['morga 657054 sm9ij'], []],
  ['employee_bank', 'sort_code', '40-12-76', ['401276', '40 12 76'], ['401277', '40x1276']],
  ['employee_bank', 'account_number', '12345678', ['1234 5678'], []],
  ['employee_bank', 'account_number', '123456', ['00123456'], []],
  ['employee_bank', 'account_number', '1234567', [], ['12345670']],
  ['employee_payroll', 'payroll_number', '004217', [], ['4217']],
  ['employee_payroll', 'paye_reference', '123/AB456', ['123/ab456'], []],
  ['employee_tax', 'tax_code', '1257L M1', ['1257lm1'], []],
  ['payee_bank', 'account_holder_name', 'Ada King', ['Ａｄａ King ', 'Ada  King'], ['AdaKing']],
];

describe('two values', () => {
  test.each(COMPARED)('of %s.%s: %j is %j and not %j', (piiType, field, value, same, others) => {
    const { form } = fieldsOf(piiType).get(field)!;
    for (const one of same) expect(form(one)).toBe(form(value));
    for (const one of others) expect(form(one)).not.toBe(form(value));
  });

  test('compare the same after repeated normalisation, except account numbers that are padded to eight digits once', () => {
    const forms = PII_TYPES.flatMap((piiType) => [...fieldsOf(piiType).values()].map(({ form }) => form));
    fc.assert(
      fc.property(fc.constantFrom(...forms), fc.stringMatching(/^[0-9A-Za-z @.-]{0,20}$/), (form, value) => {
        if (form === phoneForm) return;
        expect(form(form(value))).toBe(form(value));
      }),
    );
    expect(accountNumberForm('123456')).toBe('00123456');
  });
});

describe('stored data', () => {
  test('is trimmed and normalised, field by field', () => {
    expect(storedData({ first_name: '  Ａda\u3000\u00a0May ', last_name: 'Jose\u0301' })).toEqual({
      first_name: 'Ada May',
      last_name: 'José',
    });
  });

  test('stays the same when stored again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(storedForm(storedForm(text))).toBe(storedForm(text));
      }),
    );
  });

  test('may not become longer than its field', () => {
    const first_name = '\u{FDFA}'.repeat(50);
    const stored = storedData({ first_name, last_name: 'x' });
    expect(dataFaults('user_name', stored, '2026-11-21')).toEqual([
      { pointer: '/data/first_name', detail: 'must have at most 100 characters' },
    ]);
  });

  test.each([
    ['2026-11-20', true],
    ['2026-11-21', true],
    ['2026-11-22', false],
  ])('born on %s is possible today: %s', (date_of_birth, possible) => {
    expect(dataFaults('user_date_of_birth', { date_of_birth }, '2026-11-21').length === 0).toBe(possible);
  });

  test('has no fault for typical records of every type', () => {
    for (const piiType of PII_TYPES) {
      const data = Object.fromEntries(Object.keys(PII_FIELDS[piiType]).map((field) => [field, '1985']));
      expect(dataFaults(piiType, data, '2026-11-21')).toEqual([]);
    }
  });
});

describe('metadata', () => {
  // As the service's limits for metadata count.
  const measures = (value: unknown): { values: number; depth: number } => {
    if (typeof value !== 'object' || value === null) return { values: 1, depth: 0 };
    const inside = Object.values(value).map(measures);
    return {
      values: inside.reduce((sum, { values }) => sum + values, 1),
      depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
    };
  };

  test('is accepted up to 4,096 bytes, 1,000 values and a depth of 8', () => {
    let taken = 0;
    fc.assert(
      fc.property(jsonObject, (text) => {
        const metadata = JSON.parse(text) as unknown;
        const { values, depth } = measures(metadata);
        const fits = Buffer.byteLength(JSON.stringify(metadata)) <= 4_096 && values - 1 <= 1_000 && depth <= 8;
        taken += fits ? 1 : 0;
        expect(metadataFaults({ metadata }).map(({ pointer }) => pointer)).toEqual(fits ? [] : ['/metadata']);
      }),
      { numRuns: 1_000 },
    );
    expect(taken).toBeGreaterThan(300);
    expect(taken).toBeLessThan(1_000);
  });

  test('that is missing or not an object has only faults of its type', () => {
    for (const body of [{}, { metadata: null }, { metadata: 'x' }, { metadata: [] }])
      expect(metadataFaults(body)).toEqual([]);
  });

  test('a million deep or wide is refused without a full traversal', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`) as unknown;
    const wide = { a: Array<number>(1_000_000).fill(0) };
    for (const metadata of [deep, wide]) expect(metadataFaults({ metadata })).toHaveLength(1);
  });
});
