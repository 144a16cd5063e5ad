import type { Database } from './database.ts';

export interface Call {
  api: string;
  method: string;
  path: string;
  status: number;
  /** Whether the customer was present, as the client says. */
  attended: boolean;
  at: string;
}

const KEPT = 10_000;

export type Calls = ReturnType<typeof openCalls>;

export function openCalls({ quick }: Database) {
  const add = quick.prepare('INSERT INTO calls VALUES (NULL, ?, ?, ?, ?, ?, ?, ?) RETURNING seq');
  const prune = quick.prepare('DELETE FROM calls WHERE seq <= ?');
  const list = quick.prepare(`SELECT api, method, path, status, attended, at FROM calls
    WHERE ?1 IS NULL OR owner_id = ?1 ORDER BY seq DESC`);
  const unattended = quick.prepare(`SELECT count(*) AS times FROM calls
    WHERE api = ? AND path = ? AND at >= ? AND status = 200 AND attended = 0`);
  return {
    /** Counts those that succeeded. */
    unattended: ({ api, path, since }: { api: string; path: string; since: string }): number =>
      (unattended.get(api, path, since) as { times: number }).times,
    add(ownerId: string | null, { api, method, path, status, attended, at }: Call): void {
      const { seq } = add.get(ownerId, api, method, path, status, Number(attended), at) as { seq: number };
      prune.run(seq - KEPT);
    },
    /** Newest first. */
    list: (ownerId: string | null): Call[] =>
      (list.all(ownerId) as unknown as (Omit<Call, 'attended'> & { attended: number })[]).map((call) => ({
        ...call,
        attended: call.attended === 1,
      })),
  };
}
