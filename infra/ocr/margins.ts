import type { Grey } from './pixels.ts';

/** The detection needs sides that are multiples of this many pixels. */
export const SIDE_STEP = 32;
/** The margin kept around the ink, because the network looks at a letter's surroundings. */
const MARGIN = 32;
/**
 * Anything darker is ink, however faint. Paper is 250 after the light is flattened, and white if the page was drawn.
 */
const INK_BELOW = 215;
/** Rows and columns with less ink contain only specks of dust. */
const LEAST_INK = 2;

/** A part of a picture, in its pixels. */
export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * The part of a picture that contains all its ink. Its sides and its position are multiples of the step, as the
 * picture's sides are. So the network sees the same grid as in the whole picture.
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

/** The range that has ink, with its margin; the whole range if there is none. */
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
