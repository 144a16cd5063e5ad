import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay (NMW)', hours: 'Basic Pay (NMW)', overtime: 'Additional Hours', bonus: 'Discretionary Bonus', commission: 'Additional Taxable Wage', holiday: 'Holiday Pay (advanced)', sick: 'SSP', shift: 'Shift Premium', car: 'Mileage (taxed)', weighting: 'Location Uplift', arrears: 'Late Timesheet', sacrifice: 'Salary Sacrifice', tax: 'PAYE Tax', ni: "Employee's NI", pension: "Employee's Pension", avc: "Employee's AVC", 'student-loan': 'Student Loan', 'postgraduate-loan': 'Postgrad Loan', attachment: 'Attachment of Earnings Order' }); // prettier-ignore

export const waterfall: PayslipLayout = {
  name: 'waterfall',
  like: 'an umbrella company: company income, costs of employment, gross for tax, take-home pay',
  type: 'payslip',
  size: A4,
  fonts: ['roboto', 'lato', 'helvetica'],
  fontSize: 9.5,
  pay: { frequency: 'weekly', rows: 5, sector: 'private' },
  draw(sheet, pay, random) {
    const dark = random.pick(['#4a148c', '#0b3954', '#b23a48']);
    const pounds = (value: number) => money(value, { pound: true });
    const margin = random.pick([1500, 2000, 2250, 2500]);
    const levy = Math.round(pay.gross * 0.005);
    const employer = pay.pension === null ? 0 : pay.employerPension;
    const income = pay.gross + pay.employerNi + levy + employer + margin;
    const ending = date(pay.to, '31/10/2026');
    sheet.box(0, 0, 595.28, 74, { fill: dark });
    sheet.text(40, 38, pay.employer.name, { size: 16, bold: true, colour: '#ffffff' });
    sheet.text(40, 54, `${pay.employer.address.join(' | ')}  PAYE ref ${pay.employer.payeReference}`, { size: 8, colour: '#ffffff' }); // prettier-ignore
    sheet.text(555, 38, 'PAYSLIP', { size: 16, align: 'right', colour: '#ffffff' });
    const left: [string, string][] = [['Contractor', longName(pay)], ['Reference', pay.employee.number], ['NI number', niNumber(pay, true)], ['Tax code', pay.taxCode]]; // prettier-ignore
    const right: [string, string][] = [['Week ending', ending], ['Tax week', `${pay.period}`], ['Pay date', date(pay.payDate, '31/10/2026')], ['NI category', pay.niLetter]]; // prettier-ignore
    left.forEach(([label, value], n) => {
      sheet.text(40, 98 + n * 15, label, { colour: '#666666' });
      sheet.text(120, 98 + n * 15, value, { bold: true });
    });
    right.forEach(([label, value], n) => {
      sheet.text(360, 98 + n * 15, label, { colour: '#666666' });
      sheet.text(440, 98 + n * 15, value, { bold: true });
    });
    let y = 186;
    const title = (text: string) => {
      sheet.text(40, y, text, { bold: true, colour: dark, size: 10.5 });
      y += 18;
    };
    const line = (label: string, value: number, bold = false) => {
      if (bold) sheet.line(300, y - 11, 555, y - 11, { stroke: '#aaaaaa' });
      sheet.text(52, y, label, { bold });
      sheet.text(555, y, pounds(value), { bold, align: 'right' });
      y += 16;
    };
    title('Assignment income');
    line(`Invoice ${random.digits(6)} (agency timesheets)`, income);
    line('Company income', income, true);
    y += 6;
    title('Less employment costs');
    line('Company margin', -margin);
    line("Employer's National Insurance", -pay.employerNi);
    line('Apprenticeship Levy', -levy);
    if (employer > 0) line("Employer's pension", -employer);
    line('Gross pay for tax', pay.gross, true);
    y += 6;
    title('Made up of');
    for (const { kind, amount } of pay.payments) line(LABELS[kind], amount);
    line('Total gross pay', pay.gross, true);
    y += 6;
    title('Less deductions from pay');
    for (const { kind, amount } of pay.deductions) line(LABELS[kind], -amount);
    line('Total deductions', -pay.totalDeductions, true);
    y += 4;
    sheet.box(40, y - 2, 515, 28, { fill: dark, radius: 3 });
    sheet.text(52, y + 16, 'Take-home pay', { bold: true, size: 12, colour: '#ffffff' });
    sheet.text(547, y + 16, pounds(pay.net), { bold: true, size: 12, align: 'right', colour: '#ffffff' });
    y += 50;
    const year = [`Gross pay ${pounds(pay.ytd.gross)}`, `PAYE Tax ${pounds(pay.ytd.tax)}`, `Employee's NI ${pounds(pay.ytd.ni)}`, `Employer's NI ${pounds(pay.ytd.employerNi)}`]; // prettier-ignore
    sheet.text(40, y, `Year to date:  ${year.join('   ')}`, { size: 8, colour: '#555555' });
    return {
      pay_period: ending,
      pay_period_also: [`Week ending ${ending}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
