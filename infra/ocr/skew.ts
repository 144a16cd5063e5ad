import { resized } from './image.ts';
import { TILE, type Paper } from './light.ts';
import type { Grey } from './pixels.ts';

/** How the lines of a page lie: the angle in degrees by which to turn it clockwise, and whether they run up and down. */
export interface Lie {
  degrees: number;
  sideways: boolean;
}

const LONGEST_SIDE = 1200;
const NEIGHBOURHOOD = 12;
const INK_BELOW_MEAN = 20;
const LONGEST_RUN = 48;
const MOST_POINTS = 30_000;
const FEWEST_POINTS = 400;
const MOST_DEGREES = 8;
const COARSE = 0.5;
const FINE = 0.1;
/** A sheet on a desk: the two differ at least so much in brightness, and the sheet takes such a share of the picture. */
const SHEET_CONTRAST = 50;
const SHEET_SHARE = { least: 0.25, most: 0.95 };

/** Finds the angle at which the letters fall into the sharpest lines, over rows and over columns. */
export async function lieOf(picture: Grey, paper: Paper): Promise<Lie> {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const size = { width: Math.round(picture.width * scale), height: Math.round(picture.height * scale) };
  const small = scale === 1 ? picture : await resized(picture, size);
  const ink = inkOf(small);
  dropRuns(ink, small.width, small.height);
  const points = pointsOf(ink, small, sheetOf(paper), scale);
  if (points.length < FEWEST_POINTS) return { degrees: 0, sideways: false };
  const swapped = points.map(({ x, y }) => ({ x: -y, y: x }));
  const rows = sharpest(points);
  const columns = sharpest(swapped);
  return columns.sharpness > rows.sharpness
    ? { degrees: columns.degrees, sideways: true }
    : { degrees: rows.degrees, sideways: false };
}

interface Point {
  x: number;
  y: number;
}

/** 1 where a pixel is darker than its neighbourhood. */
function inkOf({ data, width, height }: Grey): Uint8Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += data[y * width + x]!;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row;
    }
  }
  const ink = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    const top = Math.max(0, y - NEIGHBOURHOOD) * (width + 1);
    const bottom = Math.min(height, y + NEIGHBOURHOOD + 1) * (width + 1);
    for (let x = 0; x < width; x += 1) {
      const left = Math.max(0, x - NEIGHBOURHOOD);
      const right = Math.min(width, x + NEIGHBOURHOOD + 1);
      const sum = sums[bottom + right]! - sums[bottom + left]! - sums[top + right]! + sums[top + left]!;
      const mean = sum / ((right - left) * ((bottom - top) / (width + 1)));
      if (data[y * width + x]! < mean - INK_BELOW_MEAN) ink[y * width + x] = 1;
    }
  }
  return ink;
}

/** Rulings and edges are no letters. */
function dropRuns(ink: Uint8Array, width: number, height: number): void {
  const drop = (count: number, length: number, at: (line: number, index: number) => number) => {
    for (let line = 0; line < count; line += 1) {
      let run = 0;
      for (let index = 0; index <= length; index += 1) {
        if (index < length && ink[at(line, index)]! > 0) {
          run += 1;
          continue;
        }
        if (run > LONGEST_RUN) for (let back = 1; back <= run; back += 1) ink[at(line, index - back)] = 2;
        run = 0;
      }
    }
  };
  drop(height, width, (line, index) => line * width + index);
  drop(width, height, (line, index) => index * width + line);
  for (let index = 0; index < ink.length; index += 1) if (ink[index] === 2) ink[index] = 0;
}

function pointsOf(ink: Uint8Array, { width, height }: Grey, isSheet: (x: number, y: number) => boolean, scale: number) {
  const points: Point[] = [];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      if (ink[y * width + x] === 1 && isSheet(x / scale, y / scale)) points.push({ x, y });
  const step = Math.ceil(points.length / MOST_POINTS);
  return step <= 1 ? points : points.filter((_, index) => index % step === 0);
}

/** Where the bright sheet is when a darker desk surrounds it; everywhere else. */
function sheetOf({ levels, across }: Paper): (x: number, y: number) => boolean {
  const { threshold, contrast } = parted(levels);
  const share = levels.filter((level) => level > threshold).length / levels.length;
  if (contrast < SHEET_CONTRAST || share < SHEET_SHARE.least || share > SHEET_SHARE.most) return () => true;
  return (x, y) => levels[Math.floor(y / TILE) * across + Math.floor(x / TILE)]! > threshold;
}

/** The level that parts two groups best (Otsu), and how far their means are apart. */
function parted(levels: Float32Array): { threshold: number; contrast: number } {
  let best = { threshold: 0, contrast: 0, spread: 0 };
  for (let threshold = 8; threshold < 256; threshold += 8) {
    const bright = levels.filter((level) => level > threshold);
    const dark = levels.filter((level) => level <= threshold);
    if (bright.length === 0 || dark.length === 0) continue;
    const contrast = mean(bright) - mean(dark);
    const spread = bright.length * dark.length * contrast ** 2;
    if (spread > best.spread) best = { threshold, contrast, spread };
  }
  return best;
}

function mean(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function sharpest(points: readonly Point[]): { degrees: number; sharpness: number } {
  let best = { degrees: 0, sharpness: sharpnessAt(points, 0) };
  const search = (around: number, reach: number, step: number) => {
    for (let offset = -reach; offset <= reach + step / 2; offset += step) {
      const sharpness = sharpnessAt(points, around + offset);
      if (sharpness > best.sharpness) best = { degrees: around + offset, sharpness };
    }
  };
  search(0, MOST_DEGREES, COARSE);
  search(best.degrees, COARSE - FINE, FINE);
  return best;
}

/** How much the rows of a page that is turned clockwise by an angle differ from their neighbours. */
function sharpnessAt(points: readonly Point[], degrees: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  let least = Infinity;
  let most = -Infinity;
  const rows = new Float64Array(points.length);
  points.forEach(({ x, y }, index) => {
    const row = y + x * slope;
    rows[index] = row;
    if (row < least) least = row;
    if (row > most) most = row;
  });
  const counts = new Uint32Array(Math.floor(most - least) + 2);
  for (const row of rows) counts[Math.round(row - least)]! += 1;
  let changes = 0;
  for (let row = 1; row < counts.length; row += 1) changes += (counts[row]! - counts[row - 1]!) ** 2;
  return changes;
}
