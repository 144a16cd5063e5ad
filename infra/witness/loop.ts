import { startBackgroundTask, type BackgroundTask } from '../background/task.ts';
import { createWakeup } from '../background/wakeup.ts';
import type { Database } from '../db/database.ts';
import { lockFolder, markCopied, raiseCounter, raisedAt, takenAwayToCopy, witnessed } from '../db/queries/witness.ts';
import type { Keys } from '../keys/index.ts';
import type { Log } from '../telemetry/log.ts';
import { readCounter, writeCounter } from './counter.ts';
import { openFolder, type WitnessFolder } from './folder.ts';
import type { Restoring } from './restoring.ts';
import { appendTakenAway, tailOf, type Tail } from './taken-away.ts';

const LOOK_EVERY_MS = 1_000;
const RAISE_EVERY_MS = 60_000;
const MOST_LINES = 500;

export interface WitnessNeeds {
  db: Database;
  keys: Keys;
  log: Log;
  restoring: Restoring;
}

/** Runs while no other process writes to the folder. Does nothing if it is not due. */
export type WitnessTask = (services: WitnessNeeds, folder: WitnessFolder) => Promise<void>;

const TASKS: readonly WitnessTask[] = [copyTakenAway, raiseWhenDue];

/** Any number of workers may run it. One of them writes at a time. */
export function startWitness(services: WitnessNeeds, path: string, tasks = TASKS): BackgroundTask {
  const folder = openFolder(path);
  const wake = createWakeup();
  const listener = services.db.listener('taken_away', wake.notify);
  const task = startBackgroundTask({ name: 'witness', log: services.log, pauseMs: LOOK_EVERY_MS, wake }, async () => {
    await listener.listen();
    await witnessOnce(services, folder, tasks);
  });
  return { stop: () => task.stop().finally(() => listener.stop()) };
}

/** @returns false if another process is writing. */
export function witnessOnce(services: WitnessNeeds, folder: WitnessFolder, tasks = TASKS): Promise<boolean> {
  // The transaction only holds the lock: what the tasks write must be committed before it stands in the folder.
  return services.db.transaction(async (tx) => {
    if (!(await tx.one(lockFolder())).locked) return false;
    for (const task of tasks) await task(services, folder);
    return true;
  });
}

/** A crash after the folder was written repeats lines, which readers accept. */
async function copyTakenAway({ db, keys }: WitnessNeeds, folder: WitnessFolder): Promise<void> {
  for (;;) {
    const rows = await db.many(takenAwayToCopy(MOST_LINES));
    if (rows.length === 0) return;
    await appendTakenAway(folder, keys, { rows, tail: await tailOf(folder), now: new Date() });
    await db.run(markCopied(rows.map(({ seq }) => seq)));
  }
}

async function raiseWhenDue(services: WitnessNeeds, folder: WitnessFolder): Promise<void> {
  const last = await services.db.maybe(raisedAt());
  const ageMs = last === undefined ? Infinity : Date.now() - Date.parse(last.raised_at);
  // A clock that was set back must not stop the counter.
  if (Math.abs(ageMs) >= RAISE_EVERY_MS) await raise(services, folder);
}

/** The database first: after a crash in between it is ahead of the folder, which never looks like a restore. */
async function raise(services: WitnessNeeds, folder: WitnessFolder): Promise<void> {
  const { db, restoring } = services;
  if ((await restoring.look()) !== undefined) return;
  const at = new Date().toISOString();
  await copyTakenAway(services, folder);
  const taken: Tail = await tailOf(folder);
  const before = await readCounter(folder);
  const { identity: deployment } = await db.one(witnessed());
  const { counter } = await db.one(raiseCounter(0));
  const wasRestored = before !== undefined && counter <= before.counter;
  if (wasRestored) await restoring.look();
  else await writeCounter(folder, { deployment, begun: before?.begun ?? at, counter, at, taken });
}
