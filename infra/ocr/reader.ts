import type { Word } from '../../domain/legacy/page.ts';
import { wordsOf } from './cut.ts';
import { detectLines } from './detection.ts';
import { rotated } from './image.ts';
import { lightFlattened, paperOf } from './light.ts';
import { halfTurned, turned, type Box, type Grey } from './pixels.ts';
import { certainty, recogniseLines, type Line } from './recognition.ts';
import { lieOf } from './skew.ts';

/** The words of a picture of a page, in the pixels of that page turned upright. */
export interface PictureRead {
  words: Word[];
  width: number;
  height: number;
}

const LEAST_SKEW_DEGREES = 0.15;
/** Lines about so long, against their height, are tried the other way up, so many in all and so many at once. */
const TELLING_RATIO = 7;
const LINES_TRIED = 12;
const LINES_AT_ONCE = 4;
/** In sums of the lines' certainty. */
const CLEAR_LEAD = 0.6;

/** Reads a picture that may lie in any way: its light is flattened, and it is turned upright first. */
export async function readPicture(picture: Grey): Promise<PictureRead> {
  const paper = paperOf(picture);
  const flat = lightFlattened(picture, paper);
  const { degrees, sideways } = await lieOf(flat, paper);
  let page = Math.abs(degrees) > LEAST_SKEW_DEGREES ? await rotated(flat, degrees) : flat;
  if (sideways) page = turned(page, 1);
  let boxes = await detectLines(page);
  if (isSideways(boxes)) {
    page = turned(page, 1);
    boxes = await detectLines(page);
  }
  if (await isUpsideDown(page, boxes)) {
    boxes = boxes.map((box) => halfTurned(box, page));
    page = turned(page, 2);
  }
  return readLines(page, boxes);
}

/** Reads a picture of a page whose upright is known, as one that was drawn from a file's own text. */
export async function readUpright(picture: Grey): Promise<PictureRead> {
  return readLines(picture, await detectLines(picture));
}

async function readLines(page: Grey, boxes: readonly Box[]): Promise<PictureRead> {
  const lines = await recogniseLines(page, boxes);
  return { words: lines.flatMap(wordsOf), width: page.width, height: page.height };
}

function isSideways(boxes: readonly Box[]): boolean {
  return boxes.filter(({ width, height }) => height > width).length > boxes.length / 2;
}

/** Reads some lines both ways up, a few at a time, until one way is clearly the likelier. */
async function isUpsideDown(page: Grey, boxes: readonly Box[]): Promise<boolean> {
  const other = turned(page, 2);
  const tried = boxes.toSorted((a, b) => ratioError(a) - ratioError(b)).slice(0, LINES_TRIED);
  let lead = 0;
  for (let at = 0; at < tried.length && Math.abs(lead) < CLEAR_LEAD; at += LINES_AT_ONCE) {
    const some = tried.slice(at, at + LINES_AT_ONCE);
    const turnedBoxes = some.map((box) => halfTurned(box, page));
    lead += sumOf(await recogniseLines(other, turnedBoxes)) - sumOf(await recogniseLines(page, some));
  }
  return lead > 0;
}

/** How far a line is from a length that tells enough and costs little. */
function ratioError({ width, height }: Box): number {
  return Math.abs(Math.log(width / height / TELLING_RATIO));
}

function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + certainty(line), 0);
}
