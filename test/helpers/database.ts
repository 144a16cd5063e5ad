import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Bank, Banks } from '../../infra/bank/interface.ts';
import { createWakeup } from '../../infra/background/wakeup.ts';
import { openChanges } from '../../infra/db/changes.ts';
import { openClock, type Clock } from '../../infra/clock.ts';
import { openDatabase } from '../../infra/db/database.ts';
import { banksWith, silentBank } from './banks.ts';
import { textQuery } from './text-query.ts';
import { openKeys } from '../../infra/keys/index.ts';
import { openLimits } from '../../infra/limits/index.ts';
import { createLog, type Log } from '../../infra/telemetry/log.ts';
import { openMailer } from '../../infra/mail/index.ts';
import { openOidc } from '../../infra/oidc/index.ts';
import { createPasswords } from '../../infra/passwords/index.ts';
import { newId } from '../../infra/ids.ts';
import type { Services } from '../../infra/services.ts';
import { probeTemporal } from '../../infra/temporal/client.ts';
import { openReader } from '../../infra/documents/index.ts';
import { poolOf, type DocumentReaders } from '../../infra/documents/pool.ts';
import { createMetrics } from '../../infra/telemetry/metrics.ts';
import { noTracing } from '../../infra/telemetry/tracing.ts';
import { openRestoring } from '../../infra/witness/restoring.ts';
import { statementWatch, watchedLimits } from '../../infra/telemetry/watched.ts';
import { openThreads } from '../../infra/threads/index.ts';
import { testConfig, testEnvironment } from './environment.ts';
import { closeOwner, followedBy, setRates } from './owner.ts';
import { administer, dropDatabase, serviceUrl, TEMPLATE, urlOf } from './postgres.ts';
import { READER_PROGRAM } from './reader-program.ts';

export interface TestDatabase {
  url: string;
  ownerUrl: string;
  drop(): Promise<void>;
}

/** A new database without any table. */
export async function emptyDatabase(like = ''): Promise<TestDatabase> {
  const { databaseUrl } = testEnvironment();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(databaseUrl, `create database ${name} ${like}`);
  const ownerUrl = urlOf(databaseUrl, name);
  return { url: serviceUrl(ownerUrl), ownerUrl, drop: () => dropDatabase(databaseUrl, name) };
}

export async function cloneDatabase(): Promise<TestDatabase> {
  // The strategy `file_copy` would make a checkpoint for each clone, and so write all tests' changes to disk.
  const database = await emptyDatabase(`template ${TEMPLATE} strategy wal_log`);
  // A clone does not inherit the rights on its template.
  const { pathname } = new URL(database.url);
  await administer(database.ownerUrl, `revoke temporary on database ${pathname.slice(1)} from public`);
  return database;
}

/** Gives `work` a database of its own: a clone, or with `emptyDatabase` an empty one. */
export async function inDatabase<T>(work: (database: TestDatabase) => Promise<T>, make = cloneDatabase): Promise<T> {
  const database = await make();
  try {
    return await work(database);
  } finally {
    await database.drop();
  }
}

type SlowWork = 'run' | 'hash' | 'seal';

/** `bank` is the only bank, and does not respond by default. The other parts are real by default. */
export interface TestParts {
  bank?: Bank;
  banks?: Banks;
  clock?: Clock;
  log?: Log;
  reader?: DocumentReaders;
  env?: Readonly<Record<string, string>>;
  /** Runs before each calculation in a thread (`run`), each password hash, and each call that seals data. */
  beforeSlowWork?: (work: SlowWork) => Promise<void>;
}

export async function openTestServices(
  url: string,
  parts: TestParts = {},
): Promise<Services & { close(): Promise<void> }> {
  const config = testConfig(url, parts.env);
  // Tests use the same addresses for different people.
  config.mail.outboxDir = join(config.mail.outboxDir, new URL(url).pathname);
  const told = { metrics: createMetrics('test'), tracing: noTracing };
  const db = await openDatabase(config.database, statementWatch(told));
  const changes = openChanges(db);
  if (Object.keys(parts.env ?? {}).some((name) => name.startsWith('YIELD_RATE_'))) await setRates({ config });
  const keys = await openKeys(config.keys, config.environment, db);
  const oidc = openOidc({ caFile: config.signIn.signInCa });
  const log = parts.log ?? createLog(config, 'test');
  const temporal = probeTemporal(config.temporal);
  const threads = openThreads(config.threads);
  const reader = parts.reader ?? poolOf([1, 2].map(() => openReader(config.reader, READER_PROGRAM)));
  return {
    config,
    db,
    clock: parts.clock ? followedBy({ config }, parts.clock) : openClock(config),
    banks: parts.banks ?? banksWith(parts.bank ?? silentBank()),
    keys: after(parts.beforeSlowWork, keys, 'seal'),
    passwords: after(parts.beforeSlowWork, createPasswords(config.passwords), 'hash'),
    limits: watchedLimits(openLimits(config.limits, { db, keys }), told),
    mailer: openMailer(config.mail),
    oidc,
    temporal,
    threads: after(parts.beforeSlowWork, threads, 'run'),
    reader,
    changes,
    restoring: openRestoring({ db, changes, log, ...told, newId }, config.witness),
    outbox: createWakeup(),
    keyUse: new Set(),
    log,
    ...told,
    newId,
    async close() {
      await changes.close();
      await reader.close();
      await threads.close();
      await oidc.close();
      keys.closeMacs();
      await db.close();
      await closeOwner({ config });
    },
  };
}

function after<Name extends SlowWork, Part extends { [Work in Name]: unknown }>(
  first: TestParts['beforeSlowWork'],
  part: Part,
  name: Name,
): Part {
  if (first === undefined) return part;
  const work = part[name] as (...given: unknown[]) => Promise<unknown>;
  return { ...part, [name]: async (...given: unknown[]) => first(name).then(() => work(...given)) };
}

export const TEST_FAMILY = 'fam_test';

const signIn = textQuery(
  'test.signIn',
  `insert into token_families (family_id, user_id, scopes, created_at, expires_at)
   values ($1, 'usr_test', '{}', now(), now() + interval '1 day')`,
);

/**
 * Opens services on a new database. They work from `beforeAll` on, but can be passed to `paymentActivities` earlier.
 */
export function withDatabase(parts: TestParts = {}): Services {
  let open: (Services & { close(): Promise<void> }) | undefined;
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await cloneDatabase();
    open = await openTestServices(database.url, parts);
    await open.db.run(signIn(TEST_FAMILY));
  });
  afterAll(async () => {
    await open?.close();
    await database?.drop();
  });
  return lateServices(() => {
    if (open === undefined) throw new Error('withDatabase: the services exist from beforeAll on');
    return open;
  });
}

/** Returns an object whose parts forward to `real()`, so that a test can take a part before the services open. */
export function lateServices(real: () => Services): Services {
  const part = (name: keyof Services): unknown =>
    new Proxy(() => undefined, {
      apply: (_target, _this, args: unknown[]) =>
        (Reflect.get(real(), name) as (...args: unknown[]) => unknown)(...args),
      get: (_target, member) => {
        const owner = Reflect.get(real(), name) as unknown as Record<PropertyKey, unknown>;
        const value = owner[member];
        return typeof value === 'function' ? (value.bind(owner) as unknown) : value;
      },
    });
  const parts = new Map<string, unknown>();
  const partOf = (name: string | symbol): unknown => {
    // Only the services of a command have an operator.
    if (typeof name === 'symbol' || name === 'operator') return undefined;
    if (name === 'newId') return newId;
    if (!parts.has(name)) parts.set(name, part(name as keyof Services));
    return parts.get(name);
  };
  return new Proxy({} as Services, {
    // So that a rest or spread of the services has all parts.
    get: (_target, name) => partOf(name),
    ownKeys: () => Reflect.ownKeys(real()),
    getOwnPropertyDescriptor: (_target, name) => ({ value: partOf(name), enumerable: true, configurable: true }),
  });
}
