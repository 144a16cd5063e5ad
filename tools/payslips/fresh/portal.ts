import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, periodWord, words } from '../words.ts';

const LABELS = words({ basic: 'Contract salary', hours: 'Hours worked', overtime: 'Overtime', holiday: 'Holiday pay', sick: 'Statutory sick pay', tax: 'Tax deducted', ni: 'National Insurance deducted', pension: 'Pension (you)', avc: 'Extra pension (you)', 'student-loan': 'Student loan', union: 'Union subscription' }); // prettier-ignore

export const portal: PayslipLayout = {
  name: 'portal',
  like: 'PayDashboard, printed from the browser',
  type: 'payslip',
  size: A4,
  fonts: ['lato', 'inter', 'roboto'],
  fontSize: 9.5,
  pay: { rows: 7 },
  draw(sheet, pay, random) {
    const accent = random.pick(['#00857c', '#5b2a86', '#c2410c']);
    const soft = '#7b8591';
    const pounds = (value: number) => money(value, { pound: true });
    const period = pay.frequency === 'monthly' ? monthOf(pay.payDate) : `Week ${pay.period}`;
    sheet.box(0, 0, 595.28, 8, { fill: accent });
    sheet.text(70, 50, `${pay.employee.first}, here is your payslip for ${period}`, { size: 14 });
    sheet.text(70, 68, `From ${pay.employer.name}`, { colour: soft });
    sheet.text(70, 100, 'Net Pay This Period', { size: 9, colour: soft });
    sheet.text(70, 126, pounds(pay.net), { size: 24, bold: true, colour: accent });
    sheet.text(525, 100, 'Paid into your account on', { size: 9, colour: soft, align: 'right' });
    sheet.text(525, 116, date(pay.payDate, '31 October 2026'), { align: 'right' });
    let y = 152;
    const title = (text: string) => {
      sheet.line(70, y - 14, 525, y - 14, { stroke: '#d9dee3' });
      sheet.text(70, y, text, { bold: true, size: 10.5 });
      y += 17;
    };
    const entry = (label: string, now: string, total: number | null, bold = false) => {
      sheet.text(82, y, label, { bold });
      sheet.text(525, y, now, { align: 'right', bold });
      if (total !== null) sheet.text(525, y + 9.5, `YTD ${pounds(total)}`, { align: 'right', size: 7, colour: soft });
      y += total === null ? 15 : 23.5;
    };
    title('Payments');
    for (const line of pay.payments) {
      const detail = line.units === undefined ? '' : ` (${line.units} hrs at £${(line.rate! / 100).toFixed(2)})`;
      entry(`${LABELS[line.kind]}${detail}`, pounds(line.amount), line.ytd);
    }
    entry('Total Gross Payments', pounds(pay.gross), pay.ytd.gross, true);
    y += 12;
    title('Deductions');
    for (const line of pay.deductions) entry(LABELS[line.kind], pounds(-line.amount), line.ytd);
    entry('Total taken from your pay', pounds(-pay.totalDeductions), pay.ytd.deductions, true);
    y += 12;
    title('Your employer also paid');
    entry('National Insurance', pounds(pay.employerNi), pay.ytd.employerNi);
    if (pay.pension !== null) entry('Pension', pounds(pay.employerPension), pay.ytd.employerPension);
    y += 12;
    title('Your details');
    const facts = [`${longName(pay)}, employee ${pay.employee.number}`, `Tax code ${pay.taxCode}   NI number ${niNumber(pay, false)}   NI letter ${pay.niLetter}`, `Tax ${periodWord(pay).toLowerCase()} ${pay.period} of ${pay.taxYear.replace('-', '/')}   Employer PAYE ref ${pay.employer.payeReference}`]; // prettier-ignore
    sheet.lines(82, y, 12, facts, { size: 8 });
    const taxPeriod = `Tax ${periodWord(pay).toLowerCase()} ${pay.period}`;
    return {
      pay_period: period,
      pay_period_also: [...periodNames(pay), taxPeriod, `${taxPeriod} of ${pay.taxYear.replace('-', '/')}`],
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
