import { wordsOf } from '../../infra/documents/cut.ts';
import { lightFlattened, paperOf } from '../../infra/documents/light.ts';
import { rotated, type Grey } from '../../infra/documents/pixels.ts';
import { fuller, LINE_HEIGHT } from '../../infra/documents/recognition.ts';
import { lieOf } from '../../infra/documents/skew.ts';

const WHITE = 250;

function paper(width: number, height: number, level: (x: number, y: number) => number = () => WHITE): Grey {
  return { data: Uint8Array.from({ length: width * height }, (_, at) => level(at % width, Math.floor(at / width))), width, height }; // prettier-ignore
}

function withInk(
  picture: Grey,
  boxes: readonly (readonly [x: number, y: number, width: number, height: number])[],
): Grey {
  const data = picture.data.slice();
  for (const [x, y, width, height] of boxes)
    for (let row = y; row < y + height; row += 1)
      data.fill(0, row * picture.width + x, row * picture.width + x + width);
  return { ...picture, data };
}

function middleOf({ data, width }: Grey): [x: number, y: number] {
  const dark = [...data.entries()].filter(([, level]) => level < 128).map(([at]) => at);
  const mean = (of: (at: number) => number) => dark.reduce((sum, at) => sum + of(at), 0) / dark.length;
  return [mean((at) => at % width), mean((at) => Math.floor(at / width))];
}

// Like letters, these strokes form lines but no columns.
const LETTERS = Array.from({ length: 12 * 30 }, (_, index): [number, number, number, number] => [
  40 + (index % 30) * 13 + ((index * index * 7) % 23),
  40 + Math.floor(index / 30) * 24,
  3,
  8,
]);

describe('a picture that is rotated by some degrees', () => {
  test.each([-7.5, -0.3, 2, 30])('rotates around its centre, clockwise by %d', (degrees) => {
    const picture = withInk(paper(400, 300, () => 255), [[300, 80, 12, 12]]); // prettier-ignore
    const result = rotated(picture, degrees);
    const angle = (degrees * Math.PI) / 180;
    const [x, y] = [305.5 - 199.5, 85.5 - 149.5];
    const [foundX, foundY] = middleOf(result);
    expect(foundX - (result.width - 1) / 2).toBeCloseTo(x * Math.cos(angle) - y * Math.sin(angle), 0);
    expect(foundY - (result.height - 1) / 2).toBeCloseTo(x * Math.sin(angle) + y * Math.cos(angle), 0);
  });

  test('has white corners, and interpolated levels', () => {
    const result = rotated(paper(400, 300, () => 100), 10); // prettier-ignore
    expect([result.data[0], result.data.at(-1)]).toEqual([255, 255]);
    expect(new Set(result.data)).toEqual(new Set([100, 255]));
  });
});

describe('the rotation of a page', () => {
  const lieIn = (picture: Grey) => lieOf(picture, paperOf(picture));

  test.each([-4.2, 0])('is found if its letters were rotated by %d degrees', async (degrees) => {
    const lie = await lieIn(rotated(withInk(paper(480, 360), LETTERS), degrees));
    expect(lie.sideways).toBe(false);
    expect(Math.abs(lie.degrees + degrees)).toBeLessThan(0.15);
  });

  test('is sideways if lines of text run up and down, even with ruled lines across', async () => {
    const sideways = LETTERS.map(([x, y, width, height]) => [360 - y - height, x, height, width] as const);
    const page = withInk(paper(360, 480), sideways);
    const ruled = withInk(page, [[0, 100, page.width, 3], [0, 300, page.width, 3]]); // prettier-ignore
    expect(await lieIn(ruled)).toEqual({ degrees: expect.closeTo(0, 1) as number, sideways: true });
  });
});

test('paper in a shadow becomes as white as the rest, and ink stays dark', () => {
  const shaded = withInk(paper(640, 480, (x) => 240 - x / 8), [[100, 100, 5, 12], [500, 100, 5, 12]]); // prettier-ignore
  const flat = lightFlattened(shaded, paperOf(shaded));
  const [lit, dim] = [flat.data[300 * 640 + 100]!, flat.data[300 * 640 + 500]!];
  expect(Math.abs(lit - WHITE)).toBeLessThan(5);
  expect(Math.abs(dim - WHITE)).toBeLessThan(5);
  expect(flat.data[105 * 640 + 502]).toBe(0);
});

const LETTER = 20;
const STEP = 26;
const SPACE = 40;

// The recognition network sees a block of ink for each letter, and a wide gap for each space.
function line(text: string, unread: RegExp = /£/) {
  const inked: [from: number, text: string][] = [];
  let at = 4;
  for (const letter of text) {
    if (letter !== ' ') inked.push([at, letter]);
    at += letter === ' ' ? SPACE : STEP;
  }
  const width = at + 4;
  const data = new Uint8Array(width * LINE_HEIGHT).fill(255);
  for (const [from] of inked)
    for (let y = 10; y < 40; y += 1) data.fill(0, y * width + from, y * width + from + LETTER);
  const letters = inked
    .filter(([, letter]) => !unread.test(letter))
    .map(([from, letter]) => ({ text: letter, at: from + LETTER / 2, probability: 0.99 }));
  return { box: { x: 0, y: 0, width, height: LINE_HEIGHT, slope: 0 }, picture: { data, width, height: LINE_HEIGHT }, letters }; // prettier-ignore
}

const textsOf = (text: string): string[] => wordsOf(line(text)).map((word) => word.text);

describe('a recognised line', () => {
  test('is cut at the ends of words', () => {
    expect(textsOf('Net pay 123.45')).toEqual(['Net', 'pay', '123.45']);
  });

  test.each([
    ['£ 40523.44', ['40523.44']],
    ['40523.44 £', ['40523.44']],
    ['£ 123.45 67.89', ['123.45', '67.89']],
  ])('loses no digit next to an unknown character: %s', (text, words) => {
    expect(textsOf(text)).toEqual(words);
  });
});

describe('a short line that was recognised twice', () => {
  const letters = (text: string, probability = 0.98) =>
    Array.from(text, (one, at) => ({ text: one, at: at * 10, probability }));

  test.each([
    ['', '00', 0.98, '00'],
    ['0', '00', 0.98, '00'],
    ['A', 'A', 0.99, 'A'],
    ['', 'E', 0.5, ''],
    ['1', '11', 0.6, '1'],
    ['p', '', 0.98, 'p'],
  ])('as "%s" and then as "%s" is the more certain one', (first, second, probability, kept) => {
    expect(
      fuller(letters(first), letters(second, probability))
        .map(({ text }) => text)
        .join(''),
    ).toBe(kept);
  });
});
