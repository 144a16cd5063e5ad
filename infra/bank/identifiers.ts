/** The names one attempt at one payment carries at the bank. All are derived, so a repetition after a crash says the same. */
export interface InstructionIds {
  /** `x-idempotency-key` and InstructionIdentification: 32 hexadecimal digits, a dash, the attempt; at most 35 characters. */
  instructionId: string;
  /** EndToEndIdentification, alphanumeric, at most 28 characters: Faster Payments carries no more than 31. */
  endToEndId: string;
}

const PAYMENT_ID = /^pay_([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;
const INSTRUCTION_ID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-([1-9]\d?)$/;

/** @throws RangeError when the payment id is not `pay_` and a UUID, or the attempt is not 1 to 99. */
export function instructionIds(paymentId: string, attempt: number): InstructionIds {
  const uuid = PAYMENT_ID.exec(paymentId)?.slice(1).join('');
  if (uuid === undefined) throw new RangeError(`${paymentId} is not a payment id`);
  if (!Number.isInteger(attempt) || attempt < 1 || attempt > 99)
    throw new RangeError(`attempt ${attempt} is not 1 to 99`);
  const compact = BigInt(`0x${uuid}`).toString(36).toUpperCase().padStart(25, '0');
  return { instructionId: `${uuid}-${attempt}`, endToEndId: `${compact}A${attempt}` };
}

/** The payment and attempt that an InstructionIdentification of ours names; null when it is not one of ours. */
export function paymentOfInstruction(instructionId: string): { paymentId: string; attempt: number } | null {
  const parts = INSTRUCTION_ID.exec(instructionId);
  if (parts === null) return null;
  return { paymentId: `pay_${parts.slice(1, 6).join('-')}`, attempt: Number(parts[6]) };
}
