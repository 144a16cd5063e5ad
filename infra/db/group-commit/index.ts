import { AsyncResource } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { inBatches } from '../batches.ts';
import type { Run } from '../connection.ts';
import { asUnavailable } from '../errors.ts';
import type { Load } from '../loader.ts';
import type { InTransaction, Tx } from '../transaction.ts';
import { Batch, type Work } from './batch.ts';
import type { Participant } from './participant.ts';

/** A batch of one owner's requests can take tens of milliseconds. A batch started too early finds that owner locked. */
const LIMITS = { most: 16, patienceMs: 50 };
/** A participant whose owner is locked retries in later batches for this long, then waits alone. */
const BUSY_MS = 100;

interface Job {
  inBatch: Work;
  alone(): Promise<unknown>;
}

type Outcome =
  | { kind: 'done'; result: unknown; after: readonly (() => void)[] }
  | { kind: 'failed'; error: unknown }
  /** Await `settled` before a retry, because the first run might not have ended. `busy`: the owner was locked. */
  | { kind: 'conflict'; settled: Promise<void>; busy: boolean };

interface Parts {
  pool: Pool;
  run: Run;
  load: Load;
  alone: InTransaction;
}

/** Commits several transactions as one (docs/decisions.md). No caller gets a result before the commit. */
export function groupCommit({ pool, run, load, alone }: Parts): InTransaction {
  const join = inBatches<Job, Outcome>(async (jobs) => {
    if (jobs.length === 1) return [{ kind: 'done', result: await jobs[0]!.alone(), after: [] }];
    return runBatch({ pool, run, load }, jobs);
  }, LIMITS);
  return async <T>(work: (tx: Tx) => Promise<T>) => {
    const caller = new AsyncResource('group commit');
    const job: Job = {
      inBatch: (tx) => caller.runInAsyncScope(() => work(tx)),
      alone: () => caller.runInAsyncScope(() => alone(work)),
    };
    const startedAt = performance.now();
    for (;;) {
      const outcome = await join(job);
      if (outcome.kind === 'failed') throw outcome.error;
      if (outcome.kind === 'done') {
        for (const then of outcome.after) then();
        return outcome.result as T;
      }
      await outcome.settled;
      if (!outcome.busy || performance.now() - startedAt > BUSY_MS) return alone(work);
    }
  };
}

async function runBatch({ pool, run, load }: Omit<Parts, 'alone'>, jobs: readonly Job[]): Promise<Outcome[]> {
  const failed = (error: unknown) => jobs.map((): Outcome => ({ kind: 'failed', error }));
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    return failed(asUnavailable(error));
  }
  const batch = new Batch(
    jobs.map(({ inBatch }) => inBatch),
    load,
  );
  let isCommitSent = false;
  let broken = false;
  try {
    await batch.run(client, run, () => (isCommitSent = true));
    return batch.participants.map(outcomeOf);
  } catch (fault) {
    for (const participant of batch.participants) participant.conflict();
    const error = asUnavailable(fault);
    const isAway = error !== fault;
    // After a failed rollback, or an outage during the commit, the connection's state is unknown.
    broken = isCommitSent ? isAway : !(await rolledBack(client));
    if (isAway) return failed(error);
    // One participant might be at fault, so each participant runs again alone.
    return batch.participants.map(({ settled }) => ({ kind: 'conflict', settled, busy: false }));
  } finally {
    client.release(broken);
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

function outcomeOf({ inConflict, isBusy, settled, outcome, after }: Participant): Outcome {
  if (inConflict || outcome === undefined) return { kind: 'conflict', settled, busy: isBusy };
  return 'error' in outcome
    ? { kind: 'failed', error: outcome.error }
    : { kind: 'done', result: outcome.result, after };
}
