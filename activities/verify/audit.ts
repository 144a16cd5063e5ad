import { eventFaults, headFaults, strangeNumbers, type HeadsRow } from '../../infra/db/queries/verify.ts';
import { Findings, SLICES, type Part, type Scope, type VerifyNeeds } from './part.ts';

/** So many numbers make a block. Blocks of old events take turns. */
const BLOCK = 2_000;
const HEADS = 5_000;

/** Recomputes the hash of each event, and that each chain has no gap and ends where it should. */
export const AUDIT: Part = {
  name: 'audit',
  async find(needs, scope) {
    const found = new Findings();
    found.mark = scope.upto.audit;
    for (const [after, upto] of blocksOf(scope)) {
      const { checked, faults } = await needs.db.one(eventFaults(after, upto));
      found.add(checked, faults);
    }
    found.add(0, await needs.db.many(strangeNumbers()));
    await checkHeads(needs, scope, found);
    return found;
  },
};

/** The blocks of what is new, and of the slice of what is old. */
function* blocksOf({ all, slice, verified, upto }: Scope): Iterable<[after: number, upto: number]> {
  const known = all ? 0 : Math.min(verified.audit ?? 0, upto.audit);
  for (let block = slice; !all && block * BLOCK < known; block += SLICES)
    yield [block * BLOCK, Math.min((block + 1) * BLOCK, known)];
  for (let after = known; after < upto.audit; after += BLOCK) yield [after, Math.min(after + BLOCK, upto.audit)];
}

async function checkHeads({ db, keys }: VerifyNeeds, { all, slice }: Scope, found: Findings): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    const page: HeadsRow = await db.one(headFaults(after, all ? null : slice, HEADS));
    // A subject can be an id that a caller chose, so only its keyed hash is shown.
    const ids = page.missing.map((subject) => keys.blindIndex('audit subject', subject));
    found.add(
      0,
      ids.map((id) => ({ what: 'the last event of a chain is missing', id })),
    );
    after = page.next;
  }
}
