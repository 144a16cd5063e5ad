import { resized } from './image.ts';
import { TILE, type Paper } from './light.ts';
import type { Grey } from './pixels.ts';

/** `degrees` is the clockwise turn that levels the lines. */
interface Lie {
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
/** A page on a darker desk differs from the desk by this much, and fills this share of the image. */
const SHEET_CONTRAST = 50;
const SHEET_SHARE = { least: 0.25, most: 0.95 };

/** Finds the angle at which the ink forms the sharpest lines, along rows or along columns. */
export async function lieOf(picture: Grey, paper: Paper): Promise<Lie> {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const size = { width: Math.round(picture.width * scale), height: Math.round(picture.height * scale) };
  const small = scale === 1 ? picture : await resized(picture, size);
  const ink = inkOf(small);
  dropRuns(ink, small.width, small.height);
  const points = pointsOf(ink, small, sheetOf(paper), scale);
  if (points.x.length < FEWEST_POINTS) return { degrees: 0, sideways: false };
  const rows = sharpest(points);
  const columns = sharpest({ x: points.y.map((y) => -y), y: points.x });
  return columns.sharpness > rows.sharpness
    ? { degrees: columns.degrees, sideways: true }
    : { degrees: rows.degrees, sideways: false };
}

interface Points {
  x: Int32Array;
  y: Int32Array;
}

/** 1 for each pixel that is clearly darker than the mean of its surroundings. */
function inkOf({ data, width, height }: Grey): Uint8Array {
  const stride = width + 1;
  const sums = new Uint32Array(stride * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += data[y * width + x]!;
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row;
    }
  }
  const ink = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    const from = Math.max(0, y - NEIGHBOURHOOD);
    const to = Math.min(height, y + NEIGHBOURHOOD + 1);
    const [top, bottom] = [from * stride, to * stride];
    for (let x = 0; x < width; x += 1) {
      const left = Math.max(0, x - NEIGHBOURHOOD);
      const right = Math.min(width, x + NEIGHBOURHOOD + 1);
      const sum = sums[bottom + right]! - sums[bottom + left]! - sums[top + right]! + sums[top + left]!;
      const area = (right - left) * (to - from);
      if ((data[y * width + x]! + INK_BELOW_MEAN) * area < sum) ink[y * width + x] = 1;
    }
  }
  return ink;
}

/** Long lines and edges are not letters. */
function dropRuns(ink: Uint8Array, width: number, height: number): void {
  markRuns(ink, { lines: height, apart: width }, { length: width, step: 1 });
  markRuns(ink, { lines: width, apart: 1 }, { length: height, step: width });
  for (let index = 0; index < ink.length; index += 1) if (ink[index] === 2) ink[index] = 0;
}

/** Sets ink in long runs to 2. Lines are `apart` positions from each other and advance by `step`. */
function markRuns(
  ink: Uint8Array,
  { lines, apart }: { lines: number; apart: number },
  { length, step }: { length: number; step: number },
): void {
  for (let line = 0; line < lines; line += 1) {
    const end = line * apart + length * step;
    let run = 0;
    for (let at = line * apart; at <= end; at += step) {
      if (at < end && ink[at]! > 0) {
        run += 1;
        continue;
      }
      if (run > LONGEST_RUN) for (let back = 1; back <= run; back += 1) ink[at - back * step] = 2;
      run = 0;
    }
  }
}

function pointsOf(
  ink: Uint8Array,
  { width, height }: Grey,
  isSheet: (x: number, y: number) => boolean,
  scale: number,
): Points {
  const indices = new Int32Array(ink.length);
  let found = 0;
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1)
      if (ink[at] === 1 && isSheet(x / scale, y / scale)) indices[found++] = at;
  const step = Math.max(1, Math.ceil(found / MOST_POINTS));
  const points = { x: new Int32Array(Math.ceil(found / step)), y: new Int32Array(Math.ceil(found / step)) };
  for (let index = 0; index * step < found; index += 1) {
    const at = indices[index * step]!;
    points.x[index] = at % width;
    points.y[index] = Math.floor(at / width);
  }
  return points;
}

/** Without a darker desk, every position counts as on the sheet. */
function sheetOf({ levels, across }: Paper): (x: number, y: number) => boolean {
  const { threshold, contrast } = parted(levels);
  const share = levels.reduce((count, level) => count + Number(level > threshold), 0) / levels.length;
  if (contrast < SHEET_CONTRAST || share < SHEET_SHARE.least || share > SHEET_SHARE.most) return () => true;
  return (x, y) => levels[Math.floor(y / TILE) * across + Math.floor(x / TILE)]! > threshold;
}

const LEVEL_STEP = 8;

/** Otsu's method: the level that best divides the levels into two groups, and the difference of their means. */
function parted(levels: Float32Array): { threshold: number; contrast: number } {
  const counts = new Uint32Array(Math.ceil(256 / LEVEL_STEP));
  const sums = new Float64Array(counts.length);
  for (const level of levels) {
    const band = Math.max(0, Math.ceil(level / LEVEL_STEP) - 1);
    counts[band]! += 1;
    sums[band]! += level;
  }
  const all = { count: levels.length, sum: sums.reduce((total, sum) => total + sum, 0) };
  const dark = { count: 0, sum: 0 };
  let best = { threshold: 0, contrast: 0, spread: 0 };
  for (let band = 1; band < counts.length; band += 1) {
    dark.count += counts[band - 1]!;
    dark.sum += sums[band - 1]!;
    const bright = { count: all.count - dark.count, sum: all.sum - dark.sum };
    if (bright.count === 0 || dark.count === 0) continue;
    const contrast = bright.sum / bright.count - dark.sum / dark.count;
    const spread = bright.count * dark.count * contrast ** 2;
    if (spread > best.spread) best = { threshold: band * LEVEL_STEP, contrast, spread };
  }
  return best;
}

function sharpest(points: Points): { degrees: number; sharpness: number } {
  const rows = new Float64Array(points.x.length);
  let best = { degrees: 0, sharpness: sharpnessAt(points, 0, rows) };
  const search = (around: number, reach: number, step: number) => {
    for (let offset = -reach; offset <= reach + step / 2; offset += step) {
      const sharpness = sharpnessAt(points, around + offset, rows);
      if (sharpness > best.sharpness) best = { degrees: around + offset, sharpness };
    }
  };
  search(0, MOST_DEGREES, COARSE);
  search(best.degrees, COARSE - FINE, FINE);
  return best;
}

/** How much neighbouring rows differ if the page is turned clockwise. Overwrites `rows`. */
function sharpnessAt({ x, y }: Points, degrees: number, rows: Float64Array): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  let least = Infinity;
  let most = -Infinity;
  for (let index = 0; index < rows.length; index += 1) {
    const row = y[index]! + x[index]! * slope;
    rows[index] = row;
    if (row < least) least = row;
    if (row > most) most = row;
  }
  const counts = new Uint32Array(Math.floor(most - least) + 2);
  for (let index = 0; index < rows.length; index += 1) counts[Math.floor(rows[index]! - least + 0.5)]! += 1;
  let changes = 0;
  for (let row = 1; row < counts.length; row += 1) changes += (counts[row]! - counts[row - 1]!) ** 2;
  return changes;
}
