import type { Load } from '../loader.ts';
import type { Statement, Entry, Numbered } from '../query.ts';
import { Tx } from '../transaction.ts';

class Conflict extends Error {
  override readonly name = 'Conflict';

  constructor() {
    super('this runs in a transaction of its own');
  }
}

export interface Pending {
  entry: Entry<unknown>;
  /** `row` is undefined if the lock was not granted. `busy`: another transaction holds the lock. */
  take(row: Numbered | undefined, busy?: boolean): void;
}

interface Shared {
  /** PostgreSQL sees no conflict between participants, because a batch is one session. */
  claimed: Set<string>;
  /** Counts the participants that are not waiting for the database. */
  busy(change: 1 | -1): void;
  /** Reads committed data, outside the batch. */
  load: Load;
}

/** One unit of work in a batch, which holds back the work's queries until the next flush. */
export class Participant extends Tx {
  /** Resolves when the work has ended, even if the work failed. */
  readonly settled: Promise<void>;
  readonly locks = new Set<string>();
  readonly after: (() => void)[] = [];
  /** Undefined while the work runs. */
  outcome: { result: unknown } | { error: unknown } | undefined;
  inConflict = false;
  isBusy = false;
  /** If set, the batch must roll back, because this participant failed after its writes were sent. */
  fault: Error | undefined;
  waiting: Pending | undefined;
  private state: 'busy' | 'waiting' | 'left behind' | 'over' = 'busy';
  private wrote = false;
  private claims: Pending[] = [];
  private writes: Pending[] = [];
  private lasts: Pending[] = [];
  private readonly shared: Shared;

  constructor(start: (tx: Tx) => Promise<unknown>, shared: Shared) {
    super();
    this.shared = shared;
    this.settled = start(this).then(
      (result) => this.end({ result }),
      (error: unknown) => this.end({ error }),
    );
  }

  get isOver(): boolean {
    return this.state === 'over' || this.inConflict;
  }

  many(): Promise<never> {
    this.requireOpen();
    return this.refuse();
  }

  /** With a lock, waits for the next flush. */
  maybe<Row>(statement: Statement<Row>): Promise<Row | undefined> {
    this.requireOpen();
    if (this.inConflict || !('batch' in statement)) return this.refuse();
    return statement.batch.lockOf === undefined ? this.shared.load(statement) : this.open(statement);
  }

  /** Does not wait for the flush. @returns 1, because the number of affected rows is not known yet. */
  run(statement: Statement<unknown>): Promise<number> {
    this.requireOpen();
    if (this.inConflict || !('batch' in statement)) return this.refuse();
    const { lockOf, isLast } = statement.batch;
    if (lockOf !== undefined) return this.claim(statement, lockOf(statement.values as never));
    (isLast ? this.lasts : this.writes).push({ entry: statement, take: () => undefined });
    return Promise.resolve(1);
  }

  requireOpen(what = 'A query'): void {
    if (this.state === 'over') throw new Error(`${what} was sent after its transaction ended`);
  }

  private open<Row>(entry: Entry<Row>): Promise<Row> {
    if (this.waiting !== undefined) return this.refuse();
    const { promise, resolve, reject } = Promise.withResolvers<Row>();
    const take = (row: Numbered | undefined, busy = false) => {
      if (this.waiting === undefined) return;
      this.isBusy = busy;
      this.waiting = undefined;
      if (this.state === 'waiting') this.become('busy');
      if (row === undefined || this.inConflict) {
        this.conflict();
        reject(new Conflict());
        return;
      }
      this.locks.add(entry.batch.lockOf!(entry.values as never));
      resolve(row as Row);
    };
    this.waiting = { entry, take };
    this.become('waiting');
    // A caller need not await a lock.
    promise.catch(() => undefined);
    return promise;
  }

  private claim(entry: Entry<unknown>, lock: string): Promise<number> {
    if (this.shared.claimed.has(lock)) return this.refuse();
    this.shared.claimed.add(lock);
    const take = (row: Numbered | undefined) => {
      if (row === undefined) this.conflict();
    };
    this.claims.push({ entry, take });
    return Promise.resolve(1);
  }

  afterCommit(then: () => void): void {
    this.requireOpen('Work for after the commit');
    this.after.push(then);
  }

  /** Returns no writes while claims are unsent, because a refused claim discards the writes. */
  takeWrites(): readonly Pending[] {
    if (this.claims.length > 0 || this.writes.length === 0) return [];
    this.wrote = true;
    return this.writes.splice(0);
  }

  takeClaims(): readonly Pending[] {
    return this.claims.splice(0);
  }

  takeLasts(): readonly Pending[] {
    return this.lasts.splice(0);
  }

  conflict(): void {
    this.fail(new Error('a participant left the batch after it had written'));
    this.inConflict = true;
    this.waiting?.take(undefined);
  }

  leaveBehind(): void {
    if (this.state !== 'busy') return;
    this.conflict();
    this.become('left behind');
  }

  private refuse(): Promise<never> {
    this.conflict();
    const refused = Promise.reject(new Conflict());
    // A caller need not await a statement.
    refused.catch(() => undefined);
    return refused;
  }

  private end(outcome: { result: unknown } | { error: unknown }): void {
    this.outcome = outcome;
    if ('error' in outcome)
      this.fail(outcome.error instanceof Error ? outcome.error : new Error('a participant failed'));
    this.become('over');
  }

  private fail(why: Error): void {
    for (const queue of [this.claims, this.writes, this.lasts]) queue.length = 0;
    if (this.wrote) this.fault ??= why;
  }

  private become(state: Participant['state']): void {
    const before = this.state;
    this.state = state;
    if (before === 'busy' && state !== 'busy') this.shared.busy(-1);
    if (before === 'waiting' && state === 'busy') this.shared.busy(1);
  }
}
