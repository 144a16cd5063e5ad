import type { Grey } from './pixels.ts';

/** The detection network needs sides that are multiples of this many pixels. */
export const SIDE_STEP = 32;
/** The margin, in pixels, that is kept around the ink, because the network also looks at a letter's surroundings. */
const MARGIN = 32;
/** A pixel that is darker than this counts as ink. Paper has a level of about 250 after its light was made uniform. */
const INK_BELOW = 215;
/** Rows and columns with fewer pixels of ink contain only specks of dust. */
const LEAST_INK = 2;

/** A rectangle within an image, in pixels. */
interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Returns the part of an image with all its ink. Its edges are at multiples of `SIDE_STEP`, so that the network divides
 * it into the same cells as the whole image.
 */
export function inkedPart({ data, width, height }: Grey): Part {
  const rows = new Uint32Array(height);
  const columns = new Uint32Array(width);
  for (let y = 0, index = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, index += 1) {
      if (data[index]! >= INK_BELOW) continue;
      rows[y]! += 1;
      columns[x]! += 1;
    }
  }
  const [top, bottom] = reachOf(rows);
  const [left, right] = reachOf(columns);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The range of positions that has ink, with a margin; the whole range if there is no ink. */
function reachOf(counts: Uint32Array): [number, number] {
  const isInk = (count: number) => count >= LEAST_INK;
  const first = counts.findIndex(isInk);
  if (first === -1) return [0, counts.length];
  const from = Math.floor((first - MARGIN) / SIDE_STEP) * SIDE_STEP;
  const to = Math.ceil((counts.findLastIndex(isInk) + 1 + MARGIN) / SIDE_STEP) * SIDE_STEP;
  return [Math.max(0, from), Math.min(counts.length, to)];
}

export function cropped({ data, width, height }: Grey, part: Part): Grey {
  if (part.width === width && part.height === height) return { data, width, height };
  const result = new Uint8Array(part.width * part.height);
  for (let y = 0; y < part.height; y += 1) {
    const from = (part.y + y) * width + part.x;
    result.set(data.subarray(from, from + part.width), y * part.width);
  }
  return { data: result, width: part.width, height: part.height };
}
