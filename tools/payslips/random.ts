/** The same seed gives the same choices. */
export interface Random {
  /** At least 0 and below 1. */
  next(): number;
  /** Both bounds are included. */
  int(least: number, most: number): number;
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  weighted<T>(list: readonly (readonly [T, number])[]): T;
  /** Picks some elements, and keeps their order. */
  some<T>(list: readonly T[], count: number): T[];
  digits(count: number): string;
  letter(of: string): string;
}

/** Mulberry32, seeded with the FNV-1a hash of a text. */
export function seeded(seed: string): Random {
  let state = hash(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(list: readonly T[]): T => list[int(0, list.length - 1)]!;
  return {
    letter: (of) => of.charAt(int(0, of.length - 1)),
    next,
    int,
    pick,
    between: (least, most) => least + next() * (most - least),
    chance: (probability) => next() < probability,
    weighted: (list) => {
      let at = next() * list.reduce((total, [, weight]) => total + weight, 0);
      for (const [item, weight] of list) {
        at -= weight;
        if (at < 0) return item;
      }
      return list.at(-1)![0];
    },
    some: (list, count) => {
      const indices = new Set<number>();
      while (indices.size < Math.min(count, list.length)) indices.add(int(0, list.length - 1));
      return list.filter((_, index) => indices.has(index));
    },
    digits: (count) => Array.from({ length: count }, () => int(0, 9)).join(''),
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0)!, 0x01000193);
  return value | 0;
}
