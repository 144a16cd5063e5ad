import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../../infra/config/index.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { asTls, certify } from '../helpers/certificates.ts';
import { blocks } from '../helpers/documents.ts';
import { readPage } from '../helpers/guide.ts';
import {
  aggregatorEntry,
  banksFileFor,
  bankEntry,
  OWN_AUTHORITY,
  OWN_CONSENT,
  PRODUCTION,
} from '../helpers/production.ts';

const folder = mkdtempSync(join(tmpdir(), 'ringfence-banks-'));
const own = (file: string) => join(folder, 'own', file);
const local = (file: string) => join(folder, 'local', file);
const file = join(folder, 'banks.json');

beforeAll(async () => {
  await ensurePki(join(folder, 'own'), { authority: OWN_AUTHORITY });
  await ensurePki(join(folder, 'local'));
  for (const [name, days] of [
    ['ended', { from: -120, to: -60 }],
    ['early', { from: 3_600 }],
  ] as const) {
    const { cert, key } = await asTls(await certify(days));
    writeFileSync(own(`${name}.crt`), cert);
    writeFileSync(own(`${name}.key`), key);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const entry = (changes: object = {}) => ({ ...bankEntry(join(folder, 'own'), 'https://bank.example'), ...changes });
const pair = (name: string) => ({ transport_cert_file: own(`${name}.crt`), transport_key_file: own(`${name}.key`) });

function refusalOf(content: unknown, env: Record<string, string> = {}): string {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  try {
    readConfig({ RINGFENCE_DATA: folder, BANKS_FILE: file, ...env }, ['site', 'bank']);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
}

const OF_BANK = 'of the bank "own-bank" in BANKS_FILE';
const UNKNOWN = { vrp_type: 'a', categories: ['RENT'] };

test.each<[what: string, changes: object, member: string, says: string]>([
  ['no name', { name: undefined }, 'name', 'is missing.'],
  ['an unknown member', { colour: 'red' }, 'colour', 'is no member of a bank.'],
  ['another API', { api: 'another-v1', auth_url: 'a' }, 'api', 'must be "obie-4.0" or "truelayer-v1".'],
  ['plain HTTP', { issuer: 'http://bank.example' }, 'issuer', 'must be a URL that begins with https://'],
  ['a query', { redirect_uri: 'https://a.example/?b' }, 'redirect_uri', 'must be a URL'],
  ['no terms', { regulated: { name: 'Firm' } }, 'regulated.terms_url', 'is missing.'],
  ['another way', { client_auth: 'client_secret_basic' }, 'client_auth', 'must be "private_key_jwt" or'],
  ['an unknown category', { commercial: UNKNOWN }, 'commercial.categories.0', 'must be'],
  ['no such file', { signing_key_file: '/none' }, 'signing_key_file', 'names /none, which cannot be read (ENOENT).'],
  ['no certificate', { ca_file: own('ca.key') }, 'ca_file', 'contains no PEM certificate.'],
  ['another key', { transport_key_file: own('server.key') }, 'transport_key_file', 'does not belong to'],
  ['an ended certificate', pair('ended'), 'transport_cert_file', 'contains a certificate that expired at 20'],
  ['an early certificate', pair('early'), 'transport_cert_file', 'contains a certificate that is not valid before 20'],
  ['no RSA key to sign', { signing_key_file: own('server.key') }, 'signing_key_file', 'must contain an RSA key'],
])('%s in the file of banks is refused with a sentence', (_what, changes, member, says) => {
  const refusal = refusalOf([entry(changes)]);
  expect(refusal.split('\n')).toEqual([expect.stringContaining(`${member} ${OF_BANK} ${says}`) as string]);
});

test('an aggregator needs its client secret alone in a file, and no more', () => {
  writeFileSync(file, JSON.stringify([aggregatorEntry()]));
  const [read] = readConfig({ RINGFENCE_DATA: folder, BANKS_FILE: file }, ['site', 'bank']).bank.entries;
  expect(read).toMatchObject({
    client_secret_file: own('truelayer-client-secret'),
    ...{ auth_url: 'https://auth.truelayer.com', api_url: 'https://api.truelayer.com' },
    ...{ providers: 'uk-ob-all', cards: false },
  });
  for (const [name, content] of Object.entries({ empty: '\n', two: 'one\ntwo\n' })) {
    writeFileSync(own(name), content);
    expect(refusalOf([aggregatorEntry({ client_secret_file: own(name) })])).toBe(
      `client_secret_file ${OF_BANK} must contain the client's secret alone, in one line.`,
    );
  }
  expect(refusalOf([aggregatorEntry({ issuer: 'https://bank.example', cards: 'yes' })]).split('\n')).toEqual([
    `cards ${OF_BANK} must be true or false.`,
    `issuer ${OF_BANK} is no member of a bank.`,
  ]);
});

test('all faults are named at once, and a file that is no list of banks is refused without its content', () => {
  const [first, second] = refusalOf([entry({ name: '' }), entry(), entry({ tan: 1 })]).split('\n');
  expect([first, second]).toEqual([
    `name ${OF_BANK} must be text of 1 to 300 characters.`,
    `tan ${OF_BANK} must be text of 1 to 300 characters.`,
  ]);
  const position = 'id of the bank at position 1 in BANKS_FILE must be 1 to 64 of a-z, 0-9 and -.';
  expect(refusalOf([entry({ id: 'Own' })])).toBe(position);
  expect(refusalOf([entry(), entry()])).toBe(`id ${OF_BANK} is also the id of another bank.`);
  for (const content of ['{"id": "a-secret"', {}])
    expect(refusalOf(content)).toBe(`BANKS_FILE names ${file}, which is not a JSON list of banks.`);
  expect(refusalOf([], { BANKS_FILE: '/none' })).toBe('BANKS_FILE names /none, which cannot be read (ENOENT).');
});

test('the house account is at a bank of the file', () => {
  expect(refusalOf([entry()], { BANK_HOUSE: 'another' })).toContain(
    'BANK_HOUSE is "another", but no bank has this id.',
  );
  const bankOf = (env: Record<string, string>) => readConfig({ RINGFENCE_DATA: folder, ...env }).bank;
  const named = banksFileFor(folder, { pki: join(folder, 'own'), url: 'https://bank.example' });
  expect(bankOf(named).house).toEqual({ bankId: 'own-bank', consentRef: OWN_CONSENT });
  expect(bankOf({ BANKS_FILE: named.BANKS_FILE! }).house).toBeNull();
  expect(bankOf({})).toMatchObject({
    house: { bankId: 'sandbox', consentRef: 'sandbox-consent' },
    entries: [{ id: 'sandbox' }, { id: 'sandbox-truelayer' }],
  });
});

describe('in production', () => {
  const inProduction = (content: unknown, env: Record<string, string> = {}) =>
    refusalOf(content, { ...PRODUCTION, RINGFENCE_PUBLIC_URL: 'https://money.example', ...env });
  test.each<[member: string, value: () => string, says: string]>([
    ['issuer', () => 'https://localhost:8451', 'must not be https://localhost:8451, because that is the sandbox bank.'],
    ['resource_url', () => 'https://127.0.0.1:8451/open-banking/v4.0', 'because that is the sandbox bank.'],
    ['jwks_url', () => 'https://[::1]:8451/jwks', 'because that is the sandbox bank.'],
    ['ca_file', () => local('ca.crt'), 'because that certificate is for development.'],
    ['signing_key_file', () => local('bank-signing.key'), 'because that key is for development.'],
  ])('%s of a sandbox is refused', (member, value, says) => {
    const refusal = inProduction([entry({ [member]: value() })]);
    expect(refusal.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^In production ${member} ${OF_BANK} `)) as string,
    ]);
    expect(refusal).toContain(says);
  });

  test('the entries of the guide are accepted as they stand', () => {
    for (const [shown, kept] of [
      ['transport.crt', 'bank-client.crt'],
      ['transport.key', 'bank-client.key'],
      ['signing.key', 'bank-signing.key'],
    ] as const)
      copyFileSync(own(kept), join(folder, shown));
    writeFileSync(join(folder, 'truelayer-secret'), `${'a1'.repeat(20)}\n`);
    const [entries] = blocks(readPage('75-live.md'), 'banks');
    expect(inProduction(entries!)).toBe('none');
    expect((JSON.parse(entries!) as { api: string }[]).map(({ api }) => api)).toEqual(['obie-4.0', 'truelayer-v1']);
  });

  test('addresses of the sandbox are refused for an aggregator too', () => {
    const addresses = { auth_url: 'https://localhost:8451/a', api_url: 'https://127.0.0.1:8451/b' };
    expect(inProduction([aggregatorEntry(addresses)]).match(/because that is the sandbox bank\.$/gm)).toHaveLength(2);
    expect(inProduction([aggregatorEntry()])).toBe('none');
  });

  test('development keys for TLS and the consent of the sandbox bank are refused, and no bank is no fault', () => {
    const keys = { transport_cert_file: local('bank-client.crt'), transport_key_file: local('bank-client.key') };
    expect(inProduction([entry(keys)]).match(/is for development\.$/gm)).toHaveLength(2);
    const consent = 'BANK_CONSENT_ID must not be "sandbox-consent", because that is the consent of the sandbox bank.';
    expect(inProduction([entry()], { BANK_HOUSE: 'own-bank' })).toBe(`In production ${consent}`);
    expect(inProduction([entry()])).toBe('none');
    const none = readConfig({ ...PRODUCTION, RINGFENCE_PUBLIC_URL: 'https://money.example' }, ['site', 'bank']).bank;
    expect([none.entries, none.house]).toEqual([[], null]);
  });
});
