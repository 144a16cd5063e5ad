import type { Clock } from '../../infra/clock.ts';

/** A business clock that stays where a test sets it, and follows the machine's until then. */
export function movableClock(): Clock & { set(instant: string): void } {
  let fixed: Date | undefined;
  return {
    now: () => Promise.resolve(fixed ?? new Date()),
    set: (instant) => {
      fixed = new Date(instant);
    },
  };
}
