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

/**
 * Work that is done for many at once: who asks while a round is under way shares the next one, and nobody waits where there is
 * none. Where a round fails and `isOurs` says that it may be the fault of one line, each line is done once more by itself.
 */
export function inRounds<Line, Answer>(
  run: (lines: readonly Line[]) => Promise<readonly Answer[]>,
  isOurs: (error: unknown) => boolean,
  { most, patienceMs }: RoundLimits,
): (line: Line) => Promise<Answer> {
  // A round belongs to no one of those who ask: it must not run in a transaction or a trace of theirs.
  const outside = AsyncLocalStorage.snapshot();
  let waiting: Waiting<Line, Answer>[] = [];
  let underWay = false;

  const alone = ({ line, answer, fail }: Waiting<Line, Answer>) => run([line]).then(([own]) => answer(own!), fail);
  const doRound = async (round: readonly Waiting<Line, Answer>[]) => {
    try {
      const answers = await run(round.map(({ line }) => line));
      round.forEach(({ answer }, place) => answer(answers[place]!));
    } catch (error) {
      if (round.length > 1 && isOurs(error)) await Promise.all(round.map(alone));
      else for (const { fail } of round) fail(error);
    }
  };
  const start = () => {
    const round = waiting.slice(0, most);
    waiting = waiting.slice(most);
    underWay = round.length > 0;
    if (!underWay) return;
    let left = false;
    const next = () => {
      if (left) return;
      left = true;
      clearTimeout(impatient);
      start();
    };
    const impatient = setTimeout(next, patienceMs);
    void doRound(round).finally(next);
  };
  return (line) =>
    new Promise((answer, fail) => {
      waiting.push({ line, answer, fail });
      if (underWay) return;
      underWay = true;
      // All who ask within the same turn share the first round.
      queueMicrotask(() => outside(start));
    });
}
