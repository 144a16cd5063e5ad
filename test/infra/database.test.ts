import fc from 'fast-check';
import { sql } from 'kysely';
import { listsOf } from '../../infra/db/lists.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { query as built } from '../../infra/db/query.ts';
import type { InTransaction, Tx } from '../../infra/db/transaction.ts';
import { textQuery } from '../helpers/text-query.ts';
import { claimMail, insertMail } from '../../infra/db/queries/mail.ts';
import { claimMessages, insertMessage } from '../../infra/db/queries/outbox.ts';
import { withDatabase } from '../helpers/database.ts';
import { ALL_REFUSED, lateCalls } from '../helpers/late-calls.ts';
import { until } from '../helpers/until.ts';

const services = withDatabase();
const { db } = services;

const add = built('test.add', (id: string) => sql`insert into owners (owner_id, created_at) values (${id}, now())`);
const has = textQuery<{ there: boolean }>(
  'test.has',
  'select exists (select from owners where owner_id = $1) as there',
);
const isThere = async (id: string, on: Queries = db) => (await on.one(has(id))).there;
const another: InTransaction = (work) => db.transaction(work);

describe('a transaction', () => {
  test('keeps all of it or nothing', async () => {
    await db.transaction((tx) => tx.run(add('kept')));
    await expect(
      db.transaction(async (tx) => {
        await tx.run(add('lost'));
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect([await isThere('kept'), await isThere('lost')]).toEqual([true, false]);
  });

  test('in which a database error was swallowed does not commit, and its caller gets this error', async () => {
    await expect(
      db.transaction(async (tx) => {
        await tx.run(add('swallowed'));
        await tx.run(add('swallowed')).catch(() => undefined);
        return 'all is well';
      }),
    ).rejects.toMatchObject({ code: '23505' });
    expect(await isThere('swallowed')).toBe(false);
  });

  test('rolls back what was sent with its beginning, when that fails', async () => {
    await expect(
      db.transaction((tx) => Promise.all([tx.run(add('twin')), tx.run(add('twin')), tx.run(add('third'))])),
    ).rejects.toThrow('duplicate key');
    expect([await isThere('twin'), await isThere('third')]).toEqual([false, false]);
  });

  test('stores what was sent without waiting, in the order of sending', async () => {
    await db.transaction(async (tx) => {
      void tx.run(add('ahead'));
      expect(await isThere('ahead', tx)).toBe(true);
      void tx.run(add('ahead of the commit'));
    });
    expect([await isThere('ahead'), await isThere('ahead of the commit')]).toEqual([true, true]);
  });

  test.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['the next statement', (tx) => isThere('ahead of nothing', tx)],
    ['the last statement', (tx) => Promise.resolve(void tx.run(add('after the twin')))],
    ['the commit', () => Promise.resolve()],
  ])('with a failed unawaited statement ends at %s with its error, and stores nothing', async (_, next) => {
    const ended = db.transaction(async (tx) => {
      void tx.run(add('twin ahead'));
      void tx.run(add('twin ahead'));
      await next(tx);
    });
    await expect(ended).rejects.toMatchObject({ code: '23505' });
    expect([await isThere('twin ahead'), await isThere('after the twin')]).toEqual([false, false]);
  });

  test.each(['one', 'maybe', 'many', 'run'] as const)(
    'does not commit if a statement that nobody awaited failed: %s',
    async (way) => {
      const ended = db.transaction(async (tx) => {
        await tx.run(add('twin'));
        void tx[way](add('twin'));
      });
      await expect(ended).rejects.toMatchObject({ code: '23505' });
      expect(await isThere('twin')).toBe(false);
    },
  );

  test('sends an unawaited statement at once', async () => {
    const told = Promise.withResolvers<unknown>();
    const open = db.transaction(async (tx) => {
      void tx.run(add('alone ahead'));
      tx.run(add('alone ahead')).catch(told.resolve);
      await told.promise;
    });
    await expect(open).rejects.toThrow('duplicate key');
  });

  test.each<[string, (then: () => void) => void]>([
    ['at once', (then) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(then)))],
    ['while it is undone', (then) => setImmediate(then)],
    ['after it', (then) => setTimeout(then, 50)],
  ])('runs nothing of work that continues after its end, and says so at once, %s', async (when, later) => {
    const refused = Promise.withResolvers<string[]>();
    await expect(
      db.transaction(async (tx) => {
        await tx.run(add(`before ${when}`));
        later(() => refused.resolve(lateCalls(tx, add(`late ${when}`))));
        throw new Error('ended before');
      }),
    ).rejects.toThrow('ended before');
    expect(await refused.promise).toEqual(ALL_REFUSED);
    for (const id of [`before ${when}`, `late ${when}`]) expect(await isThere(id)).toBe(false);
  });

  test('runs nothing after its commit', async () => {
    const tx = await db.transaction(async (open) => {
      await open.run(add('committed'));
      return open;
    });
    expect(lateCalls(tx, add('too late'))).toEqual(ALL_REFUSED);
    expect([await isThere('committed'), await isThere('too late')]).toEqual([true, false]);
  });

  test('has no part in another, even in one that its work opens', async () => {
    const seen: string[] = [];
    await expect(
      db.transaction(async (outer) => {
        await outer.run(add('outer'));
        outer.afterCommit(() => seen.push('outer'));
        await another(async (inner) => {
          expect(await isThere('outer', inner)).toBe(false);
          await inner.run(add('inner'));
          inner.afterCommit(() => seen.push('inner'));
          expect(await isThere('inner', outer)).toBe(false);
        });
        await expect(another((other) => other.run(add('inner')))).rejects.toThrow('duplicate key');
        expect(await isThere('inner', outer)).toBe(true);
        throw new Error('the outer one');
      }),
    ).rejects.toThrow('the outer one');
    expect([await isThere('outer'), await isThere('inner')]).toEqual([false, true]);
    expect(seen).toEqual(['inner']);
  });

  test('runs after-commit work only after a commit', async () => {
    const seen: string[] = [];
    await db.transaction(async (tx) => {
      await tx.run(add('followed'));
      tx.afterCommit(() => seen.push('committed'));
      seen.push('inside');
    });
    await db
      .transaction((tx) => {
        tx.afterCommit(() => seen.push('never'));
        return Promise.reject(new Error('no'));
      })
      .catch(() => undefined);
    expect(seen).toEqual(['inside', 'committed']);
  });
});

describe('values', () => {
  test('lists reach PostgreSQL unchanged, with any content', async () => {
    const echo = built('test.echo', (given: readonly (string | null)[], counts: readonly (number | null)[]) => {
      const texts = listsOf(
        given.map((text) => ({ text })),
        { text: 'text' },
      );
      const numbers = listsOf(
        counts.map((number) => ({ number })),
        { number: 'bigint' },
      );
      return sql<{ texts: unknown; numbers: unknown }>`
        select to_json(array(select * from unnest(${texts}))) as texts,
               to_json(array(select * from unnest(${numbers}))) as numbers`;
    });
    const hostile = fc.constantFrom(
      ...['', 'NULL', 'null', ' a ', 'a,b', '{', '}', '"', '\\', "'", '\n', '£', '😀'],
      'it"s \\" {a,"b"}',
    );
    const any = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
    const texts = fc.array(fc.oneof(hostile, any, fc.constant(null)));
    const numbers = fc.array(fc.oneof(fc.maxSafeInteger(), fc.constant(null)));
    await fc.assert(
      fc.asyncProperty(texts, numbers, async (texts, numbers) => {
        const row = await db.one(echo(texts, numbers));
        expect(row).toEqual({ texts, numbers });
      }),
    );
  });

  test('a date is text, an instant is ISO 8601, and an integer too large to be exact is refused', async () => {
    const values = textQuery<{ day: string; at: string; count: number }>(
      'test.values',
      `select date '2026-03-29' as day, timestamptz '2026-03-29 02:30+01' as at, 9007199254740991::bigint as count`,
    );
    expect(await db.one(values())).toEqual({
      day: '2026-03-29',
      at: '2026-03-29T01:30:00.000Z',
      count: Number.MAX_SAFE_INTEGER,
    });
    await expect(db.one(textQuery('test.large', 'select 9007199254740992::bigint as count')())).rejects.toThrow(
      RangeError,
    );
  });
});

describe('listening', () => {
  const tell = textQuery('test.tell', `select pg_notify('test', $1)`);
  const cut = textQuery<{ cut: boolean }>(
    'test.cut',
    `select pg_terminate_backend(pid) as cut from pg_stat_activity where datname = current_database() and query = 'listen "test"'`,
  );

  test('continues after its connection is cut, and stops on request', async () => {
    const heard: string[] = [];
    const listener = db.listener('test', (payload) => heard.push(payload));
    await listener.listen();
    await db.many(tell('first'));
    await until(() => heard.includes('first'), 'what was told');
    expect(await db.many(cut())).toEqual([{ cut: true }]);
    await until(async () => {
      await db.many(tell('again'));
      return heard.includes('again');
    }, 'what was told over a new connection');
    await listener.stop();
    heard.length = 0;
    await db.many(tell('late'));
    expect(heard).toEqual([]);
  });
});

// Stored instants are rounded to the millisecond, so they can be slightly in the future.
test('letters, and messages for Temporal, are due at once', async () => {
  for (let times = 0; times < 20; times += 1) {
    const claimed = await db.transaction(async (tx) => {
      await tx.run(insertMail('password-changed', null, {}));
      await tx.run(insertMessage('payment.due', 'nobody', {}));
      const letters = await tx.many(claimMail({ most: 10, holdS: 60 }));
      return [...letters, ...(await tx.many(claimMessages({ most: 10, holdS: 60, dueForS: 0 })))];
    });
    expect(claimed).toHaveLength(2);
  }
});
