import type { Grey } from './pixels.ts';

/** How bright the paper is, tile by tile. */
export interface Paper {
  levels: Float32Array;
  across: number;
  down: number;
}

export const TILE = 16;
const PAPER_SHARE = 0.9;
const WHITE = 250;
/** Darker than this is no paper in shadow but a printed area, whose light letters must stay apart from it. */
const DARKEST_PAPER = 96;

/** The level that nine in ten pixels of a tile do not exceed, spread over gaps and smoothed. */
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
  const spread = windowed({ levels, across, down }, 1, (values) => Math.max(...values));
  return windowed(spread, 2, (values) => values.reduce((sum, value) => sum + value, 0) / values.length);
}

function levelOf(counts: Uint32Array, total: number): number {
  let above = total * (1 - PAPER_SHARE);
  let level = 255;
  while (level > 0 && (above -= counts[level]!) >= 0) level -= 1;
  return level;
}

function windowed({ levels, across, down }: Paper, reach: number, of: (values: number[]) => number): Paper {
  const result = new Float32Array(levels.length);
  for (let row = 0; row < down; row += 1) {
    for (let column = 0; column < across; column += 1) {
      const values: number[] = [];
      for (let y = Math.max(0, row - reach); y <= Math.min(down - 1, row + reach); y += 1)
        for (let x = Math.max(0, column - reach); x <= Math.min(across - 1, column + reach); x += 1)
          values.push(levels[y * across + x]!);
      result[row * across + column] = of(values);
    }
  }
  return { levels: result, across, down };
}

/** Brings the paper to one white, so that shadows and the falling-off of light are gone. */
export function lightFlattened({ data, width, height }: Grey, paper: Paper): Grey {
  const result = new Uint8Array(data.length);
  const columns = positions(width, paper.across);
  const rows = positions(height, paper.down);
  for (let y = 0; y < height; y += 1) {
    const row = rows[y]!;
    const upper = row.from * paper.across;
    const lower = row.to * paper.across;
    for (let x = 0; x < width; x += 1) {
      const { from, to, share } = columns[x]!;
      const above = paper.levels[upper + from]! * (1 - share) + paper.levels[upper + to]! * share;
      const below = paper.levels[lower + from]! * (1 - share) + paper.levels[lower + to]! * share;
      const level = Math.max(DARKEST_PAPER, above * (1 - row.share) + below * row.share);
      result[y * width + x] = Math.min(255, (data[y * width + x]! * WHITE) / level);
    }
  }
  return { data: result, width, height };
}

function positions(length: number, tiles: number): { from: number; to: number; share: number }[] {
  return Array.from({ length }, (_, index) => {
    const at = Math.min(tiles - 1, Math.max(0, (index + 0.5) / TILE - 0.5));
    const from = Math.floor(at);
    return { from, to: Math.min(tiles - 1, from + 1), share: at - from };
  });
}
