import { addDays } from '../../../domain/dates.ts';
import { makePay, type Pay } from '../../payslips/figures.ts';
import { row } from '../../payslips/parts.ts';
import type { Random } from '../../payslips/random.ts';
import type { Sheet } from '../../payslips/sheet.ts';
import { date, longName, money } from '../../payslips/words.ts';
import { wrapped } from './common.ts';

type Draw = (sheet: Sheet, pay: Pay, random: Random) => void;
const pounds = (amount: number) => money(amount, { pound: true });

export const calculator: Draw = (sheet, pay, random) => {
  const site = random.pick(['TakeHomeTool.example', 'Salary Calculator UK', 'MyPayCalc 2026']);
  sheet.text(40, 60, site, { size: 18, bold: true, colour: '#14532d' });
  sheet.text(40, 84, `Your salary: ${pounds(pay.salary * 100)} a year   Tax code ${pay.taxCode}   Tax year ${pay.taxYear.replace('-', '/')}`); // prettier-ignore
  sheet.text(40, 100, 'Results are an estimate. No plan 2 student loan. England.', { size: 8.5 });
  const columns = [{ x: 46 }, { x: 300, align: 'right' }, { x: 420, align: 'right' }, { x: 540, align: 'right' }] as const; // prettier-ignore
  row(sheet, 136, columns, ['', 'Yearly', 'Monthly', 'Weekly'], { bold: true });
  const year = (amount: number) => Math.round((amount * pay.salary * 100) / pay.gross);
  const lines: [string, number][] = [['Gross pay', year(pay.gross)], ['Taxable income', year(pay.taxable)], ['Income tax', year(pay.tax)], ['National Insurance', year(pay.ni)], ['Pension', year(pay.pension ?? 0)], ['Take-home pay', year(pay.gross - pay.tax - pay.ni - (pay.pension ?? 0))]]; // prettier-ignore
  lines.forEach(([label, amount], n) => row(sheet, 158 + n * 22, columns, [label, ...[1, 12, 52].map((part) => pounds(Math.round(amount / part)))], { bold: n === 5 })); // prettier-ignore
  sheet.lines(40, 320, 16, ['What if I pay more into my pension?', 'Compare with another salary', 'About us   Privacy   Cookies'], { size: 9, colour: '#1d4ed8' }); // prettier-ignore
};

export const explainer: Draw = (sheet, pay, random) => {
  sheet.text(50, 60, random.pick(['How to read your payslip', 'Your payslip explained', 'Understanding your payslip']), { size: 20, bold: true }); // prettier-ignore
  const parts: [string, string][] = [
    ['1  Gross pay', `The total before anything is taken off. For example, somebody who works 150 hours at £16 would see ${pounds(240_000)}.`],
    ['2  Tax code', 'HMRC gives you this code. Most people have 1257L. If yours is wrong, call HMRC.'],
    ['3  Income Tax (PAYE)', `What we pay to HMRC for you, such as ${pounds(pay.tax > 0 ? pay.tax : 27_040)} in a month.`],
    ['4  National Insurance', `Your contributions, such as ${pounds(pay.ni)}. Your NI number looks like QQ 12 34 56 C.`],
    ['5  Pension', 'Your own contribution. We add ours, which you will see in a box at the bottom.'],
    ['6  Net pay', `What reaches your bank account, for example ${pounds(188_215)}. It is gross pay less all deductions.`],
    ['7  Year to date', 'These columns add up all your pay and deductions since 6 April.'],
  ]; // prettier-ignore
  let y = 100;
  for (const [title, text] of parts) {
    sheet.text(50, y, title, { bold: true, size: 12 });
    const lines = wrapped(text, 88);
    sheet.lines(66, y + 16, 14, lines);
    y += 30 + lines.length * 14;
  }
  sheet.text(50, y + 20, `Questions? Ask the payroll team of ${pay.employer.name}.`, { size: 9 });
};

export const register: Draw = (sheet, pay, random) => {
  sheet.text(40, 50, pay.employer.name, { size: 13, bold: true });
  sheet.text(40, 66, `${random.pick(['Payroll Summary', 'Payroll Register', 'Payment Summary Part 1'])}   ${date(pay.from, '31/10/2026')} to ${date(pay.to, '31/10/2026')}   Month ${pay.period}`); // prettier-ignore
  const columns = [{ x: 40 }, { x: 90 }, ...[290, 350, 410, 470, 555].map((x) => ({ x, align: 'right' as const }))];
  row(sheet, 92, columns, ['No.', 'Employee', 'Gross Pay', 'Tax', 'Emp. NI', 'Pension', 'Net Pay'], { bold: true });
  const all = Array.from({ length: random.int(9, 22) }, () => makePay(`register:${random.digits(8)}`, { frequency: 'monthly' })); // prettier-ignore
  all.forEach((one, n) => row(sheet, 110 + n * 18, columns, [`${n + 1}`.padStart(3, '0'), longName(one), money(one.gross), money(one.tax), money(one.ni), money(one.pension ?? 0), money(one.net)])); // prettier-ignore
  const sum = (of: (one: Pay) => number) => money(all.reduce((total, one) => total + of(one), 0));
  sheet.line(40, 100 + all.length * 18, 555, 100 + all.length * 18);
  row(sheet, 116 + all.length * 18, columns, ['', `Totals (${all.length} employees)`, sum((one) => one.gross), sum((one) => one.tax), sum((one) => one.ni), sum((one) => one.pension ?? 0), sum((one) => one.net)], { bold: true, size: 8 }); // prettier-ignore
};

export const benefitsForm: Draw = (sheet, pay, random) => {
  sheet.text(40, 56, `P11D  Expenses and benefits ${pay.taxYear}`, { size: 16, bold: true });
  const facts: [string, string][] = [['Employer name', pay.employer.name], ['PAYE reference', pay.employer.payeReference], ['Employee name', longName(pay)], ['National Insurance number', pay.employee.niNumber], ['Works number', pay.employee.number]]; // prettier-ignore
  facts.forEach(([label, value], n) => row(sheet, 88 + n * 17, [{ x: 46 }, { x: 230 }], [label, value]));
  const columns = [{ x: 46 }, { x: 330, align: 'right' }, { x: 440, align: 'right' }, { x: 545, align: 'right' }] as const; // prettier-ignore
  row(sheet, 192, columns, ['Benefit', 'Cost to you £', 'Amount made good £', 'Cash equivalent £'], {
    bold: true,
    size: 9,
  });
  const names = ['A  Assets transferred', 'C  Vouchers and credit cards', 'D  Living accommodation', 'F  Cars and car fuel', 'G  Vans', 'H  Beneficial loans', 'I  Private medical treatment', 'J  Relocation expenses', 'N  Other items']; // prettier-ignore
  names.forEach((name, n) => {
    const used = random.chance(0.4) || n === 6;
    const cost = random.int(20_000, 900_000);
    row(sheet, 214 + n * 22, columns, used ? [name, money(cost), '0.00', money(cost)] : [name, '', '', '']);
  });
  sheet.text(46, 430, 'Class 1A NICs are due on the amounts in brown boxes. Keep this copy for your tax return.', { size: 8.5 }); // prettier-ignore
};

export const invoice: Draw = (sheet, pay, random) => {
  sheet.text(50, 60, pay.employer.name, { size: 15, bold: true });
  sheet.lines(50, 76, 13, [...pay.employer.address, `VAT No. GB ${random.digits(9)}`], { size: 9 });
  sheet.text(545, 60, 'INVOICE', { size: 20, align: 'right' });
  sheet.lines(545, 82, 14, [`Invoice no. ${random.digits(5)}`, `Date ${date(pay.payDate, '31/10/2026')}`, `Due ${date(addDays(pay.payDate, 30), '31/10/2026')}`], { align: 'right' }); // prettier-ignore
  const columns = [{ x: 50 }, { x: 340, align: 'right' }, { x: 430, align: 'right' }, { x: 545, align: 'right' }] as const; // prettier-ignore
  row(sheet, 190, columns, ['Description', 'Hours', 'Rate', 'Amount'], { bold: true });
  const items = random.some(['Labour', 'Site visit', 'Materials', 'Consultancy', 'Overtime rate work', 'Travel'], random.int(2, 5)); // prettier-ignore
  let net = 0;
  items.forEach((item, n) => {
    const [hours, rate] = [random.int(2, 60), random.int(2_000, 9_000)];
    net += hours * rate;
    row(sheet, 212 + n * 18, columns, [item, `${hours}.00`, money(rate), money(hours * rate)]);
  });
  const vat = Math.round(net * 0.2);
  const sums: [string, number][] = [['Net total', net], ['VAT at 20%', vat], ['Gross total', net + vat], ['Amount due', net + vat]]; // prettier-ignore
  sums.forEach(([label, amount], n) => row(sheet, 330 + n * 18, [{ x: 360 }, { x: 545, align: 'right' }], [label, pounds(amount)], { bold: n === 3 })); // prettier-ignore
  sheet.text(50, 430, `Please pay to sort code ${pay.employee.sortCode}, account ${pay.employee.account}.`, {
    size: 9,
  });
};

export const bankStatement: Draw = (sheet, pay, random) => {
  sheet.text(40, 60, random.pick(['Northshore Bank', 'Tideway Building Society', 'First Albion Bank']), { size: 17, bold: true }); // prettier-ignore
  sheet.text(40, 78, `Statement ${date(pay.from, '31 October 2026')} to ${date(pay.to, '31 October 2026')}`);
  sheet.lines(40, 106, 13, [longName(pay), ...pay.employee.address]);
  sheet.text(545, 106, `Sort code ${pay.employee.sortCode}   Account ${pay.employee.account}`, { align: 'right' });
  const columns = [{ x: 40 }, { x: 110 }, { x: 370, align: 'right' }, { x: 460, align: 'right' }, { x: 545, align: 'right' }] as const; // prettier-ignore
  row(sheet, 190, columns, ['Date', 'Details', 'Paid out', 'Paid in', 'Balance'], { bold: true });
  let balance = random.int(10_000, 300_000);
  const items = ['Card payment Supermarket', 'Direct debit Council Tax', 'Direct debit Energy', 'Standing order Rent', `Salary ${pay.employer.name}`, 'Cash machine', 'HMRC Tax refund', 'Card payment Rail', 'Direct debit Pension']; // prettier-ignore
  items.forEach((item, n) => {
    const isIn = item.startsWith('Salary') || item.startsWith('HMRC');
    const amount = item.startsWith('Salary') ? pay.net : random.int(900, 60_000);
    balance += isIn ? amount : -amount;
    row(sheet, 210 + n * 18, columns, [date(addDays(pay.from, n), '31 Oct 2026'), item.slice(0, 38), isIn ? '' : money(amount), isIn ? money(amount) : '', money(balance)], { size: 9 }); // prettier-ignore
  });
  row(sheet, 390, columns, ['', 'Closing balance', '', '', money(balance)], { bold: true });
};

export const offer: Draw = (sheet, pay, random) => {
  const text = [
    `Dear ${pay.employee.first},`,
    `We are pleased to offer you the post of ${pay.employee.job} in our ${pay.employee.department} team, starting on ${date(pay.payDate, '31 October 2026')}.`,
    `Your salary will be ${pounds(pay.salary * 100)} gross a year, paid monthly in arrears on or about the ${random.int(20, 28)}th. This is ${pounds(Math.round((pay.salary * 100) / 12))} a month before deductions for Income Tax and National Insurance.`,
    `After three months you will join our pension scheme, into which you pay ${random.int(3, 6)}% and we pay ${random.int(3, 8)}%. You may receive a bonus of up to ${pounds(random.int(500, 3_000) * 100)} a year.`,
    'Please bring your P45, your National Insurance number and your bank details on your first day.',
    'Yours sincerely', pay.employer.name,
  ]; // prettier-ignore
  sheet.text(60, 70, pay.employer.name, { size: 15, bold: true });
  let y = 140;
  for (const paragraph of text) {
    const lines = wrapped(paragraph, 86);
    sheet.lines(60, y, 15, lines);
    y += lines.length * 15 + 10;
  }
};

export const pensionStatement: Draw = (sheet, pay, random) => {
  sheet.text(50, 60, random.pick(['Harbour Pensions', 'The Workers’ Pension', 'Castle Life']), {
    size: 17,
    bold: true,
  });
  sheet.text(50, 80, `Your annual pension statement to 5 April ${pay.taxYear.slice(0, 4)}`, { size: 12 });
  sheet.lines(50, 110, 14, [longName(pay), `Employer: ${pay.employer.name}`, `National Insurance number: ${pay.employee.niNumber}`]); // prettier-ignore
  const start = random.int(200_000, 4_000_000);
  const lines: [string, number][] = [['Value at the start of the year', start], ['Paid in by you', pay.ytd.pension], ['Paid in by your employer', pay.ytd.employerPension], ['Tax relief', Math.round(pay.ytd.pension * 0.25)], ['Charges', -random.int(1_000, 9_000)], ['Investment growth', Math.round(start * 0.04)], ['Value at the end of the year', Math.round(start * 1.04) + pay.ytd.pension + pay.ytd.employerPension]]; // prettier-ignore
  lines.forEach(([label, amount], n) => row(sheet, 190 + n * 22, [{ x: 50 }, { x: 520, align: 'right' }], [label, pounds(amount)], { bold: n === 6 })); // prettier-ignore
  sheet.lines(50, 380, 14, wrapped(`When you are 67 this could give you an income of ${pounds(random.int(20_000, 90_000))} a month before tax, in today's money. This is an estimate and not guaranteed.`, 88)); // prettier-ignore
};

export const timesheet: Draw = (sheet, pay, random) => {
  sheet.text(50, 60, `${pay.employer.name} - weekly timesheet`, { size: 14, bold: true });
  sheet.text(50, 80, `${longName(pay)}   No. ${pay.employee.number}   Week ending ${date(pay.to, '31/10/2026')}`);
  const columns = [{ x: 50 }, { x: 180 }, { x: 260 }, { x: 360, align: 'right' }, { x: 450, align: 'right' }] as const;
  row(sheet, 116, columns, ['Day', 'Start', 'Finish', 'Break', 'Hours'], { bold: true });
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  days.forEach((day, n) => row(sheet, 138 + n * 22, columns, [day, `0${random.int(6, 9)}:00`, `1${random.int(4, 8)}:30`, '0.50', `${random.int(5, 10)}.00`])); // prettier-ignore
  row(sheet, 290, columns, ['Total', '', '', '3.00', `${random.int(35, 55)}.00`], { bold: true });
  sheet.text(50, 330, 'Expenses claimed £'.padEnd(40, '.'));
  sheet.text(50, 360, 'Signed by employee and manager'.padEnd(60, '.'));
};
