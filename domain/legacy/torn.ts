import { BELONGS } from './cells.ts';
import { inUsualCase } from './company-forms.ts';
import type { Placed } from './geometry.ts';

/** A gap within a word is at most this share of the widest gap of its cell. */
const TORN = 0.5;
/** `St Aidan ' s` */
const GENITIVE = /(?<=[a-z]) ?(['’]) ?(?=s\b)/gi;

/**
 * A name as printed, without the gaps and wrong small letters that OCR introduced: `Si lverdale Foods Limi ted`, `Cic`.
 */
export function mended(name: string, words: readonly Placed[]): string {
  if (!words.some(({ source }) => source === 'ocr')) return name;
  const gaps = words.slice(1).map((word, at) => word.left - words[at]!.right);
  // Before the ending of a name the gap may be wider than between other words.
  const usual = gaps.length > 1 && BELONGS.test(words.at(-1)!.text) ? gaps.slice(0, -1) : gaps;
  const widest = Math.max(0, ...usual);
  const inCapitals = name === name.toUpperCase();
  const whole = gaps.reduce((sofar, gap, at) => {
    const [before, after] = [words[at]!.text, words[at + 1]!.text];
    const goesOn = /[a-z]$/i.test(before) && (/^[a-z]/.test(after) || (inCapitals && /^[A-Z]/.test(after)));
    // Words that overlap were read as two lines; nothing separates the letters of one.
    const isTorn = gap > 0 && gap < TORN * widest && goesOn && !BELONGS.test(after);
    return isTorn ? sofar.replace(`${before} ${after}`, () => before + after) : sofar;
  }, name);
  return inUsualCase(whole.replace(GENITIVE, '$1'));
}
