import type { BankInstruction, SubmitOutcome } from '../../../domain/bank/payments.ts';
import { isDuplicate } from '../../../domain/payments.ts';
import { instructionIds } from './identifiers.ts';
import type { Answer, Exchange } from './transport.ts';
import { retryAfter } from '../values.ts';
import { readError, readVrp } from './vrp.ts';

/** @throws if the bank did not sign the response. */
export type VerifyAnswer = (answer: Answer) => Promise<void>;

const REQUEST_TIMEOUT = 408;
const CONFLICT = 409;
const TOO_MANY_REQUESTS = 429;
const UNAUTHORIZED = 401;
/** Status codes with which the bank itself rejects a request before it reads the payment instruction. */
const NOT_LOOKED_AT = [UNAUTHORIZED, 429, 503];
/** The consent is unknown, of another token, over, or the token may not be used. None of these says which. */
const NO_CONSENT = ['400 U008', '400 U009', '403 U028'];
const OVER_LIMIT = '400 U014';

/**
 * An unclear response is `unknown`: if it were treated as a refusal, the bill could be paid twice. So is a response that
 * the bank did not sign, because a gateway can send it after it has forwarded the instruction.
 */
export async function submitOutcome(
  exchange: Exchange,
  instruction: BankInstruction,
  verify: VerifyAnswer,
): Promise<SubmitOutcome> {
  if (exchange.kind === 'not-sent') return { kind: 'not-accepted', detail: exchange.detail, until: null };
  if (exchange.kind === 'lost') return { kind: 'unknown', detail: exchange.detail };
  const { status, body } = exchange;
  const unclear = (why: string): SubmitOutcome => ({
    kind: 'unknown',
    detail: `the bank responded with ${status}: ${why}`,
  });
  const notLookedAt = NOT_LOOKED_AT.includes(status);
  if (!notLookedAt && (status < 200 || (status >= 300 && status < 400) || status >= 500))
    return unclear('the outcome is not known');
  try {
    await verify(exchange);
  } catch (error) {
    return unclear(error instanceof Error ? error.message : 'the signature of the response cannot be checked');
  }
  const detail = `the bank responded with ${status}`;
  if (status === UNAUTHORIZED) return { kind: 'no-consent', detail };
  if (notLookedAt) return { kind: 'not-accepted', detail, until: untilIn(exchange) };
  if (status < 300) return accepted(body, instruction, unclear);
  const reason = readError(body);
  if (reason === null) return unclear('no reason given');
  if (status === REQUEST_TIMEOUT || status === CONFLICT || isDuplicate(reason.code)) return unclear(reason.code);
  const said = `${status} ${reason.code}`;
  if (said === OVER_LIMIT) return { kind: 'over-limit', detail };
  if (NO_CONSENT.includes(said)) return { kind: 'no-consent', detail };
  return { kind: 'refused', reason };
}

/** Banks name a time with 429. After a 503, the service chooses when to try again. */
function untilIn({ status, headers }: Answer): Date | null {
  return status === TOO_MANY_REQUESTS ? retryAfter(headers['retry-after']) : null;
}

function accepted(body: Buffer, instruction: BankInstruction, unclear: (why: string) => SubmitOutcome): SubmitOutcome {
  try {
    const payment = readVrp(body);
    const { instructionId } = instructionIds(instruction.paymentId, instruction.attempt);
    if (payment.instructionId !== instructionId) return unclear('the response is about a different instruction');
    if (payment.amount !== instruction.amount) return unclear('the response names a different amount');
    const { bankPaymentId, status, reason, returned } = payment;
    return { kind: 'accepted', bankPaymentId, status, reason, ...(returned && { returned }) };
  } catch (error) {
    return unclear(error instanceof Error ? error.message : 'the response cannot be read');
  }
}
