import { EventEmitter, once } from 'node:events';
import { reportFailure } from './report.ts';
import type { BankStore } from './store.ts';

export type Calendar = ReturnType<typeof startCalendar>;

/** Timers stop while the machine sleeps, so a longer timer would fire late. */
const LONGEST_ALARM_MS = 1000;

/** Also runs steps that were planned before a restart. */
export function startCalendar(store: BankStore) {
  const changes = new EventEmitter().setMaxListeners(0);
  let alarm: NodeJS.Timeout | undefined;

  function setAlarm(): void {
    clearTimeout(alarm);
    const dueMs = store.nextDueMs();
    if (dueMs === null) return;
    alarm = setTimeout(ringSafely, Math.min(Math.max(dueMs - Date.now(), 0), LONGEST_ALARM_MS));
  }
  /** If the disk is full, the steps wait until they can be stored. */
  function ringSafely(): void {
    try {
      ring();
    } catch (error) {
      reportFailure(error);
      alarm = setTimeout(ringSafely, LONGEST_ALARM_MS);
    }
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
    /** Call after planning a step. */
    changed() {
      wake();
      setAlarm();
    },
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
