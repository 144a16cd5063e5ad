import { centre, middle, sameRow, tall } from './geometry.ts';
import type { Token } from './features.ts';
import { probabilityOf, type Role, type ScoredSheet } from './scored.ts';

/** Neighbouring words with one role, read as one text. */
export interface Span {
  tokens: readonly Token[];
  text: string;
  /** The mean of the scorer's probabilities. */
  probability: number;
}

const LIKELY = 0.4;
/** The widest gap between words of one span, in word heights. */
const GAP = 2.6;

/** The texts with a role, the likeliest first. */
export function spansOf(scored: ScoredSheet, role: Role): Span[] {
  const likely = scored.tokens
    .map((token, at) => ({ token, probability: probabilityOf(scored, at, role) }))
    .filter(({ token, probability }) => probability > LIKELY && token.figure === null);
  const groups: { token: Token; probability: number }[][] = [];
  for (const one of likely.toSorted((a, b) => a.token.left - b.token.left)) {
    const group = groups.find((other) => follows(other.at(-1)!.token, one.token));
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  return groups
    .map((group) => ({
      tokens: group.map(({ token }) => token),
      text: group.map(({ token }) => token.text).join(' '),
      probability: group.reduce((sum, { probability }) => sum + probability, 0) / group.length,
    }))
    .sort((a, b) => b.probability - a.probability);
}

const follows = (last: Token, next: Token): boolean =>
  sameRow(last, next) &&
  next.left - last.right < GAP * Math.max(1, Math.min(tall(last), tall(next))) &&
  next.left > last.left;

/** Spans on consecutive lines, one below the other, as one: a name in two lines. */
export function joinedBelow(spans: readonly Span[]): Span[] {
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
  return gap > -0.5 && gap < 0.7 * tall(first) && aligned && Math.abs(tall(first) - tall(last)) < 0.25 * tall(last) && middle(first) > middle(last); // prettier-ignore
}

const centreOf = ({ tokens }: Span): number =>
  centre({ left: tokens[0]!.left, right: tokens.at(-1)!.right, top: 0, bottom: 0 });
