import type { Clock } from '../../infra/clock.ts';

/** Shows the machine's time until a test sets a time, at which the clock then stops. Its real time is the same. */
export function movableClock(): Clock & { set(instant: string): void } {
  let fixed: Date | undefined;
  const now = () => Promise.resolve(fixed ?? new Date());
  return {
    now,
    real: now,
    set: (instant) => {
      fixed = new Date(instant);
    },
  };
}
