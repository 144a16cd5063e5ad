import type { WorkflowHandle } from '@temporalio/client';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** The histories that a file's tests have made so far. */
export function recordHistories() {
  const recorded: { workflowId: string; history: History }[] = [];
  return {
    async record(handle: WorkflowHandle): Promise<History> {
      const history = await handle.fetchHistory();
      recorded.push({ workflowId: handle.workflowId, history });
      return history;
    },

    /** Replays what a worker does after a restart. @returns how many histories were replayed. */
    async replay(options: ReplayWorkerOptions): Promise<number> {
      for (const { workflowId, history } of recorded) await Worker.runReplayHistory(options, history, workflowId);
      return recorded.length;
    },
  };
}
