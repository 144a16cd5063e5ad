import { Tensor } from 'onnxruntime-node';
import { models, type Letters } from './models.ts';
import { cutOut, type Box, type Grey } from './pixels.ts';

/** A letter with where its middle is in the line's picture, in that picture's pixels. */
export interface Letter {
  text: string;
  at: number;
  probability: number;
}

/** A line as it was read: its picture, 48 pixels high, and its letters. */
export interface Line {
  box: Box;
  picture: Grey;
  letters: Letter[];
}

export const LINE_HEIGHT = 48;
const LEAST_WIDTH = 16;
const MOST_WIDTH = 3200;
/** The network makes one step of so many columns, and loses letters that end where its picture ends. */
const WIDTH_STEP = 8;
const LEAST_MARGIN = 16;
/** Paper, where the light was flattened. */
const PAPER = 250;
/** The network was taught with lines of this width: in less it loses figures that are alike, as `00` in a box of pence. */
const TAUGHT_WIDTH = 320;
/** And with grey behind them: behind so short a line, paper in its place loses them again. */
const TAUGHT_GREY = 127.5;
/** What is read again is taken if the reader is at least so sure of each letter. */
const SURE = 0.8;

/**
 * Reads lines (PP-OCRv4, SVTR with CTC), one by one: several at once take longer, as all are made as wide as the widest, and what one
 * says would depend on the others. @returns them in the order of the boxes.
 */
export async function recogniseLines(page: Grey, boxes: readonly Box[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (const box of boxes) {
    const width = Math.round((box.width * LINE_HEIGHT) / box.height);
    const picture = cutOut(page, box, LINE_HEIGHT, Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)));
    const line = { box, picture, letters: await lettersIn(picture, picture.width + LEAST_MARGIN, PAPER) };
    if (mayHaveMore(line)) line.letters = fuller(line.letters, await lettersIn(picture, TAUGHT_WIDTH, TAUGHT_GREY));
    lines.push(line);
  }
  return lines;
}

/** Whether a line that is too short for the network was read as one letter or none. */
function mayHaveMore({ picture, letters }: Line): boolean {
  return picture.width < TAUGHT_WIDTH / 4 && letters.length < 2;
}

/** The second reading where it has more and is sure of it. */
export function fuller(first: Letter[], second: Letter[]): Letter[] {
  return second.length > first.length && second.every(({ probability }) => probability >= SURE) ? second : first;
}

/** Reads a line in a picture at least so wide, with a level behind its end. */
async function lettersIn(picture: Grey, leastWidth: number, level: number): Promise<Letter[]> {
  const { recognition, letters } = await models();
  const width = Math.ceil(leastWidth / WIDTH_STEP) * WIDTH_STEP;
  const plane = width * LINE_HEIGHT;
  const input = new Float32Array(3 * plane).fill(level / 127.5 - 1);
  for (let y = 0; y < LINE_HEIGHT; y += 1)
    for (let x = 0; x < picture.width; x += 1) input[y * width + x] = picture.data[y * picture.width + x]! / 127.5 - 1;
  input.copyWithin(plane, 0, plane);
  input.copyWithin(2 * plane, 0, plane);
  const tensor = new Tensor('float32', input, [1, 3, LINE_HEIGHT, width]);
  const output = (await recognition.run({ [recognition.inputNames[0]!]: tensor }))[recognition.outputNames[0]!]!;
  const [, steps = 0, places = 0] = output.dims;
  return decoded(output.data as Float32Array, { steps, places, stepWidth: width / steps }, letters);
}

/** Takes the likeliest letter of each step; the same one in a row is one, and blanks part them (CTC). */
function decoded(
  scores: Float32Array,
  { steps, places, stepWidth }: { steps: number; places: number; stepWidth: number },
  { places: known, texts }: Letters,
): Letter[] {
  const letters: Letter[] = [];
  let previous = 0;
  for (let step = 0; step < steps; step += 1) {
    let best = 0;
    for (let index = 1; index < known.length; index += 1)
      if (scores[step * places + known[index]!]! > scores[step * places + known[best]!]!) best = index;
    const probability = scores[step * places + known[best]!]!;
    const last = letters.at(-1);
    if (best !== 0 && best !== previous)
      letters.push({ text: texts[best]!, at: (step + 0.5) * stepWidth, probability });
    else if (best !== 0 && last !== undefined) last.probability = Math.max(last.probability, probability);
    previous = best;
  }
  return letters;
}

/** How sure the reader is of a line, from its letters; 0 where it found none. */
export function certainty({ letters }: Line): number {
  return letters.length === 0 ? 0 : letters.reduce((sum, { probability }) => sum + probability, 0) / letters.length;
}
