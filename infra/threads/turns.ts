interface Limits {
  atOnce: number;
  /** How many works of one caller may wait. */
  waitingOfCaller: number;
  /** How many works of all callers together may wait. */
  waiting: number;
  tooMany: () => Error;
}

interface Waiting {
  caller: string;
  turn: number;
  begin(): void;
  refuse(): void;
}

/**
 * Callers take turns: the caller who had the fewest is next, so work of another caller waits only for what already runs. A
 * caller who was away does not catch up (start-time fair queueing).
 */
export function createTurns({ atOnce, waitingOfCaller, waiting: most, tooMany }: Limits) {
  const waiting: Waiting[] = [];
  /** The last turn that each caller took, unless it is over. */
  const taken = new Map<string, number>();
  let [turn, running] = [0, 0];

  const waitingOf = (caller: string) => waiting.filter((one) => one.caller === caller).length;
  const nextTurnOf = (caller: string) => Math.max(turn, (taken.get(caller) ?? -1) + 1);
  /** The newest work of the caller with the most waiting gives way, unless that is `caller`. */
  const makeSpaceFor = (caller: string) => {
    const groups = [...Map.groupBy(waiting, (one) => one.caller).values()];
    const largest = groups.reduce((most, group) => (group.length > most.length ? group : most));
    if (largest.length <= waitingOf(caller) + 1) throw tooMany();
    const dropped = largest.at(-1)!;
    waiting.splice(waiting.indexOf(dropped), 1);
    taken.set(dropped.caller, dropped.turn - 1);
    dropped.refuse();
  };
  const beginNext = () => {
    if (running >= atOnce || waiting.length === 0) return;
    const first = waiting.reduce((best, one) => (one.turn < best.turn ? one : best));
    waiting.splice(waiting.indexOf(first), 1);
    turn = first.turn;
    for (const [caller, last] of taken) if (last < turn) taken.delete(caller);
    running += 1;
    first.begin();
  };

  return {
    /** @throws the result of `tooMany` if too much of the caller, or of all callers, is waiting. */
    async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
      if (running >= atOnce) {
        if (waitingOf(caller) >= waitingOfCaller) throw tooMany();
        if (waiting.length >= most) makeSpaceFor(caller);
      }
      await new Promise<void>((begin, refuse) => {
        const own = nextTurnOf(caller);
        taken.set(caller, own);
        waiting.push({ caller, turn: own, begin, refuse: () => refuse(tooMany()) });
        beginNext();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        beginNext();
      }
    },
  };
}
