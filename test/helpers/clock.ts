import type { Clock } from '../../infra/clock.ts';

/** A business clock that follows the machine's clock until a test sets it, and then stands still. */
export function movableClock(): Clock & { set(instant: string): void } {
  let fixed: Date | undefined;
  return {
    now: () => Promise.resolve(fixed ?? new Date()),
    set: (instant) => {
      fixed = new Date(instant);
    },
  };
}
