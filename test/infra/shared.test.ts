import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.ts';
import { lines, opening, query } from '../../infra/db/sql.ts';
import { withDatabase } from '../helpers/database.ts';
import { ownerSql } from '../helpers/owner.ts';
import { until } from '../helpers/until.ts';

const services = withDatabase();
const { db } = services;

/** Locks owners that are there, and tells what is written about them, and by which connection. */
const look = opening<{ place: number; pid: number; notes: string[] }>(
  'test.look',
  'select place, pid, notes from test_look($1, $2)',
);
const claim = opening<{ place: number }>(
  'test.claim',
  'select place from idempotency_claims($1, $2::bigint[], $3, $4, $5) as claimed (place)',
);
const note = lines(
  'test.note',
  `insert into test_notes (owner_id, action, divided)
   select owner_id, action, 1 / divisor from unnest($1::text[], $2::text[], $3::int[])
     with ordinality as given (owner_id, action, divisor, place) order by place`,
);
const notesOf = query<{ action: string; by: string }>(
  'test.notesOf',
  'select action, xmin::text as by from test_notes where owner_id = $1 order by id',
);
const written = async (owner: string) => (await db.many(notesOf, [owner])).map(({ action }) => action);

let count = 0;
/** Owners that are there. */
async function owners<const Names extends readonly string[]>(...names: Names): Promise<{ [K in keyof Names]: string }> {
  count += 1;
  const ids = names.map((name) => `${name}-${count}`);
  for (const id of ids) await db.one(query('test.owner', 'select owner_locked($1, now())::text'), [id]);
  return ids as { [K in keyof Names]: string };
}

/** Opens an owner and writes a note about it. @returns what was written before, and the connection. */
async function noted(owner: string, action: string, { divisor = 1 } = {}) {
  const { notes, pid } = await db.open(look, [owner]);
  await db.runAhead(note, [owner, action, divisor]);
  return { notes, pid };
}

/** Those who ask within the same turn share a round. */
const atOnce = <T>(works: readonly (() => Promise<T>)[]) =>
  Promise.allSettled(works.map((work) => db.sharedTransaction(work)));
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
    `create function test_look(p_waits boolean, p_owners text[]) returns table (place int, pid int, notes text[])
       language plpgsql as $$
       declare
         v_places int[] := array(
           select l.place from owners_locked(p_waits, p_owners, array_fill(now(), array[cardinality(p_owners)])) l);
       begin
         return query
           select asked.place::int, pg_backend_pid(), array(
                    select n.action from test_notes n where n.owner_id = asked.owner_id order by n.id)
             from unnest(p_owners) with ordinality as asked (owner_id, place) where asked.place = any(v_places);
         return query select busy.place, 0, null::text[] from unnest(v_places) as busy (place) where busy.place < 0;
       end $$`,
  );
});

test('works of the same moment share one transaction, and each gets what is its own', async () => {
  const [a, b, c] = await owners('a', 'b', 'c');
  await db.transaction(() => noted(a, 'before a'));
  const all = done(await atOnce([a, b, c].map((owner) => () => noted(owner, `of ${owner}`))));
  expect(all.map(({ notes }) => notes)).toEqual([['before a'], [], []]);
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
  const rows = (await Promise.all([a, b, c].map((owner) => db.many(notesOf, [owner])))).map((own) => own.at(-1)!);
  expect(rows.map(({ action }) => action)).toEqual([a, b, c].map((owner) => `of ${owner}`));
  expect(new Set(rows.map(({ by }) => by)).size).toBe(1);
});

test('inside another transaction it is of that one', async () => {
  const [a] = await owners('a');
  await expect(
    db.transaction(async () => {
      await db.sharedTransaction(() => noted(a, 'never kept'));
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  expect(await written(a)).toEqual([]);
});

test('works of one owner come one after the other, each seeing what those before it wrote', async () => {
  const [hot, other] = await owners('hot', 'other');
  const names = Array.from({ length: 7 }, (_, index) => `${hot} ${index}`);
  const works = names.map((name) => () => noted(hot, name));
  const [cold, ...all] = done(await atOnce([() => noted(other, `of ${other}`), ...works]));
  expect(all.map(({ notes }) => notes)).toEqual(names.map((_, index) => names.slice(0, index)));
  expect(new Set([cold!, ...all].map(({ pid }) => pid)).size).toBe(1);
});

test('an owner is not opened for another before whoever has it is over, even where that one asks twice', async () => {
  const [hot] = await owners('hot');
  const twice = async () => {
    await db.open(look, [hot]);
    await db.open(look, [hot]);
    return noted(hot, `${hot} first`);
  };
  const all = done(await atOnce([twice, () => noted(hot, `${hot} second`)]));
  expect(all.map(({ notes }) => notes)).toEqual([[], [`${hot} first`]]);
});

test('who wants an owner that somebody else has waits for it alone; the others do not', async () => {
  const [held, free, also] = await owners('held', 'free', 'also');
  const order: string[] = [];
  let letGo = () => {};
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  let holder: Promise<void> | undefined;
  await new Promise<void>((holding) => {
    holder = db.transaction(async () => {
      await noted(held, `${held} by the holder`);
      // What was asked ahead has left when the next is answered.
      await db.open(look, [held]);
      holding();
      await gone;
    });
  });
  const all = atOnce(
    [held, free, also].map((owner) => async () => {
      const seen = await noted(owner, `of ${owner}`);
      db.afterCommit(() => order.push(owner));
      return seen.notes;
    }),
  );
  await until(() => order.length === 2, 'the others', 5_000, 5);
  expect(order).toEqual([free, also]);
  letGo();
  expect(done(await all)).toEqual([[`${held} by the holder`], [], []]);
  await holder;
});

test('one that is refused leaves nothing behind, and the others are done', async () => {
  const [a, b, c] = await owners('a', 'b', 'c');
  const refused = async () => {
    await db.open(look, [b]);
    throw new Error('refused');
  };
  const outcomes = await atOnce<unknown>([() => noted(a, `of ${a}`), refused, () => noted(c, `of ${c}`)]);
  expect(reasons(outcomes)).toEqual(['done', 'refused', 'done']);
  expect(await Promise.all([a, b, c].map(written))).toEqual([[`of ${a}`], [], [`of ${c}`]]);
});

test.each([
  ['fails', new Error('too late')],
  ['is refused', new DomainError('not-found', 'too late')],
])(
  'one that %s after it wrote is undone by itself, and whoever had seen that does not stand on it',
  async (_, fault) => {
    const [hot, other] = await owners('hot', 'other');
    const failing = async () => {
      await noted(hot, `${hot} never kept`);
      // By its second opening, what it wrote is sent.
      await db.open(look, [hot]);
      throw fault;
    };
    const outcomes = await atOnce<unknown>([
      failing,
      () => noted(hot, `${hot} kept`),
      () => noted(other, `of ${other}`),
    ]);
    expect(reasons(outcomes)).toEqual(['too late', 'done', 'done']);
    expect(outcomes[1]).toMatchObject({ value: { notes: [] } });
    expect([await written(hot), await written(other)]).toEqual([[`${hot} kept`], [`of ${other}`]]);
  },
);

test('a statement that fails by the line of one fails for that one', async () => {
  const [a, b, c] = await owners('a', 'b', 'c');
  const outcomes = await atOnce([
    () => noted(a, `of ${a}`),
    () => noted(b, `of ${b}`, { divisor: 0 }),
    () => noted(c, `of ${c}`),
  ]);
  expect(reasons(outcomes)).toEqual(['done', 'division by zero', 'done']);
  expect(await Promise.all([a, b, c].map(written))).toEqual([[`of ${a}`], [], [`of ${c}`]]);
});

test('who is busy with something else does not hold up the others, and is done alone', async () => {
  const [slow, quick, also] = await owners('slow', 'quick', 'also');
  const order: string[] = [];
  const busy = async () => {
    await sleep(300);
    const { notes } = await noted(slow, `of ${slow}`);
    db.afterCommit(() => order.push('slow'));
    return notes;
  };
  const others = [quick, also].map((owner) => async () => {
    const { notes } = await noted(owner, `of ${owner}`);
    db.afterCommit(() => order.push('quick'));
    return notes;
  });
  done(await atOnce([busy, ...others]));
  expect(order).toEqual(['quick', 'quick', 'slow']);
  expect(await written(slow)).toEqual([`of ${slow}`]);
});

test('two that want the owner of each other do not wait for each other for ever', async () => {
  const [a, b] = await owners('a', 'b');
  const both = (first: string, second: string) => async () => {
    await db.open(look, [first]);
    await db.open(look, [second]);
    await db.runAhead(note, [first, `${first} then ${second}`, 1]);
  };
  // Alone as well they deadlock, which PostgreSQL finds out and one of them is run again.
  done(await atOnce([both(a, b), both(b, a)]));
  expect([await written(a), await written(b)]).toEqual([[`${a} then ${b}`], [`${b} then ${a}`]]);
});

test('of two with the same claim only one goes with the others; the other comes when that is committed', async () => {
  const [a, b] = await owners('a', 'b');
  const seen: string[][] = [];
  const claiming = (owner: string) => async () => {
    await db.runAhead(claim, ['4711', 'caller', 'operation', 'key']);
    const { notes } = await db.open(look, [owner]);
    seen.push(await Promise.all([a, b].map(async (one) => (await committed(one)).join())));
    await db.runAhead(note, [owner, `of ${owner}`, 1]);
    return notes;
  };
  done(await atOnce([claiming(a), claiming(b)]));
  expect([await written(a), await written(b)]).toEqual([[`of ${a}`], [`of ${b}`]]);
  expect(seen.at(-1)).toEqual([`of ${a}`, '']);
});

/** What is committed. */
async function committed(owner: string): Promise<string[]> {
  const all = query<{ all: string[] }>(
    'test.all',
    `select coalesce(array_agg(action order by id), '{}') as all from test_notes where owner_id = $1`,
  );
  return (await db.lookUp(all, [owner]))!.all;
}

test('each is in the context of whoever asked for it, and told after the commit', async () => {
  const asker = new AsyncLocalStorage<string>();
  const names = await owners('a', 'b', 'c');
  const told: (string | undefined)[] = [];
  const works = names.map((name) => async () => {
    await noted(name, `of ${name}`);
    db.afterCommit(() => told.push(asker.getStore()));
    return asker.getStore();
  });
  const all = works.map((work, index) => asker.run(names[index]!, () => db.sharedTransaction(work)));
  expect(await Promise.all(all)).toEqual([...names]);
  expect(told).toEqual([...names]);
});

test('a connection that is lost is so for everybody, nothing is kept, and the next ones are done', async () => {
  const [a, b] = await owners('a', 'b');
  const end = query('test.end', 'select pg_terminate_backend($1)');
  const ending = async () => {
    const { pid } = await noted(a, `of ${a}`);
    await db.lookUp(end, [pid]);
    await db.open(look, [a]);
  };
  const outcomes = await atOnce<unknown>([ending, () => noted(b, `of ${b}`)]);
  const away = expect.stringContaining('The database is not reachable') as string;
  expect(reasons(outcomes)).toEqual([away, away]);
  expect([await written(a), await written(b)]).toEqual([[], []]);
  done(await atOnce([() => noted(a, `of ${a}`), () => noted(b, `of ${b}`)]));
  expect([await written(a), await written(b)]).toEqual([[`of ${a}`], [`of ${b}`]]);
});

/**
 * Two works whose last message takes a while, and two that come while it does. @returns the connections, what each opening saw, and in
 * which order the later two began and all were told.
 */
async function oneBehindTheOther(first: readonly [string, string], second: readonly [string, string], divisor = 1) {
  const order: string[] = [];
  const slow = lines('test.slow', 'select pg_sleep(s) from unnest($1::float8[]) as given (s)');
  const work = (owner: string, by: string, dividedBy = 1) =>
    db.sharedTransaction(async () => {
      order.push(`${by} begins`);
      const seen = await db.open(look, [owner]);
      if (by === 'first') await db.runAhead(slow, [0.1]);
      for (const action of [`${owner} ${by}`, `${owner} ${by} again`])
        await db.runAhead(note, [owner, action, dividedBy]);
      db.afterCommit(() => order.push(`${by} is told`));
      return seen;
    });
  const earlier = Promise.allSettled(first.map((owner, index) => work(owner, 'first', index === 1 ? divisor : 1)));
  await until(async () => (await db.lookUp(sleeping, [])) !== undefined, 'the first two being written', 5_000, 5);
  const later = Promise.allSettled(second.map((owner) => work(owner, 'second')));
  return { order, earlier, later };
}
/** The transactions that wrote about an owner. */
const writers = async (owner: string) => [...new Set((await db.many(notesOf, [owner])).map(({ by }) => by))];
const sleeping = query<{ pid: number }>(
  'test.sleeping',
  "select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
);

test('who comes while others are written begins before these are told, behind them on their connection, and sees what they wrote', async () => {
  const [a, b, c] = await owners('a', 'b', 'c');
  const { order, earlier, later } = await oneBehindTheOther([a, b], [a, c]);
  const [before, after] = [done(await earlier), done(await later)];
  expect(order.indexOf('second begins')).toBeLessThan(order.indexOf('first is told'));
  expect(order.lastIndexOf('first is told')).toBeLessThan(order.indexOf('second is told'));
  expect(after.map(({ notes }) => notes)).toEqual([[`${a} first`, `${a} first again`], []]);
  expect(new Set([...before, ...after].map(({ pid }) => pid)).size).toBe(1);
  const [first, second] = [await writers(b), await writers(c)];
  expect([first.length, second.length]).toEqual([1, 1]);
  expect(await writers(a)).toEqual([...first, ...second]);
});

test('where the last statement of those before them fails, who began behind them is not undone with them', async () => {
  const [a, b, c, d] = await owners('a', 'b', 'c', 'd');
  const { order, earlier, later } = await oneBehindTheOther([a, b], [c, d], 0);
  expect(reasons(await earlier)).toEqual(['done', 'division by zero']);
  done(await later);
  expect(order.filter((what) => what === 'second begins')).toHaveLength(2);
  expect([await written(a), await written(b)]).toEqual([[`${a} first`, `${a} first again`], []]);
  expect([await written(c), await written(d)]).toEqual([c, d].map((own) => [`${own} second`, `${own} second again`]));
  const writersOfBoth = new Set([...(await writers(c)), ...(await writers(d))]);
  expect(writersOfBoth.size).toBe(1);
});

test('a connection that is lost while one stands behind the other is so for both, and nothing of either is kept', async () => {
  const [a, b, c, d] = await owners('a', 'b', 'c', 'd');
  const { earlier, later } = await oneBehindTheOther([a, b], [c, d]);
  const { pid } = (await db.lookUp(sleeping, []))!;
  await db.one(query('test.endSleeping', 'select pg_terminate_backend($1)::text'), [pid]);
  const away = expect.stringContaining('The database is not reachable') as string;
  expect(reasons(await earlier)).toEqual([away, away]);
  expect(reasons(await later)).toEqual([away, away]);
  expect(await Promise.all([a, b, c, d].map(written))).toEqual([[], [], [], []]);
  done(await atOnce([c, d].map((owner) => () => noted(owner, `of ${owner}`))));
});
