import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns } from '../../../infra/threads/turns.ts';

/** The checks of a shorter body take so little time that waiting would cost more. */
const SHORT = 4_096;

/** How many may wait is limited by what their bodies hold. */
const NO_LIMIT = { waitingOfCaller: Infinity, waiting: Infinity, tooMany: () => new Error('unlimited') };
const turns = createTurns({ atOnce: 1, ...NO_LIMIT });

/**
 * Long bodies take turns by caller: one in each turn of the event loop, so that between two of them all other requests go
 * on.
 */
export async function takeTurn(caller: string, bytes: number): Promise<void> {
  if (bytes > SHORT) await turns.run(caller, () => nextTurn());
}
