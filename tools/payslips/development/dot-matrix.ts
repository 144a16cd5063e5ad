import type { PayslipLayout } from '../layout.ts';
import { periodNames } from '../parts.ts';
import { date, money, poundsAndPence, shortName, words } from '../words.ts';

const LABELS = words({ basic: 'BASIC', hours: 'BASIC', overtime: 'O/TIME', bonus: 'BONUS', commission: 'COMM', holiday: 'HOL PAY', sick: 'S.S.P.', shift: 'SHIFT', car: 'CAR ALL', weighting: 'L/WGHT', arrears: 'ARREARS', sacrifice: 'CYCLE SS', tax: 'TAX', ni: 'NAT INS', pension: 'PENSION', avc: 'A.V.C.', 'student-loan': 'STUD LOAN', 'postgraduate-loan': 'PG LOAN', union: 'UNION', charity: 'CHARITY', ticket: 'S/TICKET', advance: 'ADVANCE', attachment: 'ATT EARN', healthcare: 'HEALTH' }); // prettier-ignore

export const dotMatrix: PayslipLayout = {
  name: 'dot-matrix',
  like: 'a bureau payslip from a line printer',
  type: 'payslip',
  size: [595.28, 360],
  fonts: ['courier', 'inconsolata'],
  fontSize: 9.5,
  pay: { rows: 7 },
  draw(sheet, pay) {
    const name = pay.employer.name.toUpperCase();
    const at = (column: number) => 24 + column * 5.72;
    const put = (column: number, y: number, text: string, align: 'left' | 'right' = 'left') => sheet.text(at(column), y, text, { align }); // prettier-ignore
    const amount = (column: number, y: number, value: number) => {
      const [pounds, pence] = poundsAndPence(Math.abs(value));
      put(column, y, pounds, 'right');
      put(column + 3, y, pence, 'right');
      if (value < 0) put(column + 3.2, y, '-');
    };
    put(0, 36, name);
    put(56, 36, `PAYE REF ${pay.employer.payeReference}`);
    sheet.line(20, 44, 575, 44);
    put(0, 57, `NO. ${pay.employee.number}`);
    put(16, 57, shortName(pay).toUpperCase());
    put(46, 57, `N.I. NO. ${pay.employee.niNumber}`);
    put(68, 57, `CODE ${pay.taxCode}`);
    const word = pay.frequency === 'monthly' ? 'MONTH' : 'WEEK';
    put(0, 71, `TAX ${word} ${pay.period}`);
    put(16, 71, `DATE ${date(pay.payDate, '31-10-26')}`);
    put(46, 71, `N.I. TABLE ${pay.niLetter}`);
    sheet.line(20, 78, 575, 78);
    put(0, 91, 'PAYMENTS');
    put(24, 91, 'HOURS', 'right');
    put(37, 91, '£', 'right');
    put(40, 91, 'P', 'right');
    put(48, 91, 'DEDUCTIONS');
    put(77, 91, '£', 'right');
    put(80, 91, 'P', 'right');
    pay.payments.forEach((line, n) => {
      const y = 107 + n * 13;
      put(0, y, LABELS[line.kind]);
      if (line.units !== undefined) put(24, y, line.units.toFixed(2), 'right');
      amount(37, y, line.amount);
    });
    pay.deductions.forEach((line, n) => {
      put(48, 107 + n * 13, LABELS[line.kind]);
      amount(77, 107 + n * 13, line.amount);
    });
    sheet.line(20, 205, 575, 205);
    put(0, 219, 'GROSS PAY');
    amount(37, 219, pay.gross);
    put(48, 219, 'TOTAL DEDNS');
    amount(77, 219, pay.totalDeductions);
    put(48, 239, 'NET PAY');
    amount(77, 239, pay.net);
    sheet.line(20, 250, 575, 250);
    put(0, 264, 'BALANCES TO DATE');
    const totals: [string, number][] = [['GROSS', pay.ytd.gross], ['TAXABLE', pay.ytd.taxable], ['TAX', pay.ytd.tax], ['NAT INS', pay.ytd.ni], ['PENSION', pay.ytd.pension], ['EMPLR NI', pay.ytd.employerNi]]; // prettier-ignore
    totals.forEach(([label, value], n) => {
      put(10 + n * 15, 280, label, 'right');
      put(10 + n * 15, 294, money(value, { comma: false }), 'right');
    });
    const period = `TAX ${word} ${pay.period}`;
    return {
      employer_name: name,
      pay_period: period,
      pay_period_also: [...periodNames(pay), `${word} ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
