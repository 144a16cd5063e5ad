import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, money, shortName, words } from '../words.ts';

const LABELS = words({ basic: 'BASIC PAY', hours: 'BASIC PAY', overtime: 'RESERVE DUTY', bonus: 'RETENTION PAYMENT', commission: 'SPECIALIST PAY', holiday: 'LEAVE IN LIEU', sick: 'SSP', shift: 'UNSOCIAL ALLOWANCE', car: 'GET YOU HOME TRAVEL', weighting: 'LONDON ALLOWANCE', arrears: 'BASIC PAY ARREARS', sacrifice: 'CHILDCARE SACRIFICE', tax: 'INCOME TAX', ni: 'NATIONAL INSURANCE', pension: 'PENSION CONTRIBUTION', avc: 'ADDED PENSION', 'student-loan': 'STUDENT LOAN', 'postgraduate-loan': 'POSTGRADUATE LOAN', union: 'MESS SUBSCRIPTION', charity: 'BENEVOLENT FUND', ticket: 'ACCOMMODATION CHARGE', advance: 'ADVANCE OF PAY', attachment: 'COURT ORDER', healthcare: 'DENTAL SCHEME' }); // prettier-ignore

export const muster: PayslipLayout = {
  name: 'muster',
  like: 'the pay statement of the forces (JPA) or of a police force',
  type: 'payslip',
  size: A4,
  fonts: ['courier', 'inconsolata', 'helvetica'],
  fontSize: 9,
  pay: { sector: 'council', frequency: 'monthly', rows: 9, hourly: false, refunds: 0.1 },
  draw(sheet, pay, random) {
    const amount = (value: number) => money(value, { negative: 'trailing' });
    const ending = date(pay.to, '31-OCT-26');
    const dates = `${date(pay.from, '31-OCT-26')} TO ${ending}`;
    sheet.text(297, 50, 'STATEMENT OF PAY AND ALLOWANCES', { size: 13, bold: true, align: 'center' });
    sheet.text(297, 66, pay.employer.name.toUpperCase(), { size: 10, align: 'center' });
    sheet.box(40, 80, 515, 62);
    const facts: [number, number, string, string][] = [[46, 96, 'NAME:', shortName(pay).toUpperCase()], [46, 114, 'SERVICE NO:', pay.employee.number], [46, 132, 'NI NO:', niNumber(pay, true)], [250, 96, 'MONTH ENDING:', ending], [250, 114, 'TAX MONTH:', `${pay.period}`], [250, 132, 'DATE PAID:', date(pay.payDate, '31-OCT-26')], [430, 96, 'TAX CODE:', pay.taxCode], [430, 114, 'NI TABLE:', pay.niLetter], [430, 132, 'UNIT:', `${random.letter('ABDN')}${random.digits(4)}`]]; // prettier-ignore
    for (const [x, y, label, value] of facts) {
      sheet.text(x, y, label, { size: 8 });
      sheet.text(x + (x === 430 ? 58 : 80), y, value, { bold: true, size: 8 });
    }
    const columns = [{ x: 46 }, { x: 90 }, { x: 290 }, { x: 549, align: 'right' }] as const;
    let y = 170;
    const list = (title: string, lines: readonly (readonly [string, number])[], total: readonly [string, number]) => {
      sheet.box(40, y - 12, 515, 18, { fill: '#e6e6e6', stroke: '#000000' });
      row(sheet, y, columns, ['CODE', title, 'PERIOD', 'AMOUNT (£)'], { bold: true, size: 8 });
      y += 20;
      for (const [label, value] of lines) {
        row(sheet, y, columns, [random.digits(4), label, dates, amount(value)]);
        y += 15;
      }
      sheet.line(460, y - 8, 555, y - 8);
      row(sheet, y + 4, columns, ['', total[0], '', amount(total[1])], { bold: true });
      y += 34;
    };
    const lines = (of: typeof pay.payments) => of.map(({ kind, amount: value }) => [LABELS[kind], value] as const);
    list('PAYMENTS', lines(pay.payments), ['TOTAL PAYMENTS', pay.gross]);
    list('DEDUCTIONS', lines(pay.deductions), ['TOTAL DEDUCTIONS', pay.totalDeductions]);
    sheet.box(40, y - 14, 515, 24, { thickness: 1.5 });
    sheet.text(90, y + 2, 'AMOUNT PAID TO BANK', { bold: true, size: 11 });
    sheet.text(549, y + 2, amount(pay.net), { bold: true, size: 11, align: 'right' });
    y += 40;
    sheet.text(46, y, `BALANCES FOR TAX YEAR ${pay.taxYear.replace('-', '/')}`, { bold: true, size: 8 });
    const sums: [string, number][] = [['GROSS PAY', pay.ytd.gross], ['TAXABLE PAY', pay.ytd.taxable], ['INCOME TAX', pay.ytd.tax], ['NI EARNINGS', pay.ytd.niable], ['EMPLOYEE NI', pay.ytd.ni], ['PENSION', pay.ytd.pension]]; // prettier-ignore
    sheet.box(40, y + 6, 515, 58);
    sums.forEach(([label, value], n) => {
      const [x, at] = [46 + (n % 2) * 260, y + 22 + Math.floor(n / 2) * 16];
      row(sheet, at, [{ x }, { x: x + 220, align: 'right' }], [label, amount(value)], { size: 8.5 });
    });
    sheet.text(46, y + 82, `EMPLOYER NI CONTRIBUTION THIS MONTH ${amount(pay.employerNi)}   EMPLOYER REF ${pay.employer.payeReference}`, { size: 7.5 }); // prettier-ignore
    return {
      employer_name: pay.employer.name.toUpperCase(),
      pay_period: ending,
      pay_period_also: [`MONTH ENDING ${ending}`, `MONTH ENDING: ${ending}`, dates, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
