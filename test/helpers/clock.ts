import type { Clock } from '../../infra/clock.ts';

/** Makes a business clock that follows the machine's clock until a test sets the time, and then stands still. */
export function movableClock(): Clock & { set(instant: string): void } {
  let fixed: Date | undefined;
  return {
    now: () => Promise.resolve(fixed ?? new Date()),
    set: (instant) => {
      fixed = new Date(instant);
    },
  };
}
