import { Tensor } from 'onnxruntime-node';
import { models, type Letters } from './models.ts';
import { cutOut, type Box, type Grey } from './pixels.ts';

/** `at` is the centre of the letter in the line's image, in pixels. */
export interface Letter {
  text: string;
  at: number;
  probability: number;
}

export interface Line {
  box: Box;
  picture: Grey;
  letters: Letter[];
}

export const LINE_HEIGHT = 48;
const LEAST_WIDTH = 16;
const MOST_WIDTH = 3200;
/** The network reads this many columns in one step, and loses letters at the edge of its image. */
const WIDTH_STEP = 8;
const LEAST_MARGIN = 16;
/** Paper has this brightness after its light was made uniform. */
const ON_PAPER = { leastWidth: 0, beside: 250 };
/** As in the network's training. With less width, the network drops repeated digits, such as `00` for pence. */
const AS_TAUGHT = { leastWidth: 320, beside: 127.5 };
/** The least certainty of each letter, for a second recognition to be used. */
const SURE = 0.8;

/** PP-OCRv4, SVTR with CTC. Reads one line at a time, because lines of a batch affect each other's results. */
export async function recogniseLines(page: Grey, boxes: readonly Box[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (const box of boxes) {
    const width = Math.round((box.width * LINE_HEIGHT) / box.height);
    const line: Line = {
      box,
      picture: cutOut(page, box, LINE_HEIGHT, Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width))),
      letters: [],
    };
    line.letters = await lettersIn(line.picture);
    if (mayHaveMore(line)) line.letters = fuller(line.letters, await lettersIn(line.picture, AS_TAUGHT));
    lines.push(line);
  }
  return lines;
}

function mayHaveMore({ picture, letters }: Line): boolean {
  return picture.width < AS_TAUGHT.leastWidth / 4 && letters.length < 2;
}

export function fuller(first: Letter[], second: Letter[]): Letter[] {
  return second.length > first.length && second.every(({ probability }) => probability >= SURE) ? second : first;
}

async function lettersIn(picture: Grey, { leastWidth, beside } = ON_PAPER): Promise<Letter[]> {
  const { recognition, letters } = await models();
  const width = Math.ceil(Math.max(leastWidth, picture.width + LEAST_MARGIN) / WIDTH_STEP) * WIDTH_STEP;
  const plane = width * LINE_HEIGHT;
  const input = new Float32Array(3 * plane).fill(beside / 127.5 - 1);
  for (let y = 0; y < LINE_HEIGHT; y += 1)
    for (let x = 0; x < picture.width; x += 1) input[y * width + x] = picture.data[y * picture.width + x]! / 127.5 - 1;
  input.copyWithin(plane, 0, plane);
  input.copyWithin(2 * plane, 0, plane);
  const tensor = new Tensor('float32', input, [1, 3, LINE_HEIGHT, width]);
  const output = (await recognition.run({ [recognition.inputNames[0]!]: tensor }))[recognition.outputNames[0]!]!;
  const [, steps = 0, classes = 0] = output.dims;
  return decoded(output.data as Float32Array, { steps, classes, stepWidth: width / steps }, letters);
}

/** Repeats of a letter count once, unless a blank separates them (CTC). */
function decoded(
  scores: Float32Array,
  { steps, classes, stepWidth }: { steps: number; classes: number; stepWidth: number },
  { classes: known, texts }: Letters,
): Letter[] {
  const letters: Letter[] = [];
  let previous = 0;
  for (let step = 0; step < steps; step += 1) {
    let best = 0;
    for (let index = 1; index < known.length; index += 1)
      if (scores[step * classes + known[index]!]! > scores[step * classes + known[best]!]!) best = index;
    const probability = scores[step * classes + known[best]!]!;
    const last = letters.at(-1);
    if (best !== 0 && best !== previous)
      letters.push({ text: texts[best]!, at: (step + 0.5) * stepWidth, probability });
    else if (best !== 0 && last !== undefined) last.probability = Math.max(last.probability, probability);
    previous = best;
  }
  return letters;
}

/** The mean of the letters, or 0 for a line without letters. */
export function certainty({ letters }: Line): number {
  return letters.length === 0 ? 0 : letters.reduce((sum, { probability }) => sum + probability, 0) / letters.length;
}
