import * as client from 'openid-client';
import { addDays, HOUR_MS, londonDateOf, startOfLondonDay } from '../../../domain/dates.ts';
import { causesOf, plainCode } from '../errors.ts';
import { BankError, type BankErrorKind } from '../interface.ts';
import { retryAfter } from '../values.ts';
import type { Answer } from './http.ts';
import { objectIn } from './json.ts';

/** By the error code alone. */
const KINDS: Readonly<Record<string, BankErrorKind>> = {
  invalid_grant: 'reauthorise',
  invalid_client: 'configuration',
  unauthorized_client: 'configuration',
  invalid_request: 'configuration',
  validation_error: 'configuration',
  invalid_date_range: 'range',
  provider_too_many_requests: 'wait',
  unattended_calls_limit_exceeded: 'wait',
};

/** By the status and the error code. `list`: what shows whether the consent is good, and not one account. */
function kindOf(status: number, code: string, { list }: { list: boolean }): BankErrorKind {
  if (status === 202) return 'not-final';
  if (status >= 500) return 'away';
  if (status === 403 && code === 'access_denied' && list) return 'reauthorise';
  if (status === 403 && code === 'sca_exceeded') return 'range';
  if (status === 404 && code === 'account_not_found') return 'account-gone';
  if (status === 429) return 'wait';
  return KINDS[code] ?? 'away';
}

/** What a response means that is no success. */
export function errorOf(answer: Answer, asked: { list: boolean }): BankError {
  const code = codeIn(answer);
  const kind = kindOf(answer.status, code, asked);
  const fault = `the provider responded with ${answer.status} ${code}`;
  return new BankError(kind, fault, kind === 'wait' ? { until: waitUntil(answer, code) } : {});
}

/** The error code, if the response has one of the usual form. */
export function codeIn({ text }: Answer): string {
  return plainCode(objectIn(text)?.['error']);
}

function waitUntil({ headers }: Answer, code: string): Date {
  const now = Date.now();
  const said = retryAfter(headers['retry-after']);
  if (said !== null) return said;
  if (code !== 'unattended_calls_limit_exceeded') return new Date(now + HOUR_MS);
  return startOfLondonDay(addDays(londonDateOf(new Date(now)), 1));
}

/** What an error of `openid-client` means. Its message and causes can hold a token, so they are left out. */
export function asBankError(error: unknown): BankError {
  const causes = causesOf(error);
  const known = causes.find((each) => each instanceof BankError);
  if (known instanceof BankError) return known;
  if (error instanceof client.WWWAuthenticateChallengeError)
    return new BankError('configuration', `the provider refuses this service's credentials with ${error.status}`);
  if (!(error instanceof client.ResponseBodyError))
    return new BankError('away', 'the provider answers a request for a token as no such server does');
  const code = plainCode(error.error);
  return new BankError(KINDS[code] ?? 'away', `the provider refuses a request for a token: ${code}`);
}
