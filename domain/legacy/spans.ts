import { addDays } from '../dates.ts';
import { centre, middle, sameRow, tall } from './geometry.ts';
import type { Token } from './features.ts';
import { asName } from './names.ts';
import { evenly, periodIn } from './period.ts';
import { dateIn } from './printed-dates.ts';
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

/** The likeliest name of the employer; null if none is likely. */
export function scoredEmployer(scored: ScoredSheet): { text: string; probability: number } | null {
  const seen = scored.sheet.cells.some(({ source }) => source === 'ocr');
  for (const { text, probability } of joinedBelow(spansOf(scored, 'employer'))) {
    const name = text.replace(/^[=\-_*\s]+|[=\-_*,;:\s]+$/g, '');
    const clean = asName(name, seen) ?? name;
    if (/[a-z]{2}/i.test(clean)) return { text: clean, probability };
  }
  return null;
}

/** The likeliest period as printed: a span of days before a month, a month before a number, a number before a day. */
export function scoredPeriod(scored: ScoredSheet): { text: string; probability: number } | null {
  const spans = spansOf(scored, 'period').map(({ text, probability, tokens }) => ({
    text: evenly(text.replace(/^[:,\s]+|[:,\s]+$/g, '')),
    probability,
    tokens,
  }));
  const days = spans.filter(({ text }) => dateIn(text)?.text === text);
  const best = spans.filter(({ text }) => periodIn(text) === text && !days.some((day) => day.text === text))[0];
  if (best !== undefined) return best;
  const [one, other] = days.toSorted((a, b) => (dateIn(a.text)!.date < dateIn(b.text)!.date ? -1 : 1));
  if (one !== undefined && other !== undefined && isPeriod(one.text, other.text))
    return { text: `${one.text} - ${other.text}`, probability: Math.min(one.probability, other.probability) };
  const [first] = spans;
  if (one !== undefined) return one;
  if (first === undefined) return null;
  const inside = periodIn(first.text);
  if (inside !== null) return { text: inside, probability: first.probability };
  // A P60 names its tax year.
  return /\byear\b/i.test(first.text) ? first : numberedPeriod(scored, first);
}

/** The most days from the first to the last of a period. */
const MOST_DAYS = 45;

/** Whether two printed days may be the ends of one period. */
function isPeriod(from: string, to: string): boolean {
  const [first, last] = [dateIn(from)!.date, dateIn(to)!.date];
  return first < last && last < addDays(first, MOST_DAYS);
}

/** The day of leaving on a P45, as printed. */
export const scoredLeavingDay = (scored: ScoredSheet): { text: string; probability: number } | null =>
  spansOf(scored, 'date').find(({ text }) => dateIn(text) !== null) ?? null;

/** A bare number with the words before it: `Tax Period 6`. */
function numberedPeriod(
  { tokens }: ScoredSheet,
  { text, probability, tokens: [own] }: Span,
): { text: string; probability: number } | null {
  if (!/^0?\d{1,2}$/.test(text) || own === undefined) return null;
  const before = tokens.filter((other) => other.figure === null && sameRow(other, own) && other.right < own.left + 0.2);
  const name = before
    .toSorted((a, b) => a.left - b.left)
    .slice(-2)
    .map((token) => token.text)
    .join(' ')
    .replace(/[:.\s]+$/, '');
  return name === ''
    ? null
    : { text: `${name.replace(/\s*\b(no|number|num)\.?$/i, '')} ${Number(text)}`, probability: probability * 0.9 };
}
