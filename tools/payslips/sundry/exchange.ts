import { insuranceOn, SCHEMES, taxOn } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { TWO_THIRDS } from '../sheet.ts';
import { date, money, shortName, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Basic Hours', sick: 'Company Sick Pay', car: 'Car Cash Allowance', sacrifice: 'Cycle Scheme', tax: 'PAYE Tax', ni: 'NIC', 'student-loan': 'Student Loan', 'postgraduate-loan': 'PG Student Loan', attachment: 'AEO' }); // prettier-ignore

export const exchange: PayslipLayout = {
  name: 'exchange',
  like: 'Staffology, BrightPay or Moorepay where the pension is paid by salary exchange',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['helvetica', 'inter', 'roboto'],
  fontSize: 9,
  pay: { sector: 'private', frequency: 'monthly', rows: 6, hourly: false },
  draw(sheet, pay, random) {
    const scheme = SCHEMES[pay.frequency];
    const given = pay.pension ?? 0;
    const gross = pay.gross - given;
    const tax = taxOn(gross, pay.taxCode, scheme);
    const ni = insuranceOn(gross, pay.niLetter, scheme);
    const others = pay.deductions.filter(({ kind }) => !['tax', 'ni', 'pension', 'avc'].includes(kind));
    const deducted = tax + ni + others.reduce((sum, { amount }) => sum + amount, 0);
    const net = gross - deducted;
    const title = random.pick(['Pension Salary Exchange', 'Pension Sal Sac', 'Salary Sacrifice Pension']);
    const blue = random.pick(['#dbe8f4', '#e6e6e6', '#e9f2e3']);
    const columns = [{ x: 36 }, { x: 286, align: 'right' }] as const;
    const other = [{ x: 310 }, { x: 559, align: 'right' }] as const;
    const month = `Month ${pay.period}`;
    sheet.box(28, 28, 539, 24, { fill: blue });
    sheet.text(36, 44, pay.employer.name, { bold: true, size: 11 });
    sheet.text(559, 44, `${month}    ${date(pay.payDate, '31/10/2026')}`, { align: 'right', size: 10 });
    sheet.text(36, 70, shortName(pay), { bold: true });
    sheet.text(36, 83, `Employee No. ${pay.employee.number}`);
    sheet.text(310, 70, `NI No. ${niNumber(pay, false)}   Table ${pay.niLetter}`);
    sheet.text(310, 83, `Tax Code ${pay.taxCode}   PAYE Ref ${pay.employer.payeReference}`);
    sheet.box(28, 96, 267, 250);
    sheet.box(300, 96, 267, 250);
    sheet.box(28, 96, 267, 18, { fill: blue, stroke: '#000000' });
    sheet.box(300, 96, 267, 18, { fill: blue, stroke: '#000000' });
    row(sheet, 108, columns, ['Payments', '£'], { bold: true });
    row(sheet, 108, other, ['Deductions', '£'], { bold: true });
    const payments: [string, number][] = pay.payments.map(({ kind, amount }) => [LABELS[kind], amount]);
    if (given > 0) payments.push([title, -given]);
    payments.forEach(([label, amount], n) => row(sheet, 130 + n * 15, columns, [label, money(amount)]));
    const deductions: [string, number][] = [[LABELS.tax, tax], [LABELS.ni, ni], ...others.map(({ kind, amount }) => [LABELS[kind], amount] satisfies [string, number])]; // prettier-ignore
    deductions.forEach(([label, amount], n) => row(sheet, 130 + n * 15, other, [label, money(amount)]));
    row(sheet, 340, columns, ['Total Payments', money(gross)], { bold: true });
    row(sheet, 340, other, ['Total Deductions', money(deducted)], { bold: true });
    sheet.box(28, 352, 539, 92);
    sheet.text(36, 366, 'This Period', { bold: true });
    sheet.text(200, 366, 'Year To Date', { bold: true });
    const former = pay.ytd.gross - pay.ytd.pension;
    const left: [string, number][] = [['Taxable Gross', gross], ['Employer NIC', Math.round(Math.max(0, gross - scheme.secondary * 100) * 0.15)], ['Employer Pension', given === 0 ? 0 : pay.employerPension + given]]; // prettier-ignore
    const year: [string, number][] = [['Taxable Gross TD', former], ['Tax Paid TD', pay.ytd.tax - pay.tax + tax], ['NIC Paid TD', pay.ytd.ni - pay.ni + ni]]; // prettier-ignore
    left.forEach(([label, value], n) => row(sheet, 384 + n * 16, [{ x: 36 }, { x: 186, align: 'right' }], [label, money(value)], { size: 8 })); // prettier-ignore
    year.forEach(([label, value], n) => row(sheet, 384 + n * 16, [{ x: 200 }, { x: 362, align: 'right' }], [label, money(value)], { size: 8 })); // prettier-ignore
    sheet.box(390, 362, 169, 72, { fill: blue });
    sheet.text(474, 384, 'Net Pay', { bold: true, size: 11, align: 'center' });
    sheet.text(474, 412, money(net, { pound: true }), { bold: true, size: 17, align: 'center' });
    sheet.text(36, 462, `Payment method: BACS   Account ****${pay.employee.account.slice(4)}`, { size: 8 });
    return {
      pay_period: month,
      pay_period_also: periodNames(pay),
      gross_pay: gross,
      tax_deducted: tax,
      ni_deducted: ni,
      pension_deducted: given > 0 ? given : null,
      net_pay: net,
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
