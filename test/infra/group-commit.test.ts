import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import { DomainError } from '../../domain/errors.ts';
import { listsOf, relationOf } from '../../infra/db/lists.ts';
import { batchQuery } from '../../infra/db/query.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { textQuery } from '../helpers/text-query.ts';
import { claimNewKey } from '../../infra/db/queries/idempotency.ts';
import { withDatabase } from '../helpers/database.ts';
import { ALL_REFUSED, lateCalls } from '../helpers/late-calls.ts';
import { ownerSql } from '../helpers/owner.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

const services = withDatabase();
const { db } = services;

const look = batchQuery(
  'test.look',
  (requested: readonly string[], waits) => sql<{ ordinal: number; pid: number; notes: string[] }>`
    select ordinal, pid, notes from test_look(${waits}, ${listsOf(
      requested.map((owner) => ({ owner })),
      { owner: 'text' },
    )})`,
  { lockOf: (owner) => owner },
);
const note = batchQuery(
  'test.note',
  (notes: readonly { owner_id: string; action: string; divisor: number }[]) => sql`
    insert into test_notes (owner_id, action, divided)
    select owner_id, action, 1 / divisor
      from ${relationOf('given', notes, { owner_id: 'text', action: 'text', divisor: 'int' })} order by ordinal`,
);
const notesOf = textQuery<{ action: string; by: string }>(
  'test.notesOf',
  'select action, xmin::text as by from test_notes where owner_id = $1 order by id',
);
const written = async (owner: string) => (await db.many(notesOf(owner))).map(({ action }) => action);

let count = 0;
async function owners<const Names extends readonly string[]>(...names: Names): Promise<{ [K in keyof Names]: string }> {
  count += 1;
  const ids = names.map((name) => `${name}-${count}`);
  for (const id of ids) await db.one(textQuery('test.owner', 'select owner_locked($1, now())::text')(id));
  return ids as { [K in keyof Names]: string };
}

async function noted(tx: Tx, owner: string, action: string, { divisor = 1 } = {}) {
  const { notes, pid } = await tx.one(look(owner));
  void tx.run(note({ owner_id: owner, action, divisor }));
  return { notes, pid };
}

// Transactions that start in the same turn of the event loop share a batch.
const atOnce = <T>(works: readonly ((tx: Tx) => Promise<T>)[]) =>
  Promise.allSettled(works.map((work) => db.groupTransaction(work)));
const done = <T>(outcomes: readonly PromiseSettledResult<T>[]): T[] =>
  outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
const reasons = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).message : 'done'));

beforeAll(async () => {
  await ownerSql(
    services,
    `create table test_notes (id bigserial primary key, owner_id text not null, action text not null unique, divided int not null)`,
  );
  await ownerSql(
    services,
    `create function test_look(p_waits boolean, p_owners text[]) returns table (ordinal int, pid int, notes text[])
       language plpgsql as $$
       declare
         v_ordinals int[] := array(
           select l.ordinal from owners_locked(p_waits, p_owners, array_fill(now(), array[cardinality(p_owners)])) l);
       begin
         return query
           select requested.ordinal::int, pg_backend_pid(), array(
                    select n.action from test_notes n where n.owner_id = requested.owner_id order by n.id)
             from unnest(p_owners) with ordinality as requested (owner_id, ordinal) where requested.ordinal = any(v_ordinals);
         return query select busy.ordinal, 0, null::text[] from unnest(v_ordinals) as busy (ordinal) where busy.ordinal < 0;
       end $$`,
  );
});

test('transactions of the same moment commit as one, and each gets its own result', async () => {
  const [a, b, c] = await owners('a', 'b', 'c');
  await db.transaction((tx) => noted(tx, a, 'before a'));
  const all = done(await atOnce([a, b, c].map((owner) => (tx: Tx) => noted(tx, owner, `of ${owner}`))));
  expect(all.map(({ notes }) => notes)).toEqual([['before a'], [], []]);
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
  const rows = (await Promise.all([a, b, c].map((owner) => db.many(notesOf(owner))))).map((own) => own.at(-1)!);
  expect(rows.map(({ action }) => action)).toEqual([a, b, c].map((owner) => `of ${owner}`));
  expect(new Set(rows.map(({ by }) => by)).size).toBe(1);
});

test('a single transaction runs alone, and creates a new owner', async () => {
  expect(await db.groupTransaction((tx) => noted(tx, 'nobody yet', 'the first'))).toMatchObject({ notes: [] });
  expect(await written('nobody yet')).toEqual(['the first']);
});

test('transactions of one owner run in turn, each seeing what those before it wrote', async () => {
  const [hot, other] = await owners('hot', 'other');
  const names = Array.from({ length: 7 }, (_, index) => `${hot} ${index}`);
  const works = names.map((name) => (tx: Tx) => noted(tx, hot, name));
  const [cold, ...all] = done(await atOnce([(tx) => noted(tx, other, `of ${other}`), ...works]));
  expect(all.map(({ notes }) => notes)).toEqual(names.map((_, index) => names.slice(0, index)));
  expect(new Set([cold!, ...all].map(({ pid }) => pid)).size).toBe(1);
});

test('an owner stays locked until the participant ends, even if it locks twice', async () => {
  const [hot] = await owners('hot');
  const twice = async (tx: Tx) => {
    await tx.one(look(hot));
    await tx.one(look(hot));
    return noted(tx, hot, `${hot} first`);
  };
  const all = done(await atOnce([twice, (tx) => noted(tx, hot, `${hot} second`)]));
  expect(all.map(({ notes }) => notes)).toEqual([[], [`${hot} first`]]);
});

test('a participant whose owner is locked elsewhere waits alone, and the others commit', async () => {
  const [held, free, also] = await owners('held', 'free', 'also');
  const order: string[] = [];
  let letGo = () => {};
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  let holder: Promise<void> | undefined;
  await new Promise<void>((holding) => {
    holder = db.transaction(async (tx) => {
      await noted(tx, held, `${held} by the holder`);
      // By the result of this query, all earlier queries have been sent.
      await tx.one(look(held));
      holding();
      await gone;
    });
  });
  const all = atOnce(
    [held, free, also].map((owner) => async (tx: Tx) => {
      const seen = await noted(tx, owner, `of ${owner}`);
      tx.afterCommit(() => order.push(owner));
      return seen.notes;
    }),
  );
  await until(() => order.length === 2, 'the others', PATIENCE_MS, 5);
  expect(order).toEqual([free, also]);
  letGo();
  expect(done(await all)).toEqual([[`${held} by the holder`], [], []]);
  await holder;
});

test.each<[string, string, (tx: Tx, owner: string) => Promise<unknown>]>([
  [
    'that is refused',
    'refused',
    async (tx, owner) => {
      await tx.one(look(owner));
      throw new Error('refused');
    },
  ],
  ['whose values a query refuses', 'division by zero', (tx, owner) => noted(tx, owner, `of ${owner}`, { divisor: 0 })],
])('a participant %s stores nothing, and the others commit', async (_what, reason, refused) => {
  const [a, b, c] = await owners('a', 'b', 'c');
  const works = [(tx: Tx) => noted(tx, a, `of ${a}`), (tx: Tx) => refused(tx, b), (tx: Tx) => noted(tx, c, `of ${c}`)];
  expect(reasons(await atOnce<unknown>(works))).toEqual(['done', reason, 'done']);
  expect(await Promise.all([a, b, c].map(written))).toEqual([[`of ${a}`], [], [`of ${c}`]]);
});

test.each([
  ['fails', new Error('too late')],
  ['is refused', new DomainError('not-found', 'too late')],
])(
  'a participant that %s after its writes is rolled back alone, and participants that saw its writes run again',
  async (_, fault) => {
    const [hot, other] = await owners('hot', 'other');
    const failing = async (tx: Tx) => {
      await noted(tx, hot, `${hot} never kept`);
      // Locking the owner again sends the writes so far.
      await tx.one(look(hot));
      throw fault;
    };
    const outcomes = await atOnce<unknown>([
      failing,
      (tx) => noted(tx, hot, `${hot} kept`),
      (tx) => noted(tx, other, `of ${other}`),
    ]);
    expect(reasons(outcomes)).toEqual(['too late', 'done', 'done']);
    expect(outcomes[1]).toMatchObject({ value: { notes: [] } });
    expect([await written(hot), await written(other)]).toEqual([[`${hot} kept`], [`of ${other}`]]);
  },
);

test('a participant with an unbatched query runs alone', async () => {
  const [a, b, c] = await owners('a', 'b', 'c');
  const asking = async (tx: Tx) => {
    const { pid } = await tx.one(look(a));
    expect(await tx.many(notesOf(a))).toEqual([]);
    void tx.run(note({ owner_id: a, action: `of ${a}`, divisor: 1 }));
    return { notes: [], pid };
  };
  const all = done(await atOnce([asking, (tx) => noted(tx, b, `of ${b}`), (tx) => noted(tx, c, `of ${c}`)]));
  expect(all[1]!.pid).toBe(all[2]!.pid);
  expect(await Promise.all([a, b, c].map(written))).toEqual([[`of ${a}`], [`of ${b}`], [`of ${c}`]]);
});

test('a statement that comes after the end of its participant fails at once, before and after the commit', async () => {
  const [a, b, c] = await owners('a', 'b', 'c');
  const before = Promise.withResolvers<string[]>();
  const ending = async (tx: Tx) => {
    await noted(tx, a, `of ${a}`);
    setImmediate(() => before.resolve(lateCalls(tx, notesOf(a))));
    return tx;
  };
  const lasting = async (tx: Tx) => {
    await before.promise;
    await noted(tx, b, `of ${b}`);
    return tx;
  };
  const withoutItsLock = async (tx: Tx) => {
    void tx.one(look(c));
    return tx;
  };
  const ended = done(await atOnce([ending, lasting, withoutItsLock]));
  expect(await before.promise).toEqual(ALL_REFUSED);
  for (const tx of ended) expect(lateCalls(tx, notesOf(a))).toEqual(ALL_REFUSED);
  expect(await Promise.all([a, b].map(written))).toEqual([[`of ${a}`], [`of ${b}`]]);
});

test('a slow participant does not delay the others, and runs alone', async () => {
  const [slow, quick, also] = await owners('slow', 'quick', 'also');
  const order: string[] = [];
  const quickOnes = Promise.withResolvers<null>();
  const busy = async (tx: Tx) => {
    await quickOnes.promise;
    const { notes } = await noted(tx, slow, `of ${slow}`);
    tx.afterCommit(() => order.push('slow'));
    return notes;
  };
  const others = [quick, also].map((owner) => async (tx: Tx) => {
    const { notes } = await noted(tx, owner, `of ${owner}`);
    tx.afterCommit(() => {
      if (order.push('quick') === others.length) quickOnes.resolve(null);
    });
    return notes;
  });
  done(await atOnce([busy, ...others]));
  expect(order).toEqual(['quick', 'quick', 'slow']);
  expect(await written(slow)).toEqual([`of ${slow}`]);
});

test("two participants that need each other's owner do not deadlock", async () => {
  const [a, b] = await owners('a', 'b');
  const both = (first: string, second: string) => async (tx: Tx) => {
    await tx.one(look(first));
    await tx.one(look(second));
    void tx.run(note({ owner_id: first, action: `${first} then ${second}`, divisor: 1 }));
  };
  // These transactions would deadlock even without batching. The service retries one of them.
  done(await atOnce([both(a, b), both(b, a)]));
  expect([await written(a), await written(b)]).toEqual([[`${a} then ${b}`], [`${b} then ${a}`]]);
});

test("of two participants with one idempotency key, the second sees the first one's commit", async () => {
  const [a, b] = await owners('a', 'b');
  const seen: string[][] = [];
  const claiming = (owner: string) => async (tx: Tx) => {
    void tx.run(claimNewKey({ lock: '4711', caller: 'caller', operation: 'operation', key: 'key' }));
    const { notes } = await tx.one(look(owner));
    seen.push(await Promise.all([a, b].map(async (one) => (await committed(one)).join())));
    void tx.run(note({ owner_id: owner, action: `of ${owner}`, divisor: 1 }));
    return notes;
  };
  done(await atOnce([claiming(a), claiming(b)]));
  expect([await written(a), await written(b)]).toEqual([[`of ${a}`], [`of ${b}`]]);
  expect(seen.at(-1)).toEqual([`of ${a}`, '']);
});

async function committed(owner: string): Promise<string[]> {
  const rows = await ownerSql(services, 'select action from test_notes where owner_id = $1 order by id', [owner]);
  return rows.map(({ action }) => String(action));
}

test("each participant runs in its caller's context, and gets its result after the commit", async () => {
  const asker = new AsyncLocalStorage<string>();
  const names = await owners('a', 'b', 'c');
  const told: (string | undefined)[] = [];
  const works = names.map((name) => async (tx: Tx) => {
    await noted(tx, name, `of ${name}`);
    tx.afterCommit(() => told.push(asker.getStore()));
    return asker.getStore();
  });
  const all = works.map((work, index) => asker.run(names[index]!, () => db.groupTransaction(work)));
  expect(await Promise.all(all)).toEqual([...names]);
  expect(told).toEqual([...names]);
});

test('a lost connection rolls back the whole batch, and the next batch commits', async () => {
  const [a, b] = await owners('a', 'b');
  const ending = async (tx: Tx) => {
    const { pid } = await noted(tx, a, `of ${a}`);
    await ownerSql(services, 'select pg_terminate_backend($1)', [pid]);
    await tx.one(look(a));
  };
  const outcomes = await atOnce<unknown>([ending, (tx) => noted(tx, b, `of ${b}`)]);
  const away = expect.stringContaining('The database cannot be reached') as string;
  expect(reasons(outcomes)).toEqual([away, away]);
  expect([await written(a), await written(b)]).toEqual([[], []]);
  done(await atOnce([(tx) => noted(tx, a, `of ${a}`), (tx) => noted(tx, b, `of ${b}`)]));
  expect([await written(a), await written(b)]).toEqual([[`of ${a}`], [`of ${b}`]]);
});
