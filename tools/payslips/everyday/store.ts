import { inParts } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Contractual Salary', hours: 'Basic Pay', overtime: 'Additional Hours', bonus: 'Colleague Bonus', commission: 'Recognition Award', holiday: 'Holiday Top Up', sick: 'Company Sick Pay', shift: 'Night Premium', car: 'Location Pay', weighting: 'Skill Payment', arrears: 'Retro Pay', sacrifice: 'Colleague Share Plan', tax: 'Tax', ni: 'NI', pension: 'Retirement Plan', avc: 'Retirement Plan AVC', 'student-loan': 'Student Loan', 'postgraduate-loan': 'Postgraduate Loan', union: 'USDAW', charity: 'Give As You Earn', ticket: 'Travel Loan', advance: 'Early Access Pay', attachment: 'Earnings Order', healthcare: 'Dental Plan' }); // prettier-ignore

export const store: PayslipLayout = {
  name: 'store',
  like: 'a chain of shops, opened in the colleague portal',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'lato', 'roboto'],
  fontSize: 9.5,
  pay: { sector: 'private', frequency: '4-weekly', rows: 7 },
  draw(sheet, pay, random) {
    const brand = random.pick(['#e4002b', '#00539f', '#d35400']);
    const minus = (value: number) => money(-value, { pound: true });
    const plus = (value: number) => money(value, { pound: true });
    const number = pay.period / 4;
    const range = `${date(pay.from, '31 Oct 2026')} - ${date(pay.to, '31 Oct 2026')}`;
    sheet.box(0, 0, 595.28, 8, { fill: brand });
    sheet.text(60, 54, 'Your payslip', { size: 20, bold: true });
    sheet.text(60, 72, `Period ${number}: ${range}`, { size: 10, colour: '#555555' });
    sheet.text(535, 54, pay.employer.name, { size: 11, bold: true, align: 'right', colour: brand });
    sheet.text(535, 68, `PAYE ref ${pay.employer.payeReference}`, { size: 8, align: 'right', colour: '#555555' });
    sheet.box(60, 88, 475, 60, { fill: '#f4f4f4', radius: 8 });
    sheet.text(76, 108, 'We paid you', { colour: '#555555' });
    sheet.text(76, 133, plus(pay.net), { size: 20, bold: true, colour: brand });
    sheet.text(250, 108, 'On', { colour: '#555555' });
    sheet.text(250, 128, date(pay.payDate, '31 October 2026'), { bold: true });
    sheet.text(400, 108, 'Into', { colour: '#555555' });
    sheet.text(400, 128, `account ending ${pay.employee.account.slice(4)}`, { bold: true });
    const who = [longName(pay), `Colleague number ${pay.employee.number}`, `NI ${niNumber(pay, false)}, category ${pay.niLetter}`, `Tax code ${pay.taxCode}`]; // prettier-ignore
    who.forEach((text, n) => sheet.text([60, 185, 325, 465][n]!, 170, text, { size: 8, colour: '#555555' }));
    const columns = [{ x: 60 }, { x: 330, align: 'right' }, { x: 430, align: 'right' }, { x: 535, align: 'right' }] as const; // prettier-ignore
    let y = 200;
    const heading = (text: string, about = '') => {
      row(sheet, y, columns, [text, about, 'This pay', 'Tax year'], { bold: true, size: 8.5, colour: brand });
      sheet.line(60, y + 5, 535, y + 5, { stroke: brand });
      y += 20;
    };
    const next = (cells: readonly string[], bold = false) => {
      row(sheet, y, columns, cells, { bold });
      sheet.line(60, y + 5.5, 535, y + 5.5, { stroke: '#e3e3e3', thickness: 0.5 });
      y += 18;
    };
    heading('What you earned', 'Hours x rate');
    for (const line of pay.payments) {
      inParts(line, line.kind === 'hours' ? 2 : 1).forEach((part, n) => {
        const label = n === 1 ? 'Basic Pay Sunday' : LABELS[line.kind];
        next([label, part.units === undefined ? '' : `${units(part)} x £${rate(part, 2)}`, plus(part.amount), plus(part.ytd)]); // prettier-ignore
      });
    }
    next(['Total earned', '', plus(pay.gross), plus(pay.ytd.gross)], true);
    y += 12;
    heading('What was taken off');
    for (const line of pay.deductions) next([LABELS[line.kind], '', minus(line.amount), minus(line.ytd)]);
    next(['Total taken off', '', minus(pay.totalDeductions), minus(pay.ytd.deductions)], true);
    y += 12;
    heading('What we also paid for you');
    next(['NI (company)', '', plus(pay.employerNi), plus(pay.ytd.employerNi)]);
    if (pay.pension !== null) next(['Retirement Plan (company)', '', plus(pay.employerPension), plus(pay.ytd.employerPension)]); // prettier-ignore
    y += 6;
    sheet.text(60, y, `Taxable pay this period ${plus(pay.taxable)}, this tax year ${plus(pay.ytd.taxable)}. Tax week ${pay.period}.`, { size: 8, colour: '#555555' }); // prettier-ignore
    return {
      pay_period: range,
      pay_period_also: [range.replace(' - ', ' to '), `${number}`, `Period ${number}`, `Period ${number}: ${range}`, ...periodNames(pay), `Tax week ${pay.period}`], // prettier-ignore
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
