import { wordsOf } from '../../infra/documents/cut.ts';
import { fuller, LINE_HEIGHT } from '../../infra/documents/recognition.ts';

// Like letters, these strokes form lines but no columns.

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
