import { heads, rows, type Column, type Region, type Row } from './blocks.ts';
import { asRows, type Drawing } from './drawing.ts';
import { monthOf, type Item } from './facts.ts';
import type { Wording } from './wordings.ts';

function columnsOf(drawing: Drawing, head: Wording, withYear: boolean, isWide: boolean): Column[] {
  const { pen: { random }, speech: { say } } = drawing; // prettier-ignore
  const headed = random.chance(0.85);
  const title = (wording: Wording) => (headed ? say(wording) : '');
  const units = isWide && random.chance(0.45);
  const kinds: Column['kind'][] = [...(units ? (['units', 'rate'] as const) : []), 'amount'];
  if (withYear) kinds.splice(random.chance(0.15) ? kinds.length - 1 : kinds.length, 0, 'ytd');
  if (isWide && random.chance(0.09)) kinds.splice(random.int(0, kinds.length), 0, 'last');
  if (random.chance(head === 'deducted' ? 0.07 : 0.02)) kinds.splice(random.chance(0.8) ? 0 : 1, 0, 'basis');
  if (random.chance(0.06)) kinds.unshift('ref');
  const least = random.between(0.35, 0.55);
  const align = random.weighted([['right', 86], ['left', 8], ['centre', 6]] as const); // prettier-ignore
  const isMonths = headed && kinds.includes('last') && random.chance(0.6);
  const wordingOf = { amount: 'now', ytd: 'year', last: 'last', units: 'units', rate: 'rate', ref: 'units', label: head, employers: 'employersHead', basis: 'basisHead' } as const; // prettier-ignore
  const columns = kinds.map((kind, at): Column => ({ kind, at: least + ((at + 1) * (1 - least)) / kinds.length - (align === 'right' ? 0 : (0.8 * (1 - least)) / kinds.length), align, head: kind === 'ref' ? '' : isMonths && (kind === 'amount' || kind === 'last') ? monthOf(drawing.facts, kind === 'amount' ? 0 : -1) : title(wordingOf[kind]) })); // prettier-ignore
  const label: Column = { kind: 'label', at: 0, align: 'left', head: title(head) };
  // Some tables have the amounts before their labels.
  if (random.chance(0.03) && kinds.length === 1) return [{ ...columns[0]!, at: 0.3, align: 'right' }, { ...label, at: 0.36 }]; // prettier-ignore
  return [label, ...columns];
}

function section(
  drawing: Drawing,
  region: Region,
  columns: readonly Column[],
  items: readonly Item[],
  total?: Item,
): number {
  // prettier-ignore
  const { pen } = drawing;
  const { random } = pen;
  let top = region.top;
  if (columns.some(({ head }) => head !== '')) {
    heads(pen, region, columns, top);
    top += pen.leading * random.between(1, 1.5);
  }
  top = rows(pen, { ...region, top }, columns, asRows(items));
  if (total === undefined) return top;
  const isBare = random.chance(0.12);
  const printed = isBare ? { ...total, label: drawing.speech.say('total') } : total;
  return rows(pen, { ...region, top: top + pen.leading * random.between(0, 1) }, columns, asRows([printed], random.chance(0.5))); // prettier-ignore
}

function grouped(drawing: Drawing, region: Region, columns: readonly Column[]): number {
  const { pen, facts: all } = drawing;
  const { random } = pen;
  const isFirst = (item: Item) => item.role === 'tax' || item.role === 'ni';
  let top = region.top;
  for (const [name, items] of [
    ['Statutory', all.deductions.filter(isFirst)],
    [random.pick(['Voluntary', 'Other', 'Pension and other']), all.deductions.filter((item) => !isFirst(item))],
  ] as const) {
    if (items.length === 0) continue;
    const sum = (of: 'amount' | 'ytd') => items.reduce((total, item) => total + item[of], 0);
    const own = columns.map((column) => (column.kind === 'label' ? { ...column, head: `${name} Deductions` } : column));
    top = section(drawing, { ...region, top }, own, items, {
      label: `Total ${name} Deductions`,
      role: items.length === all.deductions.length ? 'deductions' : 'none',
      amount: sum('amount'),
      ytd: sum('ytd'),
    });
    top += pen.leading * 0.5;
  }
  return top;
}

function payments(drawing: Drawing, region: Region, columns: readonly Column[], withTotals: boolean): number {
  const { pen: { random, leading }, facts: all } = drawing; // prettier-ignore
  const total = withTotals ? all.gross : undefined;
  if (all.payments.length < 2 || !random.chance(0.08)) return section(drawing, region, columns, all.payments, total);
  const [at, name] = [random.int(1, all.payments.length - 1), random.pick(['Post', 'Assignment', 'Job', 'Contract'])];
  const groups = [all.payments.slice(0, at), all.payments.slice(at)];
  let { top } = region;
  groups.forEach((group, n) => {
    const sum = (of: 'amount' | 'ytd') => group.reduce((all, item) => all + item[of], 0);
    const label = `${random.pick(['Sub-total', 'Subtotal', 'Total'])} ${name.toLowerCase()} ${n + 1}`;
    const own = columns.map((column) => (column.kind === 'label' ? { ...column, head: `${name} ${n + 1}` } : n === 0 ? column : { ...column, head: '' })); // prettier-ignore
    top = section(drawing, { ...region, top }, own, group, { label, role: 'none', amount: sum('amount'), ytd: sum('ytd') }) + leading * 0.4; // prettier-ignore
  });
  return total === undefined ? top : rows(drawing.pen, { ...region, top }, columns, asRows([total], true));
}

export function stacked(drawing: Drawing, region: Region, withYear: boolean, withTotals: boolean): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random } = pen;
  const columns = columnsOf(drawing, 'payments', withYear, true);
  const again = random.chance(0.7);
  let top = payments(drawing, region, columns, withTotals);
  top += pen.leading * random.between(0.2, 1.2);
  const below = columns.map((column) => ({ ...column, head: !again && column.kind !== 'label' ? '' : column.kind === 'label' && column.head !== '' ? say('deducted') : column.head })); // prettier-ignore
  const mixed = all.employers.length > 0 && random.chance(0.15);
  const items = mixed ? [...all.deductions, ...all.employers] : all.deductions;
  if (random.chance(0.12) && all.employers.length > 0 && columns.length === 2) return bothSides(drawing, { ...region, top }); // prettier-ignore
  if (random.chance(0.08)) return grouped(drawing, { ...region, top }, below);
  top = section(drawing, { ...region, top }, below, items, withTotals ? all.taken : undefined);
  if (!withTotals || !random.chance(0.4)) return top;
  return rows(pen, { ...region, top: top + pen.leading * 0.5 }, columns, asRows([all.net], true));
}

function bothSides(drawing: Drawing, region: Region): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random } = pen;
  const employee = random.pick([
    'Employee',
    'You',
    'EE',
    'Ee',
    'You paid',
    'Employee £',
    'Your contribution',
    'Amount',
  ]);
  const swapped = random.chance(0.3);
  const columns: Column[] = [{ kind: 'label', at: 0, align: 'left', head: say('deducted') }, { kind: 'amount', at: swapped ? 1 : 0.65, align: 'right', head: employee }, { kind: 'employers', at: swapped ? 0.65 : 1, align: 'right', head: say('employersHead') }]; // prettier-ignore
  heads(pen, region, columns, region.top);
  const list = all.deductions.map((item): Row => {
    const own = all.employers[item.role === 'ni' ? 0 : item.role === 'pension' ? 1 : 9];
    return own === undefined ? { item } : { item, employers: own.amount };
  });
  return rows(pen, { ...region, top: region.top + pen.leading * 1.3 }, columns, list);
}

export function beside(drawing: Drawing, region: Region, withYear: boolean, withTotals: boolean): number {
  const { pen, facts: all } = drawing;
  const { random } = pen;
  const middle = region.left + (region.right - region.left) * random.between(0.42, 0.58);
  const left = { ...region, right: middle - random.between(4, 16) };
  const right = { ...region, left: middle };
  const level = random.chance(0.6);
  const first = columnsOf(drawing, 'payments', withYear && random.chance(0.7), random.chance(0.5));
  const second = columnsOf(drawing, 'deducted', withYear, false);
  const swapped = random.chance(0.08);
  const ends = [
    section(drawing, swapped ? right : left, first, all.payments, withTotals && !level ? all.gross : undefined),
    section(drawing, swapped ? left : right, second, all.deductions, withTotals && !level ? all.taken : undefined),
  ];
  const end = Math.max(...ends);
  if (!withTotals || !level) return end;
  const top = end + pen.leading * random.between(0.2, 1.5);
  rows(pen, { ...(swapped ? right : left), top }, first, asRows([all.gross], true));
  return rows(pen, { ...(swapped ? left : right), top }, second, asRows([all.taken], true));
}

export function merged(drawing: Drawing, region: Region, withYear: boolean, withTotals: boolean): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random } = pen;
  const kind = random.pick(['columns', 'minus', 'plain']);
  const negative = (item: Item): Item => ({ ...item, amount: -item.amount });
  if (kind !== 'columns') {
    const columns = columnsOf(drawing, 'payments', withYear, true);
    const taken = kind === 'minus' ? all.deductions.map(negative) : all.deductions;
    const list = [...all.payments, ...(withTotals ? [all.gross] : []), ...taken];
    return section(drawing, region, columns, list, random.chance(0.5) ? all.net : undefined);
  }
  const label: Column = { kind: 'label', at: 0, align: 'left', head: say('payments') };
  const pay: Column = { kind: 'amount', at: 0.7, align: 'right', head: say('payments') };
  const off: Column = { kind: 'amount', at: 1, align: 'right', head: say('deducted') };
  heads(pen, region, [label, pay, off], region.top);
  let top = region.top + pen.leading * 1.3;
  top = rows(pen, { ...region, top }, [label, pay], asRows(all.payments));
  top = rows(pen, { ...region, top }, [label, off], asRows(all.deductions));
  if (!withTotals) return top;
  pen.paper.text(region.left, top, random.chance(0.6) ? say('total') : all.gross.label, { bold: true });
  rows(pen, { ...region, top }, [pay], asRows([all.gross], true));
  return rows(pen, { ...region, top }, [off], asRows([all.taken], true));
}

export function across({ pen, facts: all, speech: { say } }: Drawing, region: Region): number {
  const { random, paper } = pen;
  const items = [...all.payments, all.gross, ...all.deductions, ...(random.chance(0.5) ? [all.net] : [])].slice(0, 9);
  const wide = (region.right - region.left) / (items.length + 1);
  const size = Math.min(paper.size, wide / 6);
  const lead = pen.leading;
  const head = items.map(({ label }) =>
    (paper.widthOf(label, { size }) > wide ? label.split(' ') : [label]).slice(0, 3),
  );
  const tall = Math.max(...head.map((one) => one.length));
  const base = region.top + tall * size * 1.1;
  items.forEach((item, at) => {
    const x = region.left + (at + 2) * wide - 4;
    head[at]!.forEach((line, n) => paper.text(x, base - (head[at]!.length - n) * size * 1.1, line, { size, align: 'right' })); // prettier-ignore
    paper.text(x, base + lead, pen.money(item.amount), { size, align: 'right' }, item.role);
    paper.text(x, base + 2 * lead, pen.money(item.ytd), { size, align: 'right' }, 'year');
  });
  paper.text(region.left, base + lead, say('now'), { size });
  paper.text(region.left, base + 2 * lead, say('year'), { size });
  return base + 3 * lead;
}
