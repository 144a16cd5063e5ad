import type { Random } from '../../payslips/random.ts';
import type { Money } from './blocks.ts';
import type { DateStyle, Facts } from './facts.ts';
import { ASCENT, type Lesson, type LabelledWord, type Words } from './paper.ts';
import type { Speech } from './wordings.ts';

/** `at` counts letters from the left. */
export interface Part {
  at: number;
  text: string;
  role: Lesson;
}

export type Line = readonly Part[];

export interface Typist {
  random: Random;
  facts: Facts;
  money: Money;
  date: DateStyle;
  say: Speech['say'];
  /** Where labels begin, and where the last column ends, in letters. */
  left: number;
  right: number;
}

export const NONE: Line = [];

export const part = (at: number, text: string, role: Lesson = 'none'): Part => ({ at, text, role });

export const endingAt = (end: number, text: string, role: Lesson = 'none'): Part => part(end - text.length, text, role);

export const after = (line: Line, gap = 1): number => Math.max(...line.map(({ at, text }) => at + text.length)) + gap;

export function labelled(left: number, label: string, value: string, role: Lesson, gap: number): Line {
  return [part(left, label), part(left + label.length + gap, value, role)];
}

export function printed(random: Random, lines: readonly Line[]): Words {
  const size = random.between(7.5, 11);
  const letter = size * random.between(0.5, 0.6);
  const leading = size * random.between(1.2, 1.7);
  const words: LabelledWord[] = [];
  let y = random.between(30, 70);
  for (const line of lines) {
    const scale = line.some(({ text }) => text.startsWith('# ')) ? 2 : 1;
    for (const part of line)
      for (const found of part.text.replace(/^# /, '').matchAll(/\S+/g))
        words.push({ text: found[0], x: 40 + (part.at + found.index) * letter * scale, y: y - ASCENT * size * scale, width: found[0].length * letter * scale, height: size * scale, probability: 1, bold: false, source: 'text', role: part.role }); // prettier-ignore
    y += leading * (scale === 2 ? 1.3 : 1);
  }
  const width = Math.max(420, ...words.map((word) => word.x + word.width + 20));
  return { width, height: Math.max(500, y + 40), words };
}
