import { isFromOcr } from './cell.ts';
import { centre, middle, sameRow, tall, type Placed } from './geometry.ts';
import type { Token } from './features.ts';
import { grouped } from './grouped.ts';
import { asPrinted } from './names.ts';
import { probabilityOf, type Role, type ScoredSheet } from './scored.ts';
import { mended } from './torn.ts';

/** Neighbouring words with the same role. */
export interface Span {
  tokens: readonly Token[];
  text: string;
  /** The mean of the words' probabilities. */
  probability: number;
}

const LIKELY = 0.4;
/** A probability above this is enough for the other words of a name or a period. */
const POSSIBLE = 0.15;
/** In word heights. */
const GAP = 2.6;
const BOXES = 6;

/** The likeliest first. */
export function spansOf(scored: ScoredSheet, role: Role): Span[] {
  const likely = scored.tokens
    .map((token, at) => ({ token, probability: probabilityOf(scored, at, role) }))
    .filter(
      ({ token, probability }) =>
        probability > (role === 'employer' || role === 'period' ? POSSIBLE : LIKELY) && token.figure === null,
    );
  const byPosition = likely.toSorted((a, b) => a.token.left - b.token.left);
  return grouped(byPosition, (group, one) => follows(group.at(-1)!.token, one.token))
    .filter((group) => group.some(({ probability }) => probability > LIKELY))
    .map((group) => ({
      group,
      tokens: withJoiners(
        scored.tokens,
        group.map(({ token }) => token),
      ),
    }))
    .map(({ group, tokens }) => ({
      tokens,
      text: tokens.map(({ text }) => text).join(' '),
      probability: group.reduce((sum, { probability }) => sum + probability, 0) / group.length,
    }))
    .sort((a, b) => b.probability - a.probability);
}

function withJoiners(all: readonly Token[], words: readonly Token[]): Token[] {
  const joins = (one: Token, last: Token, next: Token) => sameRow(one, last) && one.left > last.right - 0.2 && one.right < next.left + 0.2; // prettier-ignore
  const joiners = all.filter((one) => /^([-–—]|to)$/i.test(one.text) && !words.includes(one));
  return words.flatMap((word, at) => {
    const next = words[at + 1];
    const joiner = next === undefined ? undefined : joiners.find((one) => joins(one, word, next));
    return joiner === undefined ? [word] : [word, joiner];
  });
}

/** A date may be printed in separate boxes. */
const isPartOfDay = ({ text }: Token): boolean => /^\d{1,2}$|^20\d\d$/.test(text);

const follows = (last: Token, next: Token): boolean =>
  sameRow(last, next) &&
  next.left - last.right <
    (isPartOfDay(last) && isPartOfDay(next) ? BOXES : GAP) * Math.max(1, Math.min(tall(last), tall(next))) &&
  next.left > last.left;

/** A name may be printed over two lines. */
function joinedBelow(spans: readonly Span[]): Span[] {
  const left = [...spans].sort((a, b) => a.tokens[0]!.top - b.tokens[0]!.top);
  const joined: Span[] = [];
  for (const span of left) {
    const above = joined.find((other) => continues(other, span));
    if (above === undefined) joined.push(span);
    else {
      joined[joined.indexOf(above)] = {
        tokens: [...above.tokens, ...span.tokens],
        text: `${above.text} ${span.text}`,
        probability: (above.probability + span.probability) / 2,
      };
    }
  }
  return joined.sort((a, b) => b.probability - a.probability);
}

function continues(upper: Span, lower: Span): boolean {
  const [last, first] = [upper.tokens.at(-1)!, lower.tokens[0]!];
  const gap = first.top - last.bottom;
  const aligned = Math.abs(upper.tokens[0]!.left - first.left) < 1 || Math.abs(centreOf(upper) - centreOf(lower)) < 1;
  return (
    gap > -0.5 &&
    gap < 0.7 * tall(first) &&
    aligned &&
    Math.abs(tall(first) - tall(last)) < 0.25 * tall(last) &&
    middle(first) > middle(last)
  );
}

const centreOf = ({ tokens }: Span): number =>
  centre({ left: tokens[0]!.left, right: tokens.at(-1)!.right, top: 0, bottom: 0 });

export interface Said<T> {
  value: T;
  words: readonly Placed[];
  probability: number;
}

export const saidIn = <T>(value: T, { tokens, probability }: Span): Said<T> => ({
  value,
  words: tokens.flatMap(({ words }) => words),
  probability,
});

export function foundIn<T>(scored: ScoredSheet, role: Role, valueOf: (text: string) => T | null): Said<T> | null {
  for (const span of spansOf(scored, role)) {
    const value = valueOf(span.text);
    if (value !== null) return saidIn(value, span);
  }
  return null;
}

export function employerIn(scored: ScoredSheet): Said<string> | null {
  const seen = isFromOcr(scored.sheet.cells);
  for (const span of joinedBelow(spansOf(scored, 'employer'))) {
    const { words } = saidIn('', span);
    const name = asPrinted(mended(span.text, words), seen);
    if (/[a-z]{2}/i.test(name)) return saidIn(name, span);
  }
  return null;
}
