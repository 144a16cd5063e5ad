import { addDays, addMonths } from '../../../domain/dates.ts';
import type { Random } from '../../payslips/random.ts';
import { factsBlock, lines, prose, type Fact, type Region } from './blocks.ts';
import { asRows, newDrawing, niNumber, type Drawing } from './drawing.ts';
import { addressLines, job, monthName, personName, spanOf, type Item } from './facts.ts';
import { smallPrint } from './filler.ts';
import type { Paper } from './paper.ts';
import { body } from './pay.ts';

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
    // Unless the employer's name is further up, it is at the foot.
    parts.push((region) => (hasName(paper) ? region.top : foot(drawing, region)));
  } else if (random.chance(0.5)) parts.push((region) => foot(drawing, region));
  let top = header(drawing, page);
  for (const part of parts) top = part({ ...page, top: top + drawing.pen.leading * random.between(0.4, 2) });
  return paper;
}

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

function inLines(random: Random, name: string): string[] {
  const words = name.split(' ');
  if (words.length < 4 || !random.chance(0.25)) return [name];
  const at = Math.ceil(words.length / 2);
  return [words.slice(0, at).join(' '), words.slice(at).join(' ')];
}

function periodLine({ pen, facts: all, speech: { say }, date }: Drawing, region: Region): number {
  const { paper, random } = pen;
  const style = { size: paper.size * random.between(0.9, 1.5), bold: random.chance(0.4) };
  const word = all.frequency === 'month' ? 'month' : 'week';
  const [before, value] = random.pick<readonly [string, string]>([
    [`${say('title').replace(/[:£ ]+$/, '')} for`, monthName(random, all.to)],
    [`${say('title').replace(/[:£ ]+$/, '')} -`, monthName(random, all.to)],
    ['', monthName(random, all.to)],
    ['', spanOf(random, date, all)],
    [random.pick(['Week ending', 'Period ending', 'Month ending', 'for the period ending', 'W/E']), date(all.to)],
    [random.pick(['4 weeks ending', 'Four weeks to', 'Month to', 'Two weeks ended', 'Earnings to']), date(all.to)],
    [
      random.pick(['for the period', 'Pay period', 'Your pay from', 'Pay for']),
      `${date(all.from)} ${random.pick(['to', '-'])} ${date(all.to)}`,
    ],
    [
      '',
      `${random.pick(['Tax ', '', ''])}${random.pick([word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])} ${all.number}`,
    ],
    [say('title').replace(/[:£ ]+$/, ''), `${random.pick(['Month', 'Week', 'Period', 'Tax Period'])} ${all.number}`],
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

function rule({ pen: { paper, random, leading } }: Drawing, region: Region): number {
  const mark = random.pick(['-', '=', '_', '*']);
  const text = mark.repeat(Math.floor((region.right - region.left) / paper.widthOf(mark)));
  paper.text(region.left, region.top, text);
  return region.top + leading * 0.6;
}

function foot({ pen, facts: all }: Drawing, region: Region): number {
  const { paper, random } = pen;
  const before = random.pick(['', '', '', 'Issued by', 'Paid by', 'Employer:', 'On behalf of', '©']);
  const x = before === '' ? region.left : paper.text(region.left, region.top, before) + paper.size * 0.4;
  const end = paper.text(x, region.top, all.employer, {}, 'employer');
  if (random.chance(0.5)) paper.text(end, region.top, `, ${all.address.join(', ')}`);
  return region.top + pen.leading;
}

const hasName = ({ words }: Paper): boolean => words.some(({ role }) => role === 'employer');
function facts(drawing: Drawing, region: Region): number {
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

function periodFacts(
  { pen, facts: all, speech: { say }, date }: Drawing,
  add: (label: string, value: string, role?: Fact['role']) => void,
): void {
  // prettier-ignore
  const { random } = pen;
  const kinds = random.weighted<readonly string[]>([[['span'], 22], [['month'], 18], [['end'], 14], [['number'], 14], [['span', 'number'], 8], [['month', 'number'], 10], [['two'], 6], [['end', 'number'], 6], [[], 8]]); // prettier-ignore
  for (const kind of kinds) {
    if (kind === 'span') add(say('periodLabel'), spanOf(random, date, all), 'period');
    else if (kind === 'month') {
      if (all.frequency === 'month') add(say('monthLabel'), monthName(random, all.to), 'period');
      else add(say('periodEnd'), date(all.to), 'period');
    } else if (kind === 'end') add(say('periodEnd'), date(all.to), 'period');
    else if (kind === 'two') {
      const names = random.pick([['From', 'To'], ['Period Start', 'Period End'], ['Start Date', 'End Date'], ['Period From', 'Period To'], ['Pay Period Start', 'Pay Period End'], ['Date From', 'Date To'], ['Period commencing', 'Period ending'], ['From:', 'To:'], ['Pay from', 'Pay to'], ['Worked from', 'Worked to'], ['Start', 'End'], ['Start date:', 'End date:'], ['First day', 'Last day'], ['Period starts', 'Period ends']]); // prettier-ignore
      add(names[0]!, date(all.from), 'period');
      add(names[1]!, date(all.to), 'period');
    } else {
      const word = all.frequency === 'month' ? 'Month' : 'Week';
      const value = random.pick([`${all.number}`, `${all.number}`, `0${all.number}`.slice(-2), `${word} ${all.number}`, `${word.charAt(0)}${all.number}`, `${word.charAt(0)}${`0${all.number}`.slice(-2)}`, `P${all.number}`, `${all.number}/${word === 'Month' ? 12 : 52}`, `${all.number} of ${word === 'Month' ? 12 : 52}`, `${word} ${all.number} of ${word === 'Month' ? 12 : 52}`, `${word} ${all.number}${random.pick([' ', ', ', ' / '])}${all.from.slice(0, 4)}${random.pick(['/', '-'])}${Number(all.from.slice(2, 4)) + 1}`, `${word} ${all.number}: ${spanOf(random, date, all)}`, `${word} ${all.number} ${random.pick(['ending', 'ended', '-'])} ${date(all.to)}`]); // prettier-ignore
      add(say('numberLabel'), value, 'period');
    }
  }
}
function letter({ pen, facts: all, date }: Drawing, region: Region): number {
  const { random, money } = pen;
  const own = (role: string) => all.deductions.filter((one) => one.role === role);
  const parts: [string, Item['role']][] = [];
  const say = (text: string, item?: Item) => {
    parts.push([text, 'none']);
    if (item !== undefined) parts.push([money(item.amount) + random.pick(['', '', ',', '.']), item.role]);
  };
  if (random.chance(0.4)) {
    const [opening, value] = random.pick([['Here is your pay for the four weeks to', date(all.to)], ['This is your pay for the week ending', date(all.to)], ['Your pay for the month to', date(all.to)], ['Here is your pay for', monthName(random, all.to)], ['Thank you for your work from', `${date(all.from)} to ${date(all.to)}`]] as const); // prettier-ignore
    parts.push([opening, 'none'], [`${value}${random.pick(['', '.', '.'])}`, 'period']);
  }
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
