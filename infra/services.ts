import type { Bank } from '../domain/bank.ts';
import { READ_AT_ONCE } from '../domain/documents.ts';
import type { IdPrefix } from '../domain/owners.ts';
import { openBank, openBankProbe } from './bank/index.ts';
import { createWakeup, type Wakeup } from './background/wakeup.ts';
import { openChanges, type Changes } from './db/changes.ts';
import { openClock, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import { openDatabase, type Database } from './db/database.ts';
import { newId } from './ids.ts';
import { openKeys, type Keys } from './keys/index.ts';
import { openLimits, type Limits } from './limits/index.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { openMailer, type Mailer } from './mail/index.ts';
import { openReader } from './documents/index.ts';
import { poolOf, type DocumentReaders } from './documents/pool.ts';
import { openOidc, type Oidc } from './oidc/index.ts';
import { createPasswords, type Passwords } from './passwords/index.ts';
import type { SettingGroup } from './config/process-settings.ts';
import { probeTemporal, type TemporalProbe } from './temporal/client.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { openTracing, type Tracing } from './telemetry/tracing.ts';
import {
  statementWatch,
  watchedBank,
  watchedKeys,
  watchedLimits,
  watchedMailer,
  watchedReader,
} from './telemetry/watched.ts';
import { openThreads, type Threads } from './threads/index.ts';
import { unread } from './config/unread.ts';

export interface Services {
  config: Config;
  db: Database;
  clock: Clock;
  bank: Bank;
  keys: Keys;
  passwords: Passwords;
  limits: Limits;
  mailer: Mailer;
  oidc: Oidc;
  temporal: TemporalProbe;
  threads: Threads;
  reader: DocumentReaders;
  changes: Changes;
  /** Notified after a write to the outbox. */
  outbox: Wakeup;
  /** The ids of API keys that were used since the last write, so that requests need no database write. */
  keyUse: Set<string>;
  log: Log;
  metrics: Metrics;
  tracing: Tracing;
  newId(prefix: IdPrefix): string;
}

/** Opens the services whose settings this process uses. The other services throw when used. */
export async function openServices(config: Config, name: string): Promise<Services & { close(): Promise<void> }> {
  const metrics = createMetrics(name);
  const part = <T extends object>(group: SettingGroup, open: () => T): T =>
    config.uses.has(group) ? open() : unread<T>(group, { close: () => Promise.resolve() } as Partial<object>);
  const tracing = await openTracing(config.tracing, name);
  const told = { metrics, tracing };
  const log = createLog(config, name, told);
  const bank = watchedBank(await bankOf(config), told);
  const oidc = part('signIn', () => openOidc({ caFile: config.signInCa }));
  const db = await openDatabase(config.database, statementWatch(told));
  const changes = openChanges(db);
  const keys = config.uses.has('keys') ? watchedKeys(await openKeysOn(db, config), told) : unread<Keys>('keys');
  const threads = part('threads', () => openThreads(config.threads));
  const onFault = (fault: object) => {
    metrics.readerFaults.inc();
    log.error({ ...fault }, 'a document crashed the reader');
  };
  const reader = part('reader', () =>
    poolOf(Array.from({ length: READ_AT_ONCE }, () => watchedReader(openReader(config.reader, onFault), told))),
  );
  return {
    config,
    db,
    clock: openClock(config),
    bank,
    keys,
    passwords: part('passwords', () => createPasswords(config.passwords)),
    limits: part('limits', () => watchedLimits(openLimits(config.limits, { db, keys }), told)),
    mailer: watchedMailer(
      part('mail', () => openMailer(config.mail)),
      told,
    ),
    oidc,
    temporal: part('temporal', () => probeTemporal(config.temporal)),
    threads,
    reader,
    changes,
    outbox: createWakeup(),
    keyUse: new Set(),
    log,
    metrics,
    tracing,
    newId,
    async close() {
      await changes.close();
      await reader.close();
      await threads.close();
      await oidc.close();
      await bank.close();
      await db.close();
      await tracing.close();
    },
  };
}

/** Without signing keys, the client can only check whether the bank is available. */
async function bankOf({ uses, bank }: Config): Promise<Bank & { close(): Promise<void> }> {
  if (uses.has('bankSigning')) return openBank(bank);
  const known = uses.has('bank') ? await openBankProbe(bank) : { close: () => Promise.resolve() };
  return unread<Bank & { close(): Promise<void> }>('bankSigning', known);
}

/** Closes the database after a failure, because the caller never receives the database. */
async function openKeysOn(db: Database, { keys, environment }: Config): Promise<Keys> {
  try {
    return await openKeys(keys, environment, db);
  } catch (error) {
    await db.close();
    throw error;
  }
}
