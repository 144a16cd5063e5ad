import type { Random } from '../../payslips/random.ts';
import { addDays } from '../../../domain/dates.ts';
import { amount, factsBlock, type Fact, type Pen, type Region } from './blocks.ts';
import { smallPrint } from './filler.ts';
import { newDrawing, niNumber, type Drawing } from './drawing.ts';
import { header } from './payslips.ts';
import type { Role } from '../../../domain/legacy/scored.ts';
import type { Paper } from './paper.ts';

interface Line {
  label: string;
  pay: number;
  tax: number;
  roles: readonly [Role, Role];
}

const one = (random: Random, ...texts: string[]): string => random.pick(texts);
const cased = (random: Random, text: string): string => (random.chance(0.12) ? text.toUpperCase() : text);

export function p60(random: Random): Paper {
  const drawing = newDrawing(random);
  const { pen, facts: all } = drawing;
  const { paper } = pen;
  pen.pence = random.chance(0.2);
  const margin = random.between(14, 60);
  const page: Region = { left: margin, right: paper.width - margin, top: margin + paper.size };
  const year = Number(all.payDate.slice(0, 4));
  const title = one(random, 'P60 End of Year Certificate', 'P60', 'Form P60', 'P60 Certificate', 'End of Year Certificate P60', 'P60 Substitute', 'Your P60', 'P60(Single Sheet)'); // prettier-ignore
  let top = header(drawing, page, title);
  const named = one(random, `Tax year to 5 April ${year}`, `Year to 5 April ${year}`, `Tax Year ${year - 1}/${String(year).slice(2)}`, `Tax year ${year - 1}-${String(year).slice(2)}`, `tax year ended 5 April ${year}`); // prettier-ignore
  paper.text(random.pick([page.left, (page.left + page.right) / 2]), top + pen.leading, named, { bold: random.chance(0.4) }, 'period'); // prettier-ignore
  top += pen.leading * 2.5;
  const parts = [
    (region: Region) => factsBlock(pen, region, person(drawing)),
    (region: Region) => payAndTax(pen, region, p60Lines(random, all.gross.amount)),
    (region: Region) => insurance(pen, region, all.gross.amount),
    (region: Region) => factsBlock(pen, region, extras(pen, all.gross.amount)),
    (region: Region) => factsBlock(pen, region, employerFacts(drawing)),
  ];
  const print = (region: Region) => smallPrint(pen, region);
  for (let at = random.int(0, 4); at > 0; at -= 1) parts.splice(random.int(0, parts.length), 0, print);
  if (random.chance(0.25)) [parts[0], parts[4]] = [parts[4]!, parts[0]!];
  if (random.chance(0.2)) [parts[1], parts[2]] = [parts[2]!, parts[1]!];
  for (const part of parts) top = part({ ...page, top: top + pen.leading * random.between(0.5, 2) });
  return paper;
}

function person({ pen: { random }, facts: all }: Drawing): Fact[] {
  const list: Fact[] = [
    { label: one(random, 'Surname', 'Employee name', 'Name', "Employee's details: Surname", 'Surname or family name'), value: all.person, role: 'none' }, // prettier-ignore
    { label: one(random, 'National Insurance number', 'NI number', 'NINO', 'National Insurance number in this employment'), value: niNumber(random), role: 'none' }, // prettier-ignore
  ];
  if (random.chance(0.6)) list.push({ label: one(random, 'Works/payroll number', 'Payroll number', 'Works no.', 'Employee number'), value: random.digits(random.int(2, 7)), role: 'none' }); // prettier-ignore
  if (random.chance(0.75)) list.push({ label: one(random, 'Final tax code', 'Tax code', 'Final Tax Code'), value: all.code, role: 'code' }); // prettier-ignore
  return list;
}

function employerFacts({ pen: { random, paper }, facts: all }: Drawing): Fact[] {
  const isKnown = paper.words.some(({ role }) => role === 'employer');
  const list: Fact[] = [];
  if (!isKnown || random.chance(0.6)) list.push({ label: one(random, "Your employer's full name and address", 'Employer name and address', "Employer's name", 'Employer', "Employer's full name and address (including postcode)", 'Employer name'), value: all.employer, role: 'employer' }); // prettier-ignore
  list.push({ label: one(random, 'Employer PAYE reference', 'PAYE reference', "Employer's PAYE reference", 'Tax Office/Reference'), value: all.reference, role: 'reference' }); // prettier-ignore
  if (random.chance(0.5)) list.push({ label: one(random, 'Address', 'Registered office', "Employer's address"), value: all.address.join(', '), role: 'none' }); // prettier-ignore
  return list;
}

function p60Lines(random: Random, gross: number): Line[] {
  const tax = Math.round(gross * random.between(0, 0.3));
  const previous = random.chance(0.35) ? { pay: random.int(100_000, 900_000), tax: random.int(0, 100_000) } : null;
  const own = gross * 12;
  const lines: Line[] = [];
  const isShown = random.chance(0.75);
  if (isShown) lines.push({ label: one(random, 'In previous employment(s)', 'Previous employment', 'In previous employments', 'Previous Employment(s)', 'Pay and tax in previous employment'), pay: previous?.pay ?? 0, tax: previous?.tax ?? 0, roles: ['none', 'none'] }); // prettier-ignore
  const label = one(random, 'In this employment', 'This employment', 'In this employment *', 'Pay and tax in this employment', 'In This Employment (if refund mark R)', 'Current employment'); // prettier-ignore
  lines.push({ label, pay: own, tax: tax * 12, roles: ['gross', 'tax'] });
  if (isShown && random.chance(0.9)) {
    const only = previous === null && random.chance(0.3);
    lines.push({ label: one(random, 'Total for year', 'Total for the year', 'Totals', 'Total pay and tax for year'), pay: own + (previous?.pay ?? 0), tax: tax * 12 + (previous?.tax ?? 0), roles: only ? ['none', 'none'] : ['none', 'none'] }); // prettier-ignore
  }
  return lines;
}

function payAndTax(pen: Pen, region: Region, lines: readonly Line[]): number {
  const { random, paper } = pen;
  const kind = random.weighted([['rows', 55], ['columns', 18], ['words', 27]]); // prettier-ignore
  const [pay, tax] = [one(random, 'Pay', 'Pay £', 'Pay £ p', 'Taxable pay', 'Pay (£)', 'Earnings'), one(random, 'Tax deducted', 'Tax', 'Tax deducted £ p', 'Income Tax', 'Tax £', 'Tax Deducted')].map((text) => cased(random, text)) as [string, string]; // prettier-ignore
  let top = region.top;
  if (random.chance(0.6)) {
    paper.text(region.left, top, one(random, 'Pay and Income Tax details', 'Pay and Income Tax', 'Pay and tax', 'Details of pay and tax'), { bold: true }); // prettier-ignore
    top += pen.leading * 1.4;
  }
  const wide = region.right - region.left;
  if (kind === 'words') {
    for (const line of lines)
      for (const at of [0, 1] as const) {
        const bare = line.label.replace(/^Pay and tax |^In /i, (word) => (/^In /.test(word) ? 'in ' : ''));
        const subject = at === 0 ? one(random, 'Pay', 'Pay', 'Total pay') : one(random, 'Tax deducted', 'Tax', 'Income Tax deducted'); // prettier-ignore
        paper.text(region.left, top, cased(random, `${subject} ${bare}`));
        amount(pen, region.left + wide * 0.72, top, at === 0 ? line.pay : line.tax, line.roles[at]);
        top += pen.leading;
      }
    return top;
  }
  if (kind === 'columns') {
    const step = wide / lines.length;
    lines.forEach((line, n) => {
      const left = region.left + n * step;
      paper.text(left, top, line.label, { bold: random.chance(0.3), size: paper.size * 0.9 });
      paper.text(left, top + pen.leading, pay);
      amount(pen, left + step * 0.9, top + pen.leading * random.pick([1, 1, 2]), line.pay, line.roles[0]);
      paper.text(left, top + 3 * pen.leading, tax);
      amount(pen, left + step * 0.9, top + 3 * pen.leading, line.tax, line.roles[1]);
    });
    return top + 4 * pen.leading;
  }
  const [first, second] = [region.left + wide * random.between(0.5, 0.7), region.left + wide * random.between(0.8, 1)];
  const align = random.pick(['right', 'right', 'left', 'centre'] as const);
  paper.text(first, top, pay, { align });
  paper.text(second, top, tax, { align });
  top += pen.leading * random.between(1, 1.6);
  for (const line of lines) {
    paper.text(region.left, top, line.label);
    amount(pen, first, top, line.pay, line.roles[0]);
    amount(pen, second, top, line.tax, line.roles[1]);
    top += pen.leading * random.between(1, 1.8);
  }
  return top;
}

function insurance(pen: Pen, region: Region, gross: number): number {
  const { random, paper } = pen;
  let top = region.top;
  if (random.chance(0.85)) {
    paper.text(region.left, top, one(random, 'National Insurance contributions in this employment', 'National Insurance Contributions', 'NICs in this employment', 'National Insurance'), { bold: random.chance(0.6) }); // prettier-ignore
    top += pen.leading * 1.4;
  }
  const heads = [one(random, 'NIC letter', 'NIC table letter', 'Letter', 'Category', 'NI Letter'), one(random, 'Earnings at the LEL', 'At LEL', 'Earnings at the Lower Earnings Limit (LEL)', 'LEL'), one(random, 'LEL to PT', 'Earnings above the LEL up to PT', 'Above LEL to PT'), one(random, 'PT to UEL', 'Earnings above the PT up to UEL', 'Above PT to UEL'), one(random, "Employee's contributions due on all earnings above the PT", "Employee's contributions", 'Employee contributions', 'Employee NICs', 'Your contributions')]; // prettier-ignore
  const shown = random.chance(0.2) ? [0, 4] : [0, 1, 2, 3, 4];
  const step = (region.right - region.left) / shown.length;
  const whole = random.chance(0.7);
  let deepest = 0;
  shown.forEach((n, at) => {
    const words = heads[n]!.split(' ');
    const size = paper.size * 0.85;
    const rows: string[] = [''];
    for (const word of words) {
      const next = `${rows.at(-1)!} ${word}`.trim();
      if (paper.widthOf(next, { size }) > step * 0.95 && rows.at(-1) !== '') rows.push(word);
      else rows[rows.length - 1] = next;
    }
    rows.forEach((line, row) => paper.text(region.left + at * step, top + row * size * 1.15, line, { size }));
    deepest = Math.max(deepest, rows.length * size * 1.15);
  });
  top += deepest + pen.leading * random.between(0.5, 1.2);
  const letters = random.chance(0.15) ? ['A', 'B'] : [random.pick(['A', 'A', 'A', 'M', 'C', 'H', 'B', 'J'])];
  for (const letter of letters) {
    shown.forEach((n, at) => {
      const right = region.left + (at + 1) * step - step * 0.15;
      if (n === 0) paper.text(region.left + at * step + 4, top, letter);
      else if (n < 4)
        paper.text(right, top, whole ? `${random.int(500, 37_000)}` : pen.money(random.int(50_000, 3_700_000)), { align: 'right' }, 'base'); // prettier-ignore
      else amount(pen, right, top, random.chance(0.12) ? 0 : Math.round(gross * 12 * random.between(0, 0.09)), 'ni');
    });
    top += pen.leading;
  }
  return top;
}

function extras(pen: Pen, gross: number): Fact[] {
  const { random, money } = pen;
  const list: Fact[] = [
    { label: one(random, 'Statutory Maternity Pay', 'SMP', 'Statutory maternity pay included in pay above'), value: money(0), role: 'none' }, // prettier-ignore
    { label: one(random, 'Student Loan deductions', 'Student Loans in this employment', 'Student Loan'), value: random.pick([money(0), `${random.int(10, 2_000)}`, money(random.int(10, 2_000) * 100)]), role: 'none' }, // prettier-ignore
    { label: one(random, 'Statutory Paternity Pay', 'SPP', 'Statutory Adoption Pay'), value: money(random.chance(0.8) ? 0 : random.int(10_000, 200_000)), role: 'none' }, // prettier-ignore
    { label: one(random, 'Widows and orphans', 'Postgraduate Loan deductions', 'Pension contributions'), value: money(Math.round(gross * 0.4)), role: 'none' }, // prettier-ignore
  ];
  return random.some(list, random.int(0, 4));
}

export function p45(random: Random): Paper {
  const drawing = newDrawing(random);
  const { pen, facts: all, date } = drawing;
  const { paper } = pen;
  const margin = random.between(14, 60);
  const page: Region = { left: margin, right: paper.width - margin, top: margin + paper.size };
  const title = one(random, 'P45 Part 1A', 'P45 Part 1', 'P45(Online) Part 1A', 'P45 Details of employee leaving work', 'P45', 'Details of employee leaving work', 'P45 Part 1A Copy for employee', 'Form P45'); // prettier-ignore
  let top = header(drawing, page, title);
  const numbered = random.chance(0.5);
  const pay = all.gross.ytd;
  const tax = Math.round(pay * random.between(0, 0.3));
  pen.pence = random.chance(0.3);
  const isTable = random.chance(0.2);
  const isTotal = random.chance(0.85);
  const isOwn = !isTotal || random.chance(0.5);
  const other = random.chance(0.4) ? random.int(100_000, 600_000) : 0;
  const list: Fact[] = [
    { label: one(random, 'Employer PAYE reference', 'PAYE reference', "Employer's PAYE reference"), value: all.reference, role: 'reference' }, // prettier-ignore
    { label: one(random, "Employee's National Insurance number", 'NI number', 'National Insurance number'), value: niNumber(random), role: 'none' }, // prettier-ignore
    {
      label: one(random, 'Surname', 'Name', "Employee's name", 'Surname or family name'),
      value: all.person,
      role: 'none',
    },
    { label: one(random, 'Leaving date', 'Date of leaving', 'Leaving date DD MM YYYY', 'Date left', 'Date employment ended', 'Last day of employment'), value: random.chance(0.35) ? all.to.split('-').reverse().join(random.pick([' ', ' ', '   '])) : date(all.to), role: 'date' }, // prettier-ignore
    { label: one(random, 'Tax Code at leaving date', 'Tax code', 'Tax code at leaving', 'Tax Code'), value: all.code, role: 'code' }, // prettier-ignore
  ];
  if (random.chance(0.6)) list.push({ label: one(random, 'Student Loan deductions to continue', 'Student Loan'), value: one(random, 'N', 'Y', 'No'), role: 'none' }); // prettier-ignore
  if (random.chance(0.6)) list.push({ label: one(random, 'Week number', 'Month number', 'Last entries on Payroll record: Month', 'Week/Month'), value: `${all.number}`, role: 'none' }); // prettier-ignore
  const money = (label: string, pence: number, role: Role) =>
    list.push({ label, value: pen.money(pence) || '0.00', role });
  const to = one(random, 'to date', 'to date', 'to leaving date', 'year to date');
  if (isTotal && !isTable) {
    money(one(random, `Total pay ${to}`, `Total pay ${to}`, `Gross pay ${to}`, `Pay ${to}`), pay + (isOwn ? other : 0), 'gross'); // prettier-ignore
    money(one(random, `Total tax ${to}`, `Total tax ${to}`, `Tax deducted ${to}`, `Tax ${to}`), tax + (isOwn && other > 0 ? Math.round(other / 8) : 0), 'tax'); // prettier-ignore
  }
  if (isOwn && !isTable) {
    money(one(random, 'Total pay in this employment', 'This employment pay', 'This employment: total pay', 'Pay in this employment'), pay, isTotal ? 'base' : 'gross'); // prettier-ignore
    money(one(random, 'Total tax in this employment', 'This employment tax', 'This employment: total tax', 'Tax in this employment'), tax, isTotal ? 'base' : 'tax'); // prettier-ignore
  }
  if (random.chance(0.5)) list.push({ label: one(random, 'Works number/Payroll number', 'Payroll number', 'Works no.'), value: random.digits(4), role: 'none' }); // prettier-ignore
  if (random.chance(0.4)) list.push({ label: one(random, 'Gender', 'Department or branch', 'Title'), value: one(random, 'Male', 'Female', 'Mrs', 'Sales'), role: 'none' }); // prettier-ignore
  if (random.chance(0.5)) list.push({ label: one(random, 'Date of birth', 'Date of birth DD MM YYYY'), value: date(addDays(all.payDate, -random.int(7_000, 20_000))), role: 'none' }); // prettier-ignore
  list.push({ label: one(random, 'Employer name and address', "Employer's name", 'Employer', 'Employer name, address and postcode'), value: all.employer, role: 'employer' }); // prettier-ignore
  list.push({ label: one(random, 'Date', 'Date signed', 'Date of this form'), value: date(addDays(all.to, random.int(0, 20))), role: 'none' }); // prettier-ignore
  if (random.chance(0.5)) list.sort(() => random.next() - 0.5);
  const shown = list.map((fact, n) => (numbered ? { ...fact, label: `${n + 1} ${fact.label}` } : fact));
  top += pen.leading;
  for (let at = random.int(0, 2); at > 0; at -= 1) top = smallPrint(pen, { ...page, top }) + pen.leading;
  if (random.chance(0.4)) {
    const half = Math.ceil(shown.length / 2);
    const middle = (page.left + page.right) / 2;
    const left = factsBlock(pen, { ...page, right: middle - 10, top }, shown.slice(0, half));
    top = Math.max(left, factsBlock(pen, { ...page, left: middle, top }, shown.slice(half)));
  } else top = factsBlock(pen, { ...page, top }, shown);
  if (isTable)
    top = payAndTax(pen, { ...page, top: top + pen.leading }, [
      ...(isTotal
        ? [
            {
              label: one(random, 'Total to date', 'Totals to date', 'To date', 'Total pay and tax to date'),
              pay: pay + (isOwn ? other : 0),
              tax,
              roles: ['gross', 'tax'],
            } satisfies Line,
          ]
        : []),
      ...(isOwn
        ? [
            {
              label: one(random, 'This employment', 'In this employment', 'Pay and tax in this employment'),
              pay,
              tax,
              roles: isTotal ? ['base', 'base'] : ['gross', 'tax'],
            } satisfies Line,
          ]
        : []),
    ]);
  for (let at = random.int(0, 3); at > 0; at -= 1) top = smallPrint(pen, { ...page, top: top + pen.leading });
  return paper;
}
