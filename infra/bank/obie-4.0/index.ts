import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BankEvent, BankRecord, SubmitOutcome } from '../../../domain/bank/payments.ts';
import type { BankConfig, BankEntryOf } from '../../config/index.ts';
import {
  BankError,
  UnknownToBank,
  type Bank,
  type ConsentAccess,
  type ConsentState,
  type Traits,
} from '../interface.ts';
import { authorizationServer } from './authorization-server.ts';
import { consentsAt } from './consents.ts';
import { inSteps } from '../diagnosis.ts';
import { stepsOf } from './diagnosis.ts';
import { answerOf, asBankError } from './errors.ts';
import { pollRequest, readEvents, type EventReplies } from './events.ts';
import { fetchOver } from './fetch.ts';
import { instructionIds, paymentOfInstruction } from './identifiers.ts';
import { begin, finish } from './journey.ts';
import { keysAt, signMessage, verifyEvent, type Signer } from './message-signing.ts';
import { submitOutcome } from './outcome.ts';
import { readingAt } from './reading.ts';
import { resourcesOf } from './resources.ts';
import { grantedTokens, ownTokens, proveGrant, revokeTokens, type Scope } from './tokens.ts';
import { mutualTls, type Exchange } from './transport.ts';
import { readVrp, vrpRequest } from './vrp.ts';

/** Status codes with which banks respond to an unknown payment id. */
const UNKNOWN_ID = [400, 403, 404];
/** How many milliseconds longer than the requested time the bank may hold a poll open. */
const WAIT_GRACE_MS = 1000;

type Parts = Awaited<ReturnType<typeof partsOf>>;

type BankLimits = Pick<BankConfig, 'timeoutMs' | 'unattendedPerDay'>;

/** A client for UK Open Banking 4.0: account information, and variable recurring payments. */
export async function openBank(entry: BankEntryOf<'obie-4.0'>, limits: BankLimits): Promise<Bank> {
  const parts = await partsOf(entry, limits);
  const { traits, consents, transport } = parts;
  const kinds = (['accounts', 'payments'] as const).filter((kind) => isOffered(traits, kind));
  const check = () => poll(parts);
  return {
    traits,
    institutions: () => Promise.resolve([]),
    begin: (order) => begin(parts, order),
    finish: (given) => finish(parts, given),
    look: (access) => look(parts, access),
    async end({ kind, consentRef, secret }) {
      const ended = await consents.end(kind, consentRef);
      if (secret !== null) await revokeTokens(parts.server, secret.current);
      return ended;
    },
    ...readingAt({ resources: parts.resources, server: parts.server, base: entry.resource_url }),
    ...paymentsAt(parts),
    events: eventsAt(parts),
    check,
    diagnose: () => inSteps(stepsOf({ ...parts, kinds, poll: check })),
    close: () => transport.close(),
  };
}

async function partsOf(entry: BankEntryOf<'obie-4.0'>, { timeoutMs, unattendedPerDay }: BankLimits) {
  const read = (file: string) => readFile(file, 'utf8');
  const [certificate, key, signing] = await Promise.all(
    [entry.transport_cert_file, entry.transport_key_file, entry.signing_key_file].map(read),
  );
  const ca = entry.ca_file === undefined ? {} : { ca: await read(entry.ca_file) };
  const transport = mutualTls({ ...ca, cert: certificate!, key: key! }, timeoutMs);
  const fetch = fetchOver(transport, timeoutMs);
  const signingKey = createPrivateKey(signing!);
  const signer: Signer = {
    keyId: entry.signing_key_id,
    issuer: `${entry.org_id}/${entry.software_statement_id}`,
    tan: entry.tan,
    key: signingKey,
  };
  const server = authorizationServer({ entry, signingKey, fetch, timeoutMs });
  const tokens = ownTokens(server);
  const keys = keysAt(entry.jwks_url, fetch);
  const trusted = { keys, tan: entry.tan };
  const resources = resourcesOf(transport, tokens, { base: entry.resource_url, timeoutMs, trusted });
  const names = {
    sweeping: 'UK.OBIE.VRPType.Sweeping',
    commercial: entry.commercial?.vrp_type ?? 'UK.OBIE.VRPType.Other',
    other: 'UK.OBIE.VRPType.Other',
  };
  const consents = consentsAt(resources, signer, names);
  const traits = traitsOf(entry, unattendedPerDay);
  return {
    entry,
    certificate: certificate!,
    timeoutMs,
    transport,
    signer,
    server,
    tokens,
    keys,
    resources,
    consents,
    traits,
  };
}

function traitsOf(
  { reads, sweeping, commercial, other = [] }: BankEntryOf<'obie-4.0'>,
  unattendedPerDay: number,
): Traits {
  const pays = {
    ...Object.fromEntries(other.map((category) => [category, 'other' as const])),
    ...Object.fromEntries((commercial?.categories ?? []).map((category) => [category, 'commercial' as const])),
    ...(sweeping && { OWN_ACCOUNT: 'sweeping' as const }),
  };
  const days = { freshDays: 396, laterDays: 90, unattendedPerDay };
  return { reads, pays, reconfirm: 'local', reauthorise: 'same', ...days, events: true };
}

function isOffered({ reads, pays }: Traits, kind: Scope): boolean {
  return kind === 'accounts' ? reads : Object.keys(pays).length > 0;
}

async function look({ server, consents }: Parts, access: ConsentAccess): Promise<ConsentState> {
  const { kind, consentRef, secret, present } = access;
  const consent = await consents.read(kind, consentRef, present);
  if (consent === 'unknown') return 'revoked';
  if (consent.status !== 'AUTH') return STATES[consent.status];
  if (secret === null) return 'authorised';
  try {
    await proveGrant(server, secret);
    return 'authorised';
  } catch (error) {
    if (asBankError(error).kind === 'reauthorise') return 'reauthorise';
    throw error;
  }
}

const STATES = { AWAU: 'awaiting', RJCT: 'rejected', EXPD: 'expired', CANC: 'reauthorise' } as const;

function paymentsAt({ resources, server, signer, timeoutMs, consents }: Parts): Pick<Bank, 'pay' | 'payment'> {
  return {
    async pay({ consentRef, secret }, instruction) {
      const body = vrpRequest(instruction, consentRef, consents.names);
      const headers = {
        'x-idempotency-key': instructionIds(instruction.paymentId, instruction.attempt).instructionId,
        'x-jws-signature': await signMessage(body, signer),
      };
      const tokens = secret === null ? {} : { tokens: grantedTokens(server, secret) };
      const ask = { method: 'POST', path: '/domestic-vrps', scope: 'payments', headers, body, ...tokens } as const;
      const judge = (exchange: Exchange) => submitOutcome(exchange, instruction, resources.verify);
      return resources.exchange(ask).then(judge, withoutToken);
    },

    async payment(bankPaymentId): Promise<BankRecord> {
      const path = `/domestic-vrps/${encodeURIComponent(bankPaymentId)}`;
      const answer = answerOf(await resources.exchange({ method: 'GET', path, scope: 'payments', timeoutMs }));
      if (answer.status !== 200) {
        const fault = `the bank responded with ${answer.status} for ${bankPaymentId}`;
        throw UNKNOWN_ID.includes(answer.status) ? new UnknownToBank(fault) : new BankError('away', fault);
      }
      await resources.verify(answer);
      const { status, reason, returned, instructionId, bankPaymentId: reported } = readVrp(answer.body);
      if (reported !== bankPaymentId)
        throw new BankError('away', `the response of the bank is about a different payment from ${bankPaymentId}`);
      const instruction = instructionId === null ? null : paymentOfInstruction(instructionId);
      return { bankPaymentId, status, reason, returned, instruction };
    },
  };
}

/** Without a token, the bank never got the request. */
function withoutToken(error: unknown): SubmitOutcome {
  if (!(error instanceof BankError)) throw error;
  const { kind, message: detail, until = null } = error;
  return kind === 'reauthorise' || kind === 'ended'
    ? { kind: 'no-consent', detail }
    : { kind: 'not-accepted', detail, until };
}

/** Events of payments need the scope `payments`. A bank that only reads has the others. */
const eventScope = (traits: Traits): Scope => (isOffered(traits, 'payments') ? 'payments' : 'accounts');

function eventsAt({ entry, keys, resources, traits, timeoutMs }: Parts): Bank['events'] {
  let replies: EventReplies = { acknowledge: [], errors: {} };
  return async (request): Promise<BankEvent[]> => {
    const waits = request.waitMs > 0;
    const exchange = await resources.exchange({
      method: 'POST',
      path: '/events',
      scope: eventScope(traits),
      grouped: false,
      // Asks the bank to wait for an event. Banks may ignore this header.
      headers: waits ? { prefer: `wait=${Math.max(1, Math.floor(request.waitMs / 1000))}` } : {},
      body: pollRequest(request, replies),
      timeoutMs: waits ? request.waitMs + WAIT_GRACE_MS : timeoutMs,
    });
    if (waits && exchange.kind === 'lost' && exchange.timedOut) return [];
    const answer = answerOf(exchange);
    if (answer.status !== 200)
      throw new BankError('away', `the bank responded with ${answer.status} to a poll for events`);
    const read = await readEvents(answer.body, (token) => verifyEvent(token, entry.client_id, { keys }));
    replies = read.replies;
    return read.events;
  };
}

/** Polls for zero events, which tests TLS, the client certificate, the access token and the API. */
async function poll({ resources, traits }: Parts): Promise<void> {
  const body = JSON.stringify({ maxEvents: 0, returnImmediately: true });
  const scope = eventScope(traits);
  const { status } = await resources.ask({ method: 'POST', path: '/events', scope, grouped: false, body });
  if (status !== 200) throw new BankError('away', `the bank responded with ${status}`);
}
