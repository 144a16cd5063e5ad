import type { Item } from './facts.ts';
import { after, endingAt, part, type Line, type Part, type Typist } from './typed-lines.ts';

const ofYear = ({ facts, say, random }: Typist): [string, number][] => {
  const sum = (role: string): number => facts.deductions.filter((one) => one.role === role).reduce((total, one) => total + one.ytd, 0); // prettier-ignore
  const list: [string, number][] = [[say('gross'), facts.gross.ytd], [say('base'), Math.round(facts.gross.ytd * 0.96)], [say('tax'), sum('tax')], [say('ni'), sum('ni')], [say('pension'), sum('pension')], [say('net'), facts.net.ytd], [say('employersNi'), Math.round(facts.gross.ytd * 0.1)]]; // prettier-ignore
  return random.some(list, random.int(3, 7));
};

const titleOfYear = ({ random, say, left }: Typist): Line[] =>
  random.chance(0.75) ? [[part(left, random.chance(0.8) ? say('year') : random.pick(['Summary', 'Position at present', 'Totals', 'Balances', 'Record']))]] : []; // prettier-ignore

export function yearStrip(typist: Typist): Line[] {
  const { money, left } = typist;
  const all = ofYear(typist);
  const ends = all.map(([label, pence], n) => ({ label, text: money(pence), n }));
  let at = left;
  const [labels, values]: [Part[], Part[]] = [[], []];
  for (const { label, text } of ends) {
    const wide = Math.max(label.length, text.length) + 5;
    labels.push(part(at, label));
    if (text !== '') values.push(endingAt(at + Math.max(label.length, text.length), text, 'year'));
    at += wide;
  }
  return [...titleOfYear(typist), labels, values];
}

export function yearList(typist: Typist): Line[] {
  const { random, money, left } = typist;
  const all = ofYear(typist).filter(([, pence]) => money(pence) !== '');
  if (random.chance(0.3)) {
    const line: Part[] = [part(left, `${typist.say('year').replace(/[:£()]+$/, '')}${random.pick(['', ':'])}`)];
    for (const [label, pence] of all) line.push(part(after(line), label), part(after(line) + label.length + 1, money(pence), 'year')); // prettier-ignore
    return [line];
  }
  const end = left + Math.max(30, ...all.map(([label]) => label.length + 14));
  return [...titleOfYear(typist), ...all.map(([label, pence]): Line => [part(left, label), endingAt(end, money(pence), 'year')])]; // prettier-ignore
}

export function employersLines(typist: Typist): Line[] {
  const { random, facts, money, say, left } = typist;
  const isTitled = random.chance(0.5);
  const end = left + 60;
  const nameOf = (item: Item, n: number): string => (!isTitled ? item.label : n === 0 ? say('ni') : random.chance(0.2) ? `${say('pension')}, both posts` : say('pension')); // prettier-ignore
  const lines = facts.employers.flatMap((item, n): Line[] => (money(item.amount) === '' ? [] : [[part(left, nameOf(item, n)), endingAt(end, money(item.amount), 'employers')]])); // prettier-ignore
  return isTitled ? [[part(left, say('employersHead'))], ...lines] : lines;
}
