import type { BankStore } from './store.ts';

export type Calendar = ReturnType<typeof startCalendar>;

/** An alarm is set for no longer than this, so that a machine that slept or whose clock was put right catches up soon. */
const LONGEST_ALARM_MS = 1000;

/** Lets planned settlements, rejections and returns happen when they are due, those of before a restart included. */
export function startCalendar(store: BankStore) {
  const waiting = new Set<() => void>();
  let alarm: NodeJS.Timeout | undefined;

  function setAlarm(): void {
    clearTimeout(alarm);
    const dueMs = store.nextDueMs();
    if (dueMs === null) return;
    alarm = setTimeout(ring, Math.min(Math.max(dueMs - Date.now(), 0), LONGEST_ALARM_MS));
  }
  function wake(): void {
    for (const resume of waiting) resume();
  }
  function ring(): void {
    if (store.advance(Date.now()) > 0) wake();
    setAlarm();
  }
  ring();

  return {
    /** Something new is planned, or has just happened: notifies those who wait, and sets the next alarm. */
    changed() {
      wake();
      setAlarm();
    },
    /** Resolves when something happens, when `signal` aborts, or after `waitMs`. */
    untilChange(waitMs: number, signal: AbortSignal): Promise<void> {
      return new Promise((resolve) => {
        const resume = () => {
          clearTimeout(timer);
          waiting.delete(resume);
          signal.removeEventListener('abort', resume);
          resolve();
        };
        const timer = setTimeout(resume, waitMs);
        signal.addEventListener('abort', resume);
        waiting.add(resume);
        if (signal.aborted) resume();
      });
    },
    stop() {
      clearTimeout(alarm);
      wake();
    },
  };
}
