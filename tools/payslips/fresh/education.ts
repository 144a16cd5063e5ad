import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, periodNames } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, monthOf, poundsAndPence, shortName, words } from '../words.ts';
import { percentOfGross } from './lines.ts';

const LABELS = words({ basic: 'TEACHERS MAIN SCALE', hours: 'SUPPLY TEACHING', overtime: 'ADDITIONAL HOURS', bonus: 'TLR 2B', commission: 'SEN ALLOWANCE', holiday: 'HOLIDAY PAY', sick: 'SSP', shift: 'UNSOCIAL HRS', car: 'ESSENTIAL CAR USER', weighting: 'OUTER LONDON', arrears: 'ARREARS', sacrifice: 'CYCLE SCHEME', tax: 'INCOME TAX', ni: 'NATIONAL INS', pension: 'SUPERANNUATION', avc: 'SUPN ADDL CONTS', 'student-loan': 'STUDENT LOAN', 'postgraduate-loan': 'POSTGRAD LOAN', union: 'NEU SUBSCRIPTION', charity: 'CHARITY', ticket: 'TRAVEL LOAN', advance: 'ADVANCE', attachment: 'COURT ORDER', healthcare: 'BENENDEN HEALTH' }); // prettier-ignore

export const education: PayslipLayout = {
  name: 'education',
  like: 'the education department of a council, pre-printed form',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['courier', 'helvetica', 'inconsolata'],
  fontSize: 9,
  pay: { sector: 'council', frequency: 'monthly', rows: 9 },
  draw(sheet, pay) {
    const brown = '#7a4a12';
    const form = { label: { size: 6.5, colour: brown, font: 'helvetica' }, border: brown } as const;
    sheet.text(40, 48, pay.employer.name, { size: 15, bold: true, font: 'times', colour: brown });
    sheet.text(40, 62, 'Education and Children - Pay Advice', { size: 9, font: 'times', colour: brown });
    const month = monthOf(pay.payDate).toUpperCase();
    cell(sheet, [40, 72, 230, 26], 'NAME', shortName(pay).toUpperCase(), form);
    cell(sheet, [270, 72, 110, 26], 'PAY NUMBER', pay.employee.number, form);
    cell(sheet, [380, 72, 110, 26], 'N.I. NUMBER', niNumber(pay, false), form);
    cell(sheet, [490, 72, 60, 26], 'N.I. TABLE', pay.niLetter, form);
    cell(sheet, [550, 72, 80, 26], 'TAX CODE', pay.taxCode, form);
    cell(sheet, [630, 72, 172, 26], 'MONTH', month, form);
    const ledger = (x: number, width: number, title: string) => {
      sheet.box(x, 108, width, 250, { stroke: brown, thickness: 1 });
      sheet.text(x + 5, 119, title, { size: 7.5, bold: true, font: 'helvetica', colour: brown });
      sheet.text(x + width - 45, 119, '£', { size: 7.5, align: 'center', font: 'helvetica', colour: brown });
      sheet.text(x + width - 19, 119, 'p', { size: 7.5, align: 'center', font: 'helvetica', colour: brown });
      sheet.line(x, 124, x + width, 124, { stroke: brown });
      sheet.line(x + width - 28, 108, x + width - 28, 358, { stroke: brown });
    };
    const entry = (x: number, width: number, y: number, label: string, amount: number) => {
      const [pounds, pence] = poundsAndPence(Math.abs(amount));
      sheet.text(x + 5, y, label);
      sheet.text(x + width - 31, y, pounds, { align: 'right' });
      sheet.text(x + width - 25, y, `${pence}${amount < 0 ? 'CR' : ''}`);
    };
    ledger(40, 230, 'CUMULATIVE TOTALS');
    const totals: [string, number][] = [['GROSS PAY TO DATE', pay.ytd.gross], ['TAXABLE PAY TO DATE', pay.ytd.taxable], ['TAX TO DATE', pay.ytd.tax], ['N.I. TO DATE', pay.ytd.ni], ['SUPN TO DATE', pay.ytd.pension], ['EMPLOYERS N.I.', pay.ytd.employerNi], ['EMPLOYERS SUPN', pay.ytd.employerPension]]; // prettier-ignore
    totals.forEach(([label, amount], n) => entry(40, 230, 138 + n * 16, label, amount));
    ledger(276, 260, 'PAYMENTS');
    pay.payments.forEach((line, n) => entry(276, 260, 138 + n * 16, LABELS[line.kind], line.amount));
    ledger(542, 260, 'DEDUCTIONS');
    pay.deductions.forEach((line, n) => {
      const tier = line.kind === 'pension' ? ` ${percentOfGross(pay, line.amount)}` : '';
      entry(542, 260, 138 + n * 16, `${LABELS[line.kind]}${tier}`, line.amount);
    });
    const foot = (x: number, width: number, y: number, label: string, amount: number) => {
      sheet.box(x, y, width, 24, { stroke: brown, thickness: 1 });
      sheet.text(x + 5, y + 15, label, { size: 7.5, bold: true, font: 'helvetica', colour: brown });
      sheet.line(x + width - 28, y, x + width - 28, y + 24, { stroke: brown });
      entry(x, width, y + 16, '', amount);
    };
    foot(276, 260, 358, 'TOTAL GROSS PAYMENTS', pay.gross);
    foot(542, 260, 358, 'TOTAL DEDUCTIONS', pay.totalDeductions);
    foot(542, 260, 390, 'AMOUNT PAID INTO BANK', pay.net);
    foot(276, 260, 390, 'TAXABLE THIS MONTH', pay.taxable);
    cell(sheet, [40, 390, 110, 24], 'DATE OF PAYMENT', date(pay.payDate, '31.10.2026'), form);
    cell(sheet, [150, 390, 120, 24], 'TAX REFERENCE', pay.employer.payeReference, form);
    cell(sheet, [40, 358, 230, 24], 'SCHOOL', `${pay.employer.address[1]!.toUpperCase()} PRIMARY`, form);
    sheet.lines(60, 460, 12, [shortName(pay), ...pay.employee.address]);
    return {
      pay_period: month,
      pay_period_also: [monthOf(pay.payDate), ...periodNames(pay).slice(1)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
