import type { Word } from '../../domain/legacy/page.ts';
import { wordsOf } from './cut.ts';
import { detectLines } from './detection.ts';
import { turned } from './image.ts';
import { lightFlattened, paperOf } from './light.ts';
import { halfTurned, rotated, type Box, type Grey } from './pixels.ts';
import { certainty, recogniseLines, type Line } from './recognition.ts';
import { lieOf } from './skew.ts';

/** In pixels of the upright page. */
interface PictureRead {
  words: Word[];
  width: number;
  height: number;
}

const LEAST_SKEW_DEGREES = 0.15;
/** Lines of about this ratio of length to height best show whether a page is upside down. */
const TELLING_RATIO = 7;
const LINES_TRIED = 12;
const LINES_AT_ONCE = 4;
/** Lines with more than this mean certainty count as upright. */
const SURELY_UPRIGHT = 0.85;
/** How much the certainty of lines, in sum, must differ to decide between two orientations. */
const CLEAR_LEAD = 0.6;

export async function readPicture(picture: Grey): Promise<PictureRead> {
  const paper = paperOf(picture);
  const flat = lightFlattened(picture, paper);
  const { degrees, sideways } = await lieOf(flat, paper);
  let page = Math.abs(degrees) > LEAST_SKEW_DEGREES ? rotated(flat, degrees) : flat;
  if (sideways) page = await turned(page, 1);
  let boxes = await detectLines(page);
  if (isSideways(boxes)) {
    page = await turned(page, 1);
    boxes = await detectLines(page);
  }
  const asFound: WayUp = { page, oriented: (box) => box, read: new Map() };
  return readLines(await rightWayUp(asFound, tellingOf(boxes)), boxes);
}

/** For a page whose orientation is known, such as one drawn from a PDF. */
export async function readUpright(picture: Grey): Promise<PictureRead> {
  return readLines({ page: picture, oriented: (box) => box, read: new Map() }, await detectLines(picture));
}

/** `read` has the lines read so far, keyed by the boxes found in the page. */
interface WayUp {
  page: Grey;
  /** The position of a box in this orientation. */
  oriented: (box: Box) => Box;
  read: Map<Box, Line>;
}

/** Reads only boxes that were not read before. */
async function linesOf({ page, oriented, read }: WayUp, boxes: readonly Box[]): Promise<Line[]> {
  const fresh = boxes.filter((box) => !read.has(box));
  const lines = await recogniseLines(page, fresh.map(oriented));
  lines.forEach((line, index) => read.set(fresh[index]!, line));
  return boxes.map((box) => read.get(box)!);
}

async function readLines(way: WayUp, boxes: readonly Box[]): Promise<PictureRead> {
  const lines = await linesOf(way, boxes);
  return { words: lines.flatMap(wordsOf), width: way.page.width, height: way.page.height };
}

function isSideways(boxes: readonly Box[]): boolean {
  return boxes.filter(({ width, height }) => height > width).length > boxes.length / 2;
}

/** Reads some lines in both orientations until one orientation is clearly more certain. */
async function rightWayUp(asFound: WayUp, telling: readonly Box[]): Promise<WayUp> {
  const first = await linesOf(asFound, telling.slice(0, LINES_AT_ONCE));
  if (sumOf(first) > SURELY_UPRIGHT * first.length) return asFound;
  const { page } = asFound;
  const other: WayUp = { page: await turned(page, 2), oriented: (box) => halfTurned(box, page), read: new Map() };
  let lead = 0;
  for (let at = 0; at < telling.length && Math.abs(lead) < CLEAR_LEAD; at += LINES_AT_ONCE) {
    const some = telling.slice(at, at + LINES_AT_ONCE);
    lead += sumOf(await linesOf(other, some)) - sumOf(await linesOf(asFound, some));
  }
  return lead > 0 ? other : asFound;
}

function tellingOf(boxes: readonly Box[]): Box[] {
  return boxes.toSorted((a, b) => ratioError(a) - ratioError(b)).slice(0, LINES_TRIED);
}

function ratioError({ width, height }: Box): number {
  return Math.abs(Math.log(width / height / TELLING_RATIO));
}

function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + certainty(line), 0);
}
