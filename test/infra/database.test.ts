import fc from 'fast-check';
import { sql } from 'kysely';
import { listsOf } from '../../infra/db/lists.ts';
import { query as built } from '../../infra/db/query.ts';
import { textQuery } from '../helpers/text-query.ts';
import { claimMail, insertMail } from '../../infra/db/statements/mail.ts';
import { claimMessages, insertMessage } from '../../infra/db/statements/outbox.ts';
import { withDatabase } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';

const services = withDatabase();
const { db } = services;

const add = built('test.add', (id: string) => sql`insert into owners (owner_id, created_at) values (${id}, now())`);
const has = textQuery<{ there: boolean }>(
  'test.has',
  'select exists (select from owners where owner_id = $1) as there',
);
const isThere = async (id: string) => (await db.one(has(id))).there;

describe('a transaction', () => {
  test('keeps all of it or nothing', async () => {
    await db.transaction(() => db.run(add('kept')));
    await expect(
      db.transaction(async () => {
        await db.run(add('lost'));
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect([await isThere('kept'), await isThere('lost')]).toEqual([true, false]);
  });

  test('in which a database error was swallowed does not count as committed', async () => {
    await expect(
      db.transaction(async () => {
        await db.run(add('swallowed'));
        await db.run(add('swallowed')).catch(() => undefined);
        return 'all is well';
      }),
    ).rejects.toThrow('cannot be committed');
    expect(await isThere('swallowed')).toBe(false);
  });

  test('is committed with its last statement, and nothing may come after that', async () => {
    await expect(
      db.transaction(async () => {
        await db.run(add('one'));
        expect(await db.commitWith(add('last'))).toBe(1);
        await db.run(add('after'));
      }),
    ).rejects.toThrow('was sent after its transaction ended');
    expect([await isThere('one'), await isThere('last'), await isThere('after')]).toEqual([true, true, false]);
  });

  test('keeps nothing when its last statement fails', async () => {
    await expect(
      db.transaction(async () => {
        await db.run(add('first of all'));
        await db.commitWith(add('first of all'));
      }),
    ).rejects.toThrow('duplicate key');
    expect(await isThere('first of all')).toBe(false);
    await db.transaction(() => db.commitWith(add('another')));
    expect(await isThere('another')).toBe(true);
  });

  test('rolls back what was sent with its beginning, when that fails', async () => {
    await expect(
      db.transaction(() => Promise.all([db.run(add('twin')), db.run(add('twin')), db.run(add('third'))])),
    ).rejects.toThrow('duplicate key');
    expect([await isThere('twin'), await isThere('third')]).toEqual([false, false]);
  });

  test('stores what was sent without waiting, in the order of sending', async () => {
    await db.transaction(async () => {
      await db.send(add('ahead'));
      expect(await isThere('ahead')).toBe(true);
      await db.send(add('ahead of the commit'));
    });
    expect([await isThere('ahead'), await isThere('ahead of the commit')]).toEqual([true, true]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['the next statement', () => isThere('ahead of nothing')],
    ['the last statement', () => db.commitWith(add('after the twin'))],
    ['the commit', () => Promise.resolve()],
  ])('with a failed unawaited query ends at %s with its error, and stores nothing', async (_, next) => {
    const told: Error[] = [];
    await expect(
      db.transaction(async () => {
        await db.send(add('twin ahead'));
        await db.send(add('twin ahead'), (fault) => told.push(fault));
        await next();
      }),
    ).rejects.toThrow('duplicate key');
    expect(told).toMatchObject([{ code: '23505' }]);
    expect([await isThere('twin ahead'), await isThere('after the twin')]).toEqual([false, false]);
  });

  test('sends an unawaited query at once', async () => {
    const told = Promise.withResolvers<Error>();
    const open = db.transaction(async () => {
      await db.send(add('alone ahead'));
      await db.send(add('alone ahead'), told.resolve);
      await told.promise;
    });
    await expect(open).rejects.toThrow('duplicate key');
  });

  test.each<[string, (then: () => void) => void]>([
    ['at once', (then) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(then)))],
    ['while it is undone', (then) => setImmediate(then)],
    ['after it', (then) => setTimeout(then, 50)],
  ])('runs no query of work that continues after its end, %s', async (when, later) => {
    const run = Promise.withResolvers<unknown>();
    const ahead = Promise.withResolvers<unknown>();
    const refused = expect(run.promise).rejects.toThrow('was sent after its transaction ended');
    const refusedAhead = expect(ahead.promise).rejects.toThrow('was sent after its transaction ended');
    await expect(
      db.transaction(async () => {
        await db.run(add(`before ${when}`));
        later(() => {
          ahead.resolve(db.send(add(`late ahead ${when}`)));
          run.resolve(db.run(add(`late ${when}`)));
        });
        throw new Error('ended before');
      }),
    ).rejects.toThrow('ended before');
    await Promise.all([refused, refusedAhead]);
    for (const id of [`before ${when}`, `late ahead ${when}`, `late ${when}`]) expect(await isThere(id)).toBe(false);
  });

  test('is not needed to send a query', async () => {
    await db.send(add('by itself'));
    expect(await isThere('by itself')).toBe(true);
    await expect(db.send(add('by itself'))).rejects.toThrow('duplicate key');
  });

  test('joins the surrounding transaction', async () => {
    await expect(
      db.transaction(async () => {
        await db.transaction(() => db.run(add('inner')));
        throw new Error('outer');
      }),
    ).rejects.toThrow('outer');
    expect(await isThere('inner')).toBe(false);
  });

  test('runs after-commit work only after a commit', async () => {
    const seen: string[] = [];
    await db.transaction(async () => {
      await db.run(add('followed'));
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
  test('lists reach PostgreSQL unchanged, with any content', async () => {
    const echo = built(
      'test.echo',
      (texts: readonly (string | null)[], numbers: readonly (number | null)[]) => sql<{
        texts: unknown;
        numbers: unknown;
      }>`
        select to_json(array(select * from unnest(${listsOf(
          texts.map((text) => ({ text })),
          { text: 'text' },
        )}))) as texts,
               to_json(array(select * from unnest(${listsOf(
                 numbers.map((number) => ({ number })),
                 { number: 'bigint' },
               )}))) as numbers`,
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

describe('queued work', () => {
  // Stored instants are rounded to the millisecond, so they can be slightly in the future.
  test('is due at once: letters', async () => {
    for (let times = 0; times < 20; times += 1) {
      const claimed = await db.transaction(async () => {
        await db.run(insertMail('password-changed', null, {}));
        return db.many(claimMail({ most: 10, holdS: 60 }));
      });
      expect(claimed).toHaveLength(1);
    }
  });

  test('is due at once: messages for Temporal', async () => {
    for (let times = 0; times < 20; times += 1) {
      const claimed = await db.transaction(async () => {
        await db.run(insertMessage('payment.due', 'nobody', {}));
        return db.many(claimMessages({ most: 10, holdS: 60, dueForS: 0 }));
      });
      expect(claimed).toHaveLength(1);
    }
  });
});
