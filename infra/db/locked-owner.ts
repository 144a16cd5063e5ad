import { queryOf, type Statement, type Query } from './query.ts';
import type { Tx } from './transaction.ts';

const STATEMENT = Symbol('statement');
const OWNER_OF = Symbol('owner of');
const MADE_HERE = Symbol('made here');

/** A query that locks the owner of each of its rows until the transaction ends. */
export class OwnerLock<Row> {
  readonly [STATEMENT]: Statement<Row>;
  readonly [OWNER_OF]: (row: Row) => string;

  constructor(statement: Statement<Row>, ownerOf: (row: Row) => string) {
    this[STATEMENT] = statement;
    this[OWNER_OF] = ownerOf;
  }
}

/** A query that moves money of owners, changes a payment or posts interest. Only their `LockedOwner` runs it. */
export class MoneyQuery<Row = unknown> {
  readonly ownerIds: readonly string[];
  readonly [STATEMENT]: Statement<Row>;

  constructor(ownerIds: string | readonly string[], statement: Statement<Row>) {
    this.ownerIds = typeof ownerIds === 'string' ? [ownerIds] : ownerIds;
    this[STATEMENT] = statement;
  }
}

/** An owner whom the transaction `tx` has locked. Until `tx` ends, nobody else can change the owner's balances. */
export class LockedOwner {
  readonly id: string;
  readonly #tx: Tx;

  constructor(id: string, tx: Tx, madeHere: typeof MADE_HERE) {
    if (madeHere !== MADE_HERE) throw new TypeError('lock the owner with an OwnerLock');
    this.id = id;
    this.#tx = tx;
  }

  /** @throws Error after the transaction has ended, because others can then have locked the owner. */
  get tx(): Tx {
    this.#tx.requireOpen();
    return this.#tx;
  }

  one<Row>(query: MoneyQuery<Row>): Promise<Row> {
    return this.tx.one(statementFor([this], query));
  }

  /** Need not be awaited, like the statements of a transaction. */
  run(query: MoneyQuery): Promise<number> {
    return this.tx.run(statementFor([this], query));
  }
}

/** Runs a query about several owners, whom one transaction has locked. Not for a batch query. */
export function manyForAll<Row>(
  owners: readonly [LockedOwner, ...LockedOwner[]],
  query: MoneyQuery<Row>,
): Promise<Row[]> {
  const { tx } = owners[0];
  if (owners.some((owner) => owner.tx !== tx)) throw new Error('different transactions have locked the owners');
  return tx.many(statementFor(owners, query) as Query<Row>);
}

function statementFor<Row>(
  owners: readonly LockedOwner[],
  { ownerIds, [STATEMENT]: statement }: MoneyQuery<Row>,
): Statement<Row> {
  const locked = new Set(owners.map(({ id }) => id));
  if (ownerIds.every((id) => locked.has(id))) return statement;
  throw new Error(`${queryOf(statement).name} is for an owner who is not locked`);
}

export type Locked<Row> = Row & { readonly owner: LockedOwner };

export async function lockOne<Row>(tx: Tx, lock: OwnerLock<Row>): Promise<Locked<Row>> {
  return locked(tx, lock, await tx.one(lock[STATEMENT]));
}

export async function lockMaybe<Row>(tx: Tx, lock: OwnerLock<Row>): Promise<Locked<Row> | undefined> {
  const row = await tx.maybe(lock[STATEMENT]);
  return row && locked(tx, lock, row);
}

/** Not for a batch query, because its rows belong to different callers. */
export async function lockMany<Row>(tx: Tx, lock: OwnerLock<Row>): Promise<Locked<Row>[]> {
  return (await tx.many(lock[STATEMENT] as Query<Row>)).map((row) => locked(tx, lock, row));
}

function locked<Row>(tx: Tx, { [OWNER_OF]: ownerOf }: OwnerLock<Row>, row: Row): Locked<Row> {
  return { ...row, owner: new LockedOwner(ownerOf(row), tx, MADE_HERE) };
}
