import type { Database } from './database.ts';

export type BankClock = ReturnType<typeof openClock>;

const OFFSET = 'clock-offset-ms';

/** The time that the bank's days, limits and events follow. The service's sandbox clock moves it. */
export function openClock({ sql }: Database) {
  const stored = sql.prepare('SELECT value FROM settings WHERE name = ?').get(OFFSET) as { value: string } | undefined;
  let offsetMs = Number(stored?.value ?? 0);
  const store = sql.prepare('INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
  return {
    now: () => new Date(Date.now() + offsetMs),
    offsetMs: () => offsetMs,
    move(toMs: number): void {
      store.run(OFFSET, String(toMs));
      offsetMs = toMs;
    },
  };
}
