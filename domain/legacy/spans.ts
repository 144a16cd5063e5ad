import { addDays } from '../dates.ts';
import { isFromOcr } from './cells.ts';
import { centre, middle, overlapAcross, sameRow, tall, type Placed } from './geometry.ts';
import type { Token } from './features.ts';
import { asPrinted } from './names.ts';
import { evenly, periodIn, rangeIn, spaced } from './period.ts';
import { dateIn, taxYearIn } from './printed-dates.ts';
import { probabilityOf, type Role, type ScoredSheet } from './scored.ts';
import { mended } from './torn.ts';

/** Neighbouring words with the same role, as one text. */
export interface Span {
  tokens: readonly Token[];
  text: string;
  /** The mean of the model's probabilities for the words. */
  probability: number;
}

/** A text has a role only if one of its words has the role with a higher probability than this. */
const LIKELY = 0.4;
/** The same for the other words of a name or a period. */
const POSSIBLE = 0.15;
/** The widest gap between words of one span, in word heights. */
const GAP = 2.6;
const BOXES = 6;

/** Finds the texts with a role, the likeliest first. */
export function spansOf(scored: ScoredSheet, role: Role): Span[] {
  const likely = scored.tokens
    .map((token, at) => ({ token, probability: probabilityOf(scored, at, role) }))
    .filter(
      ({ token, probability }) =>
        probability > (role === 'employer' || role === 'period' ? POSSIBLE : LIKELY) && token.figure === null,
    );
  const groups: { token: Token; probability: number }[][] = [];
  for (const one of likely.toSorted((a, b) => a.token.left - b.token.left)) {
    const group = groups.find((other) => follows(other.at(-1)!.token, one.token));
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  return groups
    .filter((group) => group.some(({ probability }) => probability > LIKELY))
    .map((group) => ({
      tokens: group.map(({ token }) => token),
      text: group.map(({ token }) => token.text).join(' '),
      probability: group.reduce((sum, { probability }) => sum + probability, 0) / group.length,
    }))
    .sort((a, b) => b.probability - a.probability);
}

/** Whether a word may be part of a date, which may stand in separate boxes. */
const isPartOfDay = ({ text }: Token): boolean => /^\d{1,2}$|^20\d\d$/.test(text);

const follows = (last: Token, next: Token): boolean =>
  sameRow(last, next) &&
  next.left - last.right <
    (isPartOfDay(last) && isPartOfDay(next) ? BOXES : GAP) * Math.max(1, Math.min(tall(last), tall(next))) &&
  next.left > last.left;

/** Joins texts on consecutive lines, such as a name over two lines. */
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

/** A value with the words that state it. */
export interface Said<T> {
  value: T;
  words: readonly Placed[];
  /** The model's probability of the words. */
  probability: number;
}

const saidIn = <T>(value: T, { tokens, probability }: Span): Said<T> => ({
  value,
  words: tokens.flatMap(({ words }) => words),
  probability,
});

/** Returns the likeliest text with a role that `valueOf` accepts as a value. */
export function foundIn<T>(scored: ScoredSheet, role: Role, valueOf: (text: string) => T | null): Said<T> | null {
  for (const span of spansOf(scored, role)) {
    const value = valueOf(span.text);
    if (value !== null) return saidIn(value, span);
  }
  return null;
}

export function employerIn(scored: ScoredSheet): Said<string> | null {
  const seen = isFromOcr(scored.sheet);
  for (const span of joinedBelow(spansOf(scored, 'employer'))) {
    const { words } = saidIn('', span);
    const name = asPrinted(mended(span.text, words), seen);
    if (/[a-z]{2}/i.test(name)) return saidIn(name, span);
  }
  return null;
}

const MONTH_OF_YEAR = /^(?:\d{1,2}[/.-]20\d\d|20\d\d[/.-]\d{1,2})$/;
const NUMBER = /^0?\d{1,2}$/;

/** Returns the likeliest period as printed. Prefers a range or a name to a single day, and a day to a number. */
export function periodOf(scored: ScoredSheet): Said<string> | null {
  const seen = isFromOcr(scored.sheet);
  const withSpaces = (text: string): string => (seen ? spaced(text) : text);
  const spans = spansOf(scored, 'period').map((span) => ({
    ...span,
    text: evenly(withSpaces(span.text.replace(/^([:,\s]|(for|ended|ending)\b)+|[:,\s]+$/gi, ''))),
  }));
  const isDay = ({ text }: Span) => dateIn(text)?.text === text;
  const days = spans.filter(isDay);
  const best = spans.find(
    ({ text }) => (periodIn(text) === text || (MONTH_OF_YEAR.test(text) && taxYearIn(text) === null)) && !days.some((day) => day.text === text), // prettier-ignore
  );
  const isWhole = best !== undefined && rangeIn(best.text) !== null;
  const [range] = isWhole ? [] : spans.flatMap((span) => wholeRange(scored, span) ?? []);
  if (range !== undefined) return range;
  if (best !== undefined) return saidIn(best.text, best);
  const likeliest = days.filter(({ text }, at) => days.findIndex((day) => day.text === text) === at).slice(0, 2);
  const [one, other] = likeliest.toSorted((a, b) => (dateIn(a.text)!.date < dateIn(b.text)!.date ? -1 : 1));
  if (one !== undefined && other !== undefined && isPeriod(one, other))
    return saidIn(`${one.text} - ${other.text}`, { ...one, tokens: [...one.tokens, ...other.tokens], probability: Math.min(one.probability, other.probability) }); // prettier-ignore
  if (likeliest[0] !== undefined) return saidIn(likeliest[0].text, likeliest[0]);
  const [first] = spans;
  if (first === undefined) return null;
  const number = first.tokens.at(-1)!;
  const isNumbered = NUMBER.test(number.text) && LABEL.test(packed(first.tokens.slice(0, -1)));
  if (isNumbered) return numberedPeriod(scored, { ...first, tokens: [number], text: number.text });
  const inside = rangeIn(first.text) ?? periodIn(first.text);
  if (inside !== null) return saidIn(inside, first);
  if (NUMBER.test(first.text)) return numberedPeriod(scored, first);
  return /[a-z]/i.test(first.text) ? saidIn(first.text, first) : null;
}

/** The maximum number of days in a period. */
const MOST_DAYS = 45;

/** Whether two printed days are the first and last day of one period. Both have the same format. */
function isPeriod(from: Span, to: Span): boolean {
  const [first, last] = [dateIn(from.text)!.date, dateIn(to.text)!.date];
  const [one, other] = [from, to].map(({ text }) => text.replace(/\d+/g, '9').replace(/[a-z]+/gi, 'a'));
  const isLikely = Math.min(from.probability, to.probability) > LIKELY_DAY;
  return isLikely && one === other && first < last && last < addDays(first, MOST_DAYS);
}

const LIKELY_DAY = 0.5;

/** Returns the range of days that a text completes with up to three words before it. */
function wholeRange({ tokens }: ScoredSheet, span: Span): Said<string> | null {
  const [own] = span.tokens;
  const before = tokens
    .filter((other) => sameRow(other, own!) && other.right < own!.left + 0.2)
    .toSorted((a, b) => b.left - a.left)
    .slice(0, 3);
  for (let count = 1; count <= before.length; count += 1) {
    const words = [...before.slice(0, count).toReversed(), ...span.tokens];
    const range = rangeIn(words.map(({ text }) => text).join(' '));
    if (range !== null && !span.text.includes(range)) return saidIn(range, { ...span, tokens: words });
  }
  return null;
}

/** Matches a label whose value is a period's number, without its spaces and as OCR may read it: `TAXPERI00NO.` */
const LABEL =
  /(tax|pay|payroll|paye|wage|salary)?(per[i1l][o0][do0]|month|monthly|mth|week|weekly|wk)(no|number|num|nr)?[.:]*$/i;

/** Adds the label to a bare number, as in `Tax Period 6`. The label stands before or above the number. */
function numberedPeriod({ tokens, sheet }: ScoredSheet, span: Span): Said<string> {
  const own = span.tokens[0]!;
  const before = tokens
    .filter((other) => other.figure === null && sameRow(other, own) && other.right < own.left + 0.2)
    .filter((other) => own.left - other.right < 30)
    .toSorted((a, b) => a.left - b.left);
  const above = sheet.cells.find(
    (cell) => LABEL.test(packed(cell.words)) && cell.bottom < own.top + 0.3 && own.top - cell.bottom < 2 && overlapAcross(cell, own) > 0.3, // prettier-ignore
  );
  const label = LABEL.test(packed(before)) ? before : (above?.words ?? []);
  const [printed, whose, name] = LABEL.exec(packed(label)) ?? [];
  if (name === undefined) return saidIn(span.text, span);
  const word = /^per/i.test(name) ? (name === name.toUpperCase() ? 'PERIOD' : `${name.charAt(0)}eriod`) : name;
  const at = label.findIndex((_, from) => packed(label.slice(from)).length <= printed!.length);
  const value = `${whose === undefined ? '' : `${whose} `}${word} ${Number(span.text)}`;
  const words = [...label.slice(at).flatMap((one) => ('words' in one ? one.words : [one])), ...own.words];
  return { value, words, probability: span.probability };
}

const packed = (words: readonly { text: string }[]): string => words.map(({ text }) => text).join('');
