import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { decodeJwt, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { pence } from '../../domain/money.ts';
import type { Bank, BeginOrder, Finished, SecretHolder } from '../../infra/bank/interface.ts';
import { json, type ScriptedBank, type Seen } from './scripted-bank.ts';

export const PAYEE = { name: 'A Landlord & Co', sortCode: '112233', accountNumber: '12345678' };
export const LIMITS = { perPayment: pence(90_000), perMonth: pence(120_050), validUntil: '2027-03-31' };
export const TO_PAY: BeginOrder = {
  kind: 'payments',
  institutionId: null,
  payments: { payee: PAYEE, limits: LIMITS, vrpType: 'other', from: '2026-11-29' },
  redirectUri: 'https://localhost:8443/api/v1/bank/callback',
  state: 'a-state-that-nobody-guesses',
};
export const TO_READ: BeginOrder = { ...TO_PAY, kind: 'accounts', payments: null };

const INTENT = 'openbanking_intent_id';
const CODE = 'code-of-the-bank';
export const strangersKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** What the bank of a test does differently from an honest one. */
export interface Differs {
  first?: JWTPayload;
  second?: JWTPayload;
  sign?: { alg?: string; key?: KeyObject; kid?: string };
  answer?: Record<string, string | undefined>;
  /** Joins the consent that the bank reports. */
  consent?: Record<string, unknown>;
  onToken?: (res: ServerResponse) => void;
  onConsent?: (res: ServerResponse) => void;
}

/** A bank that keeps one consent and grants one code for it. */
export function scriptedConsents(scripted: ScriptedBank) {
  const bank = {
    consent: {} as Record<string, unknown>,
    redeemed: 0,
    revoked: [] as string[],
    onConsent: undefined as ((res: ServerResponse) => void) | undefined,
  };
  scripted.onRequest = async (seen, res) => {
    if (seen.path === '/revoke') {
      bank.revoked.push(new URLSearchParams(seen.body).get('token')!);
      return void res.writeHead(200).end();
    }
    if (seen.method === 'DELETE') return void res.writeHead(204).end();
    if (seen.method === 'GET' && bank.onConsent) {
      bank.onConsent(res);
      return;
    }
    if (seen.method === 'POST') bank.consent = newConsent(seen);
    const body = JSON.stringify({ Data: bank.consent, Risk: {}, Links: { Self: 'https://b' }, Meta: {} });
    await scripted.signed(res, seen.method === 'POST' ? 201 : 200, body);
  };
  scripted.metadata = { revocation_endpoint: `https://localhost:${scripted.port}/revoke` };
  return bank;
}

function newConsent({ body }: Seen) {
  const { Data } = JSON.parse(body) as { Data: object };
  const at = '2026-11-29T09:00:00+00:00';
  return { ConsentId: 'consent-1', Status: 'AWAU', CreationDateTime: at, StatusUpdateDateTime: at, ...Data };
}

/** Begins at the bank, approves there, and finishes with what the bank answers. */
export async function journey(
  { port, scripted, consents }: { port: Bank; scripted: ScriptedBank; consents: ReturnType<typeof scriptedConsents> },
  order: BeginOrder,
  differs: Differs = {},
): Promise<Finished> {
  const { sendTo, secret } = await port.begin(order);
  const asked = decodeJwt(new URL(sendTo).searchParams.get('request')!);
  consents.consent = { ...consents.consent, Status: 'AUTH', ...differs.consent };
  consents.onConsent = differs.onConsent;
  const { alg = 'PS256', key = scripted.signer.key, kid = 'bank' } = differs.sign ?? {};
  const issuedAt = Math.floor(Date.now() / 1_000);
  const common = {
    iss: `https://localhost:${scripted.port}`,
    aud: 'ringfence',
    sub: 'customer-1',
    iat: issuedAt,
    exp: issuedAt + 300,
    nonce: asked['nonce'],
    [INTENT]: consents.consent['ConsentId'],
  };
  const signed = (claims: JWTPayload) =>
    alg === 'none' ? new UnsecuredJWT(claims).encode() : new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);
  const hashes = { c_hash: hashOf(CODE), s_hash: hashOf(order.state) };
  const id_token = await signed({ ...common, ...hashes, ...differs.first });
  scripted.onToken = async (res, form) => {
    if (form.get('grant_type') !== 'authorization_code') {
      json(res, { access_token: 'own', token_type: 'Bearer', expires_in: 300 });
      return;
    }
    consents.redeemed += 1;
    if (differs.onToken) {
      differs.onToken(res);
      return;
    }
    const tokens = { access_token: 'access-1', refresh_token: 'refresh-1', token_type: 'Bearer', expires_in: 300 };
    json(res, { ...tokens, id_token: await signed({ ...common, ...differs.second }) });
  };
  const told = Object.entries({ code: CODE, state: order.state, id_token, ...differs.answer });
  const answer = Object.fromEntries(told.filter((pair): pair is [string, string] => pair[1] !== undefined));
  return port.finish({ order, answer, secret });
}

/** The left half of the digest (OpenID Connect Core 1.0, 3.3.2.11). */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

export function holderOf(secret: object): SecretHolder {
  const holder = {
    current: JSON.stringify(secret),
    renew: async (exchange: (given: string) => Promise<string>) => (holder.current = await exchange(holder.current)),
  };
  return holder;
}
