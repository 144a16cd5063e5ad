import * as z from 'zod';
import { AMOUNT_FIELDS, REVIEW_REASONS, type AmountField, type ReadOutcome } from '../../domain/legacy/reading.ts';
import type { Pence } from '../../domain/money.ts';
import type { Reply } from './messages.ts';

/* A file may have taken over the process that reads it, so what that process says is checked. */

const MOST_TEXT = 1_000;

const text = z.string().max(MOST_TEXT);
const field = <T extends z.ZodType>(value: T) =>
  z.strictObject({ value, confidence: z.number().min(0).max(1), page: z.int().positive() }).nullable();
const amount = field(z.int().transform((value) => value as Pence));
const amounts = Object.fromEntries(AMOUNT_FIELDS.map((name) => [name, amount])) as Record<AmountField, typeof amount>;

const reading = z.strictObject({
  ...amounts,
  document_type: z.enum(['payslip', 'p60', 'p45']),
  employer_name: field(text),
  pay_period: field(text),
  pay_date: field(z.iso.date()),
  tax_year: field(text),
  tax_code: field(text),
  paye_reference: field(text),
  ni_number: field(text),
  checks: z
    .array(
      z.strictObject({
        name: z.enum(['net-is-gross-less-deductions', 'deductions-add-up', 'year-to-date-covers-period']),
        holds: z.boolean().nullable(),
      }),
    )
    .max(MOST_TEXT),
  pension_doubted: z.boolean().exactOptional(),
  register_likely: z.boolean().exactOptional(),
  confidence: z.number().min(0).max(1),
  review_reasons: z.array(z.enum(REVIEW_REASONS)).max(REVIEW_REASONS.length),
});

const outcome: z.ZodType<ReadOutcome> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('read'),
    reading,
    pages_read: z.int().nonnegative(),
    by: z.enum(['text', 'ocr', 'both']),
  }),
  z.strictObject({
    kind: z.literal('failed'),
    code: z.enum(['unreadable', 'encrypted-pdf', 'no-payslip-found', 'document-too-complex']),
    detail: text,
  }),
]);

const fault = z.strictObject({ name: text, at: z.string().max(10 * MOST_TEXT) });

/** What a reading process sends. */
const message: z.ZodType<Reply> = z.union([
  z.strictObject({ began: z.literal(true) }),
  z.strictObject({ pictures: z.literal(true) }),
  z.strictObject({ soFar: outcome }),
  z.strictObject({ outcome }),
  z.strictObject({ fault }),
]);

/** A fault in place of what no reading process sends by itself. */
export function replyIn(received: unknown): Reply {
  return message.safeParse(received).data ?? { fault: { name: 'BadReply', at: '' } };
}

/** What the reading service sends, with the faults of its processes. */
export const serviceReply = z.strictObject({ outcome, faults: z.array(fault).max(MOST_TEXT) });
