import type { Word } from '../../domain/legacy/page.ts';
import type { Grey } from './pixels.ts';
import { LINE_HEIGHT, type Letter, type Line } from './recognition.ts';

/** The smallest gap between words, as a share of the ink's height. `seen`: the network reported a space there. */
const GAPS = {
  letters: { unseen: 0.26, seen: 0.13 },
  /** Digits, hyphens, and punctuation after a word, because printed numbers may have gaps. */
  marks: { unseen: 0.75, seen: 0.2 },
  /** Beside the point or comma of an amount. */
  points: { unseen: 0.75, seen: 0.4 },
} as const;
/** Relative to the usual gap between the line's letters. */
const USUAL_GAPS = { unseen: 1.7, seen: 1.3 } as const;
const INK_SHARE = 0.5;
const DARKEST = 0.02;
const LEAST_CONTRAST = 24;
/** A share of the height of the box around a line. */
const LETTER_SHARE = 0.78;
/** In columns. A position where the network reported a space counts as nearer to a gap. */
const SLACK = 4;

/** Splits a line at columns without ink, because the network misses many spaces. */
export function wordsOf(line: Line): Word[] {
  const joints = jointsOf(line);
  const ink = inkOf(line.picture);
  const first = line.letters.find(({ text }) => text !== ' ');
  if (first === undefined) return [];
  const last = line.letters.findLast(({ text }) => text !== ' ')!;
  // Outside the letters, characters that the network cannot read, such as a pound sign, leave ink.
  const within = blanksOf(ink.columns).filter(
    ({ middle, width }) => middle + width / 2 > first.at && middle - width / 2 < last.at,
  );
  assign(within, joints);
  const usual = median(joints.map(({ blank }) => blank?.width ?? 0));
  const words: Letter[][] = [[first]];
  const cuts = [0];
  for (const { after, kind, seen, blank } of joints) {
    const least = Math.max(GAPS[kind][seen] * ink.height, USUAL_GAPS[seen] * usual);
    if (blank !== undefined && blank.width > least) {
      words.push([]);
      cuts.push(blank.middle);
    }
    words.at(-1)!.push(after);
  }
  return words.map((word, index) => wordOf(line, word, extent(ink.columns, cuts[index]!, cuts[index + 1])));
}

interface Joint {
  after: Letter;
  middle: number;
  kind: keyof typeof GAPS;
  seen: 'seen' | 'unseen';
  blank?: Blank;
}

function jointsOf({ letters }: Line): Joint[] {
  const joints: Joint[] = [];
  let before: Letter | undefined;
  let seen: Joint['seen'] = 'unseen';
  for (const after of letters) {
    if (after.text === ' ') {
      seen = 'seen';
      continue;
    }
    if (before !== undefined)
      joints.push({ after, middle: (before.at + after.at) / 2, kind: kindOf(before.text, after.text), seen });
    before = after;
    seen = 'unseen';
  }
  return joints;
}

function kindOf(before: string, after: string): Joint['kind'] {
  const both = before + after;
  if (/^(?:\d[.,]|[.,]\d)$/.test(both)) return 'points';
  return /^[\d.,/-]{2}$/.test(both) || /[.,:;)%]/.test(after) ? 'marks' : 'letters';
}

function assign(blanks: readonly Blank[], joints: Joint[]): void {
  for (const blank of blanks) {
    let best: { joint: Joint; distance: number } | undefined;
    for (const joint of joints) {
      const distance = Math.abs(joint.middle - blank.middle) - (joint.seen === 'seen' ? SLACK : 0);
      if (best === undefined || distance < best.distance) best = { joint, distance };
    }
    const { joint } = best ?? {};
    if (joint !== undefined && blank.width > (joint.blank?.width ?? 0)) joint.blank = blank;
  }
}

function wordOf({ box, picture }: Line, letters: readonly Letter[], { from, to }: { from: number; to: number }): Word {
  const scale = box.width / picture.width;
  const height = box.height * LETTER_SHARE;
  const aside = ((from + to) / 2) * scale - box.width / 2;
  return {
    text: letters.map(({ text }) => text).join(''),
    x: box.x + from * scale,
    y: box.y + (box.height - height) / 2 + aside * box.slope,
    width: (to - from) * scale,
    height,
    probability: Math.min(...letters.map(({ probability }) => probability)),
    source: 'ocr',
  };
}

/** Light letters on a dark background count, too. */
function inkOf({ data, width, height }: Grey): { columns: Uint8Array; height: number } {
  const [dark = 0, middle = 0, light = 0] = levelsAt([DARKEST, 0.5, 1 - DARKEST], data);
  const columns = new Uint8Array(width);
  if (light - dark < LEAST_CONTRAST) return { columns: columns.fill(1), height: LINE_HEIGHT * LETTER_SHARE };
  const isOnDark = middle - dark < light - middle;
  const limit = isOnDark ? middle + (light - middle) * INK_SHARE : middle - (middle - dark) * INK_SHARE;
  let top = height;
  let bottom = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const level = data[y * width + x]!;
      if (isOnDark ? level <= limit : level >= limit) continue;
      columns[x] = 1;
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return { columns, height: Math.max(1, bottom - top + 1) };
}

/** The brightness levels below which the given shares of the pixels lie. */
function levelsAt(shares: readonly number[], data: Uint8Array): number[] {
  const counts = new Uint32Array(256);
  for (let index = 0; index < data.length; index += 1) counts[data[index]!]! += 1;
  return shares.map((share) => {
    let left = Math.floor(data.length * share);
    let level = 0;
    while (level < 255 && (left -= counts[level]!) >= 0) level += 1;
    return level;
  });
}

interface Blank {
  middle: number;
  width: number;
}

function blanksOf(columns: Uint8Array): Blank[] {
  const blanks: Blank[] = [];
  let last = columns.indexOf(1);
  for (let x = last + 1; last !== -1 && x < columns.length; x += 1) {
    if (columns[x] === 0) continue;
    if (x > last + 1) blanks.push({ middle: (x + last + 1) / 2, width: x - last - 1 });
    last = x;
  }
  return blanks;
}

/** Without ink, only the last column. */
function extent(columns: Uint8Array, from: number, to = columns.length): { from: number; to: number } {
  let first = Math.max(0, Math.floor(from));
  let last = Math.min(columns.length, Math.ceil(to)) - 1;
  while (first < last && columns[first] !== 1) first += 1;
  while (last > first && columns[last] !== 1) last -= 1;
  return { from: first, to: last + 1 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
