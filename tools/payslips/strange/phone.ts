import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import type { Sheet, TextStyle } from '../sheet.ts';
import { date, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Hours worked', overtime: 'Overtime at time and a half', commission: 'Commission', holiday: 'Holiday pay', sick: 'Statutory sick pay', shift: 'Late shifts', car: 'Car allowance', weighting: 'London weighting', arrears: 'Back pay', sacrifice: 'Cycle to work sacrifice', tax: 'Income tax', ni: 'National Insurance', pension: 'Pension (your part)', avc: 'Pension top-up', 'student-loan': 'Student loan', 'postgraduate-loan': 'Postgraduate loan', union: 'Union fee', charity: 'Charity giving', ticket: 'Season ticket loan', advance: 'Early pay taken', attachment: 'Attachment of earnings', healthcare: 'Health cash plan' }); // prettier-ignore

const WIDTH = 390;

function wrapped(sheet: Sheet, width: number, text: string, style: TextStyle): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)!} ${word}`.trim();
    if (sheet.widthOf(longer, style) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

export const phone: PayslipLayout = {
  name: 'phone',
  like: 'the screen of a payroll app on a telephone, all of it in one picture',
  type: 'payslip',
  size: [WIDTH, 1130],
  fonts: ['inter', 'lato', 'roboto'],
  fontSize: 11.5,
  pay: { rows: 7, refunds: 0.15 },
  draw(sheet, pay, random) {
    const accent = random.pick(['#5b21b6', '#0e7490', '#be123c']);
    const grey = '#5f6673';
    const pounds = (value: number) => money(value, { pound: true });
    const taken = (value: number) => (value === 0 ? '£0.00' : value > 0 ? `-${pounds(value)}` : `+${pounds(-value)}`);
    const dayOf = (day: string) => date(day, '31 Oct 2026');
    const period = `${dayOf(pay.from)} to ${dayOf(pay.to)}`;
    sheet.box(0, 0, WIDTH, 1130, { fill: '#eef0f4' });
    sheet.box(0, 0, WIDTH, 176, { fill: accent });
    sheet.text(WIDTH / 2, 40, 'Payslip', { size: 14, bold: true, align: 'center', colour: '#ffffff' });
    sheet.text(WIDTH / 2, 84, 'Your take-home pay', { align: 'center', colour: '#ffffff' });
    sheet.text(WIDTH / 2, 124, pounds(pay.net), { size: 36, bold: true, align: 'center', colour: '#ffffff' });
    sheet.text(WIDTH / 2, 152, `In your account on ${date(pay.payDate, '31 October 2026')}`, { align: 'center', colour: '#ffffff' }); // prettier-ignore
    let y = 206;
    let top = 0;
    const card = (height: number) => {
      top = y - 18;
      sheet.box(14, top, WIDTH - 28, height, { fill: '#ffffff', radius: 12 });
    };
    const entry = (label: string, value: string, { bold = false, below = '' } = {}) => {
      sheet.text(30, y, label, { bold });
      sheet.text(WIDTH - 30, y, value, { bold, align: 'right' });
      if (below !== '') sheet.text(30, y + 13, below, { size: 9, colour: grey });
      y += below === '' ? 22 : 35;
    };
    const title = (text: string) => {
      sheet.text(30, y, text, { size: 13, bold: true, colour: accent });
      y += 24;
    };
    const end = () => {
      y = Math.max(y, top) + 26;
    };
    const hours = pay.payments.filter((line) => line.units !== undefined).length;
    const employer = wrapped(sheet, 230, pay.employer.name, { bold: true });
    card(105 + 15 * employer.length);
    sheet.text(30, y, 'Employer', { colour: grey });
    sheet.lines(WIDTH - 30, y, 15, employer, { bold: true, align: 'right' });
    y += 15 * employer.length + 7;
    for (const [label, value] of [
      ['Pay period', period],
      [`Tax ${periodWord(pay).toLowerCase()}`, `${pay.period}`],
      ['Tax code', pay.taxCode],
      ['National Insurance', `${niNumber(pay, true)} (${pay.niLetter})`],
    ] as const) {
      // prettier-ignore
      sheet.text(30, y, label, { colour: grey });
      sheet.text(WIDTH - 30, y, value, { align: 'right' });
      y += 22;
    }
    end();
    card(24 + 22 * (pay.payments.length + 1) + 13 * hours + 12);
    title('What you earned');
    for (const line of pay.payments) entry(LABELS[line.kind], pounds(line.amount), { below: line.units === undefined ? '' : `${units(line)} hours at £${rate(line, 2)}` }); // prettier-ignore
    entry('Total before deductions', pounds(pay.gross), { bold: true });
    end();
    card(24 + 22 * (pay.deductions.length + 1) + 12);
    title('What was taken off');
    for (const line of pay.deductions) entry(LABELS[line.kind], taken(line.amount));
    entry('Total taken off', taken(pay.totalDeductions), { bold: true });
    end();
    const costs: [string, number][] = [['National Insurance', pay.employerNi]];
    if (pay.pension !== null) costs.push(['Pension', pay.employerPension]);
    card(24 + 22 * costs.length + 12);
    title('What your employer adds');
    for (const [label, value] of costs) entry(label, pounds(value));
    end();
    const totals: [string, number][] = [['Earned', pay.ytd.gross], ['Taxable', pay.ytd.taxable], ['Income tax', pay.ytd.tax], ['National Insurance', pay.ytd.ni], ['Take-home pay', pay.ytd.net]]; // prettier-ignore
    if (pay.pension !== null) totals.push(['Your pension', pay.ytd.pension]);
    card(24 + 40 * Math.ceil(totals.length / 2) + 6);
    title(`Tax year ${pay.taxYear.replace('-', '/')} so far`);
    totals.forEach(([label, value], n) => {
      const [x, at] = [30 + (n % 2) * 175, y + Math.floor(n / 2) * 40];
      sheet.text(x, at, pounds(value), { bold: true });
      sheet.text(x, at + 13, label, { size: 9, colour: grey });
    });
    y += Math.ceil(totals.length / 2) * 40;
    sheet.text(WIDTH / 2, y + 22, `${longName(pay)}, payroll ID ${pay.employee.number}`, { size: 9, align: 'center', colour: grey }); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [period.replace(' to ', ' - '), ...periodNames(pay), `Tax ${periodWord(pay).toLowerCase()} ${pay.period}`], // prettier-ignore
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
