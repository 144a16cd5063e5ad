import { readContract, resolve, type Node, type Operation } from '../../api/http/contract.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi, type TestAnswer, type TestRequest } from '../helpers/api.ts';

/* To record an intended change, run `npm test -- test/api/recorded-answers.test.ts -u`. */

const limits = ['CREDENTIALS', 'TOKENS', 'KEY', 'PERSON'].map((name) => [`LIMIT_${name}_PER_MINUTE`, '1000000']);
const api = startApi({ env: Object.fromEntries(limits) });
const { document, operations } = readContract('sandbox');
let key: string;
let weakKey: string;
beforeAll(async () => {
  key = await api.apiKey(SCOPES);
  weakKey = await api.apiKey(['read:allocations']);
});

interface Kind {
  at?: (path: string, operation: Operation) => string;
  method?: string;
  request?: (operation: Operation) => TestRequest;
  only?: (operation: Operation) => boolean;
}

const pathOf = ({ path }: Operation) => path.replace(/\{[^}]+\}/g, 'x');
const credentialOf = ({ credential, scopes }: Operation): TestRequest =>
  scopes === 'public' ? {} : credential === 'vault' ? { vaultKey: key } : { token: key };
const withBody = ({ bodyTypes }: Operation) => bodyTypes.length > 0;
const withJson = ({ bodyTypes }: Operation) => bodyTypes.includes('application/json');
const withForm = ({ form }: Operation) => form !== undefined;
const protectedOnly = ({ scopes }: Operation) => scopes !== 'public';
const json = (body: unknown) => (operation: Operation) => ({ ...credentialOf(operation), body: JSON.stringify(body) });
const typed = (type: string, body: string) => (operation: Operation) => ({
  ...credentialOf(operation),
  body,
  headers: { 'content-type': type },
});
const firstType = ({ bodyTypes }: Operation) => bodyTypes[0]!;
const form = (text: string, boundary = 'b') => typed(`multipart/form-data; boundary=${boundary}`, text);
const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

function mediaOf(operation: Operation): Node {
  const { content } = resolve(document, operation.node.requestBody) as { content: Record<string, Node> };
  return content['application/json']!;
}
const exampleOf = (operation: Operation) => mediaOf(operation).example as Node;
function propertiesOf(operation: Operation): string[] {
  const schema = resolve(document, mediaOf(operation).schema);
  const forms = [schema, ...((schema.oneOf ?? []) as Node[]).map((form) => resolve(document, form))];
  return [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties as object)))];
}
const everyField = (value: unknown) => (operation: Operation) =>
  json(Object.fromEntries(propertiesOf(operation).map((name) => [name, value])))(operation);

const KINDS: Readonly<Record<string, Kind>> = {
  'no credential': { request: () => ({}), only: protectedOnly },
  'HEAD without a credential': { method: 'HEAD', request: () => ({}), only: ({ method }) => method === 'GET' },
  'a Basic credential': { request: () => ({ headers: { authorization: 'Basic dTpw' } }), only: protectedOnly },
  'an unknown token': {
    request: ({ credential }) => (credential === 'vault' ? { vaultKey: 'hello' } : { token: 'hello' }),
    only: protectedOnly,
  },
  'a key without the scope': {
    request: ({ credential }) => (credential === 'vault' ? { vaultKey: weakKey } : { token: weakKey }),
    only: protectedOnly,
  },
  'a vault key without the certificate': {
    request: () => ({ vaultKey: key, certificate: 'none' }),
    only: ({ credential }) => credential === 'vault',
  },
  'another method': { method: 'PUT', request: () => ({}) },
  OPTIONS: { method: 'OPTIONS', request: () => ({}) },
  'a slash at the end': { at: (path) => `${path}/` },
  'malformed percent-encoding': { at: (path) => `${path}%zz` },
  'unknown parameters': { at: (path) => `${path}?a=1&b[c]=2&__proto__=3&limit[x]=4&d` },
  'a query that is not UTF-8': { at: (path) => `${path}?a=%ff` },
  'odd values of every parameter': {
    at: (path, { queryNames }) => `${path}?${[...queryNames].map((name) => `${name}=Infinity`).join('&')}`,
    only: ({ queryNames }) => queryNames.size > 0,
  },
  'every parameter twice': {
    at: (path, { queryNames }) => `${path}?${[...queryNames].map((name) => `${name}=1&${name}=:/?@`).join('&')}`,
    only: ({ queryNames }) => queryNames.size > 0,
  },
  'a strange Accept': { request: (operation) => ({ ...credentialOf(operation), headers: { accept: 'a/b' } }) },
  'an Idempotency-Key of nothing': {
    request: (operation) => ({ ...credentialOf(operation), headers: { 'idempotency-key': '' } }),
    only: ({ idempotent }) => idempotent,
  },
  'no body': { only: withBody },
  'no body, of an odd type': {
    request: (operation) => ({ ...credentialOf(operation), headers: { 'content-type': 'a/b; c=d' } }),
    only: withBody,
  },
  'a body where there is none': {
    request: json({ a: 1 }),
    only: ({ method, bodyTypes }) => method !== 'GET' && bodyTypes.length === 0,
  },
  'an empty object': { request: json({}), only: withJson },
  null: { request: json(null), only: withJson },
  'a list': { request: json([{}]), only: withJson },
  'a text': { request: json('x'), only: withJson },
  'objects in every field': { request: everyField({}), only: withJson },
  'numbers in every field': { request: everyField(-1.5), only: withJson },
  'texts in every field': { request: everyField('\u0007'), only: withJson },
  'null in every field': { request: everyField(null), only: withJson },
  'unknown fields': {
    request: (operation) => json({ ...exampleOf(operation), 'a/b~c': 1, constructor: 2, x: {} })(operation),
    only: withJson,
  },
  'a NUL in every field': { request: everyField('a\0'), only: withJson },
  'many values': { request: json({ many: Array.from({ length: 2_001 }, () => 0) }), only: withJson },
  'broken JSON': { request: (operation) => typed('application/json', '{"a":')(operation), only: withJson },
  'another charset': {
    request: (operation) => typed(`${firstType(operation)}; charset=utf-16`, '{}')(operation),
    only: withBody,
  },
  'a parameter of the type': {
    request: (operation) => typed(`${firstType(operation)}; version=1`, '{}')(operation),
    only: withBody,
  },
  'another type': { request: typed('text/plain', 'x'), only: withBody },
  'a compressed body': {
    request: (operation) => ({
      ...credentialOf(operation),
      body: '{}',
      headers: { 'content-type': firstType(operation), 'content-encoding': 'gzip' },
    }),
    only: withBody,
  },
  'an empty form': { request: typed('application/x-www-form-urlencoded', 'a=1&a=2&b=%00'), only: withBody },
  'a form of nothing': { request: form('--b--\r\n'), only: withForm },
  'a form that breaks off': {
    request: form(`${part('user_id', 'u')}--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc`),
    only: withForm,
  },
  'a form without a boundary': { request: typed('multipart/form-data', 'x'), only: withForm },
  'a form with text for the file': {
    request: form(`${part('user_id', 'u')}${part('file', 'text')}--b--\r\n`),
    only: withForm,
  },
  'a form with odd fields': {
    request: form(
      `${part('user_id', 'u'.repeat(5_000))}${part('user_id', 'u')}${part('what', 'u')}${part('file', '')}--b--\r\n`,
    ),
    only: withForm,
  },
};

describe.each(Object.entries(KINDS))('%s', (_name, { at, method, request = credentialOf, only = () => true }) => {
  test('is answered as recorded', async () => {
    const told = new Map<string, string[]>();
    for (const operation of operations.filter(only)) {
      const path = pathOf(operation);
      const target = at?.(path, operation) ?? path;
      const answer = await api.request(method ?? operation.method, target, request(operation));
      const shown = shownAnswer(answer, target);
      told.set(shown, [...(told.get(shown) ?? []), operation.id]);
    }
    const lines = [...told].map(([shown, ids]) => `${ids.join(' ')}\n${shown}`);
    expect(`\n${lines.join('\n\n')}\n`).toMatchSnapshot();
  });
});

test.each(['/', '/docs', '/docs/reference', '/docs/start.js', '/docs/swagger-ui.css', '/openapi.yaml', '/problems'])(
  'GET %s has the headers that were recorded',
  async (path) => {
    expect(headersOf(await api.get(path))).toMatchSnapshot();
  },
);

const NOT_SHOWN = ['date', 'x-request-id', 'connection', 'keep-alive', 'content-length', 'last-modified'];

function headersOf({ headers }: TestAnswer): string {
  const shown = Object.entries(headers).filter(([name]) => !NOT_SHOWN.includes(name));
  return shown
    .map(([name, value]) => `  ${name}: ${masked(String(value))}`)
    .sort()
    .join('\n');
}

const masked = (value: string) =>
  value
    .replace(/r=\d+;t=\d+/, 'r=N;t=N')
    .replace(/rf_br_[\w-]{43}/, 'rf_br_X')
    .replace(/'sha256-[^']+'/g, "'sha256-…'")
    .replace(/'nonce-[^']+'/g, "'nonce-…'")
    .replace(/^(?:W\/)?".+"$/, '"…"');

function shownAnswer(answer: TestAnswer, target: string): string {
  const lines = [`  ${answer.status}`, headersOf(answer)];
  if (answer.text === '') return lines.join('\n');
  const {
    instance,
    errors = [],
    ...problem
  } = (answer.status >= 400 && answer.body !== answer.text ? answer.body : {}) as {
    instance?: string;
    errors?: { pointer: string; detail: string }[];
  };
  const expected = `${target.split('?', 1)[0]!}#${String(answer.headers['x-request-id'])}`;
  if (instance !== undefined && instance !== expected) lines.push(`  instance ${instance}`);
  if (Object.keys(problem).length > 0) lines.push(`  ${JSON.stringify(problem)}`);
  return [...lines, ...errors.map(({ pointer, detail }) => `  ${pointer}: ${detail}`)].join('\n');
}
