import type { PayslipLayout } from '../layout.ts';
import { niNumber } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, words } from '../words.ts';

const LABELS = words({ basic: 'Salary for the month', hours: 'Hours worked', overtime: 'Extra hours', holiday: 'Holiday pay', sick: 'Sick pay (SSP)', tax: 'less PAYE', ni: "less employee's NIC", pension: 'less pension (NEST)', avc: 'less extra pension', 'student-loan': 'less student loan', 'postgraduate-loan': 'less postgraduate loan', union: 'less union', charity: 'less charity', ticket: 'less ticket loan', advance: 'less advance', attachment: 'less attachment of earnings', healthcare: 'less healthcare' }); // prettier-ignore

export const workbook: PayslipLayout = {
  name: 'workbook',
  like: "a bookkeeper's workbook, one sheet an employee, printed with its grid",
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'roboto', 'times'],
  fontSize: 10,
  pay: { frequency: 'monthly', rows: 8, sector: 'private' },
  draw(sheet, pay) {
    const xs = [50, 245, 345, 445, 545] as const;
    const height = 17;
    const period = monthOf(pay.payDate);
    let y = 60;
    const line = (cells: readonly string[], { bold = false, fill }: { bold?: boolean; fill?: string } = {}) => {
      if (fill !== undefined) sheet.box(50, y, 495, height, { fill });
      for (let n = 0; n < 4; n++) sheet.box(xs[n]!, y, xs[n + 1]! - xs[n]!, height, { stroke: '#b0b0b0', thickness: 0.5 }); // prettier-ignore
      cells.forEach((text, n) => {
        if (text === '') return;
        sheet.text(n === 0 ? 53 : xs[n + 1]! - 4, y + 12.5, text, { bold, align: n === 0 ? 'left' : 'right' });
      });
      y += height;
    };
    const fact = (label: string, value: string) => {
      const at = y;
      line([label]);
      sheet.box(245.5, at + 0.5, 299, height - 1, { fill: '#ffffff' });
      sheet.text(249, at + 12.5, value);
    };
    fact('Firm', pay.employer.name);
    fact('Payslip of', longName(pay));
    fact('For', period);
    fact('Paid on', date(pay.payDate, '31 October 2026'));
    fact('NI number and letter', `${niNumber(pay, true)}  ${pay.niLetter}`);
    fact('Tax code', pay.taxCode);
    line([]);
    line(['', 'Brought fwd', 'This month', 'Carried fwd'], { bold: true, fill: '#fff2cc' });
    const figures = (label: string, now: number, total: number, style = {}) => line([label, money(total - now), money(now), money(total)], style); // prettier-ignore
    for (const each of pay.payments) figures(LABELS[each.kind], each.amount, each.ytd);
    figures('Gross', pay.gross, pay.ytd.gross, { bold: true, fill: '#e2efda' });
    for (const each of pay.deductions) figures(LABELS[each.kind], each.amount, each.ytd);
    figures('Left to pay', pay.net, pay.ytd.net, { bold: true, fill: '#e2efda' });
    line([]);
    figures("Employer's NIC", pay.employerNi, pay.ytd.employerNi);
    if (pay.pension !== null) figures("Employer's pension (NEST)", pay.employerPension, pay.ytd.employerPension);
    line([]);
    sheet.text(50, 800, 'Payroll 2026.xlsx', { size: 8, colour: '#777777' });
    sheet.text(545, 800, 'Page 1', { size: 8, colour: '#777777', align: 'right' });
    return {
      pay_period: period,
      pay_period_also: [],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
