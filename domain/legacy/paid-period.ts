import { addDays } from '../dates.ts';
import { isFromOcr, packed } from './cell.ts';
import { overlapAcross, sameRow } from './geometry.ts';
import { evenly, periodIn, rangeIn, spaced } from './period.ts';
import { DATE_TEXT, dateIn, MONTH_NAME, taxYearIn } from './printed-dates.ts';
import type { ScoredSheet } from './scored.ts';
import { saidIn, spansOf, type Said, type Span } from './spans.ts';

interface Candidate {
  said: Said<string>;
  worth: number;
}

const WORTH = { range: 0.3, name: 0.2, day: 0.1, number: 0, other: -0.2 };
const MONTH_OF_YEAR = /^(?:\d{1,2}[/.-]20\d\d|20\d\d[/.-]\d{1,2})$/;
const TWO_DAYS = new RegExp(String.raw`^(${DATE_TEXT}) (${DATE_TEXT})$`, 'i');
/** Such as `1 May - 31 May`. */
const WITHOUT_YEAR = new RegExp(String.raw`^\d{1,2} ${MONTH_NAME} (?:-|–|to) \d{1,2} ${MONTH_NAME}$`, 'i');
const NUMBER = /^0?\d{1,2}$/;
/** Such as `4/52` or `6 of 12`. */
const NUMBER_OF_ALL = /^(\d{1,2}) ?(?:\/|of) ?(?:12|13|26|52|53)$/i;
const ENDS = /^([-–:;,.|\s]|(for|to|ended|ending)\b)+|[-–:;,.|\s]+$/gi;

export function periodOf(scored: ScoredSheet): Said<string> | null {
  const seen = isFromOcr(scored.sheet.cells);
  const spans = spansOf(scored, 'period').map((span) => {
    const text = span.text.replace(ENDS, '');
    return { ...span, text: evenly(seen ? spaced(text) : text) };
  });
  const candidates = spans.flatMap((span) => candidateIn(scored, span) ?? []);
  const isRange = candidates.some(({ said }) => rangeIn(said.value) !== null);
  const ranges = isRange ? [] : [...spans.flatMap((span) => wholeRange(scored, span) ?? []), ...daysTogether(spans)];
  return [...ranges.map((said) => candidate(said, 'range')), ...candidates].reduce<Candidate | null>((best, one) => (best === null || one.worth > best.worth ? one : best), null)?.said ?? null; // prettier-ignore
}

const candidate = (said: Said<string>, form: keyof typeof WORTH): Candidate => ({ said, worth: said.probability + WORTH[form] }); // prettier-ignore

const isDay = ({ text }: Span): boolean => dateIn(text)?.text === text;

function candidateIn(scored: ScoredSheet, span: Span): Candidate | null {
  const { text } = span;
  const [, first, last] = TWO_DAYS.exec(text) ?? [];
  if (last !== undefined) return candidate(saidIn(`${first} - ${last}`, span), 'range');
  if (rangeIn(text) === text || WITHOUT_YEAR.test(text)) return candidate(saidIn(text, span), 'range');
  if (isDay(span)) return candidate(saidIn(text, span), 'day');
  const isName = periodIn(text) === text || (MONTH_OF_YEAR.test(text) && taxYearIn(text) === null);
  if (isName) return candidate(saidIn(text, span), 'name');
  const [, counted] = NUMBER_OF_ALL.exec(text) ?? [];
  if (counted !== undefined) return candidate(numberedPeriod(scored, { ...span, tokens: span.tokens.slice(0, 1), text: counted }), 'number'); // prettier-ignore
  const inside = rangeIn(text) ?? periodIn(text) ?? dateIn(text)?.text ?? null;
  if (inside !== null) return candidate(saidIn(inside, span), 'other');
  const number = span.tokens.find((token) => NUMBER.test(token.text));
  const label = span.tokens.slice(0, number === undefined ? 0 : span.tokens.indexOf(number));
  if (number !== undefined && (NUMBER.test(text) || LABEL.test(packed(label))))
    return candidate(numberedPeriod(scored, { ...span, tokens: [number], text: number.text }), label.length === 0 ? 'number' : 'name'); // prettier-ignore
  return /[a-z]/i.test(text) ? candidate(saidIn(text, span), 'other') : null;
}

function daysTogether(spans: readonly Span[]): Said<string>[] {
  const days = spans.filter(isDay);
  const likeliest = days.filter(({ text }, at) => days.findIndex((day) => day.text === text) === at).slice(0, 2);
  const [one, other] = likeliest.toSorted((a, b) => (dateIn(a.text)!.date < dateIn(b.text)!.date ? -1 : 1));
  if (one === undefined || other === undefined || !isPeriod(one, other)) return [];
  return [saidIn(`${one.text} - ${other.text}`, { ...one, tokens: [...one.tokens, ...other.tokens], probability: Math.min(one.probability, other.probability) })]; // prettier-ignore
}

/** Days from the first to the last day of a period. */
const DAYS = { least: 6, most: 44 };
/** In word heights. */
const APART = 8;

function isPeriod(from: Span, to: Span): boolean {
  const [first, last] = [dateIn(from.text)!.date, dateIn(to.text)!.date];
  const [one, other] = [from, to].map(({ text }) => text.replace(/\d+/g, '9').replace(/[a-z]+/gi, 'a'));
  const isLikely = Math.min(from.probability, to.probability) > LIKELY_DAY;
  const isNear = Math.abs(from.tokens[0]!.top - to.tokens[0]!.top) < APART;
  return isLikely && isNear && one === other && last >= addDays(first, DAYS.least) && last <= addDays(first, DAYS.most);
}

const LIKELY_DAY = 0.5;

/** The range may begin up to three words before the span. */
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

/** OCR may read such a label as `TAXPERI00NO.` */
const LABEL =
  /(tax|pay|payroll|paye|wage|salary)?(per[i1l][o0][do0]|month|monthly|mth|week|weekly|wk)(no|number|num|nr)?[.:]*$/i;

/** The label, as in `Tax Period 6`, is printed before or above the number. */
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
