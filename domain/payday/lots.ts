import { move, type Leg } from '../ledger.ts';
import type { Pence } from '../money.ts';

/** Moves money within one vault, from several of its lots into one: a payment takes its money from one lot. */
export function gatherLegs(amount: Pence, vaultId: string): Leg[] {
  return move(
    amount,
    { account: 'vault', vaultId, kind: 'transfer_out' },
    { account: 'vault', vaultId, kind: 'transfer_in' },
  );
}
