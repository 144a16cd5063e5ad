import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { paymentActivities } from '../../activities/payments/index.ts';
import { SCOPES } from '../../domain/auth.ts';
import { DAY_MS } from '../../domain/dates.ts';
import type { OpenClaims } from '../../infra/credential/sd-jwt.ts';
import { textQuery } from '../helpers/text-query.ts';
import { credentialWorkflowId } from '../../workflows/ids.ts';
import { credentialsOf } from '../helpers/activities.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';
import { payBill, tamper } from '../helpers/credential.ts';
import { anyKey } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { startSigning, type Signing } from '../helpers/signing.ts';
import { until } from '../helpers/until.ts';

const clock = movableClock();
const bank = playedBank();
let signing: Signing;
// The worker must stop before the API stops.
afterAll(() => signing.stop());
const api = startApi({ clock, bank, env: { CREDENTIAL_SIGN_WITHIN_MS: '20000' } });
let key = '';
let count = 0;

beforeAll(async () => {
  key = await api.apiKey(SCOPES);
  await paymentActivities(api.services).ensureSandboxPayees();
  signing = await startSigning(api.services);
});
beforeEach(() => clock.set('2026-11-21T09:30:00.000Z'));

const CREDENTIAL = '/api/v1/credential';
const generate = (body: unknown, headers: Record<string, string> = {}, token = key) =>
  api.post(`${CREDENTIAL}/generate`, { token, body, headers });
const verify = (id: string, headers: Record<string, string> = {}) => api.get(`${CREDENTIAL}/${id}/verify`, { headers });
const present = (credential: unknown) => api.post(`${CREDENTIAL}/verify`, { body: { credential } });
const revoke = (id: string, headers: Record<string, string> = {}, token = key) =>
  api.post(`${CREDENTIAL}/${id}/revoke`, { token, headers });
const exported = (id: string, query = '', headers: Record<string, string> = {}, token = key) =>
  api.get(`${CREDENTIAL}/${id}/export${query}`, { token, headers });
const problem = (status: number, code: string) => ({ status, body: { status, code, type: `/problems/${code}` } });
const pointersOf = ({ body }: TestAnswer) => [
  ...new Set((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)),
];
const countOf = textQuery<{ credentials: number }>(
  'test.credentialsOf',
  'select count(*) as credentials from credentials where owner_id = $1',
);
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

// The bank refuses the first payment.
async function payer(owner = `emp-${(count += 1)}`) {
  await payBill(api.services, bank, { owner, due: '2026-11-20', missed: true, payee: 'prov_sandbox_slow' });
  await payBill(api.services, bank, { owner });
  return owner;
}

let usual: Promise<string> | undefined;

async function newCredential() {
  const { body, status } = await generate({ user_id: await (usual ??= payer()) });
  expect(status).toBe(201);
  return body as { credential_id: string; user_id: string; reliability_score: number };
}

describe('generateCredential', () => {
  test('201: the credential, signed by its workflow', async () => {
    const user_id = await payer();
    const answer = await generate({ user_id });
    const credential_id = String(answer.body.credential_id);
    expect(answer).toMatchObject({
      status: 201,
      headers: { location: `${CREDENTIAL}/${credential_id}/export` },
      body: { user_id, reliability_score: 75, on_time_rate: '0.5000', expires_at: '2027-02-19T09:30:00.000Z' },
    });
    const handle = signing.client.workflow.getHandle(credentialWorkflowId(credential_id));
    await until(async () => (await handle.describe()).status.name === 'COMPLETED', 'the workflow to end');
    const { memo, type } = await handle.describe();
    expect([type, memo]).toEqual(['credential', { credential_id, owner_id: user_id }]);
  });

  test('201: twenty simultaneous requests with one Idempotency-Key make one credential', async () => {
    const user_id = await payer();
    const headers = { 'idempotency-key': 'twenty' };
    const answers: TestAnswer[] = [];
    let wave = Array.from({ length: 20 }, () => generate({ user_id }, headers));
    while (wave.length > 0) {
      const came = await Promise.all(wave);
      answers.push(...came.filter(({ status }) => status === 201));
      const again = came.filter(({ status }) => status !== 201);
      for (const answer of again) expect(answer).toMatchObject(problem(409, 'idempotency-key-in-use'));
      wave = again.map(() => generate({ user_id }, headers));
    }
    expect(answers).toHaveLength(20);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await api.services.db.one(countOf(user_id))).toEqual({ credentials: 1 });
  });

  test('503 while signing is impossible, and later 201 with the same credential for the same Idempotency-Key', async () => {
    const user_id = await payer();
    const headers = { 'idempotency-key': 'away' };
    const { credentials } = api.services.config;
    const patience = credentials.signWithinMs;
    credentials.signWithinMs = 300;
    await signing.stopRelay();
    const refused = await generate({ user_id }, headers);
    expect(refused).toMatchObject({ ...problem(503, 'dependency-unavailable'), headers: { 'retry-after': '5' } });
    expect(await generate({ user_id }, headers)).toMatchObject(problem(503, 'dependency-unavailable'));
    credentials.signWithinMs = patience;
    const waiting = generate({ user_id }, headers);
    signing.startRelay();
    const answer = await waiting;
    expect(answer).toMatchObject({ status: 201, body: { user_id, credential_id: refused.body.credential_id } });
    const replayed = await generate({ user_id }, headers);
    expect([replayed.text, replayed.headers['idempotent-replayed']]).toEqual([answer.text, 'true']);
    expect(await api.services.db.one(countOf(user_id))).toEqual({ credentials: 1 });
  });

  test('400 names every fault', async () => {
    const answer = await generate({ user_id: '', scope: ['RENT'], period_months: 37, more: 1 });
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer).sort()).toEqual(['/more', '/period_months', '/scope/0', '/user_id']);
  });
});

describe('verifyCredential', () => {
  test('200 for anybody: valid; revoked; expired 90 days later', async () => {
    const [one, other] = [await newCredential(), await newCredential()];
    const answer = await verify(one.credential_id);
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store', vary: 'Accept' } });
    const { credential_id, user_id: subject } = one;
    expect(answer.body).toMatchObject({ credential_id, subject, valid: true, status: 'valid', issuer: api.url });
    expect((await revoke(other.credential_id)).status).toBe(204);
    expect((await verify(other.credential_id)).body).toMatchObject({ valid: false, status: 'revoked' });
    clock.set('2027-02-20T09:30:00.000Z');
    expect((await verify(one.credential_id)).body).toMatchObject({ valid: false, status: 'expired' });
  });

  test('200: a changed record is reported as tampered with', async () => {
    const { credential_id } = await newCredential();
    await tamper(api.services, credential_id, 'reliability_score = 1000');
    expect((await verify(credential_id)).body).toMatchObject({
      valid: false,
      status: 'tampered',
      reliability_score: null,
    });
    const page = await verify(credential_id, BROWSER);
    expect(page.text).toContain('Do not rely on this credential');
    expect(page.text).not.toMatch(/\b(?:376|1000)\b/);
  });

  test('200 as a page if the caller prefers HTML', async () => {
    const { credential_id, user_id } = await newCredential();
    const page = await verify(credential_id, BROWSER);
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.text).toContain('This credential is valid');
    // A key chose the owner's id, which could be somebody's name.
    expect(page.text).toMatch(/About the payments of<\/dt><dd>a customer of [^<]+</);
    expect(page.text).not.toContain(user_id);
    expect(String(page.headers['content-security-policy'])).toContain(`default-src 'none'`);
    expect((await verify(credential_id, { accept: '*/*' })).body.status).toBe('valid');
    expect(await verify(credential_id, { accept: 'image/png' })).toMatchObject({ status: 406 });
  });

  test('404: an unknown credential, as a page for browsers and as a problem for programs', async () => {
    expect(await verify('cred_none')).toMatchObject(problem(404, 'not-found'));
    expect(await verify('cred_none', { accept: '*/*' })).toMatchObject(problem(404, 'not-found'));
    const page = await verify('cred_none', BROWSER);
    expect(page).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.text).toContain('There is no credential with this id.');
  });
});

describe('verifyPresentedCredential', () => {
  test('200 with the disclosed claims; tampered if it was changed', async () => {
    const { credential_id } = await newCredential();
    const text = (await exported(credential_id)).body.sd_jwt as string;
    const [jwt, ...disclosures] = text.split('~');
    const all = await present(text);
    expect(all).toMatchObject({ status: 200, body: { credential_id, valid: true, status: 'valid' } });
    expect(Object.keys(all.body.disclosed as object)).toHaveLength(11);
    const rate = disclosures.find((one) => Buffer.from(one, 'base64url').toString().includes('on_time_rate'))!;
    expect((await present(`${jwt}~${rate}~`)).body.disclosed).toEqual({ on_time_rate: '0.5000' });
    expect((await present(`${jwt}~`)).body).toMatchObject({
      valid: true,
      reliability_score: 75,
      period: null,
      disclosed: {},
    });
    const nothing = { credential_id: null, valid: false, status: 'tampered', subject: null, disclosed: null };
    expect(await present(`${jwt}~${rate}x~`)).toMatchObject({ status: 200, body: nothing });
    for (const none of [jwt!, 'nonsense']) expect(await present(none)).toMatchObject(problem(422, 'not-a-credential'));
    expect((await present(`\n${jwt}~\r\n ${rate}~\t`)).body).toMatchObject({ valid: true });
    await revoke(credential_id);
    expect((await present(text)).body).toMatchObject({ credential_id, valid: false, status: 'revoked' });
  });
});

describe('revokeCredential', () => {
  test('204 for every request; the status list gets a new version', async () => {
    const { credential_id } = await newCredential();
    const list = () => api.get(`${CREDENTIAL}/status-lists/1`);
    const before = await list();
    expect(await revoke(credential_id, { 'idempotency-key': 'once' })).toMatchObject({ status: 204, text: '' });
    expect(await revoke(credential_id, { 'idempotency-key': 'once' })).toMatchObject({ status: 204 });
    expect(await revoke(credential_id)).toMatchObject({ status: 204 });
    expect((await list()).headers.etag).not.toBe(before.headers.etag);
  });
});

describe('exportCredential', () => {
  test('200 as JSON, as SD-JWT and as PDF, by format or else by Accept', async () => {
    const credential = await newCredential();
    const id = credential.credential_id;
    const json = await exported(id);
    expect(json).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store', vary: 'Origin, Accept' } });
    expect(json.body).toEqual({
      ...credential,
      status: 'valid',
      verify_url: `${api.url}${CREDENTIAL}/${id}/verify`,
      sd_jwt: expect.stringMatching(/^ey.*~$/) as string,
    });
    const sdJwt = await exported(id, '', { accept: 'application/dc+sd-jwt' });
    expect(sdJwt.headers).toMatchObject({
      'content-type': 'application/dc+sd-jwt',
      'content-disposition': `attachment; filename="${id}.sd-jwt"`,
    });
    expect(sdJwt.text).toBe(json.body.sd_jwt);
    expect((await exported(id, '?format=sd-jwt', { accept: 'text/html' })).text).toBe(sdJwt.text);
    const pdf = await exported(id, '?format=pdf');
    expect(pdf).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/pdf', 'content-disposition': `attachment; filename="${id}.pdf"` },
    });
    expect(pdf.text.slice(0, 5)).toBe('%PDF-');
    expect(await exported(id, '?format=xml')).toMatchObject(problem(400, 'invalid-request'));
    expect(await exported(id, '', { accept: 'image/png' })).toMatchObject(problem(406, 'not-acceptable'));
  });
});

describe('what verifiers need', () => {
  test('is public and reachable from the credential: keys, type and status list', async () => {
    const { credential_id } = await newCredential();
    const text = (await exported(credential_id)).body.sd_jwt as string;
    const pathOf = (url: unknown) => String(url).slice(api.url.length);
    const issuer = await api.get('/.well-known/jwt-vc-issuer');
    expect(issuer.body).toEqual({ issuer: api.url, jwks_uri: `${api.url}/.well-known/jwks.json` });
    const jwks = await api.get(pathOf(issuer.body.jwks_uri));
    expect(jwks).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=60' } });
    expect(Object.keys(jwks.body.keys[0] as object).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    const keys = createLocalJWKSet(jwks.body as JSONWebKeySet);
    const at = { currentDate: await clock.now(api.services.db) };
    const { payload } = await jwtVerify(text.split('~')[0]!, keys, { typ: 'dc+sd-jwt', issuer: api.url, ...at });
    const type = await api.get(pathOf(payload.vct));
    expect(type).toMatchObject({ status: 200, body: { vct: payload.vct, name: 'Payment reliability' } });
    const { uri, idx } = (payload as { status: { status_list: { uri: string; idx: number } } }).status.status_list;
    const list = await api.get(pathOf(uri));
    expect(list).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/statuslist+jwt', 'cache-control': 'public, max-age=60' },
    });
    const token = await jwtVerify(list.text, keys, { typ: 'statuslist+jwt', subject: uri, ...at });
    expect(token.payload).toMatchObject({ ttl: 60, status_list: { bits: 1 } });
    expect(idx).toBeLessThan(2 ** 17);
    const again = await api.get(pathOf(uri), { headers: { 'if-none-match': String(list.headers.etag) } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(await api.get(`${CREDENTIAL}/status-lists/999`)).toMatchObject(problem(404, 'not-found'));
    expect(await api.get(`${CREDENTIAL}/status-lists/x`)).toMatchObject(problem(400, 'invalid-request'));
  });
});

describe('with the clock of the sandbox, and limits', () => {
  const limited = startApi({ bank, env: { LIMIT_TOKENS_PER_MINUTE: '5' } });

  test('a credential has expired after the clock moves 91 days, and the real clock can check a new one and its status list', async () => {
    const { services } = limited;
    await paymentActivities(services).ensureSandboxPayees();
    await payBill(services, bank, { owner: 'emp-1' });
    const credentials = credentialsOf(services);
    const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id: 'emp-1' });
    await credentials.issueCredential({ credential_id });
    const status = async () => (await limited.get(`${CREDENTIAL}/${credential_id}/verify`)).body.status as string;
    expect(await status()).toBe('valid');
    const token = await limited.apiKey(['admin:audit']);
    const move = (advance: string) => limited.post('/api/v1/sandbox/clock', { token, body: { advance } });
    expect((await move('P89D')).status).toBe(200);
    expect(await status()).toBe('valid');
    const { credential_id: later } = await credentials.beginCredential({ principal: anyKey, user_id: 'emp-1' });
    await credentials.issueCredential({ credential_id: later });
    const { sd_jwt, issued_at } = await credentials.exportAsJson({ credential_id: later });
    // Checked by the real clock, to which a credential or a status list from the future would not be valid yet.
    const published = createLocalJWKSet(await credentials.publishedKeys());
    const { payload } = await jwtVerify<OpenClaims & Record<string, unknown>>(sd_jwt.split('~')[0]!, published);
    const list = await limited.get(new URL(payload.status.status_list.uri).pathname);
    await jwtVerify(list.text, published, { maxTokenAge: 60 });
    expect([payload.iat, payload.nbf]).toEqual([expect.any(Number), payload.iat]);
    expect(Date.parse(issued_at) - payload.iat * 1_000).toBeGreaterThan(88 * DAY_MS);
    expect((await limited.get(`${CREDENTIAL}/${later}/verify`)).body).toMatchObject({ status: 'valid', issued_at });
    expect((await move('P2D')).status).toBe(200);
    expect(await status()).toBe('expired');
  });

  test('429: too many checks get a refusal that says when to retry, as a page in a browser', async () => {
    const check = (headers = {}) => limited.get(`${CREDENTIAL}/cred_none/verify`, { headers });
    await until(async () => (await check()).status === 429, 'the limit to be reached');
    expect(await check()).toMatchObject({
      ...problem(429, 'rate-limited'),
      headers: { ratelimit: expect.any(String) as string },
    });
    expect((await check(BROWSER)).text).toContain('Too many attempts');
    const presented = () => limited.post(`${CREDENTIAL}/verify`, { body: { credential: 'x' } });
    await until(async () => (await presented()).status === 429, 'the limit to be reached');
    expect((await limited.get('/.well-known/jwks.json')).status).toBe(200);
  });
});
