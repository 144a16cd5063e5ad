import type { PoolClient } from 'pg';
import type { Run } from '../connection.ts';
import type { Load } from '../loader.ts';
import type { Batch as BatchOf, Numbered } from '../query.ts';
import { requireCommit, type Tx } from '../transaction.ts';
import { Participant, type Pending } from './participant.ts';

/** How long a batch waits for a participant that is not waiting for the database. */
const BUSY_MS = 50;

export type Work = (tx: Tx) => Promise<unknown>;

export class Batch {
  readonly participants: readonly Participant[];
  private busy: number;
  private allWait = () => {};

  constructor(works: readonly Work[], load: Load) {
    this.busy = works.length;
    const claimed = new Set<string>();
    const busy = (change: 1 | -1) => {
      this.busy += change;
      if (this.busy === 0) this.allWait();
    };
    this.participants = works.map((work) => new Participant(work, { claimed, busy, load }));
  }

  /** Rejects if a statement or the commit fails. `onCommit` runs just before the commit is sent. */
  async run(client: PoolClient, run: Run, onCommit: () => void): Promise<void> {
    for (let first = true; ; first = false) {
      await this.untilAllWait();
      for (const { fault } of this.participants) if (fault !== undefined) throw fault;
      const { writes, locking, isLast } = this.nextFlush();
      const send = ({ batch, pending }: Group) =>
        run(
          batch.all(
            pending.map(({ entry }) => entry.values as never),
            false,
          ),
          client,
        );
      const begin = first ? [client.query('begin')] : [];
      const written = writes.map(send);
      const locked = locking.map(send);
      const commit = isLast ? [client.query('commit')] : [];
      if (isLast) onCommit();
      await allOf<unknown>([...begin, ...written, ...locked, ...commit]);
      if (commit[0]) {
        requireCommit(await commit[0]);
        return;
      }
      for (const [index, { pending }] of locking.entries()) deliver(pending, (await locked[index]!).rows as Numbered[]);
      if (locking.length === 0 && writes.length === 0) this.giveUpWaiting();
    }
  }

  private async untilAllWait(): Promise<void> {
    if (this.busy === 0) return;
    const timer = setTimeout(() => {
      for (const participant of this.participants) participant.leaveBehind();
    }, BUSY_MS);
    await new Promise<void>((resolve) => (this.allWait = resolve));
    clearTimeout(timer);
  }

  /**
   * A participant waits while another participant holds the same owner. PostgreSQL would grant both, because a batch is
   * one session. Writes go first, so that the next holder reads them.
   */
  private nextFlush(): { writes: Group[]; locking: Group[]; isLast: boolean } {
    const { participants } = this;
    const writes = grouped(participants.map((one) => one.takeWrites()));
    const claims = grouped(participants.map((one) => one.takeClaims()));
    const waiting = participants.filter((one) => one.waiting !== undefined);
    const held = new Set(participants.flatMap((one) => (one.isOver ? [] : [...one.locks])));
    const opens = waiting.flatMap(({ waiting: pending, locks }) => {
      const { entry } = pending!;
      const lock = entry.batch.lockOf!(entry.values as never);
      if (held.has(lock) && !locks.has(lock)) return [];
      held.add(lock);
      return [[pending!]];
    });
    const isLast = claims.length === 0 && waiting.length === 0;
    if (isLast) writes.push(...grouped(participants.map((one) => one.takeLasts())));
    return { writes, locking: [...claims, ...grouped(opens)], isLast };
  }

  /** Two participants might each wait for an owner that the other has locked. */
  private giveUpWaiting(): void {
    for (const participant of this.participants) if (participant.waiting !== undefined) participant.conflict();
  }
}

/** Unlike Promise.all, waits for the other queries after a failure. */
async function allOf<T>(sent: readonly Promise<T>[]): Promise<void> {
  const failed = (await Promise.allSettled(sent)).find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** A row with a negative `ordinal` means that another transaction holds the lock. */
function deliver(pending: readonly Pending[], rows: readonly Numbered[]): void {
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  pending.forEach((one, index) => one.take(byOrdinal.get(index + 1), byOrdinal.has(-index - 1)));
}

interface Group {
  batch: BatchOf<unknown>;
  pending: readonly Pending[];
}

/** Combines queries of different participants, but keeps the order within each participant. */
function grouped(queues: readonly (readonly Pending[])[]): Group[] {
  const groups: Group[] = [];
  let left = queues.filter((queue) => queue.length > 0);
  while (left.length > 0) {
    const { batch } = left[0]![0]!.entry;
    const goes = (queue: readonly Pending[]) => queue[0]!.entry.batch === batch;
    groups.push({ batch, pending: left.filter(goes).map(([pending]) => pending!) });
    left = left.map((queue) => (goes(queue) ? queue.slice(1) : queue)).filter((queue) => queue.length > 0);
  }
  return groups;
}
