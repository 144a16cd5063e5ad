import { cellOf, isFigure, type Cell, type Figure } from './cell.ts';
import { wholeNumber } from './figures.ts';
import { centre, middle, tall, wide, type Box } from './geometry.ts';

/** Finds amounts in two boxes: `1234 | 56`. */
export function poundsAndPence(parts: readonly Cell[], figures: readonly Figure[]): Pair[] {
  const headed = parts.some((part) => /^p$|^£\s*p$|pence/i.test(part.text));
  if (!headed && figures.filter((figure) => figure.exact).length >= 3) return [];
  const pairs: Pair[] = [];
  for (const part of parts) {
    const inOne = IN_ONE.exec(
      /^[\dOo]+[|¦lI ]{1,3}\d\d$/.test(part.text) ? part.text.replace(/[Oo]/g, '0') : part.text,
    );
    if (inOne !== null) {
      const pounds = wholeNumber((inOne[1] ?? inOne[3])!)!;
      pairs.push({
        figure: { ...part, pence: pounds * 100 + Number(inOne[2] ?? inOne[4]), exact: true },
        from: [part],
      });
      continue;
    }
    const pounds = isFigure(part)
      ? part.exact
        ? null
        : part.pence / 100
      : wholeNumber(part.text.replace(MINUS, '').replace(/^£\s*/, ''));
    if (pounds === null) continue;
    const pence = parts.find(
      (other) =>
        /^[|¦]?\s*\d{2}(-|CR)?$/.test(other.text) && isBeside(part, other, isHeaded(parts, other) ? HEADED : undefined),
    );
    if (pence === undefined || parts.some((year) => /^(19|20)\d{2}$/.test(year.text) && isBeside(pence, year, 6)))
      continue;
    const value =
      (pounds * 100 + Number(pence.text.replace(/\D/g, ''))) *
      (MINUS.test(part.text) || /(-|CR)$/.test(pence.text) ? -1 : 1);
    pairs.push({
      figure: { ...cellOf([...part.words, ...pence.words]), pence: value, exact: true },
      from: [part, pence],
    });
  }
  const whole = pairs.filter(
    (pair) => !pairs.some((other) => other !== pair && other.from.at(-1) === pair.from[0] && other.from.length > 1),
  );
  return [...whole, ...runTogether(parts, whole)];
}

/** OCR may read the vertical line between pounds and pence as a letter. */
const IN_ONE = /^£?(\d{1,3}(?:,\d{3}){1,2}|\d{1,7})\s*[|¦lI]?\s+[|¦]?\s*(\d{2})$|^£?(\d{1,7})[|¦lI](\d{2})$/;

interface Pair {
  figure: Figure;
  from: Cell[];
}

/** OCR may read pounds and pence as one number, which then ends in a column of pence. */
function runTogether(parts: readonly Cell[], pairs: readonly Pair[]): Pair[] {
  const numbers = parts.filter((part) => part.source === 'ocr' && /^\d{3,7}$/.test(part.text));
  const pitches = numbers.map(pitchOf).sort((a, b) => a - b);
  const usual = pitches[pitches.length >> 1] ?? 0;
  return numbers
    .filter((part) => !pairs.some(({ from }) => from.includes(part)))
    .filter((part) => {
      const above = pairs.filter(({ figure }) => Math.abs(figure.right - part.right) < 0.4).length;
      return above >= 2 || (above === 1 && pitchOf(part) > WIDE_PITCH * usual);
    })
    .map((part) => ({ figure: { ...part, pence: Number(part.text), exact: true }, from: [part] }));
}

/** Digits wider than usual by this factor mean a line or a gap between pounds and pence. */
const WIDE_PITCH = 1.2;
const pitchOf = (number: Cell): number => wide(number) / tall(number) / number.text.length;

const MINUS = /^[-–−]\s?(?=£?\d)/;
/** In word heights. */
const HEADED = 6;

const isHeaded = (parts: readonly Cell[], pence: Cell): boolean =>
  parts.some(
    (part) =>
      /^p$/i.test(part.text) &&
      part.bottom < pence.top + 0.3 &&
      (Math.abs(part.right - pence.right) < 0.8 || Math.abs(centre(part) - centre(pence)) < 0.8),
  );

function isBeside(pounds: Box, pence: Box, widest = 3): boolean {
  const gap = pence.left - pounds.right;
  return gap > 0 && gap < widest && Math.abs(middle(pounds) - middle(pence)) < 0.5;
}
