import { Tensor } from 'onnxruntime-node';
import { resized } from './image.ts';
import { models } from './models.ts';
import type { Box, Grey } from './pixels.ts';

/** The network needs sides that are multiples of this many pixels. */
const SIDE_STEP = 32;
const LONGEST_SIDE = 1600;
/** The pixels of A4. The network's memory and time grow with the number of pixels. */
const MOST_PIXELS = LONGEST_SIDE * 1132;
const MEAN = [0.485, 0.456, 0.406];
const DEVIATION = [0.229, 0.224, 0.225];
const INK = 0.3;
const LEAST_MEAN = 0.5;
const LEAST_SIDE = 3;
/** Enlarges boxes, because the network marks lines thinner than they are. */
const GROWTH = 1.6;
/** An area at least this many times as wide as tall may slope. */
const LONG = 3;
const SLOPING = 0.15;
/** A page has a few hundred lines at most. Thousands of areas are a printed pattern, not text. */
const MOST_BOXES = 1500;

/** Uses a neural network (PP-OCRv4, DBNet). Boxes are in pixels. */
export async function detectLines(picture: Grey): Promise<Box[]> {
  const scale = Math.min(
    1,
    LONGEST_SIDE / Math.max(picture.width, picture.height),
    Math.sqrt(MOST_PIXELS / (picture.width * picture.height)),
  );
  const size = { width: fitted(picture.width * scale), height: fitted(picture.height * scale) };
  const map = await inkMap(await resized(picture, size));
  const across = picture.width / size.width;
  const down = picture.height / size.height;
  return boxesIn(map, size.width, size.height).map(({ x, y, width, height, slope }) => {
    const left = Math.max(0, x * across);
    return {
      x: left,
      y: y * down,
      width: Math.min(picture.width, (x + width) * across) - left,
      height: height * down,
      slope: (slope * down) / across,
    };
  });
}

function fitted(side: number): number {
  return Math.max(SIDE_STEP, Math.round(side / SIDE_STEP) * SIDE_STEP);
}

async function inkMap({ data, width, height }: Grey): Promise<Float32Array> {
  const input = new Float32Array(3 * data.length);
  for (let channel = 0; channel < 3; channel += 1) {
    const levels = Float32Array.from(
      { length: 256 },
      (_, level) => (level / 255 - MEAN[channel]!) / DEVIATION[channel]!,
    );
    const from = channel * data.length;
    for (let index = 0; index < data.length; index += 1) input[from + index] = levels[data[index]!]!;
  }
  const { detection } = await models();
  const output = await detection.run({
    [detection.inputNames[0]!]: new Tensor('float32', input, [1, 3, height, width]),
  });
  return output[detection.outputNames[0]!]!.data as Float32Array;
}

function boxesIn(map: Float32Array, width: number, height: number): Box[] {
  const seen = new Uint8Array(map.length);
  const stack = new Int32Array(map.length);
  const boxes: Box[] = [];
  for (let start = 0; start < map.length && boxes.length < MOST_BOXES; start += 1) {
    if (seen[start] === 1 || map[start]! <= INK) continue;
    const area = areaAt(start, { map, width, height, seen, stack });
    const box = boxOf(area);
    if (area.ink / area.count < LEAST_MEAN || Math.min(box.width, box.height) < LEAST_SIDE) continue;
    const margin = (box.width * box.height * GROWTH) / (2 * (box.width + box.height));
    boxes.push({
      x: box.x - margin,
      y: box.y - margin,
      width: box.width + 2 * margin,
      height: box.height + 2 * margin,
      slope: box.slope,
    });
  }
  return boxes;
}

/** If an area is long and clearly slopes, the box follows the straight line that fits the area best. */
function boxOf({ left, right, top, bottom, count, sums }: Area): Box {
  const width = right - left + 1;
  const height = bottom - top + 1;
  const level = { x: left, y: top, width, height, slope: 0 };
  const [x, y] = [sums.x / count, sums.y / count];
  const slope = (sums.xy / count - x * y) / (sums.xx / count - x * x);
  const thickness = count / width;
  if (width < LONG * height || Math.abs(slope) * width < SLOPING * thickness) return level;
  const middle = y + slope * (left + width / 2 - x);
  return { x: left, y: middle - thickness / 2, width, height: thickness, slope };
}

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
  count: number;
  ink: number;
  sums: { x: number; y: number; xx: number; xy: number };
}

interface Search {
  map: Float32Array;
  width: number;
  height: number;
  seen: Uint8Array;
  stack: Int32Array;
}

function areaAt(start: number, { map, width, height, seen, stack }: Search): Area {
  const area: Area = {
    left: width,
    right: 0,
    top: height,
    bottom: 0,
    count: 0,
    ink: 0,
    sums: { x: 0, y: 0, xx: 0, xy: 0 },
  };
  let depth = 0;
  stack[depth++] = start;
  seen[start] = 1;
  while (depth > 0) {
    const index = stack[--depth]!;
    const x = index % width;
    const y = (index - x) / width;
    addTo(area, x, y, map[index]!);
    for (let near = Math.max(0, y - 1); near <= Math.min(height - 1, y + 1); near += 1) {
      for (let beside = Math.max(0, x - 1); beside <= Math.min(width - 1, x + 1); beside += 1) {
        const next = near * width + beside;
        if (seen[next] === 1 || map[next]! <= INK) continue;
        seen[next] = 1;
        stack[depth++] = next;
      }
    }
  }
  return area;
}

function addTo(area: Area, x: number, y: number, ink: number): void {
  area.left = Math.min(area.left, x);
  area.right = Math.max(area.right, x);
  area.top = Math.min(area.top, y);
  area.bottom = Math.max(area.bottom, y);
  area.count += 1;
  area.ink += ink;
  area.sums.x += x;
  area.sums.y += y;
  area.sums.xx += x * x;
  area.sums.xy += x * y;
}
