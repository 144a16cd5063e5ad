import type { Random } from '../../payslips/random.ts';
import { moneyStyle, type Pen, type Row } from './blocks.ts';
import { dateStyle, factsOf, type DateStyle, type Facts, type Item } from './facts.ts';
import { anyPaper } from './paper.ts';
import { speech, type Speech } from './wordings.ts';

export interface Drawing {
  pen: Pen;
  facts: Facts;
  speech: Speech;
  date: DateStyle;
}

export function newDrawing(random: Random): Drawing {
  const paper = anyPaper(random);
  const own = speech(random);
  const pen = {
    paper,
    random,
    money: moneyStyle(random),
    pence: random.chance(0.03),
    leading: paper.size * random.between(1.15, 2.1),
  };
  return { pen, facts: factsOf(random, own), speech: own, date: dateStyle(random) };
}

export const asRows = (items: readonly Item[], bold = false): Row[] => items.map((item) => ({ item, bold }));

export const niNumber = (random: Random): string => `${random.pick(['J', 'P', 'S', 'W', 'N', 'R'])}${random.letter('ABCEGHJLMNPRSWXYZ')}${random.digits(6)}${random.letter('ABCD')}`; // prettier-ignore
