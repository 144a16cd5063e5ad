import type { BankInstruction, SubmitOutcome } from '../../domain/bank.ts';
import { instructionIds } from './identifiers.ts';
import type { Exchange } from './transport.ts';
import { readError, readVrp } from './vrp.ts';

/** Checks who signed a body. @throws when it was not the bank. */
export type VerifyAnswer = (answer: Extract<Exchange, { kind: 'answered' }>) => Promise<void>;

const REQUEST_TIMEOUT = 408;
const CONFLICT = 409;
/** No token taken, too many requests, out of service: answers given before an instruction is looked at. */
const NOT_LOOKED_AT = [401, 429, 503];
/**
 * Reasons that say "I have this one already". The earlier one may have moved money, so they are no refusal.
 * Source: OBExternalStatusReason1Code of the Open Banking code sets.
 */
const DUPLICATE = ['U013', 'U029', 'AM05', 'DS15', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'DUPL', '1181'];

/**
 * What an exchange of POST /domestic-vrps says about this one submission. Whatever is not clear is `unknown`:
 * taking an unclear answer for a refusal would pay a bill and give its money back as well.
 */
export async function submitOutcome(
  exchange: Exchange,
  instruction: BankInstruction,
  verify: VerifyAnswer,
): Promise<SubmitOutcome> {
  if (exchange.kind === 'not-sent') return { kind: 'not-accepted', detail: exchange.detail };
  if (exchange.kind === 'lost') return { kind: 'unknown', detail: exchange.detail };
  const { status, body } = exchange;
  if (NOT_LOOKED_AT.includes(status)) return { kind: 'not-accepted', detail: `the bank answered ${status}` };
  const unclear = (why: string): SubmitOutcome => ({ kind: 'unknown', detail: `the bank answered ${status}: ${why}` });
  if (status < 200 || (status >= 300 && status < 400) || status >= 500) return unclear('the outcome is not known');
  try {
    await verify(exchange);
  } catch (error) {
    return unclear(error instanceof Error ? error.message : 'its signature cannot be checked');
  }
  if (status < 300) return accepted(body, instruction, unclear);
  const reason = readError(body);
  if (reason === null) return unclear('without a reason');
  if (status === REQUEST_TIMEOUT || status === CONFLICT || DUPLICATE.includes(reason.code)) return unclear(reason.code);
  return { kind: 'refused', reason };
}

function accepted(body: Buffer, instruction: BankInstruction, unclear: (why: string) => SubmitOutcome): SubmitOutcome {
  try {
    const payment = readVrp(body);
    const { instructionId } = instructionIds(instruction.paymentId, instruction.attempt);
    if (payment.instructionId !== instructionId) return unclear('it is about another instruction');
    if (payment.amount !== instruction.amount) return unclear('it names another amount');
    const { bankPaymentId, status, reason, returned } = payment;
    return { kind: 'accepted', bankPaymentId, status, reason, ...(returned && { returned }) };
  } catch (error) {
    return unclear(error instanceof Error ? error.message : 'it cannot be read');
  }
}
