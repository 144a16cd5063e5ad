import type { Clock } from '../../infra/clock.ts';

/** Shows the machine's time until a test sets a time, at which the clock then stops. */
export function movableClock(): Clock & { set(instant: string): void } {
  let fixed: Date | undefined;
  return {
    now: () => Promise.resolve(fixed ?? new Date()),
    set: (instant) => {
      fixed = new Date(instant);
    },
  };
}
