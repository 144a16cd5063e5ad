import type { Random } from '../../helpers/payslips/random.ts';
import type { Told } from './paper.ts';

const MISREAD: Record<string, string> = { l: 'I1i', I: 'l1|', i: 'l1', O: '0', o: '0c', '0': 'Oo', '1': 'lI', '5': 'S', S: '5', '8': 'B', B: '8', e: 'c', c: 'e', n: 'ri', m: 'rn', h: 'b', t: 'f', a: 'o', g: 'q', u: 'v', '£': 'EfF' }; // prettier-ignore

/** Changes words as OCR does: moves, misreads, joins, splits and loses some. Lengths become pixels. */
export function seen(random: Random, words: readonly Told[], width: number): Told[] {
  const scale = random.between(1.8, 4.2);
  const [slope, bend] = [random.between(-0.012, 0.012) * (random.chance(0.5) ? 1 : 0), random.between(-1, 1) * (random.chance(0.3) ? 4 : 0)]; // prettier-ignore
  const bad = random.weighted([[0.002, 40], [0.008, 25], [0.025, 18], [0.06, 10], [0.14, 7]]); // prettier-ignore
  // In a bad fax, OCR is unsure of many words.
  const unsure = bad > 0.05 ? random.between(0.3, 0.9) : 0.88;
  const tall = random.between(0.72, 1.05);
  const gaps = random.weighted([[0, 36], [0.03, 30], [0.12, 22], [0.4, 12]]); // prettier-ignore
  const all: Told[] = [];
  for (const word of words) {
    if (random.chance(bad * 0.8)) continue;
    const y = word.y + slope * word.x + bend * Math.sin((word.x / width) * Math.PI);
    const height = word.height * tall * random.between(0.92, 1.08);
    const text = misread(random, random.chance(bad * 0.6) ? word.text.replace(/\.(?=\d\d$)/, '') : word.text, bad);
    const made: Told = { ...word, text, x: (word.x + random.between(-0.8, 0.8)) * scale, y: (y + (word.height - height) / 2 + random.between(-0.06, 0.06) * word.height) * scale, width: word.width * random.between(0.97, 1.03) * scale, height: height * scale, probability: Math.round(Math.min(1, text === word.text ? random.between(unsure, 1.02) : random.between(0.3, 0.97)) * 100) / 100, source: 'ocr', bold: false }; // prettier-ignore
    const last = all.at(-1);
    const isNear = last !== undefined && last.role === made.role && Math.abs(last.y - made.y) < 0.3 * made.height && made.x - (last.x + last.width) < 0.5 * made.height && made.x > last.x; // prettier-ignore
    const isText = /^[A-Za-z'&.,-]+$/;
    // OCR may read pounds and pence in separate boxes as one number.
    if (
      last !== undefined &&
      /^\d{1,6}$/.test(last.text) &&
      /^\d\d$/.test(made.text) &&
      last.role === made.role &&
      made.role !== 'none' &&
      Math.abs(last.y - made.y) < 0.3 * made.height &&
      made.x > last.x &&
      random.chance(gaps * 0.4)
    ) {
      // prettier-ignore
      last.text += made.text;
      last.width = made.x + made.width - last.x;
      continue;
    }
    if (isNear && random.chance(gaps) && isText.test(last.text) && isText.test(made.text)) {
      last.text += made.text;
      last.width = made.x + made.width - last.x;
      continue;
    }
    all.push(...(random.chance(gaps * 0.3) && /^[A-Za-z]{6,}$/.test(made.text) ? torn(random, made) : [made]));
  }
  return all;
}

function misread(random: Random, text: string, share: number): string {
  return Array.from(text, (letter) => {
    const isDigit = /\d/.test(letter);
    const others = MISREAD[letter] ?? (share > 0.05 && /[a-z]/i.test(letter) ? 'aeiocnurtl' : undefined);
    return others !== undefined && random.chance(isDigit ? share * 0.3 : share * 1.5) ? random.letter(others) : letter;
  }).join('');
}

/** Splits a word in two, with a gap between. */
function torn(random: Random, word: Told): Told[] {
  const at = random.int(2, word.text.length - 2);
  const share = at / word.text.length;
  return [
    { ...word, text: word.text.slice(0, at), width: word.width * share * 0.96 },
    { ...word, text: word.text.slice(at), x: word.x + word.width * share, width: word.width * (1 - share) },
  ];
}
