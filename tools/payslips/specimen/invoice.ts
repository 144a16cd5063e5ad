import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, words } from '../words.ts';

const LABELS = words({ basic: 'Basic pay', hours: 'Hourly pay', overtime: 'Overtime', bonus: 'Bonus', commission: 'Commission', holiday: 'Holiday pay', sick: 'Statutory sick pay', shift: 'On-call payment', car: 'Car allowance', arrears: 'Pay adjustment', sacrifice: 'Cycle to work (salary sacrifice)', tax: 'PAYE', ni: 'Employee NIC', pension: 'Employee pension contribution', avc: 'Additional pension contribution', 'student-loan': 'Student loan', 'postgraduate-loan': 'Postgraduate loan', advance: 'Loan repayment', healthcare: 'Health plan' }); // prettier-ignore

export const invoice: PayslipLayout = {
  name: 'invoice',
  like: 'the payslip of accounting software (FreeAgent, Zoho, KashFlow), drawn like its invoices',
  type: 'payslip',
  size: A4,
  fonts: ['lato', 'roboto', 'helvetica'],
  fontSize: 10,
  pay: { sector: 'private', frequency: 'monthly', rows: 7, refunds: 0.1 },
  draw(sheet, pay, random) {
    const ink = random.pick(['#2c3e50', '#0b6e4f', '#7b2d26']);
    const pound = random.chance(0.5);
    const amount = (value: number) => money(value, { pound });
    const month = monthOf(pay.payDate);
    sheet.text(50, 76, 'PAYSLIP', { size: 22, bold: true, colour: ink });
    sheet.text(50, 94, month, { size: 12, colour: '#555555' });
    sheet.text(545, 66, pay.employer.name, { size: 12, bold: true, align: 'right' });
    pay.employer.address.forEach((part, n) => sheet.text(545, 80 + n * 12, part, { size: 9, align: 'right' }));
    sheet.text(50, 140, longName(pay), { bold: true });
    sheet.lines(50, 154, 13, pay.employee.address, { size: 9 });
    const facts: [string, string][] = [['Payment date', date(pay.payDate, '31 October 2026')], ['Tax month', `${pay.period}`], ['Tax code', pay.taxCode], ['NI number', niNumber(pay, true)], ['NI category', pay.niLetter], ['PAYE reference', pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([label, value], n) => row(sheet, 140 + n * 14, [{ x: 340, align: 'left' }, { x: 545, align: 'right' }], [label, value], { size: 9 })); // prettier-ignore
    const columns = [{ x: 58 }, { x: 360, align: 'right' }, { x: 440, align: 'right' }, { x: 537, align: 'right' }] as const; // prettier-ignore
    let y = 250;
    sheet.box(50, y - 14, 495, 20, { fill: ink });
    row(sheet, y, columns, ['Description', 'Quantity', 'Unit price', 'Amount'], { bold: true, colour: '#ffffff', size: 9 }); // prettier-ignore
    const next = (cells: readonly string[], bold = false) => {
      y += 19;
      row(sheet, y, columns, cells, { bold });
      sheet.line(50, y + 6, 545, y + 6, { stroke: bold ? ink : '#d5d5d5', thickness: bold ? 1 : 0.5 });
    };
    y += 2;
    for (const { kind, units, rate, amount: paid } of pay.payments) {
      next([LABELS[kind], units === undefined ? '1' : units.toFixed(2), rate === undefined ? amount(paid) : money(rate, { pound }), amount(paid)]); // prettier-ignore
    }
    next(['Gross for the month', '', '', amount(pay.gross)], true);
    for (const line of pay.deductions) next([LABELS[line.kind], '', '', amount(-line.amount)]);
    y += 24;
    sheet.box(320, y - 4, 225, 28, { fill: '#eef1f3' });
    sheet.text(330, y + 14, 'Net payable', { bold: true, size: 12 });
    sheet.text(537, y + 14, money(pay.net, { pound: true }), { bold: true, size: 12, align: 'right' });
    y += 60;
    sheet.text(50, y, 'Year to date', { bold: true, colour: ink });
    const year: [string, number][] = [['Gross', pay.ytd.gross], ['Taxable', pay.ytd.taxable], ['PAYE', pay.ytd.tax], ['Employee NIC', pay.ytd.ni], ['Employer NIC', pay.ytd.employerNi], ['Pension', pay.ytd.pension]]; // prettier-ignore
    year.forEach(([label, value], n) => {
      sheet.box(50 + n * 83, y + 8, 80, 32, { stroke: '#cccccc', radius: 2 });
      sheet.text(56 + n * 83, y + 20, label, { size: 7.5, colour: '#666666' });
      sheet.text(56 + n * 83, y + 33, amount(value), { size: 9 });
    });
    const also = `Employer NIC this month ${money(pay.employerNi, { pound: true })}`;
    const pension = pay.pension === null ? '' : `, employer pension ${money(pay.employerPension, { pound: true })}`;
    sheet.text(50, y + 62, `${also}${pension}. These are paid on top of your salary.`, {
      size: 8.5,
      colour: '#666666',
    });
    return {
      pay_period: month,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
