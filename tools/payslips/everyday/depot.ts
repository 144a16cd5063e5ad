import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, money, rate, shortName, units, words } from '../words.ts';

const LABELS = words({ basic: 'BASIC PAY', hours: 'CONTRACT HOURS', overtime: 'SCHED ATTENDANCE', bonus: 'DELIVERY SUPPLEMENT', commission: 'DOOR TO DOOR', holiday: 'ANNUAL LEAVE', sick: 'SSP', shift: 'NIGHT SHIFT ALLCE', car: 'DRIVING ALLOWANCE', weighting: 'LONDON WEIGHTING', arrears: 'PREV PERIOD ADJ', sacrifice: 'CYCLE2WORK', tax: 'INCOME TAX', ni: 'NATIONAL INSURANCE', pension: 'DC PENSION', avc: 'PENSION AVC', 'student-loan': 'STUDENT LOAN', 'postgraduate-loan': 'PG LOAN', union: 'CWU', charity: 'CHARITY PAYROLL GIVING', ticket: 'SEASON TICKET', advance: 'ADVANCE RECOVERED', attachment: 'AEO', healthcare: 'HEALTH CASH PLAN' }); // prettier-ignore

export const depot: PayslipLayout = {
  name: 'depot',
  like: 'SAP at a large carrier of letters and parcels',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'archivo-narrow', 'roboto'],
  fontSize: 8.5,
  pay: { sector: 'private', frequency: 'weekly', rows: 10, refunds: 0.15 },
  draw(sheet, pay, random) {
    const amount = (value: number) => money(value, { comma: false, negative: 'trailing' });
    const red = random.pick(['#b4121b', '#1d3d8f', '#333333']);
    const week = String(pay.period).padStart(2, '0');
    sheet.text(40, 50, pay.employer.name, { size: 14, bold: true, colour: red });
    sheet.text(555, 50, 'PAY ADVICE', { size: 11, bold: true, align: 'right' });
    const top: [number, number, string, string][] = [[40, 110, 'NAME', shortName(pay).toUpperCase()], [150, 80, 'PAY NUMBER', pay.employee.number], [230, 90, 'NI NUMBER', niNumber(pay, true)], [320, 60, 'TAX CODE', pay.taxCode], [380, 45, 'NI CAT', pay.niLetter], [425, 50, 'TAX WEEK', week], [475, 80, 'PAY DATE', date(pay.payDate, '31.10.2026')]]; // prettier-ignore
    for (const [x, width, label, value] of top) {
      sheet.box(x, 62, width, 28, { stroke: red });
      sheet.text(x + 4, 71, label, { size: 6, colour: red });
      sheet.text(x + 4, 85, value);
    }
    sheet.box(40, 100, 515, 13, { fill: red });
    sheet.text(46, 109.5, 'TOTALS FOR THIS TAX YEAR', { size: 7.5, bold: true, colour: '#ffffff' });
    const totals: [string, number][] = [['GROSS PAY', pay.ytd.gross], ['TAXABLE PAY', pay.ytd.taxable], ['INCOME TAX', pay.ytd.tax], ['NI', pay.ytd.ni], ['PENSION', pay.ytd.pension], ['ER NI', pay.ytd.employerNi]]; // prettier-ignore
    totals.forEach(([label, value], n) => {
      sheet.text(122 + n * 85.8, 123, label, { size: 6, colour: red, align: 'right' });
      sheet.text(122 + n * 85.8, 135, amount(value), { align: 'right' });
    });
    sheet.box(40, 113, 515, 27, { stroke: red });
    const left = [{ x: 46 }, { x: 190, align: 'right' }, { x: 235, align: 'right' }, { x: 290, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 304 }, { x: 470, align: 'right' }, { x: 549, align: 'right' }] as const;
    sheet.box(40, 150, 515, 16, { fill: '#eeeeee', stroke: red });
    row(sheet, 161, left, ['PAYMENTS', 'HOURS', 'RATE', 'AMOUNT'], { size: 7.5, bold: true });
    row(sheet, 161, right, ['DEDUCTIONS', 'BALANCE', 'AMOUNT'], { size: 7.5, bold: true });
    pay.payments.forEach((line, n) => row(sheet, 180 + n * 13, left, [LABELS[line.kind], units(line), rate(line, 2), amount(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => {
      const owed = line.kind === 'advance' || line.kind === 'ticket' ? amount(line.amount * random.int(2, 6)) : '';
      row(sheet, 180 + n * 13, right, [LABELS[line.kind], owed, amount(line.amount)]);
    });
    sheet.box(40, 166, 257, 190, { stroke: red });
    sheet.box(297, 166, 258, 190, { stroke: red });
    row(sheet, 370, left, ['TOTAL PAYMENTS', '', '', amount(pay.gross)], { bold: true });
    row(sheet, 370, right, ['TOTAL DEDUCTIONS', '', amount(pay.totalDeductions)], { bold: true });
    sheet.box(40, 356, 257, 20, { stroke: red });
    sheet.box(297, 356, 258, 20, { stroke: red });
    sheet.box(297, 382, 258, 26, { stroke: red, thickness: 1.4 });
    row(sheet, 399, right, ['NET PAY', '', amount(pay.net)], { size: 11, bold: true });
    row(sheet, 392, [{ x: 46 }, { x: 290, align: 'right' }], ['EMPLOYER NI THIS PERIOD', amount(pay.employerNi)], { size: 7.5 }); // prettier-ignore
    if (pay.pension !== null) row(sheet, 404, [{ x: 46 }, { x: 290, align: 'right' }], ['EMPLOYER PENSION THIS PERIOD', amount(pay.employerPension)], { size: 7.5 }); // prettier-ignore
    sheet.text(46, 428, `PAYMENT BY BACS TO SORT CODE ${pay.employee.sortCode} ACCOUNT ****${pay.employee.account.slice(4)}`, { size: 7.5 }); // prettier-ignore
    sheet.text(46, 440, `EMPLOYER'S TAX REFERENCE ${pay.employer.payeReference}`, { size: 7.5 });
    return {
      pay_period: week,
      pay_period_also: [
        ...periodNames(pay),
        `TAX WEEK ${week}`,
        `TAX WEEK ${pay.period}`,
        `Week ${week}`,
        `Tax week ${week}`,
      ],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
