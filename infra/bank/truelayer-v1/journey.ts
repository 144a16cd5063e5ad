import * as client from 'openid-client';
import * as z from 'zod';
import { addDays, londonDateOf, MINUTE_MS } from '../../../domain/dates.ts';
import type { BankEntryOf } from '../../config/index.ts';
import { causesOf, plainCode } from '../errors.ts';
import { BankError, type Bank, type Begun, type BeginOrder, type Finished, type JourneyAnswer } from '../interface.ts';
import { secretOf, tokensIn } from '../tokens.ts';
import { withToken, type Authorization } from './authorization.ts';
import { deletion, readConsent } from './consent.ts';
import type { Data } from './data.ts';
import { asBankError } from './errors.ts';
import type { Http } from './http.ts';

const JOURNEY_LIVES_MS = 15 * MINUTE_MS;
/** SCA-RTS 10A and 36(6): how long accounts may be read until the person confirms that it may go on. */
const RECONFIRM_AFTER_DAYS = 90;

const SECRET = z.object({ verifier: z.string() });

interface Journeys {
  entry: BankEntryOf<'truelayer-v1'>;
  authorization: Authorization;
  data: Data;
  http: Http;
}

export async function begin({ entry, authorization }: Journeys, order: BeginOrder): Promise<Begun> {
  if (order.kind !== 'accounts') throw new BankError('configuration', 'this API makes no payments');
  const verifier = client.randomPKCECodeVerifier();
  const sendTo = client.buildAuthorizationUrl(authorization.configuration(), {
    response_type: 'code',
    response_mode: 'form_post',
    redirect_uri: order.redirectUri,
    state: order.state,
    scope: `accounts balance transactions offline_access${entry.cards ? ' cards' : ''}`,
    providers: entry.providers,
    ...(order.institutionId !== null && { provider_id: order.institutionId }),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  // A form has spaces as plus signs, which the provider's page does not read as spaces.
  sendTo.search = sendTo.search.replaceAll('+', '%20');
  const secret = JSON.stringify({ verifier } satisfies z.output<typeof SECRET>);
  return { sendTo: sendTo.href, secret, expiresAt: new Date(Date.now() + JOURNEY_LIVES_MS) };
}

const failed = (reason: string): Finished => ({ kind: 'failed', reason });

/** The answer is not signed: only `state` and PKCE bind it to this journey. */
export async function finish(
  journeys: Journeys,
  { order, answer, secret }: Parameters<Bank['finish']>[0],
): Promise<Finished> {
  const { verifier } = SECRET.parse(JSON.parse(secret));
  if (answer['state'] !== order.state) return failed('state-mismatch');
  if (answer['iss'] !== undefined && answer['iss'] !== journeys.authorization.base) return failed('issuer-mismatch');
  if (answer['error'] !== undefined) {
    const code = plainCode(answer['error']);
    return code === 'access_denied' ? { kind: 'refused' } : failed(`bank-answered-${code.replaceAll('_', '-')}`);
  }
  if (answer['code'] === undefined) return failed('code-missing');
  const redeemed = await redeem(journeys.authorization, { order, answer, verifier });
  return redeemed.kind === 'failed' ? failed(redeemed.reason) : settle(journeys, order, redeemed.secret);
}

type Redeemed = { kind: 'granted'; secret: string } | { kind: 'failed'; reason: string };

async function redeem(
  authorization: Authorization,
  { order, answer, verifier }: { order: BeginOrder; answer: JourneyAnswer; verifier: string },
): Promise<Redeemed> {
  const cameBackTo = new URL(order.redirectUri);
  cameBackTo.search = new URLSearchParams(answer).toString();
  const checks = { expectedState: order.state, pkceCodeVerifier: verifier };
  try {
    const granted = await client.authorizationCodeGrant(authorization.configuration(), cameBackTo, checks);
    return { kind: 'granted', secret: secretOf(granted) };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

/** The person granted a token. If it may not be used, their consent ends. */
async function settle({ authorization, data, http }: Journeys, order: BeginOrder, secret: string): Promise<Finished> {
  const holder = { current: secret, renew: () => Promise.reject(new BankError('away', 'the token is new')) };
  const access = { kind: order.kind, consentRef: '', secret: holder, present: null };
  const consent = await readConsent(data, access).catch((error: unknown) => asBankError(error));
  if (consent instanceof BankError) {
    await http.send(withToken(deletion(authorization), tokensIn(secret).access)).catch(() => undefined);
    return failed('consent-unread');
  }
  const { consentRef, expiresAt, bankNow } = consent;
  const latest = addDays(londonDateOf(bankNow), RECONFIRM_AFTER_DAYS);
  const ends = expiresAt === null ? latest : londonDateOf(expiresAt);
  return {
    kind: 'authorised',
    consentRef,
    secret,
    // The end of such a consent asks the person to grant a new one. The connection does not end with it.
    validUntil: null,
    reconfirmBy: ends < latest ? ends : latest,
    payee: null,
    limits: null,
    payingAccount: null,
  };
}

/** A code without personal data. */
function reasonOf(error: unknown): string {
  const away = causesOf(error).find((each) => each instanceof BankError);
  if (away instanceof BankError) return `redemption-${away.kind}`;
  if (error instanceof client.ResponseBodyError) return `code-refused-${plainCode(error.error).replaceAll('_', '-')}`;
  if (error instanceof client.WWWAuthenticateChallengeError) return 'code-refused-unauthorised';
  return 'answer-invalid';
}
