import fc from 'fast-check';
import {
  AUTHORIZE_PARAMETERS,
  destinationOf,
  formTargetOf,
  judgeAuthorization,
  redirectUriOf,
  withParameters,
  type GivenQuery,
} from '../../domain/authorize.ts';
import { addressAfterSignIn, bankPageOf, continueTo } from '../../domain/destinations.ts';
import { covers, LOGIN_SCOPES, SCOPES, type Scope } from '../../domain/auth.ts';
import { SCOPE_TEXTS, scopeLines } from '../../domain/scope-texts.ts';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const scopes = fc.uniqueArray(fc.constantFrom(...LOGIN_SCOPES), { minLength: 1 });
const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('code', 'S256', CHALLENGE, 'read:profile'),
  fc.array(fc.string()),
  fc.constant(undefined),
);
const queries = fc.record(Object.fromEntries(AUTHORIZE_PARAMETERS.map((name) => [name, value])), {
  requiredKeys: [],
}) as fc.Arbitrary<GivenQuery>;
const client = (granted: readonly Scope[], isPublic = false) => ({
  redirectUris: ['https://app.example/cb'],
  scopes: granted,
  isPublic,
});
const asked = (query: GivenQuery, ...registered: Parameters<typeof client>) =>
  judgeAuthorization({ response_type: 'code', ...query }, client(...registered));

describe('judgeAuthorization', () => {
  test('any request gives registered scopes, with a challenge for public clients, or one fault', () => {
    fc.assert(
      fc.property(queries, scopes, fc.boolean(), (query, granted, isPublic) => {
        const judged = judgeAuthorization(query, client(granted, isPublic));
        if ('error' in judged) {
          expect(judged.description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
          return;
        }
        expect(judged.scopes.length).toBeGreaterThan(0);
        expect(judged.scopes.every((scope) => covers(granted, scope))).toBe(true);
        if (isPublic) expect(judged.codeChallenge).toMatch(/^[\w-]{43}$/);
      }),
    );
  });

  test('a request without scopes gets all registered ones, and write includes read', () => {
    expect(asked({}, ['read:debt', 'write:payments'])).toEqual({
      scopes: ['read:debt', 'write:payments'],
      codeChallenge: null,
    });
    expect(asked({ scope: '' }, ['read:debt'])).toMatchObject({ scopes: ['read:debt'] });
    expect(asked({ scope: 'read:payments' }, ['write:payments'])).toMatchObject({ scopes: ['read:payments'] });
    expect(asked({ scope: 'write:debt' }, ['read:debt'])).toMatchObject({ error: 'invalid_scope' });
    expect(asked({ scope: ' read:debt  read:debt ' }, ['read:debt'])).toMatchObject({ scopes: ['read:debt'] });
    expect(asked({ scope: 'read:debt\tread:payments' }, ['read:debt', 'read:payments'])).toMatchObject({
      error: 'invalid_scope',
    });
  });

  test('PKCE must be S256, and only a client with a secret may omit it', () => {
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    expect(asked(pkce, ['read:debt'], true)).toMatchObject({ codeChallenge: CHALLENGE });
    expect(asked({}, ['read:debt'], true)).toMatchObject({ error: 'invalid_request' });
    for (const method of ['plain', 's256', 'S512', '']) {
      expect(asked({ ...pkce, code_challenge_method: method }, ['read:debt'])).toMatchObject({
        error: 'invalid_request',
      });
    }
  });
});

describe('redirectUriOf', () => {
  test('is exactly a registered redirect URI, or none', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.string(), (registered, other) => {
        const of = (uri: string | undefined) =>
          redirectUriOf({ redirect_uri: uri }, { ...client(['read:debt']), redirectUris: [registered] });
        expect(of(registered)).toBe(registered);
        expect(of(undefined)).toBe(registered);
        if (other !== '' && other !== registered) expect(of(other)).toBeUndefined();
        expect(of(`${registered}${other}x`)).toBeUndefined();
      }),
    );
  });

  test.each([
    [true, true, 'http://127.0.0.1:49152/cb', 'http://127.0.0.1:51004/cb'],
    [true, true, 'http://127.0.0.1/cb?a=1', 'http://127.0.0.1:51004/cb?a=1'],
    [true, true, 'http://[::1]:49152', 'http://[::1]'],
    [false, true, 'http://127.0.0.1:49152/cb', 'http://127.0.0.1:51004/cb/'],
    [false, true, 'http://127.0.0.1:49152/cb', 'http://[::1]:49152/cb'],
    [false, true, 'http://127.0.0.1:49152/cb', 'http://127.0.0.1:51004@evil.example/cb'],
    [false, true, 'http://127.0.0.1:49152/cb', 'http://127.0.0.1:99999/cb'],
    [false, true, 'http://127.0.0.1:49152/cb', 'https://127.0.0.1:51004/cb'],
    [false, true, 'http://localhost:49152/cb', 'http://localhost:51004/cb'],
    [false, true, 'https://127.0.0.1:49152/cb', 'https://127.0.0.1:51004/cb'],
    [false, false, 'http://127.0.0.1:49152/cb', 'http://127.0.0.1:51004/cb'],
  ])(
    'may name any port of a loopback address: %j for public %j, %s and %s',
    (accepted, isPublic, registered, given) => {
      const of = { ...client(['read:debt'], isPublic), redirectUris: [registered] };
      expect(redirectUriOf({ redirect_uri: given }, of)).toBe(accepted ? given : undefined);
    },
  );

  test('must be given if several are registered', () => {
    const several = { ...client(['read:debt']), redirectUris: ['https://a.example/', 'https://b.example/'] };
    expect(redirectUriOf({}, several)).toBeUndefined();
    expect(redirectUriOf({ redirect_uri: 'https://b.example/' }, several)).toBe('https://b.example/');
    expect(redirectUriOf({ redirect_uri: ['https://b.example/', 'https://b.example/'] }, several)).toBeUndefined();
    expect(redirectUriOf({}, { ...several, redirectUris: [] })).toBeUndefined();
  });
});

describe('withParameters', () => {
  test('keeps the URI unchanged, and every value survives encoding', () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true }),
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (uri, code, state) => {
          const address = withParameters(uri, { rf_code: code, rf_state: state, rf_none: undefined });
          expect(address.startsWith(uri)).toBe(true);
          expect(address.slice(uri.length)).toMatch(/^[\x21-\x7e]+$/);
          const { searchParams } = new URL(address);
          expect(searchParams.getAll('rf_code')).toEqual([code]);
          expect(searchParams.getAll('rf_state')).toEqual([state]);
          expect(searchParams.has('rf_none')).toBe(false);
          expect([...searchParams].length).toBe([...new URL(uri).searchParams].length + 2);
        },
      ),
      { examples: [['http://a.aa??', '', '']] },
    );
  });
});

describe('formTargetOf', () => {
  test.each([
    ['https://app.example/cb?x=1', 'https://app.example'],
    ['https://app.example:8443/cb', 'https://app.example:8443'],
    ['http://127.0.0.1:5000/', 'http://127.0.0.1:5000'],
    ['http://[::1]:5000/', 'http:'],
    ['https://a;script-src.example/', 'https:'],
    ["https://a'unsafe-inline'.example/", 'https:'],
    ['https://a,b.example/', 'https:'],
    ['com.example.app:/cb', 'com.example.app:'],
  ])('%s is %s', (uri, source) => {
    expect(formTargetOf(uri)).toBe(source);
  });

  test('never adds more than one source to a policy', () => {
    fc.assert(
      fc.property(fc.string(), (host) => {
        const uri = `https://${host}/`;
        if (URL.canParse(uri)) expect(formTargetOf(uri)).toMatch(/^[a-z0-9.:/+-]+$/);
      }),
    );
  });
});

test('the destination is shown as a site, the own computer or an app', () => {
  expect(destinationOf('https://app.example:444/cb')).toEqual({ kind: 'site', name: 'app.example:444' });
  expect(destinationOf('http://localhost:5000/cb')).toEqual({ kind: 'own-computer', name: 'localhost:5000' });
  expect(destinationOf('com.example.app:/cb')).toEqual({ kind: 'app', name: 'com.example.app' });
  // In Punycode, no letter of another script looks like a Latin letter.
  expect(destinationOf('https://аpple.example/')).toEqual({ kind: 'site', name: 'xn--pple-43d.example' });
});

describe('scopeLines', () => {
  test('describe every scope differently', () => {
    const words = SCOPES.map((scope) => SCOPE_TEXTS[scope]);
    expect(new Set(words).size).toBe(SCOPES.length);
    for (const sentence of words) expect(sentence).toMatch(/^[A-Z][^:.]+$/);
  });

  test('show every scope, or the scope that includes it', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1 }), (granted) => {
        const told = scopeLines(granted).map(({ scope }) => scope);
        expect(granted.every((scope) => covers(told, scope))).toBe(true);
        expect(told.every((scope) => granted.includes(scope))).toBe(true);
        expect(new Set(told).size).toBe(told.length);
      }),
    );
  });

  test('show scopes that move money first', () => {
    const lines = scopeLines(['read:profile', 'write:allocations', 'write:debt', 'write:payments']);
    expect(lines.map(({ scope, movesMoney }) => [scope, movesMoney])).toEqual([
      ['write:payments', true],
      ['write:allocations', true],
      ['read:profile', false],
      ['write:debt', false],
    ]);
  });
});

describe('addressAfterSignIn', () => {
  const connectionId = 'conn_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11';

  test('a sign-in leads to the pages about a bank, for which it asks again', () => {
    for (const bankPage of ['authorise', 'reconfirm'] as const) {
      const query = continueTo({ bankPage, connectionId });
      expect(addressAfterSignIn(query)).toBe(`/api/v1/bank/connections/${connectionId}/${bankPage}`);
      expect(bankPageOf(Object.fromEntries(new URLSearchParams(query)))).toEqual({ bankPage, connectionId });
    }
    const wage = { bankPage: 'wage', transactionId: connectionId.replace('conn', 'txn') } as const;
    expect(addressAfterSignIn(continueTo(wage))).toBe(`/api/v1/bank/transactions/${wage.transactionId}/wage`);
    expect(bankPageOf(Object.fromEntries(new URLSearchParams(continueTo(wage))))).toEqual(wage);
  });

  test.each([
    { bank_page: 'wage', connection_id: connectionId, transaction_id: connectionId },
    { bank_page: 'finish', connection_id: connectionId },
    { bank_page: 'authorise', connection_id: '//evil.example' },
    { bank_page: 'authorise', connection_id: `${connectionId}/../../../auth/sign-out` },
    { bank_page: ['authorise', 'authorise'], connection_id: connectionId },
    { bank_page: 'https://evil.example', connection_id: connectionId },
    {},
  ])('%j is no page about a bank', (query) => {
    expect(bankPageOf(query)).toBeUndefined();
  });

  test('no query leads to another page or site', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        expect(addressAfterSignIn(query)).toBe(`/api/v1/auth/authorize?${query}`);
      }),
    );
  });
});
