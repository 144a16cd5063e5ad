export interface Upload {
  caller: string;
  /** How many places the caller may have. */
  share: number;
  /** How many bytes have arrived. */
  received(): number;
  /** A complete upload never gives way. */
  isComplete(): boolean;
  /** Is called when the upload gets a place. */
  take(): void;
  /** Is called when the upload loses its place. */
  giveWay(): void;
}

const MS_PER_S = 1_000;
/** A younger upload does not give way, because its connection might still be getting faster. */
const OLD_S = 5;
const LOOK_AGAIN_MS = 500;

/**
 * Has `most` places. The caller who holds the fewest is next. If all places are taken, the slowest upload since its start gives
 * way to a caller who holds fewer places than its own caller.
 */
export function createUploadPlaces(most: number, now: () => number = () => performance.now()) {
  /** With the time at which each got its place. */
  const holding = new Map<Upload, number>();
  const waiting = new Set<Upload>();
  let lookingAgain: NodeJS.Timeout | undefined;

  const heldBy = (caller: string) => [...holding.keys()].filter((one) => one.caller === caller).length;
  const secondsOf = (upload: Upload) => (now() - holding.get(upload)!) / MS_PER_S;
  const nextOne = () =>
    least(
      [...waiting].filter(({ caller, share }) => heldBy(caller) < share),
      ({ caller }) => heldBy(caller),
    );
  const slowestFor = (caller: string) =>
    least(
      [...holding.keys()].filter(
        (one) => !one.isComplete() && secondsOf(one) >= OLD_S && heldBy(one.caller) > heldBy(caller),
      ),
      (one) => one.received() / secondsOf(one),
    );
  const fill = () => {
    clearTimeout(lookingAgain);
    for (let next = nextOne(); next !== undefined; next = nextOne()) {
      if (holding.size >= most) {
        const slowest = slowestFor(next.caller);
        if (slowest === undefined) {
          lookingAgain = setTimeout(fill, LOOK_AGAIN_MS).unref();
          return;
        }
        holding.delete(slowest);
        slowest.giveWay();
      }
      waiting.delete(next);
      holding.set(next, now());
      next.take();
    }
  };

  return {
    waitingOf: (caller: string) => [...waiting].filter((one) => one.caller === caller).length,
    /** Returns what releases the place, or ends the waiting. */
    wait(upload: Upload): () => void {
      waiting.add(upload);
      fill();
      return () => {
        waiting.delete(upload);
        if (holding.delete(upload)) fill();
      };
    },
  };
}

/** The first of the least. */
function least<T>(items: readonly T[], valueOf: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>((best, item) => {
    return best === undefined || valueOf(item) < valueOf(best) ? item : best;
  }, undefined);
}
