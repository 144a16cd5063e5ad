import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BankEvent, BankRecord } from '../../../domain/bank/payments.ts';
import type { BankConfig } from '../../config/index.ts';
import { certificatesIn } from '../../keys/certificates.ts';
import { BankError, UnknownToBank, type Bank, type Traits } from '../interface.ts';
import { accessTokens, TokenUnavailable } from './access-token.ts';
import { pollRequest, readEvents, type EventReplies } from './events.ts';
import { instructionIds, paymentOfInstruction } from './identifiers.ts';
import { signMessage, verifyEvent, verifyMessage, type Signer } from './message-signing.ts';
import { submitOutcome, type VerifyAnswer } from './outcome.ts';
import { mutualTls, type Answer, type BankRequest, type Exchange } from './transport.ts';
import { readVrp, vrpRequest } from './vrp.ts';

const UNAUTHORIZED = 401;
/** Status codes with which banks respond to an unknown payment id. */
const UNKNOWN_ID = [400, 403, 404];
/** How many milliseconds longer than the requested time the bank may hold a poll open. */
const WAIT_GRACE_MS = 1000;

const TRAITS: Traits = {
  reads: false,
  pays: {},
  reconfirm: 'local',
  reauthorise: 'same',
  freshDays: 396,
  laterDays: 90,
  unattendedPerDay: 4,
  events: true,
};

/** A client for UK Open Banking variable recurring payments v4.0. */
export async function openBank(config: BankConfig): Promise<Bank> {
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

  const noJourneys = () => Promise.reject(new BankError('configuration', 'this bank takes no connections'));
  return {
    traits: TRAITS,
    institutions: () => Promise.resolve([]),
    begin: noJourneys,
    finish: noJourneys,
    look: noJourneys,
    end: noJourneys,
    async *diagnose() {},
    async pay({ consentRef }, instruction) {
      const body = vrpRequest(instruction, consentRef);
      const headers = {
        'x-idempotency-key': instructionIds(instruction.paymentId, instruction.attempt).instructionId,
        'x-jws-signature': await signMessage(body, signer),
      };
      const url = `${base}/domestic-vrps`;
      const exchange = await connection.call({ method: 'POST', url, headers, body, timeoutMs: config.timeoutMs });
      return submitOutcome(exchange, instruction, verify);
    },

    async payment(bankPaymentId: string): Promise<BankRecord> {
      const url = `${base}/domestic-vrps/${encodeURIComponent(bankPaymentId)}`;
      const answer = answered(await connection.call({ method: 'GET', url, timeoutMs: config.timeoutMs }));
      if (answer.status !== 200) {
        const fault = `the bank responded with ${answer.status} for ${bankPaymentId}`;
        throw UNKNOWN_ID.includes(answer.status) ? new UnknownToBank(fault) : new BankError('away', fault);
      }
      await verify(answer);
      const { status, reason, returned, instructionId, bankPaymentId: reported } = readVrp(answer.body);
      if (reported !== bankPaymentId)
        throw new BankError('away', `the response of the bank is about a different payment from ${bankPaymentId}`);
      const instruction = instructionId === null ? null : paymentOfInstruction(instructionId);
      return { bankPaymentId, status, reason, returned, instruction };
    },

    async events(request): Promise<BankEvent[]> {
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
        throw new BankError('away', `the bank responded with ${answer.status} to a poll for events`);
      const read = await readEvents(answer.body, (token) => verifyEvent(token, config.clientId, trusted));
      replies = read.replies;
      return read.events;
    },

    check: () => check(connection, config),
    close: () => connection.close(),
  };
}

/** Polls for zero events, which tests TLS, the client certificate, the access token and the API. */
async function check({ call }: Connection, { eventsUrl: url, timeoutMs }: BankConfig): Promise<void> {
  const body = JSON.stringify({ maxEvents: 0, returnImmediately: true });
  const { status } = answered(await call({ method: 'POST', url, body, timeoutMs }));
  if (status !== 200) throw new BankError('away', `the bank responded with ${status}`);
}

type Connection = Awaited<ReturnType<typeof connect>>;

async function connect(config: BankConfig) {
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
  throw new BankError('away', `the bank does not respond: ${exchange.detail}`);
}
