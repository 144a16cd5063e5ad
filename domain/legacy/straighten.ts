import { middle, type Placed } from './geometry.ts';

/** Paper in a photo is rarely flat, and its distant parts look smaller. */
interface Slope {
  base: number;
  /** From the highest word to the lowest. */
  change: number;
}

const BASES = Array.from({ length: 25 }, (_, at) => (at - 12) * 0.004);
const CHANGES = [-0.03, -0.02, -0.01, 0, 0.01, 0.02, 0.03];
/** In word heights. */
const WITHIN = 0.35;

/** Levels words that OCR read, by the slope that puts most words on common rows. */
export function straightened(words: readonly Placed[]): Placed[] {
  const read = words.filter((word) => word.source === 'ocr');
  if (read.length < 12) return [...words];
  const [top, bottom] = [Math.min(...read.map(middle)), Math.max(...read.map(middle))];
  const pairs = pairsOf(read, top, Math.max(1, bottom - top));
  let best: Slope = { base: 0, change: 0 };
  let most = alignment(pairs, best) * 1.02;
  for (const base of BASES)
    for (const change of CHANGES) {
      const aligned = alignment(pairs, { base, change });
      if (aligned > most) [best, most] = [{ base, change }, aligned];
    }
  if (best.base === 0 && best.change === 0) return [...words];
  const left = Math.min(...read.map((word) => word.left));
  return words.map((word) => {
    const depth = (middle(word) - top) / Math.max(1, bottom - top);
    const shift = (best.base + best.change * (depth - 0.5)) * ((word.left + word.right) / 2 - left);
    return { ...word, top: word.top - shift, bottom: word.bottom - shift };
  });
}

interface Pair {
  dx: number;
  dy: number;
  depth: number;
}

function pairsOf(words: readonly Placed[], top: number, height: number): Pair[] {
  const pairs: Pair[] = [];
  for (const [at, a] of words.entries())
    for (const b of words.slice(at + 1)) {
      const dx = (b.left + b.right - a.left - a.right) / 2;
      const dy = middle(b) - middle(a);
      if (Math.abs(dx) > 4 && Math.abs(dx) < 36 && Math.abs(dy) < 0.07 * Math.abs(dx) + WITHIN)
        pairs.push({ dx, dy, depth: ((middle(a) + middle(b)) / 2 - top) / height - 0.5 });
    }
  return pairs;
}

function alignment(pairs: readonly Pair[], { base, change }: Slope): number {
  let total = 0;
  for (const { dx, dy, depth } of pairs) {
    const off = Math.abs(dy - (base + change * depth) * dx);
    if (off < WITHIN) total += 1 - off / WITHIN;
  }
  return total;
}
