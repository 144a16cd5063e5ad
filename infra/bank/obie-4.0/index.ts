import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Bank, BankEvent, BankInstruction, BankRecord } from '../../../domain/bank/payments.ts';
import type { BankConfig, ConfigOf } from '../../config/index.ts';
import { certificatesIn } from '../../keys/certificates.ts';
import { accessTokens, TokenUnavailable } from './access-token.ts';
import { pollRequest, readEvents, type EventReplies } from './events.ts';
import { instructionIds, paymentOfInstruction } from './identifiers.ts';
import { signMessage, verifyEvent, verifyMessage, type Signer } from './message-signing.ts';
import { submitOutcome, type VerifyAnswer } from './outcome.ts';
import { mutualTls, type Answer, type BankRequest, type Exchange } from './transport.ts';
import { readVrp, vrpRequest } from './vrp.ts';

/** The bank is unreachable, or sent an unexpected response. */
export class BankUnavailable extends Error {
  override readonly name = 'BankUnavailable';
}

/** The bank has no payment with the id. */
export class UnknownToBank extends BankUnavailable {}

type ProbeConfig = ConfigOf<'bank'>['bank'];

interface Closable {
  close(): Promise<void>;
}

const UNAUTHORIZED = 401;
/** Status codes with which banks respond to an unknown payment id. */
const UNKNOWN_ID = [400, 403, 404];
/** How many milliseconds longer than the requested time the bank may hold a poll open. */
const WAIT_GRACE_MS = 1000;

/** A client for UK Open Banking variable recurring payments v4.0. */
export async function openBank(config: BankConfig): Promise<Bank & Closable> {
  const { url: base, eventsUrl, serverSigningCertificate: signedBy } = config;
  const connection = await connect(config);
  const signer: Signer = {
    keyId: config.signingKeyId,
    issuer: config.signingIssuer,
    key: createPrivateKey(await readFile(config.signingKey, 'utf8')),
  };
  const trusted = certificatesIn(await readFile(signedBy, 'utf8'));
  if (trusted.length === 0) throw new Error(`${signedBy} contains no certificate`);
  const verify: VerifyAnswer = ({ body, headers }) => verifyMessage(body, headers['x-jws-signature'], trusted);
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
      const { status, reason, returned, instructionId, bankPaymentId: reported } = readVrp(answer.body);
      if (reported !== bankPaymentId)
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

/** Needs no signing keys. */
export async function openBankProbe(config: ProbeConfig): Promise<Pick<Bank, 'check'> & Closable> {
  const connection = await connect(config);
  return { check: () => check(connection, config), close: () => connection.close() };
}

/** Polls for zero events, which tests TLS, the client certificate, the access token and the API. */
async function check({ call }: Connection, { eventsUrl: url, timeoutMs }: ProbeConfig): Promise<void> {
  const body = JSON.stringify({ maxEvents: 0, returnImmediately: true });
  const { status } = answered(await call({ method: 'POST', url, body, timeoutMs }));
  if (status !== 200) throw new BankUnavailable(`the bank responded with ${status}`);
}

type Connection = Awaited<ReturnType<typeof connect>>;

async function connect(config: ProbeConfig) {
  const files = [config.tls.ca, config.tls.cert, config.tls.key];
  const [ca, cert, key] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const transport = mutualTls({ ca: ca!, cert: cert!, key: key! }, config.timeoutMs);
  const tokens = accessTokens(transport, config);

  async function callWith(token: string, request: BankRequest): Promise<Exchange> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'x-fapi-interaction-id': randomUUID(),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...request.headers,
    };
    return transport.exchange({ ...request, headers });
  }

  return {
    /** Retries once after a 401, because the bank then has not looked at the request. */
    async call(request: BankRequest): Promise<Exchange> {
      try {
        const token = await tokens.current();
        const first = await callWith(token, request);
        if (first.kind !== 'answered' || first.status !== UNAUTHORIZED) return first;
        tokens.discard(token);
        return await callWith(await tokens.current(), request);
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
