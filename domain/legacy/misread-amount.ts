import { cellOf, certaintyOf, isFromOcr, packed, type Figure } from './cell.ts';
import type { Token } from './features.ts';
import { sameRow, type Placed } from './geometry.ts';
import { probabilityOf, type ScoredSheet } from './scored.ts';
import type { Solution, Solved } from './solve.ts';

const DEDUCTIONS = ['tax', 'ni', 'pension'] as const;
const FIELDS = ['gross', 'net', ...DEDUCTIONS] as const;
type Field = (typeof FIELDS)[number];
const LIKELY = 0.5;
const DOUBTED = 0.9;
/** Pairs of digits that OCR confuses. */
const ALIKE = ['06', '08', '09', '14', '17', '23', '27', '35', '38', '39', '49', '56', '58', '59', '68', '69', '89'];
const UNALIKE = 0.5;

interface Printed {
  field: Field;
  words: readonly Placed[];
}

/** The cost is lower if OCR is likelier to have misread the printed amount. */
interface Correction extends Printed {
  pence: number;
  cost: number;
}

/** Corrects signs of deductions, or one misread amount (`8816` for `88.16`), so that the sums agree. */
export function withMisreadAmount(scored: ScoredSheet, solution: Solution): Solution {
  if (solution.linesClose === true) return solution;
  const isRead = isFromOcr(scored.sheet.cells);
  const others = scored.tokens.flatMap(({ figure }, at) =>
    figure !== null && probabilityOf(scored, at, 'other-deduction') > LIKELY ? Math.abs(figure.pence) : [],
  );
  const [gross, net, ...taken] = FIELDS.map((field) => amountOf(solution[field]));
  const open = [...taken, ...others].reduce((left, pence) => left - pence, gross! - net!);
  if (open === 0 && isRead) return withoutSigns(solution);
  const printed = FIELDS.flatMap((field) => printedAs(scored, solution, field) ?? []);
  const unread = printed.filter(({ field }) => solution[field] === null);
  const isKnown = (field: Field): boolean => solution[field] !== null || unread.some((one) => one.field === field);
  if (unread.length > 1 || !isKnown('gross') || !isKnown('net'))
    return isRead ? withPoints(solution, unread) : solution;
  const corrections = (unread.length === 1 ? unread : printed)
    .filter(({ field }) => solution.totalsClose !== true || (field !== 'gross' && field !== 'net'))
    .map((one): Correction => {
      const pence = amountOf(solution[one.field]) + (one.field === 'gross' ? -open : open);
      return { ...one, pence, cost: costOf(one.words, pence) };
    });
  const [best] = corrections.filter(({ cost }) => cost < Infinity).toSorted((a, b) => a.cost - b.cost);
  return best === undefined ? solution : { ...solution, [best.field]: inferred(best) };
}

/** Restores lost decimal points, for when too many amounts are missing to check the sums. */
function withPoints(solution: Solution, unread: readonly Printed[]): Solution {
  const pointless = unread.filter(({ words }) => /^\d{4,7}$/.test(packed(words)));
  return pointless.reduce<Solution>(
    (read, one) => ({ ...read, [one.field]: inferred({ ...one, pence: Number(packed(one.words)) }) }),
    solution,
  );
}

const amountOf = (solved: Solved | null): number => Math.abs(solved?.pence ?? 0);

const withoutSigns = (solution: Solution): Solution => ({
  ...solution,
  ...Object.fromEntries(
    DEDUCTIONS.flatMap((field) => {
      const solved = solution[field];
      return solved === null ? [] : [[field, { ...solved, pence: Math.abs(solved.pence), isInferred: true }]];
    }),
  ),
});

/** Null if the field has several amounts. Without any, returns the words with digits that have the field's role. */
function printedAs(scored: ScoredSheet, solution: Solution, field: Field): Printed | null {
  const figures = solution[field]?.figures ?? [];
  if (figures.length > 0) return figures.length === 1 ? { field, words: figures[0]!.words } : null;
  const isMisread = ({ figure, text }: Token, at: number) => figure === null && /\d/.test(text) && probabilityOf(scored, at, field) > LIKELY; // prettier-ignore
  const [first, ...more] = scored.tokens.filter(isMisread).toSorted((a, b) => a.left - b.left);
  if (first === undefined) return null;
  return { field, words: [first, ...more.filter((one) => sameRow(one, first))].flatMap(({ words }) => words) };
}

/** 0 if the digits agree, and Infinity if the words cannot be a misreading of the amount. */
function costOf(words: readonly Placed[], pence: number): number {
  if (pence <= 0) return Infinity;
  if (!isFromOcr(words) && !/^\d+$/.test(packed(words))) return Infinity;
  const read = words.map(({ text }) => text.replace(/^\D+|\D+$|[.,' -]/g, '')).join('');
  const wanted = String(pence).padStart(3, '0');
  if (read === wanted || read === String(pence / 100)) return 0;
  const certainty = certaintyOf(words);
  if (certainty > DOUBTED) return Infinity;
  if (read.length === wanted.length) {
    const [pair, ...more] = Array.from(wanted).flatMap((digit, at) => (read[at] === digit ? [] : [[digit, read[at]!].sort().join('')])); // prettier-ignore
    return more.length > 0 ? Infinity : certainty + (ALIKE.includes(pair!) ? 0 : UNALIKE);
  }
  const [longer, shorter] = read.length > wanted.length ? [read, wanted] : [wanted, read];
  const isOneMore = Array.from(longer).some((_, at) => longer.slice(0, at) + longer.slice(at + 1) === shorter);
  return isOneMore ? certainty + UNALIKE : Infinity;
}

function inferred({ words, pence }: Omit<Correction, 'cost'>): Solved {
  const figure: Figure = { ...cellOf(words), pence, exact: false };
  return { pence, figures: [figure], probability: LIKELY, lead: 0, isInferred: true };
}
