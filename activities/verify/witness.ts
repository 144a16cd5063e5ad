import { setTimeout as sleep } from 'node:timers/promises';
import type { Queries } from '../../infra/db/connection.ts';
import {
  areOver,
  endedRestores,
  headsBetween,
  lockCheckpoints,
  reached,
  type HeadRow,
} from '../../infra/db/queries/verify.ts';
import { readCheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import {
  checkpointNames,
  hashOfLine,
  nameOf,
  numberOf,
  signedLineOf,
  writeCheckpoint,
  type HeadLine,
  type Signed,
} from '../../infra/witness/checkpoint.ts';
import { openFolder, type WitnessFolder } from '../../infra/witness/folder.ts';
import type { Services } from '../../infra/services.ts';
import { chainsBehind } from './checkpoints.ts';
import type { Scope, VerifyNeeds } from './part.ts';

const LOCK = 7_201_605;
const PAGE = 2_000;
const SETTLE_MS = 10_000;
const POLL_MS = 50;

/** A checkpoint that was written, or why none was. */
export type Written = { number: number; heads: number; at: string } | { not: string };

interface Options {
  /** Where a run of `verify` found no fault. */
  verified?: Scope['verified'];
  /** Writes nothing if no chain has changed. */
  onlyChanges?: boolean;
}

/**
 * Writes the chains that changed since the newest checkpoint. Only one process at a time writes, and none during a
 * restore, or while chains are behind the newest checkpoint.
 */
export async function makeCheckpoint(needs: VerifyNeeds, { verified, onlyChanges }: Options = {}): Promise<Written> {
  const { folder: path, keyFile } = needs.config.witness;
  if (path === undefined) return { not: 'CHECKPOINTS is not set' };
  const folder = openFolder(path);
  const key = await readCheckpointKey(keyFile);
  const upto = await settled(needs.db);
  if (upto === undefined) return { not: 'a transaction is taking long' };
  return needs.db.transaction(async (tx) => {
    if (!(await tx.one(lockCheckpoints(LOCK))).held) return { not: 'another process is writing one' };
    const last = await newestSigned(folder);
    const restores = await tx.many(endedRestores());
    if (restores.some(({ open }) => open)) return { not: 'a restore is not finished' };
    const known = last?.restores ?? [];
    const number = (last?.number ?? 0) + 1;
    const later = restores.filter(({ restore_id }) => !known.some((one) => one.restore_id === restore_id));
    if (
      later.length === 0 &&
      (await chainsBehind({ ...needs, db: { ...needs.db, many: (q) => tx.many(q) } })).length > 0
    )
      return { not: 'chains are behind the newest checkpoint' };
    // A restored database gives out numbers a second time, so everything counts as changed.
    const after = later.length > 0 ? 0 : (last?.upto ?? 0);
    if (onlyChanges === true && after === upto.audit) return { not: 'no chain has changed' };
    const at = (await needs.clock.real(tx)).toISOString();
    const statement = {
      ...{ number, at, after, upto: upto.audit },
      previous: last === undefined ? null : hashOfLine(last.line),
      verified: later.length > 0 ? {} : (verified ?? last?.verified ?? {}),
      restores: [...known, ...later.map(({ restore_id, backup_at }) => ({ restore_id, backup_at, number }))],
    };
    const heads = changed(tx, needs.keys, after, upto.audit);
    return { number, at, ...(await writeCheckpoint(folder, key, statement, heads)) };
  });
}

/** @throws Error if the newest file is not a checkpoint, because the next one must name it. */
export async function newestSigned(folder: WitnessFolder): Promise<Signed | undefined> {
  const name = (await checkpointNames(folder)).at(-1);
  if (name === undefined) return undefined;
  const signed = await signedLineOf(folder, name);
  if (signed === undefined || nameOf(signed.number) !== name)
    throw new Error(`the newest checkpoint, ${numberOf(name)}, was changed`);
  return signed;
}

/**
 * The numbers of the newest events and entries, once no transaction can add a lower number. Undefined if that takes
 * more than ten seconds.
 */
export async function settled(db: Pick<Queries, 'one'>): Promise<Scope['upto'] | undefined> {
  const { audit, ledger, ...then } = await db.one(reached());
  for (const until = performance.now() + SETTLE_MS; performance.now() < until; await sleep(POLL_MS))
    if ((await db.one(areOver(then))).over) return { audit, ledger };
  return undefined;
}

async function* changed(
  db: Pick<Queries, 'many'>,
  keys: Pick<Services['keys'], 'blindIndex'>,
  after: number,
  upto: number,
): AsyncGenerator<HeadLine[]> {
  const lineOf = ({ seq, subject, subject_seq: length, hash }: HeadRow) => {
    return { seq, subject: keys.blindIndex('audit subject', subject), length, hash };
  };
  for (let from: number | undefined = after; from !== undefined;) {
    const rows: HeadRow[] = await db.many(headsBetween(from, upto, PAGE));
    yield rows.map(lineOf);
    from = rows.length < PAGE ? undefined : rows.at(-1)!.seq;
  }
}
