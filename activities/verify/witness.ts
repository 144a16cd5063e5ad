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
import type { Tx } from '../../infra/db/transaction.ts';
import { createCheckpointKey, readCheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import {
  hashOfLine,
  newestSigned,
  writeCheckpoint,
  type HeadLine,
  type Signed,
} from '../../infra/witness/checkpoint.ts';
import { witnessed } from '../../infra/db/queries/witness.ts';
import { ForeignFolderError } from '../../infra/witness/foreign.ts';
import { openFolder, type WitnessFolder } from '../../infra/witness/folder.ts';
import { chainsBehind } from './checkpoints.ts';
import type { Scope, VerifyNeeds } from './part.ts';

const LOCK = 7_201_605;
const PAGE = 2_000;
const SETTLE_MS = 10_000;
const POLL_MS = 50;

export type NotWritten = 'no folder' | 'transaction' | 'busy' | 'restoring' | 'behind' | 'unchanged';
export type Written = { number: number; heads: number; at: string } | { not: NotWritten };

interface Options {
  /** What a run of `verify` has covered. */
  verified?: Scope['verified'];
  /** When that run began: what was made since is new to the next. */
  begunAt?: string;
  /** Writes nothing if no chain has changed. */
  onlyChanges?: boolean;
}

/**
 * Writes the chains that changed since the newest checkpoint. Only one process at a time writes, and none during a
 * restore, or while chains are behind the newest checkpoint.
 * @throws ConfigError without a usable key. A sandbox makes a missing key.
 */
export async function makeCheckpoint(needs: VerifyNeeds, options: Options = {}): Promise<Written> {
  const { folder: path, keyFile } = needs.config.witness;
  if (path === undefined) return { not: 'no folder' };
  if (needs.config.environment === 'sandbox') await createCheckpointKey(keyFile, { development: true });
  const key = await readCheckpointKey(keyFile);
  const upto = await settled(needs.db);
  if (upto === undefined) return { not: 'transaction' };
  return needs.db.transaction(async (tx) => {
    if (!(await tx.one(lockCheckpoints(LOCK))).held) return { not: 'busy' };
    const folder = openFolder(path);
    const last = await newestSigned(folder);
    await requireOwn(tx, folder, last);
    const next = await statementAfter(tx, needs, last, { ...options, upto: upto.audit });
    if (next.not !== undefined) return { not: next.not };
    const heads = changed(tx, needs.keys, next.after, next.upto);
    return { number: next.number, at: next.at, ...(await writeCheckpoint(folder, key, next, heads)) };
  });
}

async function statementAfter(
  tx: Tx,
  { clock, ...needs }: VerifyNeeds,
  last: Signed | undefined,
  { verified, begunAt, onlyChanges, upto }: Options & { upto: number },
) {
  const restores = await tx.many(endedRestores());
  if (restores.some(({ open }) => open)) return { not: 'restoring' } as const;
  const known = last?.restores ?? [];
  const later = restores.filter(({ restore_id }) => !known.some((one) => one.restore_id === restore_id));
  const isOther = last !== undefined && later.length > 0;
  if (!isOther && (await chainsBehind({ ...needs, db: tx })).length > 0) return { not: 'behind' } as const;
  // A restored database gives out numbers a second time, so everything counts as changed.
  const after = isOther ? 0 : (last?.upto ?? 0);
  if (onlyChanges === true && after === upto) return { not: 'unchanged' } as const;
  const number = (last?.number ?? 0) + 1;
  const at = (await clock.real(tx)).toISOString();
  return {
    ...{ deployment: (await tx.one(witnessed())).identity, number, at, after, upto },
    previous: last === undefined ? null : hashOfLine(last.line),
    verified: isOther ? {} : (verified ?? last?.verified ?? {}),
    verified_at: verified === undefined ? (last?.verified_at ?? null) : (begunAt ?? at),
    restores: [...known, ...later.map(({ restore_id, backup_at }) => ({ restore_id, backup_at, number }))],
  };
}

/** @throws ForeignFolderError if another database wrote the checkpoint. */
export async function requireOwn(db: Pick<Queries, 'one'>, folder: WitnessFolder, signed?: Signed): Promise<void> {
  const { identity } = await db.one(witnessed());
  if (signed !== undefined && signed.deployment !== identity) throw new ForeignFolderError(folder.path, signed.name);
}

/**
 * The numbers of the newest events and entries, once no transaction can add a lower number. Undefined if that takes
 * more than ten seconds.
 */
export async function settled(db: Pick<Queries, 'one'>): Promise<Scope['upto'] | undefined> {
  const { audit, ledger, ...then } = await db.one(reached());
  for (const until = performance.now() + SETTLE_MS; performance.now() < until;) {
    if ((await db.one(areOver(then))).over) return { audit, ledger };
    await sleep(POLL_MS);
  }
  return undefined;
}

async function* changed(
  db: Pick<Queries, 'many'>,
  keys: Pick<VerifyNeeds['keys'], 'blindIndex'>,
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
