import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, frequencyWord, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Salary', hours: 'Hourly Paid', overtime: 'Overtime Paid', holiday: 'Annual Leave', sick: 'SSP', tax: 'Tax', ni: 'NI Contribution', pension: 'EE Pension', avc: 'EE AVC', 'student-loan': 'SL Repayment', 'postgraduate-loan': 'PGL Repayment', attachment: 'AEO' }); // prettier-ignore

export const matrix: PayslipLayout = {
  name: 'matrix',
  like: 'IRIS Cascade for an academy trust or a company',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'times', 'lato'],
  fontSize: 8,
  pay: { rows: 8 },
  draw(sheet, pay, random) {
    const line = '#b7b7c9';
    const negative = random.pick(['trailing', 'minus'] as const);
    const amount = (value: number) => money(value, { negative });
    const word = periodWord(pay);
    const period = `${frequencyWord(pay.frequency)} ${pay.period}`;
    sheet.text(40, 52, longName(pay), { size: 12, bold: true });
    sheet.text(40, 64, `${pay.employee.job}, ${pay.employee.department}`);
    sheet.text(555, 52, pay.employer.name, { size: 10, align: 'right' });
    sheet.text(555, 64, `PAYE reference ${pay.employer.payeReference}`, { align: 'right' });
    const heads = ['Employee Ref', 'NI Number', 'NI Letter', 'Tax Code', 'Pay Run', 'Paid On'];
    const values = [pay.employee.number, niNumber(pay, true), pay.niLetter, pay.taxCode, period, date(pay.payDate, '31-Oct-2026')]; // prettier-ignore
    const six = [40, 126, 212, 298, 384, 470].map((x) => ({ x: x + 5 }));
    sheet.box(40, 78, 515, 32, { stroke: line });
    row(sheet, 90, six, heads, { size: 6.5, bold: true });
    row(sheet, 103, six, values);
    const grid = [{ x: 45 }, { x: 180, align: 'right' }, { x: 230, align: 'right' }, { x: 300, align: 'right' }, { x: 316 }, { x: 550, align: 'right' }] as const; // prettier-ignore
    let y = 136;
    const top = y - 11;
    row(sheet, y, grid, ['Payment', 'Qty', 'Rate', 'Value (£)', 'Deduction', 'Value (£)'], { bold: true });
    const count = Math.max(pay.payments.length, pay.deductions.length, 6);
    for (let n = 0; n < count; n++) {
      y += 16;
      sheet.line(40, y - 11, 555, y - 11, { stroke: line });
      const [paid, taken] = [pay.payments[n], pay.deductions[n]];
      const left = paid ? [LABELS[paid.kind], units(paid), rate(paid, 2), amount(paid.amount)] : ['', '', '', ''];
      row(sheet, y, grid, [...left, ...(taken ? [LABELS[taken.kind], amount(taken.amount)] : [])]);
    }
    y += 16;
    sheet.line(40, y - 11, 555, y - 11, { stroke: line });
    row(sheet, y, grid, ['Total Payments', '', '', money(pay.gross), 'Total Deductions', money(pay.totalDeductions)], { bold: true }); // prettier-ignore
    sheet.box(40, top, 515, y + 5 - top, { stroke: line });
    sheet.line(306, top, 306, y + 5, { stroke: line });
    y += 34;
    const columns = [{ x: 45 }, ...[180, 254, 328, 402, 476, 550].map((x) => ({ x, align: 'right' as const }))];
    sheet.box(40, y - 12, 515, 66, { stroke: line });
    row(sheet, y, columns, ['Summary', 'Gross', 'Taxable', 'Income Tax', 'Nat. Ins.', 'Pension', 'Net'], {
      bold: true,
    });
    const rows: [string, (number | null)[]][] = [
      ['This period', [pay.gross, pay.taxable, pay.tax, pay.ni, pay.pension, pay.net]],
      ['Tax Year Totals', [pay.ytd.gross, pay.ytd.taxable, pay.ytd.tax, pay.ytd.ni, pay.ytd.pension, pay.ytd.net]],
      [
        'Employer this period',
        [null, null, null, pay.employerNi, pay.pension === null ? null : pay.employerPension, null],
      ],
    ];
    rows.forEach(([label, cells], n) => row(sheet, y + 16 + n * 15, columns, [label, ...cells.map((value) => (value === null ? '-' : money(value)))])); // prettier-ignore
    y += 78;
    sheet.box(384, y - 14, 171, 40, { fill: '#2a2a4a' });
    sheet.text(394, y, 'Net Pay', { colour: '#ffffff', size: 8 });
    sheet.text(545, y + 17, money(pay.net, { pound: true }), {
      colour: '#ffffff',
      size: 15,
      bold: true,
      align: 'right',
    });
    sheet.lines(45, y, 12, [`Method: BACS   Account: ${pay.employee.sortCode} ****${pay.employee.account.slice(4)}`, `Tax ${word.toLowerCase()} ${pay.period} of ${pay.taxYear}`]); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [...periodNames(pay), `Tax ${word.toLowerCase()} ${pay.period}`, `Tax ${word.toLowerCase()} ${pay.period} of ${pay.taxYear}`],
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    }; // prettier-ignore
  },
};
