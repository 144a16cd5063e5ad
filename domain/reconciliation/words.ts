import { isNamedIn, normalisedName } from '../bank/names.ts';

/** What a booking of the payment says, as people compare names. Blank is null. */
export interface PaymentWords {
  reference: string | null;
  payee: string | null;
}

export interface BookingTexts {
  counterparty: string | null;
  reference: string | null;
}

export function paymentWords(reference: string | null, payee: string | null): PaymentWords {
  const orNull = (text: string | null) => (text === null ? null : normalisedName(text) || null);
  return { reference: orNull(reference), payee: orNull(payee) };
}

/**
 * Which payments, by their keys, a booking with these texts can be, or, as a credit, can return. Of a debit, the payee's name
 * counts only where the payment has no reference.
 */
export function paymentsSaid(
  amount: number,
  { counterparty, reference }: BookingTexts,
  payments: ReadonlyMap<string, PaymentWords>,
): Set<string> {
  const texts = [counterparty, reference].filter((text) => text !== null).map(normalisedName);
  const contains = (words: string) => texts.some((text) => text.includes(words));
  const names = new Map<string, boolean>();
  const namesPayee = (payee: string) => {
    const known =
      names.get(payee) ?? (amount < 0 ? [counterparty ?? ''] : texts).some((text) => isNamedIn(payee, text));
    names.set(payee, known);
    return known;
  };
  const isSaid = (words: PaymentWords) => {
    if (words.reference !== null && contains(words.reference)) return true;
    if (words.payee === null || (amount < 0 && words.reference !== null)) return false;
    return namesPayee(words.payee);
  };
  return new Set([...payments].filter(([, words]) => isSaid(words)).map(([key]) => key));
}
