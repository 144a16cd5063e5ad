import * as client from 'openid-client';
import { causesOf, plainCode } from '../errors.ts';
import { BankError } from '../interface.ts';
import { retryAfter } from '../values.ts';
import type { Answer, Exchange } from './transport.ts';

/** No response arrived. `mayHaveArrived` is false if no byte of the request was sent. */
export class Unanswered extends BankError {
  readonly mayHaveArrived: boolean;

  constructor(exchange: Exclude<Exchange, Answer>) {
    super('away', `the bank does not respond: ${exchange.detail}`);
    this.mayHaveArrived = exchange.kind === 'lost';
  }
}

const TOO_MANY_REQUESTS = 429;
const REQUEST_TIMEOUT = 408;
const WAIT_WHEN_UNSAID_MS = 60_000;

/** @throws BankError unless the API itself answered, even if with a refusal. */
export function answerOf(exchange: Exchange): Answer {
  if (exchange.kind !== 'answered') throw new Unanswered(exchange);
  const { status, headers } = exchange;
  const fault = `the bank responded with ${status}`;
  if (status === TOO_MANY_REQUESTS)
    throw new BankError('wait', fault, {
      until: retryAfter(headers['retry-after']) ?? new Date(Date.now() + WAIT_WHEN_UNSAID_MS),
    });
  if (status === REQUEST_TIMEOUT || status >= 500 || (status >= 300 && status < 400))
    throw new BankError('away', fault);
  return exchange;
}

const TRANSIENT = ['server_error', 'temporarily_unavailable'];

/** What an error of `openid-client` means. Its message and causes can hold claims of a person, so they are left out. */
export function asBankError(error: unknown): BankError {
  const known = causesOf(error).find((each) => each instanceof BankError);
  if (known instanceof BankError) return known;
  if (error instanceof client.ResponseBodyError) {
    const code = plainCode(error.error);
    if (code === 'invalid_grant') return new BankError('reauthorise', 'the bank no longer accepts the grant');
    const kind = TRANSIENT.includes(code) ? 'away' : 'configuration';
    return new BankError(kind, `the bank refuses this service's request for a token: ${code}`);
  }
  if (error instanceof client.WWWAuthenticateChallengeError)
    return new BankError('configuration', `the bank refuses this service's credentials with ${error.status}`);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  const fault = `the authorization server of the bank answers what no such server answers: ${code}`;
  return new BankError(code.startsWith('ERR_') || code === ISSUER_DIFFERS ? 'configuration' : 'away', fault);
}

const ISSUER_DIFFERS = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
