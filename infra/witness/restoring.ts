import { DomainError } from '../../domain/errors.ts';
import { startBackgroundTask, type BackgroundTask } from '../background/task.ts';
import { createWakeup } from '../background/wakeup.ts';
import type { Changes } from '../db/changes.ts';
import type { Queries } from '../db/connection.ts';
import type { Database } from '../db/database.ts';
import { openRestore, recordNoticed, witnessed, type OpenRestore } from '../db/queries/witness.ts';
import type { newId } from '../ids.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { readCounter } from './counter.ts';
import { openFolder, type WitnessFolder } from './folder.ts';
import { ForeignFolderError } from './foreign.ts';

const LOOK_EVERY_MS = 60_000;
const RETRY_AFTER_S = 60;
const ACTOR = 'witness';

export type Restoring = ReturnType<typeof openRestoring>;

/** `settledAt`: when an operator ended the last restore. @returns what shows that the database was restored. */
export type Compare = (now: { settledAt: string | null; server: string | undefined }) => Promise<string | undefined>;

interface Needs {
  db: Database;
  changes: Changes;
  log: Log;
  metrics: Metrics;
  newId: typeof newId;
}

/** Says whether the database is one that was restored, and that no operator has released yet. */
export function openRestoring(services: Needs, { folder: path }: { folder?: string | undefined } = {}) {
  const folder = path === undefined ? undefined : openFolder(path);
  const { db, changes, log, metrics } = services;
  // Else its first value would be 0, a time.
  metrics.witnessedAt.remove();
  /** Undefined until somebody has looked at the server that answers now. */
  let known: { restore: OpenRestore | undefined } | undefined;
  /** To which server the newest connection leads. */
  let newest: string | undefined;
  let wanted = 0;
  let looking: Promise<OpenRestore | undefined> | undefined;
  let named: string | undefined;
  let compare: Compare = () => Promise.resolve(undefined);

  const lookUntilCurrent = async () => {
    for (;;) {
      const at = wanted;
      const found = { restore: await lookOnce(services, folder, { compare, server: newest }) };
      if (at !== wanted) continue;
      known = found;
      metrics.restoring.set(found.restore === undefined ? 0 : 1);
      if (found.restore !== undefined && found.restore.restore_id !== named) tellOperator(log, found.restore);
      named = found.restore?.restore_id;
      return found.restore;
    }
  };

  /** @throws DomainError if nobody can say. @throws ForeignFolderError */
  const look = () => {
    wanted += 1;
    looking ??= lookUntilCurrent().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  db.onConnection((server) => {
    const isOther = newest !== undefined && newest !== server;
    newest = server;
    if (!isOther) return;
    known = undefined;
    look().catch((error: unknown) => {
      log.warn({ reason: String(error) }, 'nobody can say yet whether the database was restored');
    });
  });
  const current = async () => (known === undefined ? (looking ?? look()).catch(cannotSay) : known.restore);

  return {
    look,
    /** Also asks this at each look, from now on. */
    alsoBy(other: Compare): void {
      compare = other;
    },
    /** Undefined if nothing is restored, and also until somebody has looked. */
    now: () => known?.restore,
    /** Looks first if nobody has looked at this server. @throws DomainError `restoring`, or `dependency-unavailable` */
    async requireNone(): Promise<void> {
      if ((await current()) !== undefined) throw restoringError();
    },
    /** Whether work may go on. @throws DomainError `dependency-unavailable` */
    async isNone(): Promise<boolean> {
      return (await current()) === undefined;
    },
    /** Looks each minute, and at each change. */
    start(): BackgroundTask {
      const wake = createWakeup();
      let stop: (() => void) | undefined;
      const options = { name: 'restore watch', log, pauseMs: LOOK_EVERY_MS, wake };
      const task = startBackgroundTask(options, async () => {
        stop ??= await changes.tell('restores', wake.notify);
        await look();
      });
      return { stop: () => task.stop().finally(() => stop?.()) };
    },
  };
}

async function lookOnce(
  services: Needs,
  folder: WitnessFolder | undefined,
  { compare, server }: { compare: Compare; server: string | undefined },
): Promise<OpenRestore | undefined> {
  const { db, metrics } = services;
  // Before the database's counter, which rises first.
  const counter = folder && (await readCounter(folder));
  const { identity, counter: ours, settled_at: settledAt } = await db.one(witnessed());
  if (counter !== undefined && counter.deployment !== identity) throw new ForeignFolderError(folder!.path);
  if (counter !== undefined) metrics.witnessedAt.set(Date.parse(counter.at) / 1_000);
  const open = await db.maybe(openRestore());
  if (open !== undefined) return open;
  const isBehind = counter !== undefined && ours < counter.counter;
  const found = isBehind ? behindBy(counter.counter - ours) : await compare({ settledAt, server });
  return found === undefined ? undefined : notice(services, found);
}

/** Asks the database itself, in the transaction that sends, pays or promises something. */
export async function requireNotRestoring(db: Pick<Queries, 'maybe'>): Promise<void> {
  if ((await db.maybe(openRestore())) !== undefined) throw restoringError();
}

export function restoringError(): DomainError {
  const detail =
    'A backup of the database was restored, and the operator is checking what happened after it. Until then, the service answers only requests that read. Nothing was changed.';
  return new DomainError('restoring', detail, { retry_after: RETRY_AFTER_S });
}

/** Two processes may notice at the same time. The first one stores it. */
async function notice({ db, newId: makeId }: Needs, found: string): Promise<OpenRestore> {
  const at = new Date();
  const subject = makeId('rst');
  const event = { event_id: makeId('evt'), subject, kind: 'restore.noticed', actor: ACTOR, at: null };
  const audit = { ...event, data: JSON.stringify({ found }) };
  return db.transaction(async (tx) => {
    await recordNoticed(tx, { found, at, audit });
    return tx.one(openRestore());
  });
}

const behindBy = (minutes: number) => `the database is ${minutes} of its minutes behind the folder CHECKPOINTS`;

function tellOperator(log: Log, { restore_id, state, found }: OpenRestore): void {
  log.error(
    { restore_id, state, found },
    'the database is one that was restored: nothing is sent, and the API refuses writes. Run "restore begin", or "restore dismiss" if it is a false alarm (docs/operate/alerts.md, RingfenceRestoring)',
  );
}

function cannotSay(error: unknown): never {
  if (error instanceof DomainError) throw error;
  const detail =
    'Nobody can say yet whether the database was restored, so nothing was changed. Send the request again.';
  const unavailable = new DomainError('dependency-unavailable', detail, { dependency: 'checkpoints' });
  unavailable.cause = error;
  throw unavailable;
}
