import { monthOf, type Item } from './facts.ts';
import type { Lesson } from './paper.ts';
import { NONE, after, endingAt, part, type Line, type Typist } from './typed-lines.ts';

type Column = 'now' | 'year' | 'last' | 'base' | 'employers' | 'employersYear';

const COLUMNS: readonly (readonly [readonly Column[], number])[] = [[['now'], 10], [['now', 'year'], 26], [['year', 'now'], 14], [['last', 'now'], 12], [['now', 'last'], 5], [['last', 'now', 'year'], 7], [['now', 'last', 'year'], 3], [['base', 'now'], 6], [['base', 'now', 'year'], 5], [['base', 'now', 'employers'], 4], [['base', 'employers', 'now'], 4], [['now', 'employers'], 3], [['employers', 'now'], 3], [['employersYear', 'employers', 'year', 'now'], 3]]; // prettier-ignore

export function table(typist: Typist): Line[] {
  const { random, facts, say, left, right } = typist;
  const columns = random.weighted(COLUMNS);
  const wide = Math.min(22, Math.max(13, Math.floor((right - left - 24) / columns.length)));
  const labels = Math.max(24, ...items(typist).map(({ label }) => label.length + 2));
  const end = (n: number): number => left + labels + (n + 1) * wide;
  const isMonths = columns.includes('last') && random.chance(0.4);
  const hasShare = columns.includes('employers');
  const own = random.pick(['Employee', 'You', 'EE', 'Employee share', 'You pay', "Employee's"]);
  const heads: Record<Column, string> = {
    now: hasShare ? own : isMonths ? monthOf(facts, 0) : say('now'),
    year: hasShare ? `${own} ${random.pick(['Cumulative', 'to date', 'YTD'])}` : say('year'),
    last: isMonths ? monthOf(facts, -1) : say('last'),
    base: say('basisHead'),
    employers: say('employersHead'),
    employersYear: `Employer ${random.pick(['Cumulative', 'to date', 'YTD'])}`,
  };
  const top: Line = columns.flatMap((column, n) => {
    const text = heads[column].slice(0, wide - 1).trim();
    return text === '' || random.chance(0.03) ? [] : [endingAt(end(n), text)];
  });
  const last = scaled(typist);
  const cellsOf = (item: Item): Line => columns.flatMap((column, n) => cellOf(typist, item, column, last, end(n)));
  const dates = random.chance(0.07) ? datesBetween(typist) : '';
  const rowOf = (item: Item): Line => [part(left, item.label), ...(dates !== '' && item.role !== 'gross' && item.role !== 'net' ? [part(Math.max(left + item.label.length + 2, end(0) - wide - dates.length + 2), dates)] : []), ...cellsOf(item)]; // prettier-ignore
  const rows = shift(arranged(typist, rowOf), dates === '' ? 0 : dates.length, end(0) - wide + 3);
  return [...titleOfMonths(typist, isMonths), ...shift([top], dates === '' ? 0 : dates.length, 0), ...rows];
}

/** Moves the amounts and headings at or after `from` to the right, by `by` letters. */
const shift = (lines: readonly Line[], by: number, from: number): Line[] =>
  lines.map((line) => line.map((one) => (one.at >= from && /\d\.\d\d|^[A-Z]/.test(one.text) && one.at > 4 ? { ...one, at: one.at + by } : one))); // prettier-ignore

function titleOfMonths({ random, facts, left }: Typist, isMonths: boolean): Line[] {
  if (!isMonths || random.chance(0.3)) return [];
  const before = random.pick(['Your', 'Pay for', 'Payslip for']);
  const named = part(left + before.length + 1, `${monthOf(facts, 0)} ${facts.to.slice(0, 4)}`, 'period');
  return [[part(left, before), named, ...(before === 'Your' ? [part(after([named]), 'pay')] : [])]];
}

function datesBetween({ random, facts, date }: Typist): string {
  const span = `${date(facts.from)}${random.pick([' - ', ' to ', ' TO '])}${date(facts.to)}`;
  return random.pick([span, date(facts.to), `(${span})`]);
}

/** Amounts of the previous period, which also add up. */
function scaled({ random, facts }: Typist): Map<Item, number> {
  const share = random.between(0.75, 1.2);
  const of = (list: readonly Item[]) => list.map((item): [Item, number] => [item, Math.round(item.amount * share)]);
  const [payments, deductions] = [of(facts.payments), of(facts.deductions)];
  const sum = (list: [Item, number][]): number => list.reduce((total, [, pence]) => total + pence, 0);
  const [gross, taken] = [sum(payments), sum(deductions)];
  return new Map([...payments, ...deductions, [facts.gross, gross], [facts.taken, taken], [facts.net, gross - taken]]);
}

function cellOf(
  { facts, money, random }: Typist,
  item: Item,
  column: Column,
  last: Map<Item, number>,
  end: number,
): Line {
  const at = (pence: number, role: Lesson): Line => {
    const text = money(pence);
    return text === '' ? [] : [endingAt(end, text, role)];
  };
  const isShared = item.role === 'ni' || item.role === 'pension';
  switch (column) {
    case 'now':
      return at(item.amount, item.role);
    case 'year':
      return at(item.ytd, 'year');
    case 'last':
      return last.has(item) ? at(last.get(item)!, 'year') : [];
    case 'base':
      return isShared || item.role === 'tax' ? at(Math.round(facts.gross.amount * random.pick([1, 1, 0.96, 0.9])), 'base') : []; // prettier-ignore
    case 'employers':
      return isShared ? at(Math.round(item.amount * random.between(0.5, 2.5)), 'employers') : [];
    case 'employersYear':
      return isShared ? at(Math.round(item.ytd * random.between(0.5, 2.5)), 'employers') : [];
  }
}

const items = ({ facts }: Typist): Item[] => [...facts.payments, facts.gross, ...facts.deductions, facts.taken, facts.net]; // prettier-ignore

function arranged(typist: Typist, rowOf: (item: Item) => Line): Line[] {
  const { random, facts, say, left } = typist;
  const withPayments = random.chance(0.5) || facts.payments.some(({ role }) => role === 'pension');
  const titled = random.chance(0.35);
  const lines: Line[] = [];
  if (withPayments && titled) lines.push([part(left, say('payments'))]);
  if (withPayments) lines.push(...facts.payments.map(rowOf));
  lines.push(rowOf(facts.gross));
  if (random.chance(0.4)) lines.push(NONE);
  if (titled) lines.push([part(left, say('deducted'))]);
  lines.push(...facts.deductions.map(rowOf));
  if (random.chance(0.06)) lines.push(...facts.employers.map(rowOf));
  if (random.chance(0.4)) lines.push(rowOf(facts.taken));
  if (random.chance(0.4)) lines.push(NONE);
  lines.push(rowOf(facts.net));
  return lines;
}

const SUMS: readonly string[] = ['gross', 'net', 'deductions'];

export function list(typist: Typist): Line[] {
  const { random, left, money } = typist;
  const end = left + Math.max(random.int(34, 60), ...items(typist).map(({ label }) => label.length + 16));
  const said = random.pick(['year to date', 'YTD', 'to date', 'this year']);
  const under = random.weighted<(item: Item) => Line[]>([
    [() => [], 75],
    [
      (item) => [
        [endingAt(end - money(item.ytd).length - 1, said.toUpperCase()), endingAt(end, money(item.ytd), 'year')],
      ],
      10,
    ],
    [(item) => [[endingAt(end, money(item.ytd), 'year'), part(end + 1, said)]], 15],
  ]);
  const isMinus = random.chance(0.2);
  const own = ['tax', 'ni', 'pension', 'other-deduction'];
  const signed = (item: Item): Item => (isMinus && own.includes(item.role) ? { ...item, amount: -item.amount } : item);
  const lines: Line[] = [];
  const below = random.pick(['all', 'all', 'sums', 'gross', 'net']);
  for (const line of arranged(typist, (item) => [
    part(left, item.label),
    endingAt(end, money(signed(item).amount), item.role),
  ])) {
    // prettier-ignore
    lines.push(line);
    const item = items(typist).find(({ label, role }) => line[0]?.text === label && line[1]?.role === role);
    if (
      item !== undefined &&
      (below === 'all' || item.role === below || (below === 'sums' && item !== undefined && SUMS.includes(item.role)))
    )
      lines.push(...under(item));
  }
  return lines;
}

export function sideBySide(typist: Typist): Line[] {
  const { random, facts, money, say, left } = typist;
  const first = left + Math.max(28, ...[...facts.payments, facts.gross].map(({ label }) => label.length + 13));
  const second = first + random.int(3, 8);
  const end = second + Math.max(28, ...[...facts.deductions, facts.taken, facts.net].map(({ label }) => label.length + 13)); // prettier-ignore
  const said = random.weighted([['', 60], ['year to date', 15], ['YTD', 15], ['to date', 10]]); // prettier-ignore
  const side = (all: readonly Item[], start: number, edge: number): Line[] =>
    all.flatMap((item): Line[] => [[part(start, item.label), endingAt(edge, money(item.amount), item.role)], ...(said === '' ? [] : [[endingAt(edge, money(item.ytd), 'year'), part(edge + 1, said)]])]); // prettier-ignore
  const [payments, deductions] = [side(facts.payments, left, first), side(facts.deductions, second + (said === '' ? 0 : said.length + 2), end + 14)]; // prettier-ignore
  const lines: Line[] = [[part(left, say('payments')), part(second, say('deducted'))]];
  for (let at = 0; at < Math.max(payments.length, deductions.length); at += 1)
    lines.push([...(payments[at] ?? []), ...(deductions[at] ?? [])]);
  const sum = (item: Item, start: number, edge: number): Line => [part(start, item.label), endingAt(edge, money(item.amount), item.role)]; // prettier-ignore
  lines.push(NONE, [
    ...sum(facts.gross, left, first),
    ...(random.chance(0.7) ? sum(facts.taken, second, end + 14) : []),
  ]);
  lines.push(random.chance(0.5) ? sum(facts.net, left, first) : sum(facts.net, second, end + 14));
  return lines;
}

export function strip({ random, facts, money, say, left }: Typist): Line[] {
  const all = [...facts.payments.slice(0, 3), facts.gross, ...facts.deductions.slice(0, 5), ...(random.chance(0.7) ? [facts.taken] : []), facts.net]; // prettier-ignore
  const start = left + random.int(12, 17);
  const wide = 12;
  const heads = all.map(({ label }) => {
    const words = label.replace(/[:£()]+$/, '').split(' ');
    const half = label.length < wide ? words.length : Math.ceil(words.length / 2);
    return [
      words
        .slice(0, half)
        .join(' ')
        .slice(0, wide - 1),
      words
        .slice(half)
        .join(' ')
        .slice(0, wide - 1),
    ] as const;
  });
  const row = (label: string, cell: (item: Item) => [string, Lesson]): Line => [
    ...(label === '' ? [] : [part(left, label.slice(0, start - left - 1))]),
    ...all.flatMap((item, n) => {
      const [text, role] = cell(item);
      return text === '' ? [] : [endingAt(start + (n + 1) * wide, text, role)];
    }),
  ];
  const [upper, lower] = ([0, 1] as const).map((n): Line => all.flatMap((_, at) => (heads[at]![n] === '' ? [] : [endingAt(start + (at + 1) * wide, heads[at]![n])]))); // prettier-ignore
  const lines: Line[] = [upper!, ...(lower!.length === 0 ? [] : [lower!])];
  if (random.chance(0.3)) lines.push(row(say('units'), (item) => [item.units ?? '', 'none']));
  if (random.chance(0.3)) lines.push(row(say('rate'), (item) => [item.rate ?? '', 'none']));
  const now = row(say('now'), (item) => [money(item.amount), item.role]);
  const year = row(say('year'), (item) => [money(item.ytd), 'year']);
  return random.chance(0.15) ? [...lines, year, now] : random.chance(0.75) ? [...lines, now, year] : [...lines, now];
}
