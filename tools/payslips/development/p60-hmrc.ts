import type { P60Layout } from '../layout.ts';
import { cell } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { money, poundsAndPence } from '../words.ts';

export const p60Hmrc: P60Layout = {
  name: 'p60-hmrc',
  like: 'P60 (Single sheet) of HMRC',
  type: 'p60',
  size: A4,
  fonts: ['helvetica', 'roboto'],
  fontSize: 8.5,
  draw(sheet, p60) {
    const { pay } = p60;
    const green = '#4d8076';
    const label = { size: 7 };
    sheet.text(36, 48, 'P60 End of Year Certificate', { size: 15, bold: true });
    sheet.box(330, 32, 229, 26, { stroke: green });
    sheet.text(338, 49, `Tax year to 5 April ${p60.endYear}`, { size: 11, bold: true });
    sheet.lines(36, 64, 9, ['This is a printed copy of the certificate. Please keep it in a safe place as you will not be able to get a duplicate.', 'You also need this certificate to claim back tax or National Insurance contributions or to apply for tax credits.'], { size: 6.5 }); // prettier-ignore
    sheet.box(36, 82, 523, 14, { fill: green });
    sheet.text(42, 92, "Employee's details", { bold: true, colour: '#ffffff' });
    cell(sheet, [36, 100, 250, 28], 'Surname', pay.employee.last, { label });
    cell(sheet, [292, 100, 267, 28], 'Forenames or initials', `${pay.employee.first} ${pay.employee.middle}`.trim(), {
      label,
    });
    cell(sheet, [36, 132, 250, 28], 'National Insurance number', pay.employee.niNumber, { label });
    cell(sheet, [292, 132, 267, 28], 'Works/payroll number', pay.employee.number, { label });
    sheet.box(36, 170, 523, 14, { fill: green });
    sheet.text(42, 180, 'Pay and Income Tax details', { bold: true, colour: '#ffffff' });
    const split = (x: number, y: number, pence: number | null) => {
      sheet.box(x, y, 90, 17);
      sheet.line(x + 62, y, x + 62, y + 17);
      if (pence === null) return;
      const [pounds, rest] = poundsAndPence(pence);
      sheet.text(x + 58, y + 12, pounds, { align: 'right' });
      sheet.text(x + 76, y + 12, rest, { align: 'center' });
    };
    sheet.text(240, 196, 'Pay', { align: 'center', bold: true });
    sheet.text(390, 196, 'Tax deducted', { align: 'center', bold: true });
    for (const x of [252, 402]) row2(x);
    function row2(x: number): void {
      sheet.text(x - 2, 206, '£', { align: 'right', size: 7 });
      sheet.text(x + 14, 206, 'p', { size: 7 });
    }
    const rows: [string, number | null, number | null][] = [
      ['In previous employment(s)', p60.previous?.pay ?? null, p60.previous?.tax ?? null],
      ['In this employment *', p60.thisPay, p60.thisTax],
      ['Total for year', p60.thisPay + (p60.previous?.pay ?? 0), p60.thisTax + (p60.previous?.tax ?? 0)],
    ];
    rows.forEach(([name, amount, tax], n) => {
      const y = 210 + n * 21;
      sheet.text(42, y + 12, name, { bold: n === 1 });
      split(195, y, amount);
      split(345, y, tax);
    });
    cell(sheet, [455, 231, 104, 28], 'Final tax code', pay.taxCode, { label });
    sheet.text(42, 284, '* Figures shown here should be used for your tax return, if you get one', { size: 6.5 });
    sheet.box(36, 294, 523, 14, { fill: green });
    sheet.text(42, 304, 'National Insurance contributions in this employment', { bold: true, colour: '#ffffff' });
    const heads = [['NIC', 'letter'], ['Earnings at the Lower', 'Earnings Limit (LEL)', '£'], ['Earnings above the LEL,', 'up to and including the', 'Primary Threshold (PT) £'], ['Earnings above the PT,', 'up to and including the Upper', 'Earnings Limit (UEL) £'], ["Employee's contributions", 'due on all earnings', 'above the PT £ p']]; // prettier-ignore
    const widths = [50, 110, 118, 125, 120];
    let x = 36;
    const values = [pay.niLetter, ...p60.niEarnings.map(String), ''];
    heads.forEach((lines, n) => {
      sheet.box(x, 312, widths[n]!, 34);
      sheet.lines(x + 4, 321, 9, lines, { size: 7 });
      sheet.box(x, 346, widths[n]!, 18);
      if (n < 4) sheet.text(x + widths[n]! / 2, 359, values[n]!, { align: 'center' });
      x += widths[n]!;
    });
    sheet.text(551, 359, money(p60.ni, { comma: false }), { align: 'right' });
    sheet.box(36, 376, 523, 14, { fill: green });
    sheet.text(42, 386, 'Statutory payments and other details', { bold: true, colour: '#ffffff' });
    cell(sheet, [36, 394, 170, 28], 'Statutory Maternity Pay £ p', '', { label });
    cell(sheet, [212, 394, 170, 28], 'Statutory Adoption Pay £ p', '', { label });
    cell(sheet, [388, 394, 171, 28], 'Student Loan deductions in this employment £', p60.studentLoan === null ? '' : String(p60.studentLoan / 100), { label: { size: 6.5 } }); // prettier-ignore
    sheet.box(36, 434, 523, 110, { stroke: green });
    sheet.text(42, 446, 'To the employee:', { bold: true });
    sheet.lines(42, 458, 9, ['Please keep this certificate in a safe place as you will need it if you have to fill in a tax return.', 'By law you are required to tell HM Revenue & Customs about any income that is not fully taxed, even if you are not sent', 'a tax return. National Insurance contributions in this employment count towards certain state benefits.'], { size: 7 }); // prettier-ignore
    sheet.lines(42, 496, 12, [
      `${pay.employee.title} ${pay.employee.first} ${pay.employee.last}`,
      ...pay.employee.address,
    ]);
    sheet.box(36, 556, 523, 74, { stroke: green });
    sheet.text(42, 567, "Employer's full name and address (including postcode)", { size: 7 });
    sheet.lines(42, 581, 12, [pay.employer.name, ...pay.employer.address]);
    cell(sheet, [400, 572, 150, 28], 'Employer PAYE reference', pay.employer.payeReference, { label });
    sheet.text(36, 650, 'Certificate by Employer/Paying Office: This form shows your total pay for Income Tax purposes in this employment for the year.', { size: 6.5 }); // prettier-ignore
    sheet.text(36, 662, `P60(Single sheet)(${p60.endYear - 1}-${String(p60.endYear % 100)})   Do not destroy   HMRC 12/${p60.endYear % 100}`, { size: 7 }); // prettier-ignore
    return {
      pay_period: `Tax year to 5 April ${p60.endYear}`,
      pay_period_also: [`5 April ${p60.endYear}`, `Year to 5 April ${p60.endYear}`, `to 5 April ${p60.endYear}`, pay.taxYear],
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    }; // prettier-ignore
  },
};
