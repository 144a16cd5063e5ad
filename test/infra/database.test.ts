import fc from 'fast-check';
import { lines, listOf, query } from '../../infra/db/sql.ts';
import { claimMail, insertMail } from '../../infra/db/statements/mail.ts';
import { claimMessages, insertMessage } from '../../infra/db/statements/outbox.ts';
import { withDatabase } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';

const services = withDatabase();
const { db } = services;

const add = query('test.add', `insert into owners (owner_id, created_at) values ($1, now())`);
const has = query<{ there: boolean }>('test.has', 'select exists (select from owners where owner_id = $1) as there');
const isThere = async (id: string) => (await db.one(has, [id])).there;

describe('a transaction', () => {
  test('keeps all of it or nothing', async () => {
    await db.transaction(() => db.run(add, ['kept']));
    await expect(
      db.transaction(async () => {
        await db.run(add, ['lost']);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect([await isThere('kept'), await isThere('lost')]).toEqual([true, false]);
  });

  test('in which an error of the database was swallowed is not taken for a committed one', async () => {
    await expect(
      db.transaction(async () => {
        await db.run(add, ['swallowed']);
        await db.run(add, ['swallowed']).catch(() => undefined);
        return 'all is well';
      }),
    ).rejects.toThrow('cannot be committed');
    expect(await isThere('swallowed')).toBe(false);
  });

  test('is committed with its last statement, and nothing may come after that', async () => {
    await expect(
      db.transaction(async () => {
        await db.run(add, ['one']);
        expect(await db.runLast(add, ['last'])).toBe(1);
        await db.run(add, ['after']);
      }),
    ).rejects.toThrow('came after the end of its transaction');
    expect([await isThere('one'), await isThere('last'), await isThere('after')]).toEqual([true, true, false]);
  });

  test('keeps nothing when its last statement fails', async () => {
    await expect(
      db.transaction(async () => {
        await db.run(add, ['first of all']);
        await db.runLast(add, ['first of all']);
      }),
    ).rejects.toThrow('duplicate key');
    expect(await isThere('first of all')).toBe(false);
    await db.transaction(() => db.runLast(add, ['another']));
    expect(await isThere('another')).toBe(true);
  });

  test('undoes what was asked at once with its beginning, when that fails', async () => {
    await expect(
      db.transaction(() => Promise.all([db.run(add, ['twin']), db.run(add, ['twin']), db.run(add, ['third'])])),
    ).rejects.toThrow('duplicate key');
    expect([await isThere('twin'), await isThere('third')]).toEqual([false, false]);
  });

  test('keeps what was asked ahead with the rest, in the order it was asked', async () => {
    await db.transaction(async () => {
      await db.runAhead(add, ['ahead']);
      expect(await isThere('ahead')).toBe(true);
      await db.runAhead(add, ['ahead of the commit']);
    });
    expect([await isThere('ahead'), await isThere('ahead of the commit')]).toEqual([true, true]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['the next statement', () => isThere('ahead of nothing')],
    ['the last statement', () => db.runLast(add, ['after the twin'])],
    ['the commit', () => Promise.resolve()],
  ])('that fails in what was asked ahead fails at %s with its error, and keeps nothing', async (_, next) => {
    const told: Error[] = [];
    await expect(
      db.transaction(async () => {
        await db.runAhead(add, ['twin ahead']);
        await db.runAhead(add, ['twin ahead'], (fault) => told.push(fault));
        await next();
      }),
    ).rejects.toThrow('duplicate key');
    expect(told).toMatchObject([{ code: '23505' }]);
    expect([await isThere('twin ahead'), await isThere('after the twin')]).toEqual([false, false]);
  });

  test('sends what was asked ahead though nothing else is asked for a while', async () => {
    const told = Promise.withResolvers<Error>();
    const open = db.transaction(async () => {
      await db.runAhead(add, ['alone ahead']);
      await db.runAhead(add, ['alone ahead'], told.resolve);
      await told.promise;
    });
    await expect(open).rejects.toThrow('duplicate key');
  });

  test.each<[string, (then: () => void) => void]>([
    ['at once', (then) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(then)))],
    ['while it is undone', (then) => setImmediate(then)],
    ['after it', (then) => setTimeout(then, 50)],
  ])('lets nothing be asked by work that it was ended without, %s', async (when, later) => {
    const run = Promise.withResolvers<unknown>();
    const ahead = Promise.withResolvers<unknown>();
    const refused = expect(run.promise).rejects.toThrow('came after the end of its transaction');
    const refusedAhead = expect(ahead.promise).rejects.toThrow('came after the end of its transaction');
    await expect(
      db.transaction(async () => {
        await db.run(add, [`before ${when}`]);
        later(() => {
          ahead.resolve(db.runAhead(add, [`late ahead ${when}`]));
          run.resolve(db.run(add, [`late ${when}`]));
        });
        throw new Error('ended before');
      }),
    ).rejects.toThrow('ended before');
    await Promise.all([refused, refusedAhead]);
    for (const id of [`before ${when}`, `late ahead ${when}`, `late ${when}`]) expect(await isThere(id)).toBe(false);
  });

  test('joins the one that is open around it', async () => {
    await expect(
      db.transaction(async () => {
        await db.transaction(() => db.run(add, ['inner']));
        throw new Error('outer');
      }),
    ).rejects.toThrow('outer');
    expect(await isThere('inner')).toBe(false);
  });

  test('runs what was to follow the commit once it is committed, and not when it is not', async () => {
    const seen: string[] = [];
    await db.transaction(async () => {
      await db.run(add, ['followed']);
      db.afterCommit(() => seen.push('committed'));
      seen.push('inside');
    });
    await db
      .transaction(() => {
        db.afterCommit(() => seen.push('never'));
        return Promise.reject(new Error('no'));
      })
      .catch(() => undefined);
    expect(seen).toEqual(['inside', 'committed']);
  });
});

describe('values', () => {
  test('lists reach PostgreSQL as they are, whatever stands in them', async () => {
    const echo = query<{ texts: unknown; numbers: unknown }>(
      'test.echo',
      'select to_json($1::text[]) as texts, to_json($2::bigint[]) as numbers',
    );
    const hostile = fc.constantFrom(
      '',
      'NULL',
      'null',
      ' a ',
      'a,b',
      '{',
      '}',
      '"',
      '\\',
      "'",
      '\n',
      'it"s \\" {a,"b"}',
      '£',
      '😀',
    );
    const any = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
    const texts = fc.array(fc.oneof(hostile, any, fc.constant(null)));
    const numbers = fc.array(fc.oneof(fc.maxSafeInteger(), fc.constant(null)));
    await fc.assert(
      fc.asyncProperty(texts, numbers, async (texts, numbers) => {
        const row = await db.one(echo, [listOf(texts), listOf(numbers)]);
        expect(row).toEqual({ texts, numbers });
      }),
    );
  });

  test('a date is its text, an instant is ISO 8601, and a whole number too large to be exact is refused', async () => {
    const values = query<{ day: string; at: string; count: number }>(
      'test.values',
      `select date '2026-03-29' as day, timestamptz '2026-03-29 02:30+01' as at, 9007199254740991::bigint as count`,
    );
    expect(await db.one(values)).toEqual({
      day: '2026-03-29',
      at: '2026-03-29T01:30:00.000Z',
      count: Number.MAX_SAFE_INTEGER,
    });
    await expect(db.one(query('test.large', 'select 9007199254740992::bigint as count'))).rejects.toThrow(RangeError);
  });
});

describe('look-ups', () => {
  const backend = query<{ pid: number; half: number }>(
    'test.backend',
    'select pg_backend_pid() as pid, 1 / $1::int as half',
  );
  const wait = query<{ pid: number }>('test.wait', 'select pg_backend_pid() as pid, pg_sleep($1)::text');
  const end = query('test.end', 'select pg_terminate_backend($1)');

  test('of the same moment go over one connection, and each gets its own answer', async () => {
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    const add = query<{ pid: number; sum: number }>('test.sum', 'select pg_backend_pid() as pid, $1::int + 1 as sum');
    const rows = await Promise.all(numbers.map((number) => db.lookUp(add, [number])));
    expect(rows.map((row) => row?.sum)).toEqual(numbers.map((number) => number + 1));
    expect(new Set(rows.map((row) => row?.pid)).size).toBe(1);
    expect(await db.lookUp(query('test.nothing', 'select 1 as one where $1::int = 0'), [1])).toBeUndefined();
  });

  test('that fail do not fail those of the same moment, and leave no connection behind', async () => {
    const asked = Array.from({ length: 30 }, (_, number) => db.lookUp(backend, [number % 3]));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, number) => (number % 3 === 0 ? 'rejected' : 'fulfilled')),
    );
    await until(() => db.pool().total === db.pool().idle, 'all connections to be given back');
    expect(await db.lookUp(backend, [1])).toMatchObject({ half: 1 });
  });

  test('whose connection ends are refused for now, and the next ones go over another', async () => {
    const asked = [db.lookUp(wait, ['20']), db.lookUp(wait, ['0'])];
    const refused = Promise.all(
      asked.map((one) => expect(one).rejects.toMatchObject({ code: 'dependency-unavailable' })),
    );
    const started = query<{ pid: number }>(
      'test.started',
      `select pid from pg_stat_activity
        where query like '%pg_sleep%' and state = 'active' and datname = current_database() and pid <> pg_backend_pid()`,
    );
    await until(async () => (await db.maybe(started)) !== undefined, 'the look-up to begin');
    const { pid } = await db.one(started);
    await db.many(end, [pid]);
    await refused;
    const next = await db.lookUp(wait, ['0']);
    expect(next?.pid).not.toBe(pid);
  });

  test('go over another connection once theirs has ended while nobody asked', async () => {
    const first = await db.lookUp(backend, [1]);
    await isThere('whoever has another connection opened');
    const { total } = db.pool();
    await db.many(end, [first!.pid]);
    await until(() => db.pool().total < total, 'the connection to be given up');
    const next = await db.lookUp(backend, [1]);
    expect(next!.pid).not.toBe(first!.pid);
  });

  test('wait for no transaction, though as many are open as there are connections', async () => {
    await db.lookUp(has, ['anybody']);
    const over = Promise.withResolvers<undefined>();
    const open = Array.from({ length: 40 }, () =>
      db.transaction(async () => {
        await isThere('anybody');
        await over.promise;
      }),
    );
    try {
      await until(() => db.pool().waiting > 0 && db.pool().idle === 0, 'all connections to be taken');
      expect(await db.lookUp(backend, [1])).toMatchObject({ half: 1 });
    } finally {
      over.resolve(undefined);
      await Promise.all(open);
    }
  });

  test('in a transaction see what it wrote', async () => {
    await db.transaction(async () => {
      await db.run(add, ['seen']);
      expect(await db.lookUp(has, ['seen'])).toEqual({ there: true });
    });
  });
});

describe('lines of many who ask', () => {
  const text = `select place, pg_backend_pid() as pid, clock_timestamp()::text as at, 12 / divisor as share, pg_sleep(wait)::text
     from unnest($1::int[], $2::float8[]) with ordinality as line (divisor, wait, place) where divisor < 5`;
  const share = (name: string) => lines<{ place: number; pid: number; at: string; share: number }>(name, text);

  test('of the same moment share a statement, and each gets its own rows', async () => {
    const asked = share('test.shared');
    const rows = await Promise.all([1, 2, 3, 4, 5].map((divisor) => db.gathered(asked, [divisor, 0])));
    expect(rows.map((own) => own.map((row) => row.share))).toEqual([[12], [6], [4], [3], []]);
    expect(new Set(rows.flat().map(({ pid }) => pid)).size).toBe(1);
  });

  test('that come while a slow one is asked do not wait for it', async () => {
    const asked = share('test.patient');
    const slow = db.gathered(asked, [1, 1]);
    await until(() => db.pool().total > db.pool().idle, 'the slow one to begin');
    const done: string[] = [];
    await Promise.all([slow.then(() => done.push('slow')), db.gathered(asked, [2, 0]).then(() => done.push('quick'))]);
    expect(done).toEqual(['quick', 'slow']);
  });

  test('fail alone where the fault is their own', async () => {
    const asked = share('test.faulty');
    const outcomes = await Promise.allSettled([0, 1, 2, 0, 3].map((divisor) => db.gathered(asked, [divisor, 0])));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  test('in a transaction are asked for in it, and those outside of it are not', async () => {
    const owners = lines<{ place: number; there: boolean }>(
      'test.there',
      `select place, exists (select from owners o where o.owner_id = line.id) as there
         from unnest($1::text[]) with ordinality as line (id, place)`,
    );
    let wrote = () => {};
    const written = new Promise<void>((resolve) => (wrote = resolve));
    const outside = written.then(() => db.gathered(owners, ['inside']));
    await db.transaction(async () => {
      await db.run(add, ['inside']);
      wrote();
      expect(await outside).toEqual([{ place: 1, there: false }]);
      expect(await db.gathered(owners, ['inside'])).toEqual([{ place: 1, there: true }]);
    });
    expect(await db.gathered(owners, ['inside'])).toEqual([{ place: 1, there: true }]);
  });
});

describe('listening', () => {
  const tell = query('test.tell', `select pg_notify('test', $1)`);
  const cut = query<{ cut: boolean }>(
    'test.cut',
    `select pg_terminate_backend(pid) as cut from pg_stat_activity where datname = current_database() and query = 'listen "test"'`,
  );

  test('goes on when its connection is cut, and ends when it is told to', async () => {
    const heard: string[] = [];
    const stop = await db.listen('test', (payload) => heard.push(payload));
    await db.many(tell, ['first']);
    await until(() => heard.includes('first'), 'what was told');
    expect(await db.many(cut)).toEqual([{ cut: true }]);
    await until(async () => {
      await db.many(tell, ['again']);
      return heard.includes('again');
    }, 'what was told over a new connection');
    await stop();
    heard.length = 0;
    await db.many(tell, ['late']);
    expect(heard).toEqual([]);
  });
});

describe('what is written down to be done', () => {
  // Instants are kept to the millisecond, and rounding may take one into what is still to come.
  test('is due at once: letters', async () => {
    for (let times = 0; times < 20; times += 1) {
      const claimed = await db.transaction(async () => {
        await db.run(insertMail, ['password-changed', null, '{}']);
        return db.many(claimMail, [10, 60]);
      });
      expect(claimed).toHaveLength(1);
    }
  });

  test('is due at once: messages for Temporal', async () => {
    for (let times = 0; times < 20; times += 1) {
      const claimed = await db.transaction(async () => {
        await db.run(insertMessage, ['payment.due', 'nobody', '{}']);
        return db.many(claimMessages, [10, 60, 0]);
      });
      expect(claimed).toHaveLength(1);
    }
  });
});
