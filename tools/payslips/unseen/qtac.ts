import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, periodNames } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, longName, periodWord, poundsAndPence, shortName, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay', hours: 'Normal Hours', tax: 'Income Tax', ni: "Employee's N.I.", pension: 'Pension Contribution', avc: 'A.V.C.', holiday: 'Holiday Pay', sick: 'S.S.P.', 'student-loan': 'Student Loan' }); // prettier-ignore

export const qtac: PayslipLayout = {
  name: 'qtac',
  like: 'QTAC Payroll Bureau',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['times', 'helvetica', 'lato'],
  fontSize: 9,
  pay: { rows: 7 },
  draw(sheet, pay, random) {
    const word = periodWord(pay);
    const ink = '#24408e';
    const style = { label: { size: 6.5, colour: ink }, border: ink };
    cell(sheet, [24, 22, 290, 28], 'Employer', pay.employer.name, { ...style, value: { bold: true } });
    cell(sheet, [314, 22, 90, 28], 'Date', date(pay.payDate, random.pick(['31/10/26', '31/10/2026'] as const)), style);
    cell(sheet, [404, 22, 80, 28], 'Tax Period', `${word} ${pay.period}`, style);
    cell(sheet, [484, 22, 87, 28], 'Tax Code', pay.taxCode, style);
    cell(sheet, [24, 50, 190, 28], 'Employee', random.chance(0.5) ? longName(pay) : shortName(pay), style);
    cell(sheet, [214, 50, 100, 28], 'Works No.', pay.employee.number, style);
    cell(sheet, [314, 50, 170, 28], 'N.I. No.', niNumber(pay, true), style);
    cell(sheet, [484, 50, 87, 28], 'N.I. Table', pay.niLetter, style);
    const ledger = (x: number, y: number, width: number, height: number, title: string) => {
      sheet.box(x, y, width, height, { stroke: ink });
      sheet.box(x, y, width, 14, { fill: '#dfe6f5', stroke: ink });
      sheet.text(x + 5, y + 10, title, { bold: true, colour: ink, size: 8 });
      sheet.text(x + width - 38, y + 10, '£', { colour: ink, size: 8, align: 'center' });
      sheet.text(x + width - 11, y + 10, 'p', { colour: ink, size: 8, align: 'center' });
      sheet.line(x + width - 64, y, x + width - 64, y + height, { stroke: ink });
      sheet.line(x + width - 22, y, x + width - 22, y + height, { stroke: ink });
    };
    const entry = (x: number, y: number, width: number, label: string, amount: number, bold = false) => {
      const [pounds, pence] = poundsAndPence(Math.abs(amount));
      sheet.text(x + 5, y, label, { bold });
      sheet.text(x + width - 26, y, `${amount < 0 ? '-' : ''}${pounds}`, { align: 'right', bold });
      sheet.text(x + width - 5, y, pence, { align: 'right', bold });
    };
    ledger(24, 84, 280, 140, 'PAYMENTS');
    ledger(310, 84, 261, 140, 'DEDUCTIONS');
    pay.payments.forEach((line, n) => {
      const each = line.units === undefined ? '' : `  ${line.units.toFixed(2)} @ ${(line.rate! / 100).toFixed(2)}`;
      entry(24, 111 + n * 13, 280, `${LABELS[line.kind]}${each}`, line.amount);
    });
    pay.deductions.forEach((line, n) => entry(310, 111 + n * 13, 261, LABELS[line.kind], line.amount));
    ledger(24, 230, 280, 34, 'GROSS');
    entry(24, 257, 280, 'Gross Pay', pay.gross, true);
    ledger(310, 230, 261, 50, 'SUMMARY');
    entry(310, 257, 261, 'Total Deductions', pay.totalDeductions);
    entry(310, 273, 261, 'NET PAY', pay.net, true);
    sheet.text(24, 300, 'YEAR TO DATE', { bold: true, colour: ink, size: 8 });
    const totals: [string, number][] = [['Gross Pay', pay.ytd.gross], ['Taxable Pay', pay.ytd.taxable], ['Income Tax', pay.ytd.tax], ["Employee's N.I.", pay.ytd.ni], ['Pension', pay.ytd.pension], ["Employer's N.I.", pay.ytd.employerNi]]; // prettier-ignore
    totals.forEach(([label, value], n) => cell(sheet, [24 + n * 91.2, 305, 91.2, 28], label, (value / 100).toFixed(2), { ...style, value: { align: 'right' } })); // prettier-ignore
    sheet.text(24, 352, `PAYE reference ${pay.employer.payeReference}     Paid by ${random.pick(['BACS', 'cash', 'cheque'])}`, { size: 8 }); // prettier-ignore
    return {
      pay_period: `${word} ${pay.period}`,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
