import { eventsBySeq } from '../../infra/db/queries/verify.ts';
import { witnessed } from '../../infra/db/queries/witness.ts';
import type { ConfigOf } from '../../infra/config/index.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { readCheckpointKey, type CheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import {
  checkpointNames,
  hashOfLine,
  headsOf,
  isSignedBy,
  numberOf,
  signedLineOf,
  type HeadLine,
  type Signed,
} from '../../infra/witness/checkpoint.ts';
import { openFolder, type WitnessFolder } from '../../infra/witness/folder.ts';
import { Findings, SLICES, type Fault, type Part, type VerifyNeeds } from './part.ts';

const PAGE = 5_000;

/** Checks the signed lines of all checkpoints, and compares the chains with those that are new or take their turn. */
export const CHECKPOINTS: Part = {
  name: 'checkpoints',
  async find(needs, { all, slice, verified }) {
    const { folder: path, keyFile } = needs.config.witness;
    const found = new Findings();
    if (path === undefined) {
      found.skipped = 'CHECKPOINTS is not set, so nothing was compared with checkpoints.';
      return found;
    }
    const folder = openFolder(path);
    if ((await checkpointNames(folder)).length === 0) {
      found.skipped = 'CHECKPOINTS has no checkpoint yet, so nothing was compared with checkpoints.';
      return found;
    }
    const { identity } = await needs.db.one(witnessed());
    const { chain, faults } = await signedLines(folder, { identity, key: await readCheckpointKey(keyFile) });
    found.add(0, faults);
    const restores = chain.at(-1)?.restores ?? [];
    let left = 0;
    for (const one of chain) {
      found.mark = one.number;
      if (!all && one.number <= (verified.checkpoints ?? 0) && one.number % SLICES !== slice) continue;
      if (restores.some(({ number, backup_at }) => backup_at !== null && one.number < number && one.at > backup_at))
        left += 1;
      else await compare(needs, folder, one, found);
    }
    // Somebody who can write to the database can make a restore up, so an operator has to know each one.
    const ids = restores.flatMap(({ restore_id, backup_at }) => (backup_at === null ? [] : [restore_id]));
    if (left > 0) found.skipped = `${left} checkpoints were not compared, because of restores: ${ids.join(', ')}.`;
    return found;
  },
};

export type BehindNeeds = Pick<VerifyNeeds, 'keys'> & {
  db: Pick<Queries, 'many' | 'one'>;
  config: Pick<ConfigOf<'witness'>, 'witness'>;
};

/**
 * The faults of the chains in the newest checkpoint, which has those that changed in its hour. Needs no private key, so
 * it does not check the signature. Empty without a folder or without a checkpoint.
 */
export async function chainsBehind(needs: BehindNeeds): Promise<Fault[]> {
  const { folder: path } = needs.config.witness;
  if (path === undefined) return [];
  const folder = openFolder(path);
  const name = (await checkpointNames(folder)).at(-1);
  if (name === undefined) return [];
  const newest = await signedLineOf(folder, name);
  const found = new Findings();
  if (newest === undefined) return [{ what: 'checkpoint has no signed line', id: name }];
  await compare(needs, folder, newest, found);
  return found.faults;
}

interface Signer {
  /** Of the database. */
  identity: string;
  key: CheckpointKey;
}

/** The signed lines, in order, and what is wrong with them. */
async function signedLines(folder: WitnessFolder, by: Signer): Promise<{ chain: Signed[]; faults: Fault[] }> {
  const chain: Signed[] = [];
  const faults: Fault[] = [];
  let number = 0;
  for (const name of await checkpointNames(folder)) {
    number += 1;
    for (; number < numberOf(name)!; number += 1) faults.push({ what: 'checkpoint is missing', id: String(number) });
    const signed = await signedLineOf(folder, name);
    const what = signed === undefined ? 'checkpoint has no signed line' : await lineFault(signed, number, by, chain);
    if (what !== undefined) faults.push({ what, id: name });
    if (signed !== undefined) chain.push(signed);
  }
  return { chain, faults };
}

async function lineFault(signed: Signed, number: number, { identity, key }: Signer, chain: readonly Signed[]) {
  if (!(await isSignedBy(key, signed.line))) return 'checkpoint is not signed by this service';
  if (signed.deployment !== identity) return 'checkpoint is of another database';
  if (signed.number !== number) return 'checkpoint has another number than its file';
  const before = chain.at(-1);
  const follows = signed.previous === (before === undefined ? null : hashOfLine(before.line));
  return follows ? undefined : 'checkpoint does not follow the one before it';
}

async function compare(
  needs: Omit<BehindNeeds, 'config'>,
  folder: WitnessFolder,
  signed: Signed,
  found: Findings,
): Promise<void> {
  const lines = headsOf(folder, signed);
  for (;;) {
    const page: HeadLine[] = [];
    let unreadable = 0;
    let next: IteratorResult<HeadLine | undefined, boolean> | undefined;
    while (page.length < PAGE && (next = await lines.next()).done !== true) {
      if (next.value === undefined) unreadable += 1;
      else page.push(next.value);
    }
    found.add(page.length, await pageFaults(needs, signed.name, page));
    if (next?.done === true) {
      if (!next.value || unreadable > 0) found.add(0, [{ what: 'checkpoint was changed', id: signed.name }]);
      return;
    }
  }
}

async function pageFaults({ db, keys }: Omit<BehindNeeds, 'config'>, name: string, page: readonly HeadLine[]) {
  if (page.length === 0) return [];
  const rows = await db.many(eventsBySeq(page.map(({ seq }) => seq)));
  const there = new Map(rows.map((row) => [row.seq, row]));
  return page.flatMap(({ seq, subject, length, hash }): Fault[] => {
    const row = there.get(seq);
    const id = `${name} ${subject}`;
    if (row === undefined) return [{ what: 'chain is shorter than its checkpoint, or is gone', id }];
    if (row.hash === hash && row.subject_seq === length && keys.blindIndex('audit subject', row.subject) === subject)
      return [];
    return [{ what: 'chain was rewritten after its checkpoint', id }];
  });
}
