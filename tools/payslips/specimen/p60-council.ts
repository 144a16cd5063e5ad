import type { P60Layout } from '../layout.ts';
import { row } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { money } from '../words.ts';

export const p60Council: P60Layout = {
  name: 'p60-council',
  like: 'the P60 that Zellis or MHR prints for a large employer, landscape',
  type: 'p60',
  size: A4_LANDSCAPE,
  fonts: ['courier', 'inconsolata', 'archivo-narrow'],
  fontSize: 10,
  draw(sheet, p60) {
    const { pay } = p60;
    const amount = (pence: number) => money(pence, { comma: false });
    const year = `YEAR TO 5 APRIL ${p60.endYear}`;
    sheet.text(40, 50, 'P60', { size: 24, bold: true });
    sheet.text(110, 50, 'END OF YEAR CERTIFICATE', { size: 13, bold: true });
    sheet.text(800, 50, year, { size: 13, bold: true, align: 'right' });
    sheet.line(40, 62, 800, 62, { thickness: 1.5 });
    sheet.text(40, 84, 'EMPLOYER', { size: 8 });
    sheet.lines(40, 98, 13, [pay.employer.name, ...pay.employer.address]);
    sheet.text(40, 156, `PAYE REFERENCE  ${pay.employer.payeReference}`);
    sheet.text(430, 84, 'EMPLOYEE', { size: 8 });
    sheet.lines(430, 98, 13, [`${pay.employee.last.toUpperCase()}, ${pay.employee.first}`, `NI NUMBER  ${pay.employee.niNumber}`, `PAYROLL NUMBER  ${pay.employee.number}`, `FINAL TAX CODE  ${pay.taxCode}`]); // prettier-ignore
    sheet.line(40, 172, 800, 172);
    sheet.text(40, 194, 'PAY AND INCOME TAX', { bold: true });
    const columns = [{ x: 60 }, { x: 300, align: 'right' }, { x: 400, align: 'right' }] as const;
    row(sheet, 214, columns, ['', 'PAY', 'TAX']);
    const { previous } = p60;
    row(sheet, 232, columns, ['TOTAL FOR THE YEAR', amount(p60.thisPay + (previous?.pay ?? 0)), amount(p60.thisTax + (previous?.tax ?? 0))]); // prettier-ignore
    row(sheet, 250, columns, ['PREVIOUS EMPLOYMENT', amount(previous?.pay ?? 0), amount(previous?.tax ?? 0)]);
    row(sheet, 268, columns, ['THIS EMPLOYMENT', amount(p60.thisPay), amount(p60.thisTax)], { bold: true });
    sheet.text(430, 194, 'NATIONAL INSURANCE IN THIS EMPLOYMENT', { bold: true });
    const list: [string, string][] = [['TABLE LETTER', pay.niLetter], ['EARNINGS AT LEL', `${p60.niEarnings[0]}`], ['LEL TO PT', `${p60.niEarnings[1]}`], ['PT TO UEL', `${p60.niEarnings[2]}`], ["EMPLOYEE'S CONTRIBUTIONS", amount(p60.ni)]]; // prettier-ignore
    list.forEach(([label, value], n) => row(sheet, 214 + n * 18, [{ x: 450 }, { x: 780, align: 'right' }], [label, value], { bold: n === 4 })); // prettier-ignore
    sheet.line(40, 302, 800, 302);
    sheet.text(40, 322, 'OTHER DETAILS', { bold: true });
    row(sheet, 342, [{ x: 60 }, { x: 400, align: 'right' }], ['STUDENT LOAN DEDUCTIONS', p60.studentLoan === null ? '0' : `${p60.studentLoan / 100}`]); // prettier-ignore
    row(sheet, 360, [{ x: 60 }, { x: 400, align: 'right' }], ['STATUTORY PAYMENTS INCLUDED ABOVE', '0.00']);
    sheet.lines(40, 400, 14, ['TO THE EMPLOYEE: KEEP THIS CERTIFICATE IN A SAFE PLACE. YOU CANNOT GET A DUPLICATE.', 'YOU WILL NEED IT IF YOU HAVE TO FILL IN A TAX RETURN.'], { size: 8.5 }); // prettier-ignore
    return {
      pay_period: year,
      pay_period_also: [`5 APRIL ${p60.endYear}`, `TO 5 APRIL ${p60.endYear}`, `Tax year to 5 April ${p60.endYear}`, pay.taxYear], // prettier-ignore
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
