import { setImmediate as nextTurn } from 'node:timers/promises';

/** The checks of a shorter body take so little time that waiting would cost more. */
const SHORT = 4_096;

let last: Promise<unknown> = Promise.resolve();

/** Long bodies take turns: one in each turn of the event loop, so that between two of them all other requests go on. */
export async function takeTurn(bytes: number): Promise<void> {
  if (bytes > SHORT) await (last = last.then(() => nextTurn()));
}
