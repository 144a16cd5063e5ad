import { addDays, addMonths } from '../../../domain/dates.ts';
import type { Random } from '../../helpers/payslips/random.ts';
import { cards, factsBlock, heads, lines, moneyStyle, prose, rows, type Column, type Fact, type Pen, type Region, type Row } from './blocks.ts'; // prettier-ignore
import { addressLines, dateStyle, factsOf, job, monthName, personName, type DateStyle, type Facts, type Item } from './facts.ts'; // prettier-ignore
import { smallPrint } from './filler.ts';
import { anyPaper, type Paper } from './paper.ts';
import { speech, type Speech, type Wording } from './wordings.ts';

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

/** A payslip in a layout of its own. */
export function payslip(random: Random): Paper {
  const drawing = newDrawing(random);
  const { paper } = drawing.pen;
  const margin = random.between(12, 60);
  const page: Region = { left: margin, right: paper.width - margin, top: margin + paper.size };
  const parts: ((region: Region) => number)[] = [];
  const isProse = random.chance(0.04);
  if (random.chance(0.28)) parts.push((region) => periodLine(drawing, region));
  parts.push((region) => facts(drawing, region));
  if (isProse) parts.push((region) => letter(drawing, region));
  else parts.push((region) => body(drawing, region));
  if (random.chance(0.12)) parts.push((region) => banks(drawing, region));
  if (random.chance(0.25)) parts.push((region) => notes(drawing, region));
  if (random.chance(0.15)) parts.push((region) => smallPrint(drawing.pen, region));
  if (random.chance(0.06))
    for (let at = random.int(1, 4); at > 0; at -= 1)
      parts.splice(random.int(0, parts.length), 0, (region) => rule(drawing, region));
  if (random.chance(0.06)) parts.unshift(parts.pop()!);
  if (!random.chance(0.1)) {
    // Otherwise the name stands only at the foot, or nowhere.
    parts.push((region) => (hasName(paper) ? region.top : foot(drawing, region)));
  } else if (random.chance(0.5)) parts.push((region) => foot(drawing, region));
  let top = header(drawing, page);
  for (const part of parts) top = part({ ...page, top: top + drawing.pen.leading * random.between(0.4, 2) });
  return paper;
}

/** The employer's name, the title and perhaps an address. */
export function header({ pen, facts, speech: { say } }: Drawing, region: Region, title = say('title')): number {
  const { paper, random } = pen;
  const size = paper.size * random.between(1, 2.2);
  const bold = random.chance(0.6);
  const place = random.pick(['left', 'right', 'centre'] as const);
  const x = { left: region.left, right: region.right, centre: (region.left + region.right) / 2 };
  let y = region.top + size;
  const named = random.chance(0.82);
  const titled = random.chance(0.75);
  const titleFirst = random.chance(0.3);
  const printTitle = (at: number, align: 'left' | 'right' | 'centre') =>
    paper.text(x[align], at, title, { size: paper.size * random.between(1, 2.2), bold: random.chance(0.6), align });
  if (titled && titleFirst) {
    printTitle(y, random.pick(['left', 'centre', place]));
    y += size * 1.6;
  }
  if (named) {
    for (const [at, line] of inLines(random, facts.employer).entries())
      paper.text(x[place], (y += at * size * 1.15), line, { size, bold, align: place }, 'employer');
    if (place === 'left' && random.chance(0.1))
      paper.text(
        region.left + paper.widthOf(facts.employer, { size, bold }) + size * random.between(0.8, 2.5),
        y,
        random.pick([
          'Ward 7',
          'Payroll',
          'Sales',
          'Kitchen',
          'Private and confidential',
          'Head Office',
          random.digits(3),
        ]),
      );
    if (random.chance(0.4)) {
      const address = facts.address;
      if (random.chance(0.5)) paper.text(x[place], (y += pen.leading), address.join(', '), { align: place, size: paper.size * 0.9 }); // prettier-ignore
      else for (const line of address) paper.text(x[place], (y += pen.leading), line, { align: place, size: paper.size * 0.9 }); // prettier-ignore
    }
  }
  if (titled && !titleFirst) {
    const beside = named && place !== 'centre' && random.chance(0.6);
    if (!beside) y += pen.leading * 1.3;
    printTitle(beside ? region.top + size : y, beside ? (place === 'left' ? 'right' : 'left') : random.pick(['left', 'centre', 'right'])); // prettier-ignore
  }
  return y + pen.leading * (named ? 0.5 : 0);
}

/** A long name in two lines now and then. */
function inLines(random: Random, name: string): string[] {
  const words = name.split(' ');
  if (words.length < 4 || !random.chance(0.25)) return [name];
  const at = Math.ceil(words.length / 2);
  return [words.slice(0, at).join(' '), words.slice(at).join(' ')];
}

/** The period in a sentence or a line of its own under the title. */
function periodLine({ pen, facts: all, speech: { say }, date }: Drawing, region: Region): number {
  const { paper, random } = pen;
  const style = { size: paper.size * random.between(0.9, 1.5), bold: random.chance(0.4) };
  const word = all.frequency === 'month' ? 'month' : 'week';
  const [before, value] = random.pick<readonly [string, string]>([
    [`${say('title').replace(/[:£ ]+$/, '')} for`, monthName(random, all.to)],
    [`${say('title').replace(/[:£ ]+$/, '')} -`, monthName(random, all.to)],
    ['', monthName(random, all.to)],
    ['', `${date(all.from)}${random.pick([' - ', ' to ', ' – '])}${date(all.to)}`],
    [random.pick(['Week ending', 'Period ending', 'Month ending', 'for the period ending', 'W/E']), date(all.to)],
    [
      random.pick(['for the period', 'Pay period', 'Your pay from', 'Pay for']),
      `${date(all.from)} ${random.pick(['to', '-'])} ${date(all.to)}`,
    ],
    [
      '',
      `${random.pick(['Tax ', '', ''])}${random.pick([word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])} ${all.number}`,
    ],
    [
      `${say('title').replace(/[:£ ]+$/, '')}`,
      `${random.pick(['Month', 'Week', 'Period', 'Tax Period'])} ${all.number}`,
    ],
  ]);
  const x = random.pick([region.left, region.left, (region.left + region.right) / 2]);
  const end = before === '' ? x : paper.text(x, region.top, before, style) + paper.size * 0.35;
  const after = paper.text(end, region.top, value, style, 'period');
  if (random.chance(0.25)) {
    const middle = paper.text(after, region.top, random.pick([', paid on', ' Paid', ' | pay date', ' - paid']), style);
    paper.text(middle + paper.size * 0.35, region.top, date(all.payDate), style, 'date');
  }
  return region.top + pen.leading * 1.2;
}

/** How the net pay is paid: in one sum or to several accounts. */
function banks({ pen, facts: all, speech: { say } }: Drawing, region: Region): number {
  const { random } = pen;
  const name = () =>
    `${random.pick(['Account', 'Sort code', 'Bank', 'BACS', 'Building Society', 'Paid to'])} ${random.pick([`****${random.digits(4)}`, random.digits(8), 'HSBC', 'Lloyds', 'Nationwide'])}`;
  const part = Math.round(all.net.amount * random.between(0.05, 0.5));
  const items: Item[] = random.chance(0.5)
    ? [{ label: random.pick([name(), say('net')]), role: 'net', amount: all.net.amount, ytd: 0 }]
    : [
        { label: name(), role: 'none', amount: part, ytd: 0 },
        { label: name(), role: 'none', amount: all.net.amount - part, ytd: 0 },
      ];
  return lines(pen, region, asRows(items));
}

/** A line of dashes, as typed payslips have it. */
function rule({ pen: { paper, random, leading } }: Drawing, region: Region): number {
  const mark = random.pick(['-', '=', '_', '*']);
  const text = mark.repeat(Math.floor((region.right - region.left) / paper.widthOf(mark)));
  paper.text(region.left, region.top, text);
  return region.top + leading * 0.6;
}

/** The employer's name below everything else, alone or with its address. */
function foot({ pen, facts: all }: Drawing, region: Region): number {
  const { paper, random } = pen;
  const before = random.pick(['', '', '', 'Issued by', 'Paid by', 'Employer:', 'On behalf of', '©']);
  const x = before === '' ? region.left : paper.text(region.left, region.top, before) + paper.size * 0.4;
  const end = paper.text(x, region.top, all.employer, {}, 'employer');
  if (random.chance(0.5)) paper.text(end, region.top, `, ${all.address.join(', ')}`);
  return region.top + pen.leading;
}

const hasName = ({ words }: Paper): boolean => words.some(({ role }) => role === 'employer');

/** The facts about person, period and employer. */
export function facts(drawing: Drawing, region: Region): number {
  const { pen, facts: all, speech: { say }, date } = drawing; // prettier-ignore
  const { paper, random } = pen;
  const list: Fact[] = [];
  const add = (label: string, value: string, role: Fact['role'] = 'none') => list.push({ label, value, role });
  const maybe = (chance: number, then: () => void) => random.chance(chance) && then();
  maybe(hasName(paper) ? 0.2 : 0.85, () => add(say('employerLabel'), all.employer, 'employer'));
  maybe(0.75, () => add(say('personLabel'), all.person));
  periodFacts(drawing, add);
  maybe(0.78, () => add(say('dateLabel'), date(all.payDate), 'date'));
  maybe(0.75, () => add(say('codeLabel'), all.code, 'code'));
  maybe(0.55, () => add(random.pick(['NI Number', 'NI No', 'National Insurance No', 'N.I. Number', 'NINO', 'Nat Ins No.', 'National Insurance Number']), random.pick([niNumber(random), niNumber(random).replace(/^(..)(..)(..)(..)(.)$/, '$1 $2 $3 $4 $5')]))); // prettier-ignore
  maybe(0.5, () => add(random.pick(['NI Category', 'NI Letter', 'NI Table', 'NI Cat', 'NI Code', 'NI Table Letter']), random.pick(['A', 'A', 'M', 'C', 'H', 'B']))); // prettier-ignore
  maybe(0.45, () => add(say('referenceLabel'), all.reference, 'reference'));
  maybe(0.5, () => add(random.pick(['Employee No', 'Payroll No', 'Works No', 'Emp No.', 'Employee ID', 'Ref', 'Staff Number', 'Person Number', 'Clock No', 'Assignment No']), random.digits(random.int(1, 8)))); // prettier-ignore
  maybe(0.35, () => add(random.pick(['Department', 'Dept', 'Cost Centre', 'Location', 'Site', 'Branch', 'Division', 'Team']), random.pick([random.pick(['Admin', 'Warehouse', 'Sales', 'Operations', 'Finance', 'Kitchen', 'Ward 7', 'Customer Services', 'IT', 'Transport', 'Head Office', 'North', 'Adult Social Care']), random.digits(4)]))); // prettier-ignore
  maybe(0.25, () => add(random.pick(['Job Title', 'Position', 'Job', 'Role', 'Post', 'Grade']), job(random)));
  maybe(0.25, () => add(random.pick(['Payment Method', 'Pay Method', 'Method', 'Paid By', 'Payment Type', 'Pay Frequency', 'Frequency']), random.pick(['BACS', 'Bank Transfer', 'Credit Transfer', 'Cheque', 'Monthly', 'Weekly', '4 Weekly', 'Cash']))); // prettier-ignore
  maybe(0.2, () => add(random.pick(['Bank Account', 'Account No', 'Sort Code', 'Bank', 'Account']), random.pick([`****${random.digits(4)}`, random.digits(8), `${random.digits(2)}-${random.digits(2)}-${random.digits(2)}`]))); // prettier-ignore
  maybe(0.2, () => add(random.pick(['Annual Salary', 'Salary', 'Hourly Rate', 'Rate', 'FTE Salary', 'Basic Salary', 'Pay Rate']), pen.money(random.int(1_100, 6_000_000)), 'base')); // prettier-ignore
  maybe(0.12, () => add(random.pick(['Start Date', 'Date Started', 'Date of Birth', 'Joined', 'Continuous service', 'Increment date']), date(addDays(all.payDate, -random.int(400, 9_000))))); // prettier-ignore
  maybe(0.15, () => add(random.pick(['Holiday left', 'Holidays taken', 'Hours worked', 'FTE', 'Contract hours', 'Leave balance']), random.pick([`${random.int(0, 30)}`, (random.int(0, 800) / 4).toFixed(2)]))); // prettier-ignore
  maybe(0.12, () =>
    add(random.pick(['Tax Year', 'Year', 'Tax year']), `${all.payDate.slice(0, 4)}/${random.int(19, 32)}`),
  );
  const some = random.chance(0.5) ? list.toSorted(() => random.next() - 0.5) : list;
  if (!random.chance(0.3) || some.length < 4) return factsBlock(pen, region, some);
  const middle = region.left + (region.right - region.left) * random.between(0.4, 0.6);
  const half = Math.ceil(some.length / 2);
  const left = factsBlock(pen, { ...region, right: middle - 8 }, some.slice(0, half));
  return Math.max(left, factsBlock(pen, { ...region, left: middle }, some.slice(half)));
}

export const niNumber = (random: Random): string => `${random.pick(['J', 'P', 'S', 'W', 'N', 'R'])}${random.letter('ABCEGHJLMNPRSWXYZ')}${random.digits(6)}${random.letter('ABCD')}`; // prettier-ignore

/** How the period is printed: a span, a month, a last day, a number, or several of them. */
function periodFacts(
  { pen, facts: all, speech: { say }, date }: Drawing,
  add: (label: string, value: string, role?: Fact['role']) => void,
): void {
  // prettier-ignore
  const { random } = pen;
  const kinds = random.weighted<readonly string[]>([[['span'], 22], [['month'], 18], [['end'], 14], [['number'], 14], [['span', 'number'], 8], [['month', 'number'], 10], [['two'], 6], [['end', 'number'], 6], [[], 8]]); // prettier-ignore
  const between = random.pick([' - ', ' to ', '-', ' – ', ' TO ', ' / ']);
  for (const kind of kinds) {
    if (kind === 'span') add(say('periodLabel'), `${date(all.from)}${between}${date(all.to)}`, 'period');
    else if (kind === 'month') {
      if (all.frequency === 'month') add(say('monthLabel'), monthName(random, all.to), 'period');
      else add(say('periodEnd'), date(all.to), 'period');
    } else if (kind === 'end') add(say('periodEnd'), date(all.to), 'period');
    else if (kind === 'two') {
      const names = random.pick([['From', 'To'], ['Period Start', 'Period End'], ['Start Date', 'End Date'], ['Period From', 'Period To'], ['Pay Period Start', 'Pay Period End']]); // prettier-ignore
      add(names[0]!, date(all.from), 'period');
      add(names[1]!, date(all.to), 'period');
    } else {
      const word = all.frequency === 'month' ? 'Month' : 'Week';
      const value = random.pick([`${all.number}`, `${all.number}`, `0${all.number}`.slice(-2), `${word} ${all.number}`, `${word.charAt(0)}${all.number}`, `${word} ${all.number} of ${word === 'Month' ? 12 : 52}`]); // prettier-ignore
      add(say('numberLabel'), value, 'period');
    }
  }
}

const asRows = (items: readonly Item[], bold = false): Row[] => items.map((item) => ({ item, bold }));

/** What an agency paid, and what an umbrella company keeps of it before the gross. */
function reconciliation(drawing: Drawing, region: Region): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random } = pen;
  const item = (label: string, amount: number, role: Item['role']): Item => ({ label, amount, role, ytd: amount });
  const kept = [
    item(say('employersNi'), Math.round(all.gross.amount * 0.12), 'employers'),
    item(random.pick(['Company margin', 'Umbrella margin', 'Admin fee', 'Margin']), random.int(1_000, 3_000), 'base'),
    item(
      random.pick(['Apprenticeship Levy', 'App Levy', 'Employer pension', 'Holiday pay retained']),
      random.int(200, 4_000),
      'employers',
    ),
  ];
  const sum = kept.reduce((total, one) => total + one.amount, 0);
  const list = [
    item(
      random.pick([
        'Assignment income',
        'Invoice value',
        'Income from agency',
        'Total income',
        'Contract income',
        'Gross invoice',
      ]),
      all.gross.amount + sum,
      'base',
    ),
    ...kept,
  ];
  if (random.chance(0.5))
    list.push(
      item(random.pick(['Total costs', 'Total employment costs', 'Total deductions from income']), sum, 'none'),
    );
  if (random.chance(0.4))
    list.push(
      item(
        random.pick(['Gross taxable pay', 'Available for pay', 'Gross pay', 'Balance for salary']),
        all.gross.amount,
        'gross',
      ),
    );
  return lines(pen, region, asRows(list));
}

/** Payments and deductions, their sums, the year and what the employer pays. */
function body(drawing: Drawing, region: Region): number {
  const { pen, facts: all } = drawing;
  const { random } = pen;
  const totals = totalsOf(drawing);
  const kind = random.weighted([['stacked', 30], ['beside', 32], ['merged', 16], ['cards', 8], ['lines', 10], ['across', 4]]); // prettier-ignore
  const yearIn = random.weighted([['column', 34], ['block', 42], ['none', 24]]); // prettier-ignore
  const gap = pen.leading * random.between(0.6, 1.8);
  let top = region.top;
  if (random.chance(0.05)) top = reconciliation(drawing, region) + gap;
  const summaryFirst = random.chance(0.15);
  if (summaryFirst) top = summary(drawing, { ...region, top }, totals) + gap;
  const withTotals = summaryFirst ? random.chance(0.5) : random.chance(0.6);
  if (kind === 'stacked') top = stacked(drawing, { ...region, top }, yearIn === 'column', withTotals);
  else if (kind === 'beside') top = beside(drawing, { ...region, top }, yearIn === 'column', withTotals);
  else if (kind === 'merged') top = merged(drawing, { ...region, top }, yearIn === 'column', withTotals);
  else if (kind === 'across') top = across(drawing, { ...region, top });
  else {
    const items = asRows([...all.payments, ...(withTotals ? [all.gross] : []), ...all.deductions, ...(withTotals ? [all.taken] : [])]); // prettier-ignore
    const narrow = kind === 'lines' && random.chance(0.6) ? region.left + (region.right - region.left) * random.between(0.4, 0.7) : region.right; // prettier-ignore
    top = (kind === 'cards' ? cards : lines)(pen, { ...region, right: narrow, top }, items);
  }
  top += gap;
  const after: ((region: Region) => number)[] = [];
  if (!summaryFirst) after.push((part) => summary(drawing, part, totals));
  if (yearIn === 'block') after.push((part) => yearBlock(drawing, part));
  if (all.employers.length > 0 && random.chance(0.6)) after.push((part) => employersBlock(drawing, part));
  if (random.chance(0.35)) after.reverse();
  if (after.length > 1 && random.chance(0.5)) return sideBySide(pen, { ...region, top }, after);
  for (const part of after) top = part({ ...region, top }) + gap;
  return top;
}

/** Parts beside each other. */
function sideBySide(pen: Pen, region: Region, parts: readonly ((region: Region) => number)[]): number {
  const wide = (region.right - region.left) / parts.length;
  const ends = parts.map((part, at) => part({ left: region.left + at * wide + (at === 0 ? 0 : 10), right: region.left + (at + 1) * wide - 6, top: region.top })); // prettier-ignore
  return Math.max(...ends);
}

/** The sums in the order in which they are printed, and which of them are. */
function totalsOf({ pen: { random }, facts: { gross, taken, net, bases } }: Drawing): Item[] {
  const list = [...(random.chance(0.85) ? [gross] : []), ...(random.chance(0.65) ? [taken] : []), net];
  if (random.chance(0.25)) list.splice(random.int(0, list.length), 0, ...bases.slice(0, 2));
  return random.chance(0.12) ? list.reverse() : list;
}

function summary(drawing: Drawing, region: Region, totals: readonly Item[]): number {
  const { pen } = drawing;
  const { random, paper } = pen;
  const width = region.right - region.left;
  const narrow = random.weighted<Region>([[region, 50], [{ ...region, left: region.left + width * random.between(0.4, 0.65) }, 38], [{ ...region, right: region.right - width * random.between(0.35, 0.6) }, 12]]); // prettier-ignore
  const list = asRows(totals).map((row) => ({ ...row, bold: row.item.role === 'net' ? random.chance(0.7) : random.chance(0.2) })); // prettier-ignore
  const title = random.chance(0.2) ? random.pick(['Summary', 'Totals', 'This Period', 'Pay Summary', 'Payment summary', drawing.speech.say('now')]) : ''; // prettier-ignore
  if (title !== '') paper.text(narrow.left, narrow.top, title, { bold: random.chance(0.7) });
  const top = narrow.top + (title === '' ? 0 : pen.leading);
  return random.chance(0.5) ? cards(pen, { ...narrow, top }, list) : lines(pen, { ...narrow, top }, list);
}

/** The year's sums under a heading, with labels that name the year or do not. */
function yearBlock(drawing: Drawing, region: Region): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random, paper } = pen;
  const headed = random.chance(0.75);
  const named = !headed || random.chance(0.4);
  const suffix = random.pick([' TD', ' YTD', ' to date', ' T/D', ' Year to Date', ' for year', ' (YTD)', ' this year', ' cumulative']); // prettier-ignore
  const prefix = random.pick(['YTD ', 'Total ', 'Cumulative ', 'Year to date ', 'Cum. ', 'TD ']);
  const name = (label: string) => {
    const bare = label.replace(/[ :£()]+$/, '');
    return !named ? label : suffix.length > 0 && random.chance(0.7) ? bare + suffix : prefix + bare;
  };
  const fresh = (wording: Wording, amount: number): Item => ({ label: name(random.chance(0.5) ? say(wording) : say(wording)), role: 'year', amount, ytd: amount }); // prettier-ignore
  const sum = (role: string) => all.deductions.filter((one) => one.role === role).reduce((total, one) => total + one.ytd, 0); // prettier-ignore
  const list: Item[] = [fresh('gross', all.gross.ytd), fresh('tax', sum('tax')), fresh('ni', sum('ni'))];
  if (random.chance(0.7)) list.push(fresh('pension', sum('pension')));
  if (random.chance(0.4)) list.push(fresh('net', all.net.ytd));
  if (random.chance(0.5)) list.push(fresh('base', Math.round(all.gross.ytd * random.between(0.9, 1))));
  if (random.chance(0.3)) list.push(fresh('employersNi', Math.round(all.gross.ytd * 0.1)));
  if (random.chance(0.2)) list.push(fresh('employersPension', Math.round(all.gross.ytd * 0.05)));
  if (random.chance(0.15)) list.push(fresh('other', Math.round(all.gross.ytd * 0.03)));
  const ordered = random.chance(0.4) ? list.toSorted(() => random.next() - 0.5) : list;
  let top = region.top;
  if (headed) {
    paper.text(random.chance(0.85) ? region.left : (region.left + region.right) / 2, top, say('year'), { bold: random.chance(0.6), align: 'left' }); // prettier-ignore
    top += pen.leading * random.between(1, 1.5);
  }
  return (random.chance(0.45) ? cards : lines)(pen, { ...region, top }, asRows(ordered));
}

function employersBlock(drawing: Drawing, region: Region): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random, paper } = pen;
  let top = region.top;
  const headed = random.chance(0.7);
  const list = headed && random.chance(0.35) ? all.employers.map((one) => ({ ...one, label: one.label.includes('ension') ? say('pension') : say('ni') })) : all.employers; // prettier-ignore
  if (headed) {
    paper.text(region.left, top, say('employersHead'), { bold: random.chance(0.6) });
    top += pen.leading * random.between(1, 1.4);
  }
  return (random.chance(0.35) ? cards : lines)(pen, { ...region, top }, asRows(list));
}

/** The columns of a table, from left to right. */
function columnsOf(drawing: Drawing, head: Wording, withYear: boolean, isWide: boolean): Column[] {
  const { pen: { random }, speech: { say } } = drawing; // prettier-ignore
  const headed = random.chance(0.85);
  const title = (wording: Wording) => (headed ? say(wording) : '');
  const units = isWide && random.chance(0.45);
  const kinds: Column['kind'][] = [...(units ? (['units', 'rate'] as const) : []), 'amount'];
  if (withYear) kinds.splice(random.chance(0.15) ? kinds.length - 1 : kinds.length, 0, 'ytd');
  if (isWide && random.chance(0.09)) kinds.splice(random.int(0, kinds.length), 0, 'last');
  if (random.chance(0.06)) kinds.unshift('ref');
  const least = random.between(0.35, 0.55);
  const align = random.weighted([['right', 86], ['left', 8], ['centre', 6]] as const); // prettier-ignore
  const isMonths = headed && kinds.includes('last') && random.chance(0.6);
  const wordingOf = { amount: 'now', ytd: 'year', last: 'last', units: 'units', rate: 'rate', ref: 'units', label: head, employers: 'employersHead' } as const; // prettier-ignore
  const columns = kinds.map((kind, at): Column => ({ kind, at: least + ((at + 1) * (1 - least)) / kinds.length - (align === 'right' ? 0 : (0.8 * (1 - least)) / kinds.length), align, head: kind === 'ref' ? '' : isMonths && (kind === 'amount' || kind === 'last') ? monthHead(drawing, kind) : title(wordingOf[kind]) })); // prettier-ignore
  const label: Column = { kind: 'label', at: 0, align: 'left', head: title(head) };
  // Some print the figures before their labels.
  if (random.chance(0.03) && kinds.length === 1) return [{ ...columns[0]!, at: 0.3, align: 'right' }, { ...label, at: 0.36 }]; // prettier-ignore
  return [label, ...columns];
}

/** The month of a column: the one being paid, or the one before. */
const monthHead = ({ facts: { to } }: Drawing, kind: 'amount' | 'last'): string =>
  new Date(`${kind === 'amount' ? to : addMonths(to, -1)}T12:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    timeZone: 'UTC',
  });

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

/** Deductions in groups, each with a sum that is not the sum of all. */
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

function stacked(drawing: Drawing, region: Region, withYear: boolean, withTotals: boolean): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random } = pen;
  const columns = columnsOf(drawing, 'payments', withYear, true);
  const again = random.chance(0.7);
  let top = section(drawing, region, columns, all.payments, withTotals ? all.gross : undefined);
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

/** Deductions with a column of the employee and one of the employer. */
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
  const columns: Column[] = [{ kind: 'label', at: 0, align: 'left', head: say('deducted') }, { kind: 'amount', at: 0.65, align: 'right', head: employee }, { kind: 'employers', at: 1, align: 'right', head: say('employersHead') }]; // prettier-ignore
  heads(pen, region, columns, region.top);
  const list = all.deductions.map((item): Row => {
    const own = all.employers[item.role === 'ni' ? 0 : item.role === 'pension' ? 1 : 9];
    return own === undefined ? { item } : { item, employers: own.amount };
  });
  return rows(pen, { ...region, top: region.top + pen.leading * 1.3 }, columns, list);
}

function beside(drawing: Drawing, region: Region, withYear: boolean, withTotals: boolean): number {
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

/** One list: deductions have a column of their own, or a minus, or only their place. */
function merged(drawing: Drawing, region: Region, withYear: boolean, withTotals: boolean): number {
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

/** A table with an element in each column and amount and year as rows. */
function across({ pen, facts: all, speech: { say } }: Drawing, region: Region): number {
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

/** Pay told in sentences. */
function letter({ pen, facts: all }: Drawing, region: Region): number {
  const { random, money } = pen;
  const own = (role: string) => all.deductions.filter((one) => one.role === role);
  const parts: [string, Item['role']][] = [];
  const say = (text: string, item?: Item) => {
    parts.push([text, 'none']);
    if (item !== undefined) parts.push([money(item.amount) + random.pick(['', '', ',', '.']), item.role]);
  };
  say(random.pick(['Your gross pay for this period was', 'You earned', 'We calculated your pay before deductions as', 'Your total pay is', 'Gross pay:']), all.gross); // prettier-ignore
  for (const item of own('tax'))
    say(random.pick(['We deducted income tax of', 'From this we took tax of', 'less PAYE', 'Tax came to']), item);
  for (const item of own('ni')) say(random.pick(['and National Insurance of', 'NI was', 'National Insurance took', 'and NI']), item); // prettier-ignore
  for (const item of own('pension')) say(random.pick(['Your pension contribution was', 'You paid into your pension', 'and a pension contribution of']), item); // prettier-ignore
  for (const item of own('other-deduction'))
    say(`${item.label.replace(/[:£()]/g, '')} ${random.pick(['was', 'of', 'came to'])}`, item);
  say(random.pick(['That leaves', 'Your net pay is', 'We have paid into your account', 'Your take home pay is', 'so you receive']), all.net); // prettier-ignore
  if (random.chance(0.5)) {
    say(random.pick(['So far this tax year you have earned', 'Your pay for the year to date is']));
    parts.push([money(all.gross.ytd), 'year']);
  }
  return prose(pen, region, parts);
}

function notes({ pen, date, facts: all }: Drawing, region: Region): number {
  const { random } = pen;
  const text = random.pick(['If you have any queries about your pay please contact the payroll department.', 'Please keep this payslip safe.', `Message: your next pay day is ${date(addMonths(all.payDate, 1))}.`, `Holiday entitlement is ${random.int(20, 33)} days.`, `Prepared by ${personName(random)}, ${addressLines(random).join(', ')}.`, 'The rate of the national living wage changes in April. Thank you for your hard work.', `Your pay review takes place on ${date(addDays(all.payDate, 60))}, when a rise of ${pen.money(random.int(2_000, 90_000))} is possible.`, 'Powered by Sage Payroll']); // prettier-ignore
  return prose(pen, region, [[text, 'none']]);
}
