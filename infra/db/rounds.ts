import { AsyncLocalStorage } from 'node:async_hooks';

interface Waiting<Line, Answer> {
  line: Line;
  answer(answer: Answer): void;
  fail(error: unknown): void;
}

/** What the rounds of one kind of work may take. */
export interface RoundLimits {
  /** Lines in one round. */
  most: number;
  /** A round that takes longer lets the next one start beside it. Milliseconds. */
  patienceMs: number;
}

/** Does a round. Where it calls `mayBeFollowed`, the next one starts when nearly as many wait, and not only when this one is over. */
type Run<Line, Answer> = (lines: readonly Line[], mayBeFollowed: () => void) => Promise<readonly Answer[]>;

/** Nearly as many: who came with the others is often a little behind them. Fewer would make the rounds smaller and smaller. */
const NEARLY = 0.7;

/** The latest round: whoever comes waits for the next one. */
interface Latest {
  /** So many are enough to start the next one. */
  enough: number;
  /** Starts the next one, where it is not started. */
  next(): void;
}

/**
 * Work that is done for many at once: who asks while a round is under way shares the next one, and nobody waits where there is
 * none. Where a round fails and `isOurs` says that it may be the fault of one line, each line is done once more by itself.
 */
export function inRounds<Line, Answer>(
  run: Run<Line, Answer>,
  isOurs: (error: unknown) => boolean,
  { most, patienceMs }: RoundLimits,
): (line: Line) => Promise<Answer> {
  // A round belongs to no one of those who ask: it must not run in a transaction or a trace of theirs.
  const outside = AsyncLocalStorage.snapshot();
  let waiting: Waiting<Line, Answer>[] = [];
  let latest: Latest | undefined;

  const alone = ({ line, answer, fail }: Waiting<Line, Answer>) =>
    run([line], () => undefined).then(([own]) => answer(own!), fail);
  const doRound = async (round: readonly Waiting<Line, Answer>[], mayBeFollowed: () => void, next: () => void) => {
    try {
      const answers = await run(
        round.map(({ line }) => line),
        mayBeFollowed,
      );
      // First, so that the next one is on its way while these are told.
      next();
      round.forEach(({ answer }, place) => answer(answers[place]!));
    } catch (error) {
      if (round.length > 1 && isOurs(error)) await Promise.all(round.map(alone));
      else for (const { fail } of round) fail(error);
    } finally {
      next();
    }
  };
  const start = () => {
    const round = waiting.slice(0, most);
    waiting = waiting.slice(most);
    latest = undefined;
    if (round.length === 0) return;
    const next = () => {
      if (latest !== own) return;
      clearTimeout(impatient);
      start();
    };
    const own: Latest = { enough: Infinity, next };
    latest = own;
    const impatient = setTimeout(next, patienceMs);
    const mayBeFollowed = () => {
      own.enough = Math.ceil(NEARLY * round.length);
      if (waiting.length >= own.enough) next();
    };
    void doRound(round, mayBeFollowed, next);
  };
  /** All who ask within the same turn share the round. */
  const soon = (begin: () => void) => queueMicrotask(() => outside(begin));
  return (line) =>
    new Promise((answer, fail) => {
      waiting.push({ line, answer, fail });
      if (latest === undefined) {
        latest = { enough: Infinity, next: start };
        soon(start);
      } else if (waiting.length === latest.enough) {
        soon(latest.next);
      }
    });
}
