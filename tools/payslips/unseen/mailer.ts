import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { TWO_THIRDS } from '../sheet.ts';
import { date, frequencyWord, longName, money, periodWord, shortName, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay', hours: 'Hourly Rate 1', overtime: 'Hourly Rate 2', tax: 'PAYE Tax', ni: 'Nat. Insurance', pension: 'Pension Ee', avc: 'AVC', sick: 'SSP', 'student-loan': 'Student Loan', holiday: 'Hol. Pay' }); // prettier-ignore

export const mailer: PayslipLayout = {
  name: 'mailer',
  like: 'pressure-seal stationery (Pegasus Opera, Sage SE) with labels as outlines',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['inconsolata'],
  fontSize: 9.5,
  pay: { rows: 7 },
  draw(sheet, pay, random) {
    const blue = random.pick(['#2b5aa0', '#7a1f3d']);
    const art = { artwork: true, colour: blue, font: 'lato', size: 7 } as const;
    const typed = (x: number, y: number, text: string, right = false, bold = false) => sheet.text(x, y, text, { align: right ? 'right' : 'left', bold }); // prettier-ignore
    const named = (x: number, y: number, width: number, label: string, value: string, right = false) => {
      sheet.box(x, y, width, 20, { stroke: blue, radius: 3 });
      sheet.text(x + 3, y - 3, label, art);
      typed(right ? x + width - 5 : x + 5, y + 14, value, right);
    };
    named(30, 44, 230, 'EMPLOYER', pay.employer.name);
    named(268, 44, 180, 'EMPLOYEE', shortName(pay));
    named(456, 44, 108, 'PAYROLL NO.', pay.employee.number);
    named(30, 78, 110, 'N.I. NUMBER', niNumber(pay, false));
    named(148, 78, 50, 'N.I. CAT', pay.niLetter);
    named(206, 78, 80, 'TAX CODE', pay.taxCode);
    named(294, 78, 90, 'TAX PERIOD', `${periodWord(pay)} ${pay.period}`);
    named(392, 78, 80, 'PAID', frequencyWord(pay.frequency));
    named(480, 78, 84, 'PAY DATE', date(pay.payDate, '31/10/2026'));
    const column = (x: number, width: number, title: string, list: readonly (readonly [string, number])[]) => {
      sheet.box(x, 112, width, 190, { stroke: blue, radius: 3 });
      sheet.text(x + 6, 109, title, art);
      list.forEach(([label, amount], n) => {
        typed(x + 6, 128 + n * 14, label);
        typed(x + width - 6, 128 + n * 14, money(amount, { comma: false, negative: 'trailing' }), true);
      });
    };
    column(
      30,
      180,
      'PAYMENTS',
      pay.payments.map((line) => [LABELS[line.kind], line.amount]),
    );
    column(
      216,
      174,
      'DEDUCTIONS',
      pay.deductions.map((line) => [LABELS[line.kind], line.amount]),
    );
    sheet.box(396, 112, 168, 190, { stroke: blue, radius: 3 });
    sheet.text(402, 109, 'YEAR TO DATE', art);
    const totals: [string, number][] = [['GROSS PAY', pay.ytd.gross], ['TAXABLE PAY', pay.ytd.taxable], ['TAX', pay.ytd.tax], ['NAT. INSURANCE', pay.ytd.ni], ['PENSION', pay.ytd.pension], ['EMPLOYER N.I.', pay.ytd.employerNi], ['EMPLOYER PENSION', pay.ytd.employerPension]]; // prettier-ignore
    totals.forEach(([label, amount], n) => {
      sheet.text(402, 128 + n * 20, label, art);
      typed(558, 128 + n * 20, money(amount, { comma: false }), true);
    });
    named(30, 318, 180, 'TOTAL PAYMENTS', money(pay.gross, { comma: false }), true);
    named(216, 318, 174, 'TOTAL DEDUCTIONS', money(pay.totalDeductions, { comma: false }), true);
    named(396, 318, 168, 'NET PAY', money(pay.net, { comma: false }), true);
    named(30, 354, 110, 'TAXABLE PAY', money(pay.taxable, { comma: false }), true);
    named(148, 354, 110, 'EMPLOYER N.I.', money(pay.employerNi, { comma: false }), true);
    sheet.lines(60, 420, 13, [longName(pay), ...pay.employee.address]);
    return {
      pay_period: `${periodWord(pay)} ${pay.period}`,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
