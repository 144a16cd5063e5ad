import { EventEmitter, once } from 'node:events';
import type { BankStore } from './store.ts';

export type Calendar = ReturnType<typeof startCalendar>;

/**
 * The longest time between two checks of the clock. A long timer would fire late, because timers stop while the machine
 * sleeps.
 */
const LONGEST_ALARM_MS = 1000;

/** Runs the planned steps of payments when they are due, including steps planned before a restart. */
export function startCalendar(store: BankStore) {
  const changes = new EventEmitter().setMaxListeners(0);
  let alarm: NodeJS.Timeout | undefined;

  function setAlarm(): void {
    clearTimeout(alarm);
    const dueMs = store.nextDueMs();
    if (dueMs === null) return;
    alarm = setTimeout(ring, Math.min(Math.max(dueMs - Date.now(), 0), LONGEST_ALARM_MS));
  }
  function wake(): void {
    changes.emit('change');
  }
  function ring(): void {
    if (store.advance(Date.now()) > 0) wake();
    setAlarm();
  }
  ring();

  return {
    /** Call after planning or running a step: wakes waiting polls, and sets the next timer. */
    changed() {
      wake();
      setAlarm();
    },
    /** Resolves at the next change, when `signal` aborts, or after `waitMs`. */
    async untilChange(waitMs: number, signal: AbortSignal): Promise<void> {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, waitMs))]);
      await once(changes, 'change', { signal: patience }).catch(() => undefined);
    },
    stop() {
      clearTimeout(alarm);
      wake();
    },
  };
}
