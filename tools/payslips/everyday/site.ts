import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, money, rate, shortName, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Basic Hours', overtime: 'Time & Half', bonus: 'Price Work', commission: 'Tool Money', holiday: 'Holiday Pay', sick: 'S.S.P.', shift: 'Abnormal Cond.', car: 'Fares/Travel', weighting: 'Lodge', arrears: 'Back Pay', tax: 'P.A.Y.E.', ni: 'N.I. (EES)', pension: "People's Pension", avc: "People's Pens AVC", 'student-loan': 'Student Ln', 'postgraduate-loan': 'P/Grad Ln', union: 'UCATT/Unite', charity: 'Lighthouse Club', ticket: 'Tool Loan', advance: 'Sub', attachment: 'Court Order', healthcare: 'Healthcare' }); // prettier-ignore

export const site: PayslipLayout = {
  name: 'site',
  like: 'the weekly payslip of a building contractor, Evolution M / COINS',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['courier', 'helvetica', 'archivo-narrow'],
  fontSize: 8,
  pay: { sector: 'private', frequency: 'weekly', rows: 9, refunds: 0.15 },
  draw(sheet, pay, random) {
    const comma = random.chance(0.5);
    const amount = (value: number) => money(value, { comma });
    const taken = (value: number) => money(-value, { comma, negative: 'brackets' });
    const ending = date(pay.to, '31/10/26');
    sheet.text(25, 34, pay.employer.name.toUpperCase(), { size: 10, bold: true });
    sheet.text(570, 34, 'PAYSLIP', { size: 10, bold: true, align: 'right' });
    sheet.box(25, 44, 545, 36);
    const facts: [number, string, string][] = [[31, 'Operative', shortName(pay)], [165, 'Works No', pay.employee.number], [240, 'W/E', ending], [305, 'Tax Wk', `${pay.period}`], [350, 'Tax Code', pay.taxCode], [415, 'NI No', niNumber(pay, false)], [500, 'NI', pay.niLetter], [525, 'Site', `${random.int(1000, 9999)}`]]; // prettier-ignore
    for (const [x, label, value] of facts) {
      sheet.text(x, 56, label, { size: 7 });
      sheet.text(x, 71, value, { bold: true });
    }
    const head = (x: number, width: number, title: string) => {
      sheet.box(x, 88, width, 228);
      sheet.line(x, 102, x + width, 102);
      sheet.text(x + width / 2, 98, title, { bold: true, align: 'center' });
    };
    head(25, 222, 'PAY');
    head(255, 160, 'DEDUCTIONS');
    head(423, 147, 'YEAR TO DATE');
    const left = [{ x: 30 }, { x: 148, align: 'right' }, { x: 188, align: 'right' }, { x: 242, align: 'right' }] as const; // prettier-ignore
    const middle = [{ x: 260 }, { x: 410, align: 'right' }] as const;
    const right = [{ x: 428 }, { x: 565, align: 'right' }] as const;
    pay.payments.forEach((line, n) => row(sheet, 116 + n * 13, left, [LABELS[line.kind], units(line), rate(line, 2), amount(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 116 + n * 13, middle, [LABELS[line.kind], taken(line.amount)]));
    sheet.line(25, 300, 247, 300);
    row(sheet, 311, left, ['Gross', '', '', amount(pay.gross)], { bold: true });
    sheet.line(255, 300, 415, 300);
    row(sheet, 311, middle, ['Total Deds', taken(pay.totalDeductions)], { bold: true });
    row(sheet, 270, middle, ['E/R N.I.', amount(pay.employerNi)], { size: 7 });
    if (pay.pension !== null) row(sheet, 281, middle, ["E/R People's Pension", amount(pay.employerPension)], { size: 7 }); // prettier-ignore
    sheet.line(255, 260, 415, 260, { dash: 2 });
    const year: [string, number][] = [['Gross', pay.ytd.gross], ['Taxable', pay.ytd.taxable], ['P.A.Y.E.', pay.ytd.tax], ['N.I. (EES)', pay.ytd.ni], ['N.I. (ERS)', pay.ytd.employerNi], ['Pension', pay.ytd.pension]]; // prettier-ignore
    year.forEach(([label, value], n) => row(sheet, 116 + n * 15, right, [label, amount(value)]));
    sheet.box(423, 326, 147, 34, { thickness: 1.5 });
    sheet.text(430, 347, 'NET', { size: 10, bold: true });
    sheet.text(563, 348, money(pay.net, { comma, pound: true }), { size: 12, bold: true, align: 'right' });
    sheet.lines(25, 338, 12, [`Paid ${date(pay.payDate, '31/10/26')} by BACS`, `PAYE Ref ${pay.employer.payeReference}`]); // prettier-ignore
    return {
      employer_name: pay.employer.name.toUpperCase(),
      pay_period: ending,
      pay_period_also: [`W/E ${ending}`, ...periodNames(pay), `Tax Wk ${pay.period}`, `Wk ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
