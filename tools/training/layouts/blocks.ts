import type { Random } from '../../payslips/random.ts';
import type { Item } from './facts.ts';
import type { Role } from '../../../domain/legacy/scored.ts';
import type { Paper, Style } from './paper.ts';

/** Functions that draw a block in a region return its lower end. */
export interface Region {
  left: number;
  right: number;
  top: number;
}

export type Money = (pence: number, isWhole?: boolean) => string;

export function moneyStyle(random: Random): Money {
  const comma = random.chance(0.72);
  const pound = random.weighted([['', 65], ['£', 28], ['£ ', 5], ['GBP ', 2]]); // prettier-ignore
  const sign = random.weighted([['-', 55], ['()', 18], ['trailing', 17], ['CR', 5], ['- ', 5]]); // prettier-ignore
  const zero = random.weighted([['0.00', 82], ['-', 6], ['.00', 4], ['Nil', 3], ['0', 3], ['', 2]]); // prettier-ignore
  return (pence) => {
    if (pence === 0) return zero === '0.00' ? `${pound}0.00` : zero;
    const digits = (Math.abs(pence) / 100).toFixed(2);
    const text = pound + (comma ? digits.replace(/\B(?=(\d{3})+\.)/g, ',') : digits);
    if (pence > 0) return text;
    return { '-': `-${text}`, '- ': `- ${text}`, '()': `(${text})`, trailing: `${text}-`, CR: `${text}CR` }[sign]!;
  };
}

export interface Pen {
  paper: Paper;
  random: Random;
  money: Money;
  /** Whether pence have a separate column. */
  pence: boolean;
  /** In points. */
  leading: number;
}

export interface Column {
  kind: 'label' | 'ref' | 'units' | 'rate' | 'amount' | 'ytd' | 'last' | 'employers' | 'basis';
  /** A share of the region's width, from the left. */
  at: number;
  align: 'left' | 'right' | 'centre';
  head: string;
}

/** `employers` is the amount in the employer's column. */
export interface Row {
  item: Item;
  bold?: boolean;
  employers?: number;
}

export function amount(pen: Pen, x: number, y: number, pence: number, role: Role, style: Style = {}): void {
  const text = pen.money(pence);
  if (text === '') return;
  const parts = /^(.*\d)\.(\d\d.?.?)$/.exec(text);
  if (!pen.pence || parts === null || (style.align ?? 'right') !== 'right')
    pen.paper.text(x, y, text, { align: 'right', ...style }, role); // prettier-ignore
  else {
    pen.paper.text(x - pen.paper.size * 1.9, y, parts[1]!, { align: 'right', ...style }, role);
    pen.paper.text(x, y, parts[2]!, { align: 'right', ...style }, role);
  }
}

const xOf = ({ left, right }: Region, { at }: Column): number => left + at * (right - left);

export function heads(pen: Pen, region: Region, columns: readonly Column[], y: number): void {
  const bold = pen.random.chance(0.6);
  for (const column of columns) {
    const nudge = column.align === 'right' && pen.random.chance(0.1) ? -pen.random.between(0, 12) : 0;
    if (column.head !== '') pen.paper.text(xOf(region, column) + nudge, y, column.head, { bold, align: column.align });
  }
}

export function rows(pen: Pen, region: Region, columns: readonly Column[], all: readonly Row[]): number {
  let y = region.top;
  for (const { item, bold = false, employers } of all) {
    for (const column of columns) {
      const x = xOf(region, column);
      const style: Style = { bold, align: column.align };
      switch (column.kind) {
        case 'label':
          pen.paper.text(x, y, item.label, style);
          break;
        case 'ref':
          pen.paper.text(x, y, pen.random.digits(pen.random.int(2, 4)), style);
          break;
        case 'units':
          if (item.units !== undefined) pen.paper.text(x, y, item.units, style);
          break;
        case 'rate':
          if (item.rate !== undefined) pen.paper.text(x, y, item.rate, style, 'none');
          break;
        case 'amount':
          amount(pen, x, y, item.amount, item.role, style);
          break;
        case 'ytd':
          amount(pen, x, y, item.ytd, 'year', style);
          break;
        case 'last':
          amount(pen, x, y, Math.round(item.amount * pen.random.between(0.7, 1.2)), 'year', style);
          break;
        case 'basis':
          if (item.role === 'tax' || item.role === 'ni' || item.role === 'pension') amount(pen, x, y, Math.round(Math.abs(item.amount) * pen.random.between(3, 20)), 'base', style); // prettier-ignore
          break;
        case 'employers':
          if (employers !== undefined) amount(pen, x, y, employers, 'employers', style);
          break;
      }
    }
    y += pen.leading;
  }
  return y;
}

export function lines(pen: Pen, region: Region, all: readonly Row[], value: 'amount' | 'ytd' = 'amount'): number {
  const { paper, random } = pen;
  const kind = random.weighted([['apart', 60], ['close', 18], ['leaders', 8], ['behind', 6], ['tab', 8]]); // prettier-ignore
  const tab = region.left + (region.right - region.left) * random.between(0.45, 0.8);
  let y = region.top;
  for (const { item, bold = false } of all) {
    const pence = item[value];
    const role: Role = value === 'ytd' ? 'year' : item.role;
    const text = pen.money(pence);
    if (kind === 'behind') {
      const end = paper.text(region.left, y, text, { bold }, role);
      paper.text(end + paper.size * 0.8, y, item.label, { bold });
    } else {
      const end = paper.text(region.left, y, item.label, { bold });
      if (kind === 'close') paper.text(end + paper.size * random.between(0.4, 1.2), y, text, { bold }, role);
      else if (kind === 'tab') paper.text(Math.max(tab, end + 4), y, text, { bold }, role);
      else {
        const start = region.right - paper.widthOf(text, { bold });
        if (kind === 'leaders' && start - end > 30) paper.text(end + 3, y, '.'.repeat(Math.floor((start - end - 8) / (paper.widthOf('.') || 2)))); // prettier-ignore
        paper.text(Math.max(region.right, end + 4 + paper.widthOf(text, { bold })), y, text, { bold, align: 'right' }, role); // prettier-ignore
      }
    }
    y += pen.leading;
  }
  return y;
}

export function cards(pen: Pen, region: Region, all: readonly Row[], value: 'amount' | 'ytd' = 'amount'): number {
  const { paper, random } = pen;
  const across = Math.min(all.length, random.int(2, 6), Math.max(1, Math.floor((region.right - region.left) / (paper.size * 9)))); // prettier-ignore
  const wide = (region.right - region.left) / Math.max(1, across);
  const align = random.pick(['left', 'right', 'centre'] as const);
  const under = random.chance(0.15);
  const gap = pen.leading * random.between(0.9, 1.5);
  const big = random.chance(0.3) ? random.between(1.1, 1.6) : 1;
  const small = random.chance(0.4) ? random.between(0.75, 0.95) : 1;
  all.forEach(({ item, bold = false }, n) => {
    const left = region.left + (n % across) * wide;
    const x = align === 'left' ? left : align === 'right' ? left + wide * 0.92 : left + wide / 2;
    const y = region.top + Math.floor(n / across) * (gap + pen.leading * 1.4);
    const text = pen.money(item[value]);
    if (text === '') return;
    const caption = fitted(paper, item.label, wide * 0.95, small * paper.size);
    caption.forEach(
      (line, at) =>
      paper.text(x, y + (under ? gap : 0) - (caption.length - 1 - at) * paper.size * 1.05, line, { align, size: small * paper.size }), // prettier-ignore
    );
    paper.text(x, y + (under ? 0 : gap), text, { bold, align, size: big * paper.size }, value === 'ytd' ? 'year' : item.role); // prettier-ignore
  });
  return region.top + Math.ceil(all.length / across) * (gap + pen.leading * 1.4) + pen.leading * 0.6;
}

function fitted(paper: Paper, text: string, wide: number, size: number): string[] {
  const words = text.split(' ');
  if (paper.widthOf(text, { size }) <= wide || words.length === 1) return [text];
  const half = Math.ceil(words.length / 2);
  return [words.slice(0, half).join(' '), words.slice(half).join(' ')];
}

export interface Fact {
  label: string;
  value: string;
  role: Role;
}

export function factsBlock(pen: Pen, region: Region, facts: readonly Fact[]): number {
  const { paper, random } = pen;
  const most = Math.max(1, Math.floor((region.right - region.left) / (paper.size * 14)));
  const across = Math.min(random.int(1, 5), most, facts.length || 1);
  const wide = (region.right - region.left) / across;
  const kind = random.weighted([['beside', 45], ['follow', 25], ['caption', 30]]); // prettier-ignore
  const tab = random.between(0.35, 0.55) * wide;
  const size = random.chance(0.3) ? paper.size * random.between(0.8, 1) : paper.size;
  const step = kind === 'caption' ? pen.leading * random.between(2, 2.8) : pen.leading;
  const bold = random.chance(0.4);
  const down = Math.ceil(facts.length / across);
  const columnwise = random.chance(0.5);
  facts.forEach(({ label, value, role }, n) => {
    const [column, line] = columnwise ? [Math.floor(n / down), n % down] : [n % across, Math.floor(n / across)];
    const [x, y] = [region.left + column * wide, region.top + line * step];
    const end = paper.text(x, y, label, { size, bold });
    const [at, base] = kind === 'caption' ? [x, y + pen.leading] : [kind === 'follow' ? end + size * random.between(0.3, 0.7) : Math.max(x + tab, end + size * 0.5), y]; // prettier-ignore
    const isMoney = /\d\.\d\d$/.test(value) && ['gross', 'tax', 'ni', 'base'].includes(role);
    if (pen.pence && isMoney)
      amount(pen, at + paper.widthOf(value) + paper.size * 2, base, Math.round(Number(value.replace(/[^\d.-]/g, '')) * 100), role); // prettier-ignore
    else if (/^\d\d \d\d \d{4}$/.test(value)) spread(pen, at, base, value, role);
    else paper.text(at, base, value, {}, role);
  });
  return region.top + down * step + pen.leading * 0.5;
}

export function prose(pen: Pen, region: Region, parts: readonly (readonly [text: string, role: Role])[]): number {
  const { paper } = pen;
  let [x, y] = [region.left, region.top];
  const space = paper.size * 0.3;
  for (const [text, role] of parts)
    for (const word of text.split(' ')) {
      const wide = paper.widthOf(word);
      if (x + wide > region.right && x > region.left) [x, y] = [region.left, y + pen.leading];
      paper.text(x, y, word, {}, role);
      x += wide + space;
    }
  return y + pen.leading;
}

function spread({ paper, random }: Pen, x: number, y: number, value: string, role: Role): void {
  const gap = paper.size * random.between(0.3, 1.6);
  let at = x;
  for (const part of value.split(' ')) at = paper.text(at, y, part, {}, role) + gap;
}
