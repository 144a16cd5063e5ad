import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Bank, BankError, ConsentAccess, Diagnosis } from '../../infra/bank/interface.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { bankConfig, openSandboxBank } from '../helpers/sandbox-bank.ts';
import { json, publicKeyOf, startScriptedBank, type ScriptedBank } from '../helpers/scripted-bank.ts';
import {
  hashOf,
  holderOf,
  journey,
  LIMITS,
  PAYEE,
  scriptedConsents,
  strangersKey,
  TO_PAY,
  TO_READ,
  type Differs,
} from '../helpers/scripted-journey.ts';

const dataDir = testEnvironment().dir;
let scripted: ScriptedBank;
let consents: ReturnType<typeof scriptedConsents>;
let port: Bank;
const opened: Bank[] = [];

beforeEach(async () => {
  scripted = await startScriptedBank(dataDir);
  consents = scriptedConsents(scripted);
  port = await connect();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bank) => bank.close()));
  scripted.close();
});

async function connect(timeoutMs = 10_000): Promise<Bank> {
  const bank = await openSandboxBank({ ...bankConfig(dataDir, scripted.port), timeoutMs });
  opened.push(bank);
  return bank;
}
const played = (order = TO_PAY, differs: Differs = {}) => journey({ port, scripted, consents }, order, differs);
const lost = (res: Parameters<NonNullable<Differs['onToken']>>[0]) => void res.socket?.destroy();
const seconds = () => Math.floor(Date.now() / 1_000);

const GRANTED = { access: 'access-1', refresh: 'refresh-1', goodUntilMs: expect.any(Number) as unknown };

test('a person lets the service pay a payee, or read accounts', async () => {
  const paid = await played();
  const common = { kind: 'authorised', consentRef: 'consent-1', payingAccount: null };
  const secret = expect.any(String) as unknown;
  const limits = { payee: PAYEE, limits: LIMITS, validUntil: '2027-03-31' };
  expect(paid).toEqual({ ...common, ...limits, secret, reconfirmBy: null });
  expect(JSON.parse((paid as { secret: string }).secret)).toEqual(GRANTED);
  const account = { SchemeName: 'UK.OBIE.SortCodeAccountNumber', Identification: '20000055779911' };
  expect(await played(TO_READ, { consent: { DebtorAccount: account } })).toEqual({
    ...common,
    ...{ payee: null, limits: null, validUntil: null, secret, reconfirmBy: '2027-02-27' },
    payingAccount: { sortCode: '200000', accountNumber: '55779911' },
  });
});

const gbp = (Amount: string) => ({ Amount, Currency: 'GBP' });
const month = (more: object = {}) => ({
  PeriodicLimits: [{ PeriodType: 'Month', PeriodAlignment: 'Consent', ...gbp('1200.50'), ...more }],
});
const CONTROL = {
  ...{ ValidToDateTime: '2027-03-31T22:59:59.000Z', MaximumIndividualAmount: gbp('900.00'), ...month() },
  VRPType: ['UK.OBIE.VRPType.Other'],
};
const CREDITOR = {
  SchemeName: 'UK.OBIE.SortCodeAccountNumber',
  Identification: '11223312345678',
  Name: 'A Landlord & Co',
};
const limited = (changes: object): Differs => ({ consent: { ControlParameters: { ...CONTROL, ...changes } } });
const paid = (changes: object): Differs => ({
  consent: { Initiation: { CreditorAccount: { ...CREDITOR, ...changes } } },
});

test('the consent and the request say what the person is to approve, signed and for both clocks', async () => {
  scripted.metadata = { pushed_authorization_request_endpoint: `https://localhost:${scripted.port}/par` };
  const requests: URLSearchParams[] = [];
  const usual = scripted.onRequest;
  scripted.onRequest = (seen, res) => {
    if (seen.path !== '/par') return usual(seen, res);
    requests.push(new URLSearchParams(seen.body));
    json(res, { request_uri: 'urn:of-the-bank', expires_in: 60 }, 201);
  };
  const { sendTo, consentRef } = await port.begin(TO_PAY);
  expect(Object.fromEntries(new URL(sendTo).searchParams)).toEqual({
    client_id: 'ringfence',
    request_uri: 'urn:of-the-bank',
  });
  const { Data, Risk } = JSON.parse(scripted.seen[0]!.body) as Record<string, unknown>;
  expect([Data, Risk]).toEqual([
    {
      ReadRefundAccount: 'No',
      ControlParameters: {
        ...{ ValidFromDateTime: '2026-11-29T00:00:00.000Z', ...CONTROL },
        PSUAuthenticationMethods: ['UK.OBIE.SCANotRequired'],
        PSUInteractionTypes: ['OffSession'],
      },
      Initiation: { CreditorAccount: CREDITOR },
    },
    { PaymentContextCode: 'TransferToThirdParty' },
  ]);
  expect(scripted.seen[0]!.headers).toMatchObject({
    'x-jws-signature': expect.stringMatching(/^[\w-]+\.\.[\w-]+$/) as unknown,
    'x-idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
  });
  const request = requests[0]!.get('request')!;
  expect(decodeProtectedHeader(request)).toMatchObject({ alg: 'PS256', kid: 'ringfence-signing' });
  const { nbf, exp, ...claims } = decodeJwt(request);
  expect(claims).toMatchObject({
    ...{ aud: `https://localhost:${scripted.port}`, client_id: 'ringfence', state: TO_PAY.state },
    ...{ response_type: 'code id_token', scope: 'openid payments', redirect_uri: TO_PAY.redirectUri },
    code_challenge_method: 'S256',
    claims: { id_token: { openbanking_intent_id: { value: consentRef, essential: true } } },
  });
  expect([nbf! <= seconds() - 120, exp! >= seconds() + 500]).toEqual([true, true]);
  // A later authorisation of the same consent makes no other.
  scripted.seen = [];
  expect(await port.begin({ ...TO_PAY, consentRef })).toMatchObject({ consentRef });
  expect(scripted.seen.map(({ path }) => path)).toEqual(['/par']);
});

test.each<[what: string, differs: Differs, reason: string, redeemed: 0 | 1]>([
  ['a nonce of another journey', { first: { nonce: 'another' } }, 'nonce-invalid', 0],
  ['a nonce of another journey with the tokens', { second: { nonce: 'another' } }, 'nonce-invalid', 1],
  ['an ID token for another client', { first: { aud: 'another' } }, 'aud-invalid', 0],
  ['an ID token of another issuer', { first: { iss: 'https://another.example' } }, 'iss-invalid', 0],
  ['an ID token that is over', { first: { exp: seconds() - 180 } }, 'exp-invalid', 0],
  ['an ID token of the future', { first: { nbf: seconds() + 3_600 } }, 'nbf-invalid', 0],
  ['another code', { answer: { code: 'of-mallory' } }, 'c-hash-invalid', 0],
  ['a hash of another state', { first: { s_hash: hashOf('another') } }, 's-hash-invalid', 0],
  ['no hash of the state', { first: { s_hash: undefined } }, 's-hash-invalid', 0],
  ['a weaker algorithm', { sign: { alg: 'RS256' } }, 'algorithm-invalid', 0],
  ['no signature', { sign: { alg: 'none' } }, 'algorithm-invalid', 0],
  ['a signature of somebody else', { sign: { key: strangersKey } }, 'signature-invalid', 0],
  ['no ID token', { answer: { id_token: undefined } }, 'id-token-missing', 0],
  ['another state', { answer: { state: 'another' } }, 'state-mismatch', 0],
  ['no state', { answer: { state: undefined } }, 'state-mismatch', 0],
  ['an answer of another issuer', { answer: { iss: 'https://another.example' } }, 'issuer-mismatch', 0],
  ['another consent', { first: { openbanking_intent_id: 'consent-2' } }, 'intent-mismatch', 0],
  ['another consent with the tokens', { second: { openbanking_intent_id: 'consent-2' } }, 'intent-mismatch', 1],
  ['another person with the tokens', { second: { sub: 'mallory' } }, 'id-tokens-differ', 1],
  ['a refused code', { onToken: (res) => json(res, { error: 'invalid_grant' }, 400) }, 'code-refused-invalid-grant', 1],
  ['a lost reply to the code', { onToken: lost }, 'redemption-away', 1],
  ['a rejected consent', { consent: { Status: 'RJCT' } }, 'consent-rjct', 0],
  ['a consent that is not authorised', { consent: { Status: 'AWAU' } }, 'consent-not-authorised', 1],
  ['another payee', paid({ Identification: '11223387654321' }), 'payee-changed', 0],
  ['another name of the payee', paid({ Name: 'Mallory' }), 'payee-changed', 0],
  ['a higher limit of a payment', limited({ MaximumIndividualAmount: gbp('900.01') }), 'limits-changed', 0],
  ['a higher limit of a month', limited(month({ Amount: '1300.00' })), 'limits-changed', 0],
  ['a limit of a week', limited(month({ PeriodType: 'Week' })), 'limits-changed', 0],
  ['another end', limited({ ValidToDateTime: undefined }), 'limits-changed', 0],
  ['another type', limited({ VRPType: ['UK.OBIE.VRPType.Sweeping'] }), 'type-changed', 0],
])('%s fails the journey, and no token is kept', async (_what, differs, reason, redeemed) => {
  expect(await played(TO_PAY, differs)).toEqual({ kind: 'failed', reason });
  expect(consents.redeemed).toBe(redeemed);
  const isGranted = redeemed === 1 && differs.second !== undefined && differs.second.nonce === undefined;
  if (isGranted || reason === 'consent-not-authorised') expect(consents.revoked).toEqual(['refresh-1', 'access-1']);
});

test('a bank whose clock is two minutes away is believed', async () => {
  for (const skew of [-110, 110]) {
    const at = { iat: seconds() + skew, nbf: seconds() + skew, exp: seconds() + skew + 60 };
    expect((await played(TO_PAY, { first: at, second: at })).kind).toBe('authorised');
  }
});

test.each([
  [503, { kind: 'away' }],
  [429, { kind: 'wait', until: expect.any(Date) as unknown }],
])('if the bank answers %i about the consent, the code stays unused', async (status, error) => {
  const onConsent: Differs['onConsent'] = (res) => void res.writeHead(status, { 'retry-after': '7' }).end();
  await expect(played(TO_PAY, { onConsent })).rejects.toMatchObject(error);
  expect(consents.redeemed).toBe(0);
});

test.each([
  ['access_denied', 'RJCT', {}, { kind: 'refused' }],
  ['access_denied', 'AUTH', {}, { kind: 'failed', reason: 'refusal-untrue' }],
  ['access_denied', 'RJCT', { state: undefined }, { kind: 'failed', reason: 'state-mismatch' }],
  ['access_denied', 'RJCT', { iss: 'https://another.example' }, { kind: 'failed', reason: 'issuer-mismatch' }],
  ['server_error', 'RJCT', {}, { kind: 'failed', reason: 'bank-answered-server-error' }],
  ['<script>', 'RJCT', {}, { kind: 'failed', reason: 'bank-answered-unknown-error' }],
])('the error %s about a consent that is %s, with %j, is %j', async (error, Status, more, expected) => {
  const answer = { error, code: undefined, id_token: undefined, ...more };
  expect(await played(TO_PAY, { consent: { Status }, answer })).toEqual(expected);
});

describe('a consent', () => {
  const access = (secret: ConsentAccess['secret'] = null, present: ConsentAccess['present'] = null) =>
    ({ kind: 'payments', consentRef: 'consent-1', secret, present }) as const;
  const over = () => holderOf({ access: 'access-1', refresh: 'refresh-1', goodUntilMs: 0 });
  const tokens = (refresh_token: string) => ({
    ...{ access_token: 'a', refresh_token, token_type: 'Bearer', expires_in: 300 },
  });
  /** Responds to refresh tokens one by one. The last response repeats. */
  function refreshes(...responses: Differs['onToken'][]) {
    const used: string[] = [];
    scripted.onToken = (res, form) => {
      if (form.get('grant_type') !== 'refresh_token') {
        json(res, tokens('none'));
        return;
      }
      used.push(form.get('refresh_token')!);
      (responses.length > 1 ? responses.shift() : responses[0])!(res);
    };
    return used;
  }
  const good = (res: Parameters<typeof lost>[0]) => json(res, tokens('refresh-2'));
  const refused = (res: Parameters<typeof lost>[0]) => json(res, { error: 'invalid_grant' }, 400);
  beforeEach(async () => {
    await played();
    scripted.seen = [];
  });

  test.each([
    ['AWAU', 'awaiting'],
    ['RJCT', 'rejected'],
    ['EXPD', 'expired'],
    ['CANC', 'reauthorise'],
    ['AUTH', 'authorised'],
  ])('that is %s at the bank is %s', async (Status, state) => {
    consents.consent = { ...consents.consent, Status };
    refreshes(good);
    expect(await port.look(access())).toBe(state);
    expect(await port.look(access(over()))).toBe(state);
  });

  test('that the bank does not know is revoked, but a page or an answer without the signature proves nothing', async () => {
    consents.onConsent = (res) => json(res, { Errors: [{ ErrorCode: 'U011' }] }, 400);
    expect(await port.look(access())).toBe('revoked');
    const another = JSON.stringify({ Data: { ...consents.consent, ConsentId: 'c-2' } });
    const unclear: [NonNullable<Differs['onConsent']>, string][] = [
      [(res) => void res.writeHead(404).end('<html>'), 'away'],
      [(res) => json(res, { Data: consents.consent }), 'away'],
      [(res) => json(res, { Errors: [{ ErrorCode: 'U002' }] }, 400), 'configuration'],
      [(res) => void scripted.signed(res, 200, another), 'away'],
      [lost, 'away'],
      [(res) => void res.writeHead(302, { location: 'https://elsewhere.example' }).end(), 'away'],
    ];
    for (const [onConsent, kind] of unclear) {
      consents.onConsent = onConsent;
      await expect(port.look(access())).rejects.toMatchObject({ kind });
    }
    const impatient = await connect(400);
    consents.onConsent = () => undefined;
    await expect(impatient.look(access())).rejects.toMatchObject({ kind: 'away' });
  });

  test('is looked at with the address of the person only while the person is there', async () => {
    await port.look(access(null, { ip: '192.0.2.1', userAgent: 'A Browser', language: undefined }));
    await port.look(access());
    const names = ['x-fapi-customer-ip-address', 'x-customer-user-agent'];
    const told = scripted.seen.flatMap(({ headers }) => names.map((name) => headers[name]));
    expect(told).toEqual(['192.0.2.1', 'A Browser', undefined, undefined]);
  });

  test.each<[string, Differs['onToken'][], string, uses: number]>([
    ['a new refresh token', [good], 'authorised', 1],
    ['a lost reply, then a new one', [lost, good], 'authorised', 2],
    ['a lost reply, then a refusal', [lost, refused], 'reauthorise', 2],
    ['two lost replies', [lost, lost], 'away', 2],
    ['a refusal', [refused], 'reauthorise', 1],
    ['503', [(res) => void res.writeHead(503).end()], 'away', 1],
    ['a page', [(res) => void res.writeHead(200).end('<html>')], 'away', 1],
    ['a refusal of the service', [(res) => json(res, { error: 'invalid_client' }, 401)], 'configuration', 1],
  ])('whose token is renewed, with %s', async (_what, responses, state, uses) => {
    const used = refreshes(...responses);
    const secret = over();
    const looked = port.look(access(secret)).catch((error: unknown) => (error as BankError).kind);
    expect(await looked).toBe(state);
    expect(used).toEqual(Array(uses).fill('refresh-1'));
    const { refresh } = JSON.parse(secret.current) as { refresh: string };
    expect(refresh).toBe(state === 'authorised' ? 'refresh-2' : 'refresh-1');
  });

  test('whose token another process has renewed meanwhile, is not renewed again', async () => {
    const used = refreshes(good);
    const fresh = JSON.stringify({ access: 'access-2', refresh: 'refresh-2', goodUntilMs: Date.now() + 60_000 });
    expect(await port.look(access({ current: over().current, renew: () => Promise.resolve(fresh) }))).toBe(
      'authorised',
    );
    expect(used).toEqual([]);
  });

  test('without a refresh token needs the person once its token is over', async () => {
    const lasting = (goodUntilMs: number) => holderOf({ access: 'access-1', goodUntilMs });
    expect(await port.look(access(lasting(Date.now() + 60_000)))).toBe('authorised');
    expect(await port.look(access(lasting(0)))).toBe('reauthorise');
  });

  test('ends with its tokens, and a second end finds it ended', async () => {
    expect(await port.end(access(over()))).toBe('done');
    expect(consents.revoked).toEqual(['refresh-1', 'access-1']);
    scripted.onRequest = (seen, res) =>
      seen.method === 'DELETE' ? json(res, { Errors: [{ ErrorCode: 'U011' }] }, 400) : void res.writeHead(200).end();
    expect(await port.end(access(over()))).toBe('already');
    scripted.onRequest = (_seen, res) => void res.writeHead(503).end();
    await expect(port.end(access(over()))).rejects.toMatchObject({ kind: 'away' });
  });
});

test('new keys of the bank count after at most a minute, and unknown keys do not make it read them more often', async () => {
  await played();
  const before = scripted.keysRead;
  const usual = scripted.signer;
  scripted.signer = { ...usual, keyId: 'new', key: strangersKey };
  scripted.keys = [publicKeyOf(strangersKey, 'new')];
  const look = () => port.look({ kind: 'payments', consentRef: 'consent-1', secret: null, present: null });
  const { now } = Date;
  try {
    await expect(look()).rejects.toMatchObject({ kind: 'away' });
    expect(scripted.keysRead).toBe(before);
    Date.now = () => now() + 61_000;
    expect(await look()).toBe('authorised');
    scripted.signer = { ...usual, keyId: 'unknown' };
    for (let times = 0; times < 3; times += 1) await expect(look()).rejects.toMatchObject({ kind: 'away' });
    expect(scripted.keysRead).toBe(before + 1);
  } finally {
    Date.now = now;
  }
});

test('a diagnosis names each step, and ends with the first that fails', async () => {
  const steps = async () => {
    const found: Diagnosis[] = [];
    for await (const step of (await connect()).diagnose()) found.push(step);
    return found.map(({ step, ok }) => (ok ? step : `${step}: failed`));
  };
  scripted.onRequest = (seen, res) =>
    seen.path === '/events' ? json(res, { sets: {} }) : json(res, { Errors: [{ ErrorCode: 'U011' }] }, 400);
  const kinds = ['accounts', 'payments'];
  const good = ['certificate', 'discovery', ...kinds.map((kind) => `token for ${kind}`), 'signing keys'];
  expect(await steps()).toEqual([...good, ...kinds.map((kind) => `dry request for ${kind}`), 'events']);
  scripted.keys = [];
  expect(await steps()).toEqual([...good.slice(0, -1), 'signing keys: failed']);
  scripted.onToken = (res) => json(res, { error: 'invalid_client' }, 401);
  expect(await steps()).toEqual(['certificate', 'discovery', 'token for accounts: failed']);
  scripted.metadata = { issuer: 'https://another.example' };
  expect(await steps()).toEqual(['certificate', 'discovery: failed']);
});
