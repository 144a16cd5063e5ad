import type { Clock } from '../../infra/clock.ts';

/** Makes a business clock that shows the machine's time. When a test sets the time, the clock stops at that time. */
export function movableClock(): Clock & { set(instant: string): void } {
  let fixed: Date | undefined;
  return {
    now: () => Promise.resolve(fixed ?? new Date()),
    set: (instant) => {
      fixed = new Date(instant);
    },
  };
}
