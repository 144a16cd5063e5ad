import type { PayslipLayout } from '../layout.ts';
import { row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, periodWord, words } from '../words.ts';

const LABELS = words({ basic: 'Regular pay', hours: 'Hourly pay', overtime: 'Overtime', tax: 'Income tax', ni: 'National Insurance', pension: 'Your pension', avc: 'Your extra pension', sick: 'Statutory sick pay', 'student-loan': 'Student loan', holiday: 'Holiday pay', sacrifice: 'Cycle to work sacrifice' }); // prettier-ignore

export const cards: PayslipLayout = {
  name: 'cards',
  like: 'a payroll app of the last years (PayCaptain, Pento, Staffology)',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'lato'],
  fontSize: 10,
  pay: { rows: 7 },
  draw(sheet, pay, random) {
    const accent = random.pick(['#5b3df5', '#0b7a75', '#d1495b']);
    const pounds = (amount: number) => money(amount, { pound: true });
    sheet.box(0, 0, 595.28, 8, { fill: accent });
    sheet.text(48, 60, pay.employer.name, { size: 12, bold: true });
    const monthly = pay.frequency === 'monthly';
    const period = monthly
      ? monthOf(pay.payDate)
      : `${date(pay.from, '31 Oct 2026')} to ${date(pay.to, '31 Oct 2026')}`;
    sheet.text(48, 92, `Payslip for ${period}`, { size: 20, bold: true });
    sheet.text(48, 110, `${longName(pay)}, paid on ${date(pay.payDate, '31 October 2026')}`, { colour: '#666666' });
    const big: [string, number][] = [
      ['Gross pay', pay.gross],
      ['Deductions', pay.totalDeductions],
      ['Take-home pay', pay.net],
    ];
    big.forEach(([label, amount], n) => {
      const x = 48 + n * 170;
      sheet.box(x, 128, 160, 58, { fill: n === 2 ? accent : '#f4f4f8', radius: 8 });
      sheet.text(x + 12, 148, label, { size: 9, colour: n === 2 ? '#ffffff' : '#666666' });
      sheet.text(x + 12, 173, pounds(amount), { size: 17, bold: true, colour: n === 2 ? '#ffffff' : '#111111' });
    });
    const columns = [{ x: 48 }, { x: 430, align: 'right' }, { x: 547, align: 'right' }] as const;
    let y = 220;
    const section = (title: string, lines: readonly (readonly [string, number, number])[]) => {
      row(sheet, y, columns, [title, 'This period', 'Tax year so far'], { size: 9, colour: accent, bold: true });
      y += 18;
      for (const [label, now, total] of lines) {
        row(sheet, y, columns, [label, pounds(now), pounds(total)]);
        sheet.line(48, y + 6, 547, y + 6, { stroke: '#e5e5ec' });
        y += 19;
      }
      y += 16;
    };
    section(
      'What you earned',
      pay.payments.map((line) => [LABELS[line.kind], line.amount, line.ytd] as const),
    );
    section(
      'What was taken off',
      pay.deductions.map((line) => [LABELS[line.kind], line.amount, line.ytd] as const),
    );
    const paid: [string, number, number][] = [["Employer's National Insurance", pay.employerNi, pay.ytd.employerNi]];
    if (pay.pension !== null) paid.push(["Employer's pension", pay.employerPension, pay.ytd.employerPension]);
    section('What your employer paid', paid);
    const facts: [string, string][] = [['Tax code', pay.taxCode], ['NI number', pay.employee.niNumber], ['NI category', pay.niLetter], [`Tax ${periodWord(pay).toLowerCase()}`, `${pay.period}`]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(48 + n * 125, 770, label, { size: 8, colour: '#666666' });
      sheet.text(48 + n * 125, 784, value, { size: 9.5 });
    });
    return { pay_period: period, pay_date: pay.payDate, tax_code: pay.taxCode, ni_number: pay.employee.niNumber };
  },
};
