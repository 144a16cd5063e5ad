import type { P60Layout } from '../layout.ts';
import { row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { money } from '../words.ts';

export const p60Mailer: P60Layout = {
  name: 'p60-mailer',
  like: 'the P60 of a payroll bureau, folded into an envelope with a window',
  type: 'p60',
  size: A4,
  fonts: ['inconsolata', 'helvetica', 'courier'],
  fontSize: 9,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const comma = random.chance(0.5);
    const amount = (value: number) => money(value, { comma });
    const year = `YEAR TO 5 APRIL ${p60.endYear}`;
    sheet.text(50, 56, 'FROM', { size: 7 });
    sheet.lines(50, 70, 12, [pay.employer.name, ...pay.employer.address]);
    sheet.text(545, 60, 'P60', { size: 22, bold: true, align: 'right' });
    sheet.text(545, 78, 'END OF YEAR CERTIFICATE', { align: 'right' });
    sheet.text(545, 92, `TAX ${year}`, { bold: true, align: 'right' });
    sheet.text(50, 140, 'TO', { size: 7 });
    sheet.lines(50, 154, 12, [`${pay.employee.title} ${pay.employee.first} ${pay.employee.last}`, ...pay.employee.address]); // prettier-ignore
    const facts: [string, string][] = [['EMPLOYER PAYE REF', pay.employer.payeReference], ['NAT INSURANCE NO', pay.employee.niNumber], ['PAYROLL NUMBER', pay.employee.number], ['FINAL TAX CODE', pay.taxCode]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(330, 148 + n * 15, label, { size: 8 });
      sheet.text(545, 148 + n * 15, value, { bold: true, align: 'right' });
    });
    const [x, right, top] = [50, 545, 232];
    const columns = [{ x: x + 8 }, { x: 400, align: 'right' }, { x: 537, align: 'right' }] as const;
    sheet.box(x, top, right - x, 86);
    for (const at of [268, 407]) sheet.line(at, top, at, top + 86);
    for (const at of [22, 43, 64]) sheet.line(x, top + at, right, top + at, { thickness: 0.4 });
    row(sheet, top + 15, columns, ['PAY AND INCOME TAX', 'PAY £', 'TAX DEDUCTED £'], { bold: true });
    const previous = p60.previous ? [amount(p60.previous.pay), amount(p60.previous.tax)] : ['', ''];
    row(sheet, top + 36, columns, ['IN PREVIOUS EMPLOYMENT(S)', ...previous]);
    row(sheet, top + 57, columns, ['IN THIS EMPLOYMENT', amount(p60.thisPay), amount(p60.thisTax)], { bold: true });
    row(sheet, top + 78, columns, ['TOTAL FOR YEAR', amount(p60.thisPay + (p60.previous?.pay ?? 0)), amount(p60.thisTax + (p60.previous?.tax ?? 0))]); // prettier-ignore
    const lower = 340;
    const [atLimit, toPrimary, toUpper] = p60.niEarnings;
    const insurance: [string, string][] = [['NIC TABLE LETTER', pay.niLetter], ['EARNINGS AT THE LOWER EARNINGS LIMIT', `${atLimit}`], ['EARNINGS ABOVE THE LEL, UP TO THE PRIMARY THRESHOLD', `${toPrimary}`], ['EARNINGS ABOVE THE PT, UP TO THE UPPER EARNINGS LIMIT', `${toUpper}`], ["EMPLOYEE'S CONTRIBUTIONS DUE ON ALL EARNINGS ABOVE THE PT", amount(p60.ni)]]; // prettier-ignore
    sheet.box(x, lower, right - x, 22 + insurance.length * 18);
    sheet.line(x, lower + 22, right, lower + 22, { thickness: 0.4 });
    sheet.text(x + 8, lower + 15, 'NATIONAL INSURANCE CONTRIBUTIONS IN THIS EMPLOYMENT', { bold: true });
    sheet.text(537, lower + 15, '£', { bold: true, align: 'right' });
    insurance.forEach(([label, value], n) => row(sheet, lower + 35 + n * 18, [{ x: x + 8 }, { x: 537, align: 'right' }], [label, value])); // prettier-ignore
    const others: [string, string][] = [['STATUTORY MATERNITY, PATERNITY AND ADOPTION PAY', '0.00'], ['STUDENT LOAN DEDUCTIONS (WHOLE POUNDS)', p60.studentLoan === null ? '0' : `${p60.studentLoan / 100}`]]; // prettier-ignore
    sheet.box(x, 470, right - x, 16 + others.length * 18);
    others.forEach(([label, value], n) => row(sheet, 487 + n * 18, [{ x: x + 8 }, { x: 537, align: 'right' }], [label, value])); // prettier-ignore
    sheet.lines(50, 548, 13, ['PLEASE KEEP THIS CERTIFICATE IN A SAFE PLACE AS YOU WILL NOT BE ABLE TO GET A DUPLICATE.', 'BY LAW YOU ARE REQUIRED TO TELL HM REVENUE & CUSTOMS ABOUT ANY INCOME NOT FULLY TAXED.'], { size: 7.5 }); // prettier-ignore
    sheet.line(50, 600, 545, 600, { dash: 3, stroke: '#888888' });
    sheet.text(297, 612, 'FOLD HERE', { size: 6.5, align: 'center', colour: '#888888' });
    return {
      pay_period: `TAX ${year}`,
      pay_period_also: [`Tax year to 5 April ${p60.endYear}`, year, `5 APRIL ${p60.endYear}`, `5 April ${p60.endYear}`, `TO 5 APRIL ${p60.endYear}`, `to 5 April ${p60.endYear}`, pay.taxYear], // prettier-ignore
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
