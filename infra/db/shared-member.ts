import type { QueryResultRow } from 'pg';
import type { Line, LinesQuery, PlacedRow, Query } from './sql.ts';
import type { Transaction } from './transaction.ts';

/** It cannot go on with the others, and will be done alone. */
export class Aside extends Error {
  override readonly name = 'Aside';

  constructor() {
    super('this is done in a transaction of its own');
  }
}

/** A statement that one of a shared transaction asks, for its line. */
export interface Asked {
  statement: LinesQuery;
  line: Line;
  /** Takes the row of an opening, undefined where it did not get what it was to lock; `busy` where somebody else has that. */
  opened(row: QueryResultRow | undefined, busy?: boolean): void;
}

/** What those who share a transaction know of each other. */
interface Shared {
  /** What was claimed in this transaction: locks of one session do not keep its own statements apart. */
  claimed: Set<string>;
  /** Counts those who are busy with something else than waiting for the database. */
  turn(change: 1 | -1): void;
}

const nothing: readonly Asked[] = [];

/** One of those who share a transaction; it begins its work at once. */
export class Member implements Transaction {
  readonly isShared = true;
  /** Resolves when its work is over, whatever came of it. */
  readonly settled: Promise<void>;
  /** The owners that it has opened. */
  readonly holds = new Set<string>();
  readonly after: (() => void)[] = [];
  /** What came of its work, undefined while it runs. */
  ended: { result: unknown } | { error: unknown } | undefined;
  aside = false;
  /** Whether it is put aside as somebody else has its owner. */
  busy = false;
  /** Why all of the transaction must be undone: it gave up after something of it was written. */
  fault: Error | undefined;
  /** The opening that it waits for. */
  waiting: Asked | undefined;
  private state: 'busy' | 'waiting' | 'left behind' | 'over' = 'busy';
  private wrote = false;
  private claims: Asked[] = [];
  private writes: Asked[] = [];
  private lasts: Asked[] = [];
  private readonly others: Shared;

  constructor(start: (transaction: Transaction) => Promise<unknown>, others: Shared) {
    this.others = others;
    this.settled = start(this).then(
      (result) => this.end({ result }),
      (error: unknown) => this.end({ error }),
    );
  }

  /** Whether it will ask nothing more. */
  get isOver(): boolean {
    return this.state === 'over' || this.aside;
  }

  ask(): Promise<never> {
    return this.refuse();
  }

  async open<Row extends PlacedRow>(statement: LinesQuery<Row>, line: Line): Promise<Row> {
    if (this.aside || this.waiting !== undefined) return this.refuse();
    const { promise, resolve, reject } = Promise.withResolvers<Row>();
    const opened = (row: QueryResultRow | undefined, busy = false) => {
      if (this.waiting === undefined) return;
      this.busy = busy;
      this.waiting = undefined;
      this.become('busy');
      if (row === undefined || this.aside) {
        this.putAside();
        reject(new Aside());
        return;
      }
      this.holds.add(String(line[0]));
      resolve(row as Row);
    };
    this.waiting = { statement, line, opened };
    this.become('waiting');
    return promise;
  }

  async askAhead(statement: Query | LinesQuery, line: Line): Promise<void> {
    if (this.aside || !('valuesOf' in statement)) return this.refuse();
    if (!statement.opens) {
      this.writes.push({ statement, line, opened: () => undefined });
      return;
    }
    const name = `${statement.name} ${String(line[0])}`;
    if (this.others.claimed.has(name)) return this.refuse();
    this.others.claimed.add(name);
    const opened = (row: QueryResultRow | undefined) => {
      if (row === undefined) this.putAside();
    };
    this.claims.push({ statement, line, opened });
  }

  async askLast(statement: Query | LinesQuery, line: Line): Promise<number> {
    if (this.aside || !('valuesOf' in statement)) return this.refuse();
    this.lasts.push({ statement, line, opened: () => undefined });
    return 1;
  }

  afterCommit(then: () => void): void {
    this.after.push(then);
  }

  takeWrites(): readonly Asked[] {
    if (this.claims.length > 0 || this.writes.length === 0) return nothing;
    this.wrote = true;
    return this.writes.splice(0);
  }

  takeClaims(): readonly Asked[] {
    return this.claims.splice(0);
  }

  takeLasts(): readonly Asked[] {
    return this.lasts.splice(0);
  }

  putAside(): void {
    this.giveUp(new Error('one that had written could not go on'));
    this.aside = true;
    this.waiting?.opened(undefined);
  }

  putAsideIfWaiting(): void {
    if (this.waiting !== undefined) this.putAside();
  }

  /** The others do not wait for it any longer, where it is busy. */
  leaveBehind(): void {
    if (this.state !== 'busy') return;
    this.putAside();
    this.become('left behind');
  }

  private refuse(): Promise<never> {
    this.putAside();
    return Promise.reject(new Aside());
  }

  private end(ended: { result: unknown } | { error: unknown }): void {
    this.ended = ended;
    if ('error' in ended) this.giveUp(ended.error instanceof Error ? ended.error : new Error('a work failed'));
    this.become('over');
  }

  /** What it asked and was not sent is not wanted any more; what was written must be undone. */
  private giveUp(why: Error): void {
    for (const queue of [this.claims, this.writes, this.lasts]) queue.length = 0;
    if (this.wrote) this.fault ??= why;
  }

  private become(state: Member['state']): void {
    const before = this.state;
    this.state = state;
    if (before === 'busy' && state !== 'busy') this.others.turn(-1);
    if (before === 'waiting' && state === 'busy') this.others.turn(1);
  }
}
