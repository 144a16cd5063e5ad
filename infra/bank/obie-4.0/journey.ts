import { decodeJwt, type JWTPayload } from 'jose';
import * as client from 'openid-client';
import * as z from 'zod';
import { addDays, londonDateOf } from '../../../domain/dates.ts';
import type { BankEntryOf } from '../../config/index.ts';
import { causesOf, plainCode } from '../errors.ts';
import { BankError, type Bank, type Begun, type BeginOrder, type Finished, type JourneyAnswer } from '../interface.ts';
import { secretOf } from '../tokens.ts';
import { allowForClocks, type AuthorizationServer } from './authorization-server.ts';
import { PERMISSIONS, type Consent, type Consents } from './consents.ts';
import { asBankError } from './errors.ts';
import { revokeTokens } from './tokens.ts';
import { creditorAccount } from './vrp.ts';

/** The claim of an ID token that names the consent. */
const INTENT = 'openbanking_intent_id';
const RESPONSE_TYPE = 'code id_token';
const REQUEST_LIVES_S = 600;
const JOURNEY_LIVES_MS = 15 * 60_000;
/** SCA-RTS 10A and 36(6): how long accounts may be read until the person confirms that it may go on. */
const RECONFIRM_AFTER_DAYS = 90;

const SECRET = z.object({ nonce: z.string(), verifier: z.string(), consentRef: z.string() });

interface Journeys {
  entry: BankEntryOf<'obie-4.0'>;
  server: AuthorizationServer;
  consents: Consents;
}

export async function begin({ entry, server, consents }: Journeys, order: BeginOrder): Promise<Begun> {
  const consentRef = order.consentRef ?? (await consents.create(order));
  const [nonce, verifier] = [client.randomNonce(), client.randomPKCECodeVerifier()];
  const request = {
    response_type: RESPONSE_TYPE,
    scope: `openid ${order.kind}`,
    redirect_uri: order.redirectUri,
    state: order.state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    claims: JSON.stringify({ id_token: { [INTENT]: { value: consentRef, essential: true } } }),
  };
  const sendTo = await server.use(async (configuration) => {
    const signed = await client.buildAuthorizationUrlWithJAR(configuration, request, server.key, {
      [client.modifyAssertion]: (_header, payload) => allowForClocks(payload, REQUEST_LIVES_S),
    });
    if (configuration.serverMetadata().pushed_authorization_request_endpoint !== undefined)
      return client.buildAuthorizationUrlWithPAR(configuration, signed.searchParams);
    // OpenID Connect asks for these outside of the signed request, too.
    for (const name of ['response_type', 'scope'] as const) signed.searchParams.set(name, request[name]);
    return signed;
  });
  if (sendTo.protocol !== 'https:')
    throw new BankError('configuration', `the authorization endpoint of the bank "${entry.id}" is not https`);
  const secret = JSON.stringify({ nonce, verifier, consentRef } satisfies z.output<typeof SECRET>);
  return { sendTo: sendTo.href, consentRef, secret, expiresAt: new Date(Date.now() + JOURNEY_LIVES_MS) };
}

const failed = (reason: string): Finished => ({ kind: 'failed', reason });

export async function finish(
  journeys: Journeys,
  { order, answer, secret }: Parameters<Bank['finish']>[0],
): Promise<Finished> {
  const { nonce, verifier, consentRef } = SECRET.parse(JSON.parse(secret));
  if (answer['state'] !== order.state) return failed('state-mismatch');
  if (answer['error'] !== undefined) return afterError(journeys, { order, answer, consentRef });
  const first = claimsIn(answer['id_token']);
  if (first === null) return failed('id-token-missing');
  // The claim is not verified yet. Refused now, the code stays unused.
  if (first[INTENT] !== consentRef) return failed('intent-mismatch');
  const before = await journeys.consents.read(order.kind, consentRef);
  const fault = faultOf(before, order, journeys.consents);
  if (fault !== null) return failed(fault);
  const redeemed = await redeem(journeys.server, order, answer, { nonce, verifier });
  if (redeemed.kind === 'failed') return failed(redeemed.reason);
  return settle(journeys, { order, consentRef, before, first, redeemed: redeemed.granted });
}

/** An error is not signed, so the bank is asked whether the person refused. */
async function afterError(
  { entry, consents }: Journeys,
  { order, answer, consentRef }: { order: BeginOrder; answer: JourneyAnswer; consentRef: string },
): Promise<Finished> {
  if (answer['iss'] !== undefined && answer['iss'] !== entry.issuer) return failed('issuer-mismatch');
  const code = plainCode(answer['error']);
  if (code !== 'access_denied') return failed(`bank-answered-${code.replaceAll('_', '-')}`);
  const consent = await consents.read(order.kind, consentRef);
  return consent !== 'unknown' && consent.status === 'RJCT' ? { kind: 'refused' } : failed('refusal-untrue');
}

/** Some banks authorise the consent only when the code is redeemed. */
const MAY_BE_REDEEMED = ['AWAU', 'AUTH'];

function faultOf(consent: Consent | 'unknown', order: BeginOrder, { names }: Consents): string | null {
  if (consent === 'unknown') return 'consent-unknown';
  if (!MAY_BE_REDEEMED.includes(consent.status)) return `consent-${consent.status.toLowerCase()}`;
  if (order.kind === 'accounts')
    return PERMISSIONS.every((each) => consent.permissions.includes(each)) ? null : 'permissions-changed';
  if (order.payments === null) return null;
  const { payee, limits, vrpType } = order.payments;
  const { Name: name, Identification: account } = creditorAccount(payee);
  const told = consent.payee;
  if (told?.name !== name || `${told.sortCode}${told.accountNumber}` !== account) return 'payee-changed';
  const isSame =
    consent.limits !== null &&
    (['perPayment', 'perMonth', 'validUntil'] as const).every((each) => consent.limits?.[each] === limits[each]);
  if (!isSame) return 'limits-changed';
  return consent.vrpTypes.length === 1 && consent.vrpTypes[0] === names[vrpType] ? null : 'type-changed';
}

type Granted = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

/** @throws BankError only before the code was sent to the bank. */
async function redeem(
  server: AuthorizationServer,
  { redirectUri, state }: BeginOrder,
  answer: JourneyAnswer,
  { nonce, verifier }: { nonce: string; verifier: string },
): Promise<{ kind: 'granted'; granted: Granted } | { kind: 'failed'; reason: string }> {
  let isSent = false;
  const configuration = await server.configuration((url, request) => {
    isSent ||= request.method === 'POST';
    return server.fetch(url, request);
  });
  client.useCodeIdTokenResponseType(configuration);
  client.enableDetachedSignatureResponseChecks(configuration);
  client.enableNonRepudiationChecks(configuration);
  const cameBackTo = new URL(redirectUri);
  cameBackTo.hash = new URLSearchParams(answer).toString();
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  try {
    return { kind: 'granted', granted: await client.authorizationCodeGrant(configuration, cameBackTo, checks) };
  } catch (error) {
    if (!isSent && causesOf(error).some((each) => each instanceof BankError)) throw asBankError(error);
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

interface Settling {
  order: BeginOrder;
  consentRef: string;
  before: Consent | 'unknown';
  first: JWTPayload;
  redeemed: Granted;
}

/** The bank has granted tokens. If they may not be used, they are revoked. */
async function settle({ server, consents }: Journeys, given: Settling): Promise<Finished> {
  const { order, consentRef, first, redeemed } = given;
  const secret = secretOf(redeemed);
  const refuse = async (reason: string): Promise<Finished> => {
    // The end of the consent ends the tokens as well.
    await revokeTokens(server, secret).catch(() => undefined);
    return failed(reason);
  };
  const second: Record<string, unknown> = redeemed.claims() ?? {};
  if (second[INTENT] !== consentRef) return refuse('intent-mismatch');
  if (second['sub'] !== first.sub || second['iss'] !== first.iss) return refuse('id-tokens-differ');
  let consent = given.before;
  if (consent !== 'unknown' && consent.status === 'AWAU') {
    const asked = await consents.read(order.kind, consentRef).catch((error: unknown) => asBankError(error));
    if (asked instanceof BankError) return refuse('consent-unread');
    consent = asked;
  }
  const fault = faultOf(consent, order, consents);
  if (fault !== null || consent === 'unknown') return refuse(fault ?? 'consent-unknown');
  if (consent.status !== 'AUTH') return refuse('consent-not-authorised');
  const { validUntil, changedAt, payee, limits, payingAccount } = consent;
  // The bank's clock, because a sandbox's runs ahead of the machine's.
  const reconfirmBy = order.kind === 'accounts' ? addDays(londonDateOf(changedAt), RECONFIRM_AFTER_DAYS) : null;
  return { kind: 'authorised', consentRef, secret, validUntil, reconfirmBy, payee, limits, payingAccount };
}

function claimsIn(token: unknown): JWTPayload | null {
  try {
    return typeof token === 'string' ? decodeJwt(token) : null;
  } catch {
    return null;
  }
}

/** A code without personal data, although the error's causes hold claims of the person. */
function reasonOf(error: unknown): string {
  const causes = causesOf(error);
  const away = causes.find((each) => each instanceof BankError);
  if (away instanceof BankError) return `redemption-${away.kind}`;
  if (error instanceof client.ResponseBodyError) return `code-refused-${plainCode(error.error).replaceAll('_', '-')}`;
  if (error instanceof client.WWWAuthenticateChallengeError) return 'code-refused-unauthorised';
  for (const cause of causes) {
    const { claim, header } = (cause ?? {}) as { claim?: unknown; header?: unknown };
    if (typeof claim === 'string' && /^[a-z_]{1,20}$/.test(claim)) return `${claim.replaceAll('_', '-')}-invalid`;
    if (header !== undefined) return 'algorithm-invalid';
  }
  const said = causes.map((each) => (each instanceof Error ? each.message : '')).join(' ');
  const missing = /JWT "([a-z_]{1,20})"/.exec(said)?.[1];
  if (missing !== undefined) return `${missing.replaceAll('_', '-')}-invalid`;
  if (said.includes('signature')) return 'signature-invalid';
  if (said.includes('"iss"')) return 'issuer-mismatch';
  return 'answer-invalid';
}
