import { pence } from '../../domain/money.ts';
import type { Standing } from '../../domain/yield.ts';
import { manyForAll, type Locked } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/yield.ts';
import type { InterestWanted, OpenVault, PostedRow, StandingRow } from '../../infra/db/queries/yield.ts';
import type { Services } from '../../infra/services.ts';

export type YieldServices = Pick<Services, 'db' | 'clock' | 'keys' | 'newId' | 'log'>;

export function standingOf(row: StandingRow): Standing {
  return {
    from: row.accrued_to ?? row.made_on,
    carried: row.carried,
    balance: pence(row.balance),
    earned: pence(row.earned),
    changes: row.changes.map(([day, amount, firstSeq]) => ({ day, amount: pence(amount), firstSeq })),
    nextSeq: row.next_seq,
  };
}

/** The database calculates the interest, so that nobody with the service's role can invent any. */
export async function postInterest(vaults: readonly Locked<OpenVault>[], wanted: InterestWanted): Promise<PostedRow[]> {
  const [first, ...others] = vaults.map(({ owner }) => owner);
  return first === undefined ? [] : manyForAll([first, ...others], queries.postInterest(vaults, wanted));
}
