import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'BASIC PAY', hours: 'BASIC HOURS', overtime: 'OVERTIME 1.50', bonus: 'BONUS', commission: 'COMMISSION', holiday: 'HOLIDAY PAY', sick: 'S.S.P.', shift: 'SHIFT PREMIUM', car: 'CAR ALLOWANCE', weighting: 'LONDON ALLOW', arrears: 'BACK PAY', sacrifice: 'CYCLE2WORK', tax: 'TAX PAID', ni: 'NI CONTRIBUTION', pension: 'PENSION EE', avc: 'AVC EE', 'student-loan': 'STUDENT LOAN', 'postgraduate-loan': 'PG LOAN', union: 'UNITE', charity: 'G.A.Y.E.', ticket: 'SEASON TICKET', advance: 'LOAN REPAY', attachment: 'A.E.O.', healthcare: 'BUPA' }); // prettier-ignore

export const adp: PayslipLayout = {
  name: 'adp',
  like: 'ADP freedom',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'inconsolata'],
  fontSize: 8.5,
  pay: { rows: 8 },
  draw(sheet, pay) {
    const word = periodWord(pay);
    const small = { size: 6, colour: '#444444' };
    sheet.box(36, 36, 523, 36, { stroke: '#b00020', thickness: 1 });
    const above = (
      x: number,
      y: number,
      label: string,
      value: string,
      align: 'left' | 'right' = 'left',
      bold = false,
    ) => {
      sheet.text(x, y, label, { ...small, align });
      sheet.text(x, y + 12, value, { align, bold });
    };
    above(44, 49, 'COMPANY NAME', pay.employer.name, 'left', true);
    above(300, 49, 'EMPLOYEE NAME', longName(pay));
    above(470, 49, 'EMPLOYEE NO', pay.employee.number);
    sheet.box(36, 72, 523, 30, { stroke: '#b00020' });
    above(44, 83, 'PAY DATE', date(pay.payDate, '31/10/2026'));
    above(120, 83, 'TAX PERIOD', `${pay.period}`);
    above(180, 83, 'TAX CODE', pay.taxCode);
    above(250, 83, 'N.I. NUMBER', niNumber(pay, true));
    above(345, 83, 'N.I. CATEGORY', pay.niLetter);
    above(410, 83, 'PAY METHOD', 'AUTOPAY');
    above(470, 83, 'COST CENTRE', pay.employee.department.slice(0, 12).toUpperCase());
    sheet.box(36, 102, 523, 200, { stroke: '#b00020' });
    const columns = [{ x: 44 }, { x: 210, align: 'right' }, { x: 280, align: 'right' }, { x: 370, align: 'right' }, { x: 460, align: 'right' }] as const; // prettier-ignore
    row(sheet, 113, columns, ['DESCRIPTION', 'UNITS', 'RATE', 'PAYMENTS', 'DEDUCTIONS'], small);
    let y = 128;
    for (const line of pay.payments) {
      row(sheet, y, columns, [LABELS[line.kind], units(line), rate(line), money(line.amount), '']);
      y += 12;
    }
    for (const line of pay.deductions) {
      row(sheet, y, columns, [LABELS[line.kind], '', '', '', money(line.amount)]);
      y += 12;
    }
    above(552, 116, 'TOTAL PAYMENTS', money(pay.gross), 'right', true);
    above(552, 146, 'TOTAL DEDUCTIONS', money(pay.totalDeductions), 'right', true);
    sheet.box(470, 250, 84, 40, { stroke: '#b00020', thickness: 1.2 });
    above(549, 262, 'NET PAY', money(pay.net), 'right', true);
    sheet.box(36, 302, 523, 60, { stroke: '#b00020' });
    sheet.text(44, 312, 'THIS EMPLOYMENT CUMULATIVES', { ...small, bold: true });
    const totals: [string, number][] = [['GROSS PAY', pay.ytd.gross], ['TAXABLE PAY', pay.ytd.taxable], ['TAX', pay.ytd.tax], ['NI-ABLE PAY', pay.ytd.niable], ['EE NI', pay.ytd.ni], ['EE PENSION', pay.ytd.pension], ['ER PENSION', pay.ytd.employerPension]]; // prettier-ignore
    totals.forEach(([label, value], n) => above(105 + n * 74, 328, label, money(value), 'right'));
    sheet.text(44, 356, `EMPLOYER NI THIS PERIOD  ${money(pay.employerNi)}`, { size: 7 });
    sheet.lines(70, 420, 12, [longName(pay).toUpperCase(), ...pay.employee.address.map((line) => line.toUpperCase())]);
    return {
      pay_period: `${pay.period}`,
      pay_period_also: [...periodNames(pay), `TAX PERIOD ${pay.period}`, `${word.toUpperCase()} ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
