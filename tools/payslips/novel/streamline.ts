import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'BASIC SALARY', hours: 'BASIC HOURS', overtime: 'OVERTIME 1.5', bonus: 'BONUS', commission: 'COMMISSION', holiday: 'HOLIDAY PAY', sick: 'SSP', shift: 'SHIFT PREMIUM', car: 'CAR ALLOWANCE', weighting: 'LOCATION ALLCE', arrears: 'BACK PAY', sacrifice: 'CYCLE SAL SAC', tax: 'INCOME TAX', ni: 'NAT INSURANCE', pension: 'PENSION EE', avc: 'PENSION AVC', 'student-loan': 'STUDENT LOAN', 'postgraduate-loan': 'PG LOAN', union: 'UNION', charity: 'GAYE', ticket: 'SEASON TICKET', advance: 'ADVANCE RECOV', attachment: 'AEO', healthcare: 'PRIV MEDICAL' }); // prettier-ignore

export const streamline: PayslipLayout = {
  name: 'streamline',
  like: 'ADP Streamline / iHCM, half a page',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['helvetica', 'inconsolata', 'archivo-narrow'],
  fontSize: 8,
  pay: { rows: 8, refunds: 0.3 },
  draw(sheet, pay, random) {
    const comma = random.chance(0.7);
    const amount = (value: number) => money(value, { comma, negative: 'CR' });
    const grey = '#d9d9d9';
    const number = String(pay.period).padStart(2, '0');
    sheet.text(297, 30, pay.employer.name, { size: 11, bold: true, align: 'center' });
    sheet.text(297, 41, 'PAY ADVICE', { size: 8, align: 'center', spacing: 1 });
    const six = [24, 196, 270, 356, 420, 486].map((x) => ({ x: x + 4 }));
    const line = (y: number, heads: readonly string[], values: readonly string[]) => {
      sheet.box(24, y, 547, 11, { fill: grey });
      row(sheet, y + 8, six, heads, { size: 6.5 });
      row(sheet, y + 21, six, values, { bold: true });
    };
    line(50, ['EMPLOYEE NAME', 'EMPLOYEE NO', 'NI NUMBER', 'NI CAT', 'TAX CODE', 'PAY DATE'], [`${pay.employee.last.toUpperCase()} ${pay.employee.first[0]!} ${pay.employee.title.toUpperCase()}`, pay.employee.number, niNumber(pay, false), pay.niLetter, pay.taxCode, date(pay.payDate, '31-Oct-2026')]); // prettier-ignore
    line(76, ['COST CENTRE', 'PERIOD NO', 'PAYE REF', 'METHOD', 'BASIS', 'TAX YEAR'], [pay.employee.department.toUpperCase(), number, pay.employer.payeReference, 'BACS', pay.taxCode.includes(' ') ? 'WK1/MTH1' : 'CUM', pay.taxYear]); // prettier-ignore
    const columns = [{ x: 30 }, { x: 200, align: 'right' }, { x: 262, align: 'right' }, { x: 350, align: 'right' }, { x: 440, align: 'right' }, { x: 562, align: 'right' }] as const; // prettier-ignore
    sheet.box(24, 106, 547, 14, { fill: grey });
    row(sheet, 116, columns, ['DESCRIPTION', 'UNITS', 'RATE', 'PAYMENT', 'DEDUCTION', 'YTD BALANCE'], { bold: true, size: 7 }); // prettier-ignore
    let y = 132;
    for (const each of pay.payments) {
      row(sheet, y, columns, [LABELS[each.kind], units(each), rate(each, 3), amount(each.amount), '', amount(each.ytd)]); // prettier-ignore
      y += 11;
    }
    for (const each of pay.deductions) {
      row(sheet, y, columns, [LABELS[each.kind], '', '', '', amount(each.amount), amount(each.ytd)]);
      y += 11;
    }
    sheet.box(24, 106, 547, 200, { stroke: '#777777' });
    for (const x of [275, 356, 446]) sheet.line(x, 106, x, 306, { stroke: '#777777', thickness: 0.4 });
    row(sheet, 319, columns, ['TOTALS', '', '', amount(pay.gross), amount(pay.totalDeductions), ''], { bold: true });
    sheet.box(446, 306, 125, 32, { fill: '#222222' });
    sheet.text(452, 316, 'NET PAY', { size: 6.5, colour: '#ffffff' });
    sheet.text(564, 331, amount(pay.net), { bold: true, size: 12, align: 'right', colour: '#ffffff' });
    const balances: [string, number][] = [['TAXABLE PAY TD', pay.ytd.taxable], ['TAX PAID TD', pay.ytd.tax], ["EE'S NIC TD", pay.ytd.ni], ["ER'S NIC", pay.employerNi], ["ER'S NIC TD", pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) balances.push(["ER'S PENSION", pay.employerPension]);
    sheet.box(24, 346, 547, 11, { fill: grey });
    balances.forEach(([label, value], n) => {
      sheet.text(110 + n * 90, 354, label, { size: 6.5, align: 'right' });
      sheet.text(110 + n * 90, 367, amount(value), { align: 'right' });
    });
    sheet.text(24, 392, pay.employer.address.join(', '), { size: 6.5 });
    return {
      pay_period: number,
      pay_period_also: [
        ...periodNames(pay),
        `PERIOD ${pay.period}`,
        `Period No ${number}`,
        `PERIOD NO ${number}`,
        `Period ${number}`,
      ],
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
