import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { PAYEE_CATEGORIES, type PayeeCategory } from '../../domain/payments.ts';
import { certificateIn, contentOf } from './files.ts';
import { ConfigError } from './settings.ts';

const LONGEST_TEXT = 300;
const MIN_RSA_BITS = 2048;

/** Completes the sentence "The member must be …". */
const takes = (what: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : `must be ${what}`),
});

const TEXT = takes(`text of 1 to ${LONGEST_TEXT} characters`);
const text = z.string(TEXT).min(1, TEXT).max(LONGEST_TEXT, TEXT);
const HTTPS = takes('a URL that begins with https://, without a user, a query or a fragment');
const https = z.string(HTTPS).refine(isPlainHttps, HTTPS);
const TRUE_OR_FALSE = takes('true or false');
const ID = takes('1 to 64 of a-z, 0-9 and -');
const API = takes('"obie-4.0" or "truelayer-v1"');
const AUTH = takes('"private_key_jwt" or "tls_client_auth"');
const OBJECT = takes('an object');
const CATEGORIES = takes(`a list of some of ${PAYEE_CATEGORIES.join(', ')}`);

/** What is said of every bank. */
const COMMON = {
  id: z.string(ID).regex(/^[a-z0-9-]{1,64}$/, ID),
  name: text,
  redirect_uri: https,
  ca_file: text.optional(),
  regulated: z.strictObject({ name: text, terms_url: https }, OBJECT),
  client_id: text,
};
const base = https.transform((url) => url.replace(/\/+$/, ''));
const trueOrFalse = z.boolean(TRUE_OR_FALSE);

const ENTRY = z.discriminatedUnion(
  'api',
  [
    z.strictObject({
      ...COMMON,
      api: z.literal('obie-4.0'),
      issuer: https,
      resource_url: base,
      client_auth: z.enum(['private_key_jwt', 'tls_client_auth'], AUTH),
      assertion_audience: text.optional(),
      transport_cert_file: text,
      transport_key_file: text,
      signing_key_file: text,
      signing_key_id: text,
      org_id: text,
      software_statement_id: text,
      tan: text,
      jwks_url: https,
      reads: trueOrFalse.default(true),
      sweeping: trueOrFalse.default(true),
      commercial: z
        .strictObject(
          { vrp_type: text, categories: z.array(z.enum(PAYEE_CATEGORIES, CATEGORIES), CATEGORIES).min(1, CATEGORIES) },
          OBJECT,
        )
        .optional(),
    }),
    z.strictObject({
      ...COMMON,
      api: z.literal('truelayer-v1'),
      client_secret_file: text,
      auth_url: base.default('https://auth.truelayer.com'),
      api_url: base.default('https://api.truelayer.com'),
      providers: text.default('uk-ob-all'),
      cards: trueOrFalse.default(false),
    }),
  ],
  { error: ({ code, input }) => (code === 'invalid_union' ? API.error({ input: apiOf(input) }) : OBJECT.error({})) },
);

type Entry = z.output<typeof ENTRY>;

/** An entry of the file, with absolute paths. */
export type BankEntry =
  | (Extract<Entry, { api: 'obie-4.0' }> & {
      /** What the sandbox bank pays outside of sweeping and the commercial scheme. */
      other?: readonly (PayeeCategory | 'OWN_ACCOUNT')[];
    })
  | Extract<Entry, { api: 'truelayer-v1' }>;

export type BankEntryOf<A extends BankEntry['api']> = Extract<BankEntry, { api: A }>;

const FILES = [
  'ca_file',
  'transport_cert_file',
  'transport_key_file',
  'signing_key_file',
  'client_secret_file',
] as const;

/** `setting` names the file. @throws ConfigError with all faults, one per line. */
export function readBanksFile(setting: string, file: string, now = new Date()): BankEntry[] {
  const entries = entriesIn(setting, file);
  const faults: string[] = [];
  const banks: BankEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const whose = `of the ${nameOf(entry, index)} in ${setting}`;
    const { success, data, error } = ENTRY.safeParse(entry);
    if (!success) {
      faults.push(...sentencesOf(error, whose));
      continue;
    }
    const bank = withPaths(data, dirname(resolve(file)));
    if (banks.some(({ id }) => id === bank.id)) faults.push(`id ${whose} is also the id of another bank.`);
    faults.push(...faultsOfFiles(bank, whose, now));
    banks.push(bank);
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return banks;
}

/** Such as `signing_key_file of the bank "big-bank" in BANKS_FILE`. */
export function memberOf(bank: BankEntry, member: string): string {
  return `${member} of the bank "${bank.id}" in BANKS_FILE`;
}

function entriesIn(setting: string, file: string): unknown[] {
  const content = contentOf(file);
  if (typeof content !== 'string')
    throw new ConfigError(`${setting} names ${file}, which cannot be read (${content.code}).`);
  try {
    const entries: unknown = JSON.parse(content);
    if (Array.isArray(entries)) return entries;
  } catch {
    // The parser's message repeats a part of the file.
  }
  throw new ConfigError(`${setting} names ${file}, which is not a JSON list of banks.`);
}

function nameOf(entry: unknown, index: number): string {
  const id: unknown = typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined;
  return typeof id === 'string' && /^[a-z0-9-]{1,64}$/.test(id) ? `bank "${id}"` : `bank at position ${index + 1}`;
}

function sentencesOf({ issues }: z.ZodError, whose: string): string[] {
  // An API of a later release has other members.
  const api = issues.find(({ path }) => path[0] === 'api');
  return (api === undefined ? issues : [api]).flatMap((issue) => {
    const path = issue.path.join('.');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `${path === '' ? key : `${path}.${key}`} ${whose} is no member of a bank.`);
    return [`${path === '' ? 'The entry' : path} ${whose} ${issue.message}.`];
  });
}

/** The client's secret in the file's text. Undefined unless the file holds it alone. */
export function clientSecretIn(text: string): string | undefined {
  return /^\s*(\S+)\s*$/.exec(text)?.[1];
}

function apiOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'api' in entry ? entry.api : undefined;
}

/** The files that the bank names. */
function filesOf(bank: Entry): [member: (typeof FILES)[number], path: string][] {
  const named: Partial<Record<(typeof FILES)[number], string>> = bank;
  return FILES.flatMap((member) => (named[member] === undefined ? [] : [[member, named[member]]]));
}

function withPaths(bank: Entry, folder: string): BankEntry {
  const files = filesOf(bank).map(([member, path]) => [member, resolve(folder, path)]);
  return { ...bank, ...(Object.fromEntries(files) as object) };
}

function* faultsOfFiles(bank: BankEntry, whose: string, now: Date): Iterable<string> {
  const texts = new Map<string, string>();
  for (const [member, file] of filesOf(bank)) {
    const content = contentOf(file);
    if (typeof content === 'string') texts.set(member, content);
    else yield `${member} ${whose} names ${file}, which cannot be read (${content.code}).`;
  }
  const certificates = ['ca_file', 'transport_cert_file'].filter((member) => (texts.get(member) ?? '') !== '');
  for (const member of certificates)
    if (certificateIn(texts.get(member)!) === undefined) yield `${member} ${whose} contains no PEM certificate.`;
  const [certificate, keyText] = [
    certificateIn(texts.get('transport_cert_file') ?? ''),
    texts.get('transport_key_file'),
  ];
  if (certificate !== undefined) yield* faultsOfDates(certificate, `transport_cert_file ${whose}`, now);
  if (keyText !== undefined) {
    const key = keyIn(keyText);
    if (key === undefined) yield `transport_key_file ${whose} contains no private key in PEM without a passphrase.`;
    else if (certificate !== undefined && !certificate.checkPrivateKey(key))
      yield `transport_key_file ${whose} does not belong to the certificate in transport_cert_file.`;
  }
  const signing = texts.get('signing_key_file');
  if (signing !== undefined && !signsPs256(keyIn(signing)))
    yield `signing_key_file ${whose} must contain an RSA key of ${MIN_RSA_BITS} bits or more, in PEM without a passphrase.`;
  const secret = texts.get('client_secret_file');
  if (secret !== undefined && clientSecretIn(secret) === undefined)
    yield `client_secret_file ${whose} must contain the client's secret alone, in one line.`;
}

function* faultsOfDates({ validFromDate, validToDate }: X509Certificate, name: string, now: Date): Iterable<string> {
  if (now < validFromDate)
    yield `${name} contains a certificate that is not valid before ${validFromDate.toISOString()}.`;
  if (now > validToDate) yield `${name} contains a certificate that expired at ${validToDate.toISOString()}.`;
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function signsPs256(key: KeyObject | undefined): boolean {
  return key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
}

function isPlainHttps(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && [url.username, url.password, url.search, url.hash].every((part) => part === '');
}
