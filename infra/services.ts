import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { READ_AT_ONCE } from '../domain/documents.ts';
import type { IdPrefix } from '../domain/owners.ts';
import { openBanks } from './bank/banks.ts';
import type { Banks } from './bank/interface.ts';
import { createWakeup, type Wakeup } from './background/wakeup.ts';
import { openChanges, type Changes } from './db/changes.ts';
import { openClock, type Clock } from './clock.ts';
import type { Config, ConfigOf, KeysConfig, ReaderConfig } from './config/index.ts';
import { openDatabase, type Database } from './db/database.ts';
import { newId } from './ids.ts';
import { openKeys, type Keys } from './keys/index.ts';
import { openLimits, type Limits } from './limits/index.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { openMailer, type Mailer } from './mail/index.ts';
import { openReader } from './documents/index.ts';
import type { Fault } from './documents/messages.ts';
import { poolOf, type DocumentReaders } from './documents/pool.ts';
import { openRemoteReader } from './documents/remote.ts';
import { openOidc, type Oidc } from './oidc/index.ts';
import { createPasswords, type Passwords } from './passwords/index.ts';
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
  type Telemetry,
} from './telemetry/watched.ts';
import { openThreads, type Threads } from './threads/index.ts';
import { openRestoring, type Restoring } from './witness/restoring.ts';

export interface Services {
  config: Config;
  db: Database;
  clock: Clock;
  banks: Banks;
  keys: Keys;
  passwords: Passwords;
  limits: Limits;
  mailer: Mailer;
  oidc: Oidc;
  temporal: TemporalProbe;
  threads: Threads;
  reader: DocumentReaders;
  changes: Changes;
  restoring: Restoring;
  /** Notified after a write to the outbox. */
  outbox: Wakeup;
  /** The ids of API keys that were used since the last write, so that requests need no database write. */
  keyUse: Set<string>;
  log: Log;
  metrics: Metrics;
  tracing: Tracing;
  newId(prefix: IdPrefix): string;
}

/** The parts of the configuration that each of these services needs. */
interface Needs {
  keys: 'keys';
  passwords: 'passwords';
  limits: 'limits';
  mailer: 'mail';
  oidc: 'signIn';
  temporal: 'temporal';
  threads: 'threads';
  reader: 'reader';
  banks: 'bank';
}

type Common = ConfigOf<'database' | 'tracing'>;

/** The services of a process with the configuration `C`. */
export type ServicesOf<C extends Common> = Omit<Services, keyof Needs | 'config'> & { config: C } & {
  [S in keyof Needs as Needs[S] extends keyof C ? S : never]: Needs[S] extends keyof C
    ? Services[S] | (undefined extends C[Needs[S]] ? undefined : never)
    : never;
};

type Closable = { close(): Promise<void> };

/** Opens the services whose settings this process has read. Without a `readerProgram`, it reads no documents. */
export async function openServices<C extends Common>(
  config: C,
  name: string,
  { readerProgram }: { readerProgram?: URL } = {},
): Promise<ServicesOf<C> & Closable> {
  const given = config as Common & Partial<Omit<Config, keyof Common>>;
  const metrics = createMetrics(name);
  const tracing = await openTracing(config.tracing, name);
  const telemetry = { metrics, tracing };
  const log = createLog(config, name, telemetry);
  const banks = given.bank && (await openBanks(given.bank, (port, bankId) => watchedBank(port, bankId, telemetry)));
  for (const entry of given.bank?.entries ?? [])
    if ('transport_cert_file' in entry)
      metrics.bankCertificateExpires.set({ bank: entry.id }, (await expiryOf(entry.transport_cert_file)) / 1_000);
  const oidc = given.signIn && openOidc({ caFile: given.signIn.signInCa });
  const db = await openDatabase(config.database, statementWatch(telemetry));
  const changes = openChanges(db);
  const keys = given.keys && watchedKeys(await openKeysOn(db, given.keys, config.environment), telemetry);
  const threads = given.threads && openThreads(given.threads);
  const onFault = (fault: Fault) => {
    metrics.readerFaults.inc();
    log.error({ ...fault }, 'a document crashed the reader');
  };
  const reader = given.reader && readerProgram && openReaders(given.reader, { readerProgram, onFault, telemetry });
  const services: Omit<Services, keyof Needs | 'config'> & { [S in keyof Needs]?: unknown } & Closable = {
    db,
    clock: openClock(config),
    banks,
    keys,
    passwords: given.passwords && createPasswords(given.passwords),
    limits: given.limits && keys && watchedLimits(openLimits(given.limits, { db, keys }), telemetry),
    mailer: given.mail && watchedMailer(openMailer(given.mail), telemetry),
    oidc,
    temporal: given.temporal && probeTemporal(given.temporal),
    threads,
    reader,
    changes,
    restoring: openRestoring({ db, changes, log, metrics, newId }, given.witness),
    outbox: createWakeup(),
    keyUse: new Set(),
    log,
    metrics,
    tracing,
    newId,
    async close() {
      await changes.close();
      await reader?.close();
      await threads?.close();
      await oidc?.close();
      await banks?.close();
      keys?.closeMacs();
      await db.close();
      await tracing.close();
    },
  };
  return { ...services, config } as unknown as ServicesOf<C> & Closable;
}

function openReaders(
  settings: ReaderConfig,
  { readerProgram, onFault, telemetry }: { readerProgram: URL; onFault: (fault: Fault) => void; telemetry: Telemetry },
): DocumentReaders {
  const { folder } = settings;
  if (folder !== undefined) return watchedReader(openRemoteReader({ ...settings, folder }, onFault), telemetry);
  const open = () => watchedReader(openReader(settings, readerProgram, onFault), telemetry);
  return poolOf(Array.from({ length: READ_AT_ONCE }, open));
}

async function expiryOf(certificateFile: string): Promise<number> {
  return new X509Certificate(await readFile(certificateFile)).validToDate.getTime();
}

/** Closes the database after a failure, because the caller never receives the database. */
async function openKeysOn(db: Database, keys: KeysConfig, environment: Config['environment']): Promise<Keys> {
  try {
    return await openKeys(keys, environment, db);
  } catch (error) {
    await db.close();
    throw error;
  }
}
