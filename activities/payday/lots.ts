import { drawFrom } from '../../domain/ledger.ts';
import { least, pence, sum, type Pence } from '../../domain/money.ts';
import { gatherLegs } from '../../domain/payday/lots.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import { post } from '../../infra/db/queries/ledger.ts';
import { lotWith, oldestLots } from '../../infra/db/queries/payday.ts';
import type { Services } from '../../infra/services.ts';
import { movedBy } from '../ledger.ts';

interface Wanted {
  vaultId: string;
  /** The vault holds so much. */
  amount: number;
  at: Date;
}

/**
 * A payment takes its money from one lot: the oldest that holds enough, else one into which the oldest are gathered. One
 * movement takes a limited number of lots, so there can be several.
 */
export async function oneLot(owner: LockedOwner, services: Pick<Services, 'newId'>, { vaultId, amount, at }: Wanted) {
  for (;;) {
    const lot = await owner.tx.maybe(lotWith(vaultId, amount));
    if (lot) return lot;
    const lots = (await owner.tx.many(oldestLots(vaultId, amount))).map(({ allocation_id, available }) => ({
      allocationId: allocation_id,
      available: pence(available),
    }));
    const taken: Pence = least(pence(amount), sum(lots.map(({ available }) => available)));
    const moved = movedBy(owner, services, {
      ...{ kind: 'transfer', subjectId: services.newId('tra'), at, legs: gatherLegs(taken, vaultId) },
      newAllocations: [{ allocationId: services.newId('alloc'), vaultId, source: 'transfer', amount: taken }],
      allocationChanges: drawFrom(lots, taken),
    });
    await owner.run(post(moved));
  }
}
