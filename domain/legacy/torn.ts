import { BELONGS, type Cell } from './cells.ts';

/** A gap within a word is at most this share of the widest gap of its cell. */
const TORN = 0.5;

/** A name as printed, without the gaps that a picture's reader saw beside narrow letters: `Si lverdale Foods Limi ted`. */
export function mended(name: string, cells: readonly Cell[]): string {
  return cells.reduce(mendedBy, name);
}

function mendedBy(name: string, { words, source }: Cell): string {
  if (source !== 'ocr') return name;
  const gaps = words.slice(1).map((word, at) => word.left - words[at]!.right);
  // Before the ending of a name there may be a wider gap than there is between words.
  const usual = gaps.length > 1 && BELONGS.test(words.at(-1)!.text) ? gaps.slice(0, -1) : gaps;
  const widest = Math.max(0, ...usual);
  const inCapitals = name === name.toUpperCase();
  return gaps.reduce((sofar, gap, at) => {
    const [before, after] = [words[at]!.text, words[at + 1]!.text];
    const goesOn = /[a-z]$/i.test(before) && (/^[a-z]/.test(after) || (inCapitals && /^[A-Z]/.test(after)));
    const isTorn = gap < TORN * widest && goesOn;
    return isTorn ? sofar.replace(`${before} ${after}`, () => before + after) : sofar;
  }, name);
}
