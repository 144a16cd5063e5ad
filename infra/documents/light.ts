import type { Grey } from './pixels.ts';

/** One level of brightness for each tile of the page. */
export interface Paper {
  levels: Float32Array;
  across: number;
  down: number;
}

export const TILE = 16;
/** In tiles. */
const SPREAD = 1;
const SMOOTHED_OVER = 2;
const PAPER_SHARE = 0.9;
const WHITE = 250;
/** A darker tile is a printed area, not paper in shadow. Light letters must stay distinct from such a background. */
const DARKEST_PAPER = 96;

/** The paper's level in a tile is the level that nine in ten pixels do not exceed. */
export function paperOf({ data, width, height }: Grey): Paper {
  const across = Math.ceil(width / TILE);
  const down = Math.ceil(height / TILE);
  const levels = new Float32Array(across * down);
  const counts = new Uint32Array(256);
  for (let row = 0; row < down; row += 1) {
    for (let column = 0; column < across; column += 1) {
      counts.fill(0);
      const right = Math.min(width, (column + 1) * TILE);
      const bottom = Math.min(height, (row + 1) * TILE);
      for (let y = row * TILE; y < bottom; y += 1)
        for (let x = column * TILE; x < right; x += 1) counts[data[y * width + x]!]! += 1;
      levels[row * across + column] = levelOf(counts, (right - column * TILE) * (bottom - row * TILE));
    }
  }
  const brightest = fromAround({ levels, across, down }, SPREAD, (near) => Math.max(...near));
  return fromAround(brightest, SMOOTHED_OVER, mean);
}

function levelOf(counts: Uint32Array, total: number): number {
  let above = total * (1 - PAPER_SHARE);
  let level = 255;
  while (level > 0 && (above -= counts[level]!) >= 0) level -= 1;
  return level;
}

/** Each level becomes a value of the levels around it, up to `reach` tiles away. */
function fromAround({ levels, across, down }: Paper, reach: number, valueOf: (near: readonly number[]) => number) {
  const result = new Float32Array(levels.length);
  for (let row = 0; row < down; row += 1)
    for (let column = 0; column < across; column += 1) {
      const near: number[] = [];
      for (let y = Math.max(0, row - reach); y <= Math.min(down - 1, row + reach); y += 1)
        for (let x = Math.max(0, column - reach); x <= Math.min(across - 1, column + reach); x += 1)
          near.push(levels[y * across + x]!);
      result[row * across + column] = valueOf(near);
    }
  return { levels: result, across, down };
}

function mean(levels: readonly number[]): number {
  return levels.reduce((sum, level) => sum + level, 0) / levels.length;
}

/** Makes the paper uniformly white, which removes shadows and uneven light. */
export function lightFlattened({ data, width, height }: Grey, { levels, across, down }: Paper): Grey {
  const result = new Uint8Array(data.length);
  const columns = positions(width, across);
  const rows = positions(height, down);
  const along = new Float64Array(across);
  for (let y = 0, index = 0; y < height; y += 1) {
    const upper = rows.from[y]! * across;
    const lower = rows.to[y]! * across;
    const share = rows.share[y]!;
    for (let tile = 0; tile < across; tile += 1)
      along[tile] = levels[upper + tile]! * (1 - share) + levels[lower + tile]! * share;
    for (let x = 0; x < width; x += 1, index += 1) {
      const before = along[columns.from[x]!]!;
      const level = before + (along[columns.to[x]!]! - before) * columns.share[x]!;
      const white = (data[index]! * WHITE) / (level > DARKEST_PAPER ? level : DARKEST_PAPER);
      result[index] = white > 255 ? 255 : white;
    }
  }
  return { data: result, width, height };
}

/** For each pixel, the two nearest tiles, and the pixel's share of the way between their centres. */
function positions(length: number, tiles: number): { from: Int32Array; to: Int32Array; share: Float64Array } {
  const from = new Int32Array(length);
  const to = new Int32Array(length);
  const share = new Float64Array(length);
  for (let index = 0; index < length; index += 1) {
    const at = Math.min(tiles - 1, Math.max(0, (index + 0.5) / TILE - 0.5));
    from[index] = Math.floor(at);
    to[index] = Math.min(tiles - 1, from[index]! + 1);
    share[index] = at - from[index]!;
  }
  return { from, to, share };
}
