import type { AnyEntry, Entry, Placed, Query } from '../query.ts';
import type { Transaction } from '../transaction.ts';

class Conflict extends Error {
  override readonly name = 'Conflict';

  constructor() {
    super('this runs in a transaction of its own');
  }
}

export interface Pending {
  entry: AnyEntry;
  /** `row` is undefined if the lock was not granted. `busy`: another transaction holds the lock. */
  take(row: Placed | undefined, busy?: boolean): void;
}

interface Shared {
  /** PostgreSQL sees no conflict between participants, because a batch is one session. */
  claimed: Set<string>;
  /** Counts the participants that are not waiting for the database. */
  busy(change: 1 | -1): void;
}

/** One unit of work in a batch, which holds back the work's queries until the next flush. */
export class Participant implements Transaction {
  readonly isGrouped = true;
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

  constructor(start: (transaction: Transaction) => Promise<unknown>, shared: Shared) {
    this.shared = shared;
    this.settled = start(this).then(
      (result) => this.end({ result }),
      (error: unknown) => this.end({ error }),
    );
  }

  get isOver(): boolean {
    return this.state === 'over' || this.inConflict;
  }

  run(): Promise<never> {
    return this.refuse();
  }

  connection(): never {
    this.conflict();
    throw new Conflict();
  }

  async open<Values, Row extends Placed>(entry: Entry<Values, Row>): Promise<Row> {
    if (this.inConflict || this.waiting !== undefined) return this.refuse();
    const { promise, resolve, reject } = Promise.withResolvers<Row>();
    const take = (row: Placed | undefined, busy = false) => {
      if (this.waiting === undefined) return;
      this.isBusy = busy;
      this.waiting = undefined;
      this.become('busy');
      if (row === undefined || this.inConflict) {
        this.conflict();
        reject(new Conflict());
        return;
      }
      this.locks.add(entry.batch.lockOf!(entry.values));
      resolve(row as Row);
    };
    this.waiting = { entry, take };
    this.become('waiting');
    return promise;
  }

  async send(asked: Query | AnyEntry): Promise<void> {
    if (this.inConflict || !('batch' in asked)) return this.refuse();
    const { lockOf } = asked.batch;
    if (lockOf === undefined) {
      this.writes.push({ entry: asked, take: () => undefined });
      return;
    }
    const lock = lockOf(asked.values as never);
    if (this.shared.claimed.has(lock)) return this.refuse();
    this.shared.claimed.add(lock);
    const take = (row: Placed | undefined) => {
      if (row === undefined) this.conflict();
    };
    this.claims.push({ entry: asked, take });
  }

  async commitWith(asked: Query | AnyEntry): Promise<number> {
    if (this.inConflict || !('batch' in asked)) return this.refuse();
    this.lasts.push({ entry: asked, take: () => undefined });
    return 1;
  }

  afterCommit(then: () => void): void {
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
    return Promise.reject(new Conflict());
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
