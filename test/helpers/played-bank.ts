import type { BankEvent, BankInstruction, BankPayment, BankRecord, SubmitOutcome } from '../../domain/bank/payments.ts';
import type { Bank } from '../../infra/bank/interface.ts';
import { silentBank } from './banks.ts';

/** A bank whose responses a test sets, because the sandbox bank cannot give every response on demand. */
export interface PlayedBank extends Bank {
  /** The outcomes of the next submissions; the last outcome repeats. */
  answers: SubmitOutcome[];
  /** What `payment` returns. */
  says: Omit<BankPayment, 'bankPaymentId'> & Partial<Pick<BankRecord, 'instruction'>>;
  submitted: BankInstruction[];
  reported: BankEvent[];
}

export function playedBank(): PlayedBank {
  const bank: PlayedBank = {
    ...silentBank(),
    answers: [],
    says: { status: 'ACSP', reason: null, returned: null },
    submitted: [],
    reported: [],
    pay(_access, instruction) {
      bank.submitted.push(instruction);
      const answer = bank.answers.length > 1 ? bank.answers.shift() : bank.answers[0];
      const outcome: SubmitOutcome = answer ?? {
        kind: 'accepted',
        bankPaymentId: bankIdOf(instruction),
        status: 'ACSP',
        reason: null,
      };
      remember(bank, outcome);
      return Promise.resolve(outcome);
    },
    payment: (bankPaymentId) => Promise.resolve({ bankPaymentId, instruction: null, ...bank.says }),
    events: () => Promise.resolve(bank.reported),
    check: () => Promise.resolve(),
  };
  return bank;
}

/** Makes `payment` agree with the outcome of a submission. */
export function remember(bank: PlayedBank, outcome: SubmitOutcome): void {
  if (outcome.kind !== 'accepted') return;
  bank.says = { status: outcome.status, reason: outcome.reason, returned: outcome.returned ?? null };
}

export function bankIdOf({ paymentId, attempt }: { paymentId: string; attempt: number }): string {
  return `vrp-${paymentId}-${attempt}`;
}
