const PAYMENT_ID = /^pay_([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;
const INSTRUCTION_ID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-([1-9]\d?)$/;

/**
 * Derived from the payment and the attempt, so that a retry after a crash sends the same ids.
 * - `instructionId`: `x-idempotency-key` and InstructionIdentification, at most 35 characters.
 * - `endToEndId`: EndToEndIdentification, at most 28 alphanumeric characters. Faster Payments accepts up to 31.
 */
export function instructionIds(paymentId: string, attempt: number) {
  const uuid = PAYMENT_ID.exec(paymentId)?.slice(1).join('');
  if (uuid === undefined) throw new RangeError(`${paymentId} is not a payment id`);
  if (!Number.isInteger(attempt) || attempt < 1 || attempt > 99)
    throw new RangeError(`attempt ${attempt} is not a number from 1 to 99`);
  const compact = BigInt(`0x${uuid}`).toString(36).toUpperCase().padStart(25, '0');
  return { instructionId: `${uuid}-${attempt}`, endToEndId: `${compact}A${attempt}` };
}

export function paymentOfInstruction(instructionId: string): { paymentId: string; attempt: number } | null {
  const parts = INSTRUCTION_ID.exec(instructionId);
  if (parts === null) return null;
  return { paymentId: `pay_${parts.slice(1, 6).join('-')}`, attempt: Number(parts[6]) };
}

const END_TO_END_ID = /(?<![0-9A-Z])([0-9A-Z]{25})A[1-9]\d?(?![0-9A-Z])/gi;
const INSTRUCTION_IDS = /(?<![0-9a-f])[0-9a-f]{32}-[1-9]\d?(?!\d)/gi;

/** The payments of this service that a text names, such as one of a bank statement. */
export function paymentsNamedIn(text: string): string[] {
  const byInstruction = [...text.matchAll(INSTRUCTION_IDS)].map(
    ([id]) => paymentOfInstruction(id.toLowerCase())?.paymentId,
  );
  const byEndToEnd = [...text.matchAll(END_TO_END_ID)].map(([, compact]) => paymentOfCompact(compact!.toUpperCase()));
  return [...new Set([...byInstruction, ...byEndToEnd].filter((id) => id !== undefined))];
}

function paymentOfCompact(compact: string): string | undefined {
  let number = 0n;
  for (const digit of compact) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  const hex = number.toString(16).padStart(32, '0');
  return paymentOfInstruction(`${hex}-1`)?.paymentId;
}
