import { ledgerFaults } from '../../infra/db/queries/ledger.ts';
import { countEntries, ledgerFaultsOf } from '../../infra/db/queries/verify.ts';
import { Findings, type Part } from './part.ts';

/** At most a hundred faults of each owner's sums and of the causes of movements. */
export const LEDGER: Part = {
  name: 'ledger',
  async find({ db }, { all, slice, verified, upto }) {
    const known = verified.ledger ?? 0;
    const rows = await db.many(all ? ledgerFaults() : ledgerFaultsOf(slice, known));
    const { entries } = await db.one(countEntries(all ? null : slice, known));
    const found = new Findings();
    found.mark = upto.ledger;
    found.add(
      entries,
      rows.map(({ fault, subject }) => ({ what: fault, id: subject })),
    );
    return found;
  },
};
