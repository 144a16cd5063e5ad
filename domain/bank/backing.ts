import { pence, type Pence } from '../money.ts';

interface Held {
  /** In vaults and the buffer. */
  ringFenced: number;
  /** What payments on their way took from vaults. */
  inFlight: number;
  /** The person's own money at the bank, which can be less than nothing. */
  bankBalance: number;
}

/** What is missing at the bank for everything that is set aside here. */
export function shortfallOf({ ringFenced, inFlight, bankBalance }: Held): Pence {
  return pence(Math.max(0, ringFenced + inFlight - bankBalance));
}
