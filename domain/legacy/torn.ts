import { isFromOcr } from './cell.ts';
import { BELONGS } from './cells.ts';
import { inUsualCase } from './company-forms.ts';
import type { Placed } from './geometry.ts';

/** A gap within a word is at most this share of the widest gap in its cell. */
const TORN = 0.5;
/** As in `St Aidan ' s`. */
const GENITIVE = /(?<=[a-z]) ?(['’]) ?(?=s\b)/gi;

/** Removes gaps and wrong small letters that OCR made: `Si lverdale Foods Limi ted`, `Cic`. */
export function mended(name: string, words: readonly Placed[]): string {
  if (!isFromOcr(words)) return name;
  const gaps = words.slice(1).map((word, at) => word.left - words[at]!.right);
  // Ignores the gap before the ending of a company's name, which may be wider than the gaps between other words.
  const usual = gaps.length > 1 && BELONGS.test(words.at(-1)!.text) ? gaps.slice(0, -1) : gaps;
  const widest = Math.max(0, ...usual);
  const inCapitals = name === name.toUpperCase();
  const whole = gaps.reduce((sofar, gap, at) => {
    const [before, after] = [words[at]!.text, words[at + 1]!.text];
    const goesOn = /[a-z]$/i.test(before) && (/^[a-z]/.test(after) || (inCapitals && /^[A-Z]/.test(after)));
    // Words that overlap were read as two lines, so they are not parts of one word.
    const isTorn = gap > 0 && gap < TORN * widest && goesOn && !BELONGS.test(after);
    return isTorn ? sofar.replace(`${before} ${after}`, () => before + after) : sofar;
  }, name);
  return inUsualCase(whole.replace(GENITIVE, '$1'));
}
