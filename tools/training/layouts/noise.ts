import type { Random } from '../../payslips/random.ts';
import type { LabelledWord } from './paper.ts';

const MISREAD: Record<string, string> = { l: 'I1i', I: 'l1|', i: 'l1', O: '0', o: '0c', '0': 'Oo', '1': 'lI', '5': 'S', S: '5', '8': 'B', B: '8', e: 'c', c: 'e', n: 'ri', m: 'rn', h: 'b', t: 'f', a: 'o', g: 'q', u: 'v', '£': 'EfF$', '(': '[{', ')': ']}', '.': ',', ',': '.' }; // prettier-ignore

const SEPARATE: readonly LabelledWord['role'][] = ['none', 'period', 'date', 'code', 'reference', 'employer'];

/** Changes words as OCR does. Lengths become pixels. */
export function seen(random: Random, words: readonly LabelledWord[], width: number): LabelledWord[] {
  const scale = random.between(1.8, 4.2);
  const [slope, bend] = [random.between(-0.012, 0.012) * (random.chance(0.5) ? 1 : 0), random.between(-1, 1) * (random.chance(0.3) ? 4 : 0)]; // prettier-ignore
  const bad = random.weighted([[0.002, 40], [0.008, 25], [0.025, 18], [0.06, 10], [0.14, 7]]); // prettier-ignore
  // In a bad fax, OCR is unsure of many words.
  const unsure = bad > 0.05 ? random.between(0.3, 0.9) : 0.88;
  const tall = random.between(0.72, 1.05);
  const gaps = random.weighted([[0, 36], [0.03, 30], [0.12, 22], [0.4, 12]]); // prettier-ignore
  const all: LabelledWord[] = [];
  for (const word of words) {
    if (random.chance(bad * (word.text.length < 3 ? 1.6 : 0.8))) continue;
    const y = word.y + slope * word.x + bend * Math.sin((word.x / width) * Math.PI);
    const height = word.height * tall * random.between(0.92, 1.08);
    const text = misread(
      random,
      random.chance(bad * 0.6) ? word.text.replace(random.chance(0.3) ? /[.,]/g : /\.(?=\d\d$)/, '') : word.text,
      bad,
    );
    const made: LabelledWord = { ...word, text, x: (word.x + random.between(-0.8, 0.8)) * scale, y: (y + (word.height - height) / 2 + random.between(-0.06, 0.06) * word.height) * scale, width: word.width * random.between(0.97, 1.03) * scale, height: height * scale, probability: Math.round(Math.min(1, text === word.text ? random.between(unsure, 1.02) : random.between(0.3, 0.97)) * 100) / 100, source: 'ocr', bold: false }; // prettier-ignore
    const last = all.at(-1);
    if (last !== undefined && areJoined(random, last, made, gaps)) {
      last.text += made.text;
      last.width = made.x + made.width - last.x;
      last.role = made.role;
      continue;
    }
    const isAmount = /^\D?[\d,]{1,7}\.\d\d$/.test(made.text);
    if (isAmount && random.chance(bad * 0.3)) all.push(...tornAt(made, made.text.length - 3, 1));
    else all.push(...(random.chance(gaps * 0.3) && /^[A-Za-z]{6,}$/.test(made.text) ? torn(random, made) : [made]));
    if (random.chance(bad * 0.35)) all.push(speck(random, made));
  }
  return all;
}

/** `gaps` is the probability that a space is lost. */
function areJoined(
  random: Random,
  last: LabelledWord,
  { text, role, x, y, height }: LabelledWord,
  gaps: number,
): boolean {
  const isInRow = Math.abs(last.y - y) < 0.3 * height && x > last.x;
  const isNear = isInRow && x - (last.x + last.width) < 0.5 * height;
  const areTexts = TEXT.test(last.text) && TEXT.test(text);
  if (last.role === role && isNear && (areTexts || role === 'period' || role === 'date')) return random.chance(gaps);
  // Pounds and pence in separate boxes.
  if (last.role === role && isInRow && !SEPARATE.includes(role) && /^\d{1,6}$/.test(last.text) && /^\d\d$/.test(text)) return random.chance(gaps * 0.4); // prettier-ignore
  // A label and the number of a period, such as `Week42`.
  return isNear && role === 'period' && /^[A-Za-z]{2,}[.:]?$/.test(last.text) && random.chance(gaps * 0.5);
}

const TEXT = /^[A-Za-z'&.,-]+$/;

// OCR reads dirt beside a word as a sign.
function speck(random: Random, { x, y, width, height, ...word }: LabelledWord): LabelledWord {
  const left = random.chance(0.5) ? x + width + height * random.between(0.2, 3) : x - height * random.between(0.5, 3);
  const share = random.between(0.2, 0.9);
  return { ...word, text: random.pick(['-', '.', '-', '_', ',', "'", '|', ':', '1', '—']), x: left, y: y + height * random.between(0, 1 - share), width: height * 0.4, height: height * share, probability: Math.round(random.between(0.2, 0.9) * 100) / 100, role: 'none' }; // prettier-ignore
}

function misread(random: Random, text: string, share: number): string {
  return Array.from(text, (letter) => {
    const isDigit = /\d/.test(letter);
    const others = MISREAD[letter] ?? (share > 0.05 && /[a-z]/i.test(letter) ? 'aeiocnurtl' : undefined);
    return others !== undefined &&
      random.chance(isDigit || letter === '.' || letter === ',' ? share * 0.3 : share * 1.5)
      ? random.letter(others)
      : letter;
  }).join('');
}

const torn = (random: Random, word: LabelledWord): LabelledWord[] => tornAt(word, random.int(2, word.text.length - 2));

/** Drops the first `without` letters after the split. */
function tornAt(word: LabelledWord, at: number, without = 0): LabelledWord[] {
  const length = word.text.length;
  const next = at + without;
  return [
    { ...word, text: word.text.slice(0, at), width: ((word.width * at) / length) * 0.96 },
    { ...word, text: word.text.slice(next), x: word.x + (word.width * next) / length, width: (word.width * (length - next)) / length }, // prettier-ignore
  ];
}
