import { createPrivateKey, randomUUID, type X509Certificate } from 'node:crypto';
import type { Bank, BankEvent, BankInstruction, BankRecord } from '../../domain/bank.ts';
import type { BankConfig } from '../config.ts';
import { accessTokens, TokenUnavailable } from './access-token.ts';
import { pollRequest, readEvents, type EventReplies } from './events.ts';
import { instructionIds, paymentOfInstruction } from './identifiers.ts';
import { signMessage, verifyEvent, verifyMessage, type Signer } from './message-signing.ts';
import { submitOutcome, type VerifyAnswer } from './outcome.ts';
import { mutualTls, type Exchange } from './transport.ts';
import { readVrp, vrpRequest } from './vrp.ts';

interface ConnectionSettings extends Pick<BankConfig, 'tokenUrl' | 'eventsUrl' | 'clientId' | 'timeoutMs'> {
  /** PEM texts of the bank's CA, the service's client certificate, and the key of that certificate. */
  pem: { ca: string; cert: string; key: string };
}

export interface OpenBankingSettings extends BankConfig, ConnectionSettings {
  pem: ConnectionSettings['pem'] & { signingKey: string };
  bankSigningCertificates: readonly X509Certificate[];
}

/** The bank is unreachable, or sent an unexpected response. */
export class BankUnavailable extends Error {
  override readonly name = 'BankUnavailable';
}

/** The bank has no payment with the id. */
export class UnknownToBank extends BankUnavailable {}

type Answer = Extract<Exchange, { kind: 'answered' }>;

interface Call {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
}

const UNAUTHORIZED = 401;
/** Status codes with which banks respond to an unknown payment id. */
const UNKNOWN_ID = [400, 403, 404];
/** How many milliseconds longer than the requested time the bank may hold a poll open. */
const WAIT_GRACE_MS = 1000;

/** A client for UK Open Banking variable recurring payments v4.0. */
export function openBankingBank(config: OpenBankingSettings): Bank & { close(): Promise<void> } {
  const base = config.url.replace(/\/+$/, '');
  const eventsUrl = config.eventsUrl;
  const signer: Signer = {
    keyId: config.signingKeyId,
    issuer: config.signingIssuer,
    key: createPrivateKey(config.pem.signingKey),
  };
  const trusted = config.bankSigningCertificates;
  const verify: VerifyAnswer = ({ body, headers }) => verifyMessage(body, headers['x-jws-signature'], trusted);
  const connection = connect(config, new URL(config.tokenUrl));
  let replies: EventReplies = { acknowledge: [], errors: {} };

  return {
    async submitPayment(instruction: BankInstruction) {
      const body = vrpRequest(instruction, config.consentId);
      const headers = {
        'x-idempotency-key': instructionIds(instruction.paymentId, instruction.attempt).instructionId,
        'x-jws-signature': await signMessage(body, signer),
      };
      const url = `${base}/domestic-vrps`;
      const exchange = await connection.call({ method: 'POST', url, headers, body, timeoutMs: config.timeoutMs });
      return submitOutcome(exchange, instruction, verify);
    },

    async readPayment(bankPaymentId: string): Promise<BankRecord> {
      const url = `${base}/domestic-vrps/${encodeURIComponent(bankPaymentId)}`;
      const answer = answered(await connection.call({ method: 'GET', url, timeoutMs: config.timeoutMs }));
      if (answer.status !== 200) {
        const Failure = UNKNOWN_ID.includes(answer.status) ? UnknownToBank : BankUnavailable;
        throw new Failure(`the bank responded with ${answer.status} for ${bankPaymentId}`);
      }
      await verify(answer);
      const { status, reason, returned, instructionId, bankPaymentId: told } = readVrp(answer.body);
      if (told !== bankPaymentId)
        throw new BankUnavailable(`the response of the bank is about a different payment from ${bankPaymentId}`);
      const instruction = instructionId === null ? null : paymentOfInstruction(instructionId);
      return { bankPaymentId, status, reason, returned, instruction };
    },

    async pollEvents(request): Promise<BankEvent[]> {
      const waits = request.waitMs > 0;
      const exchange = await connection.call({
        method: 'POST',
        url: eventsUrl,
        // Asks the bank to wait for an event. Banks may ignore this header.
        headers: waits ? { prefer: `wait=${Math.max(1, Math.floor(request.waitMs / 1000))}` } : {},
        body: pollRequest(request, replies),
        timeoutMs: waits ? request.waitMs + WAIT_GRACE_MS : config.timeoutMs,
      });
      if (waits && exchange.kind === 'lost' && exchange.timedOut) return [];
      const answer = answered(exchange);
      if (answer.status !== 200)
        throw new BankUnavailable(`the bank responded with ${answer.status} to a poll for events`);
      const read = await readEvents(answer.body, (token) => verifyEvent(token, config.clientId, trusted));
      replies = read.replies;
      return read.events;
    },

    check: () => check(connection, config),
    close: () => connection.close(),
  };
}

export function openBankingProbe(config: ConnectionSettings): Pick<Bank, 'check'> & { close(): Promise<void> } {
  const connection = connect(config, new URL(config.tokenUrl));
  return { check: () => check(connection, config), close: () => connection.close() };
}

/** Polls for zero events, which tests TLS, the client certificate, the access token and the API. */
async function check(
  connection: Pick<ReturnType<typeof connect>, 'call'>,
  { eventsUrl: url, timeoutMs }: ConnectionSettings,
): Promise<void> {
  const body = JSON.stringify({ maxEvents: 0, returnImmediately: true });
  const { status } = answered(await connection.call({ method: 'POST', url, body, timeoutMs }));
  if (status !== 200) throw new BankUnavailable(`the bank responded with ${status}`);
}

function connect(config: ConnectionSettings, tokenUrl: URL) {
  const { ca, cert, key } = config.pem;
  const transport = mutualTls({ ca, cert, key }, config.timeoutMs);
  const tokens = accessTokens(transport, { tokenUrl, clientId: config.clientId, timeoutMs: config.timeoutMs });

  async function callWith(token: string, { method, url, headers, body, timeoutMs }: Call): Promise<Exchange> {
    const sent = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'x-fapi-interaction-id': randomUUID(),
      ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...headers,
    };
    return transport.exchange({ method, url: new URL(url), headers: sent, body: body ?? null, timeoutMs });
  }

  return {
    /** Retries once after a 401, because the bank then has not looked at the request. */
    async call(call: Call): Promise<Exchange> {
      try {
        const token = await tokens.current();
        const first = await callWith(token, call);
        if (first.kind !== 'answered' || first.status !== UNAUTHORIZED) return first;
        tokens.discard(token);
        return await callWith(await tokens.current(), call);
      } catch (error) {
        if (error instanceof TokenUnavailable) return { kind: 'not-sent', detail: error.message };
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

function answered(exchange: Exchange): Answer {
  if (exchange.kind === 'answered') return exchange;
  throw new BankUnavailable(`the bank does not respond: ${exchange.detail}`);
}
