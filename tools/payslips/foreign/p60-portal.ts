import type { P60Layout } from '../layout.ts';
import { cell } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { money } from '../words.ts';

export const p60Portal: P60Layout = {
  name: 'p60-portal',
  like: 'the P60 of an app for employees, printed',
  type: 'p60',
  size: A4,
  fonts: ['lato', 'inter', 'roboto'],
  fontSize: 10,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const accent = random.pick(['#0f4c81', '#3f6212', '#4c1d95']);
    const pounds = (value: number) => money(value, { pound: true });
    const year = `Tax year to 5 April ${p60.endYear}`;
    const style = { label: { size: 7, colour: '#666666' }, value: { size: 10, bold: true }, border: '#dddddd' };
    const cards = (y: number, list: readonly (readonly [string, string])[]) => {
      const width = 495 / list.length;
      list.forEach(([label, value], n) => cell(sheet, [50 + n * width, y, width - 6, 34], label, value, style));
    };
    const title = (y: number, text: string) => sheet.text(50, y, text, { size: 11, bold: true, colour: accent });
    sheet.box(0, 0, 595.28, 70, { fill: accent });
    sheet.text(50, 34, 'P60', { size: 20, bold: true, colour: '#ffffff' });
    sheet.text(50, 54, 'End of Year Certificate', { colour: '#ffffff' });
    sheet.text(545, 42, year, { size: 12, colour: '#ffffff', align: 'right' });
    title(98, 'You');
    cards(106, [['Surname', pay.employee.last], ['First name', pay.employee.first], ['National Insurance number', pay.employee.niNumber], ['Payroll number', pay.employee.number]]); // prettier-ignore
    title(166, 'Your pay and tax');
    let y = 174;
    if (p60.previous) {
      cards(y, [['Pay in previous employment(s)', pounds(p60.previous.pay)], ['Tax in previous employment(s)', pounds(p60.previous.tax)], ['', '']]); // prettier-ignore
      y += 42;
    }
    cards(y, [['Pay in this employment', pounds(p60.thisPay)], ['Tax in this employment', pounds(p60.thisTax)], ['Final tax code', pay.taxCode]]); // prettier-ignore
    y += 42;
    cards(y, [['Total pay for year', pounds(p60.thisPay + (p60.previous?.pay ?? 0))], ['Total tax for year', pounds(p60.thisTax + (p60.previous?.tax ?? 0))], ['', '']]); // prettier-ignore
    y += 62;
    title(y, 'National Insurance contributions in this employment');
    cards(y + 8, [['Letter', pay.niLetter], ['At LEL', `£${p60.niEarnings[0]}`], ['LEL to PT', `£${p60.niEarnings[1]}`], ['PT to UEL', `£${p60.niEarnings[2]}`], ['You paid', pounds(p60.ni)]]); // prettier-ignore
    y += 68;
    title(y, 'Other');
    cards(y + 8, [['Student loan deductions', p60.studentLoan === null ? '£0' : `£${p60.studentLoan / 100}`], ['Statutory pay included above', '£0.00']]); // prettier-ignore
    y += 68;
    title(y, 'Your employer');
    cards(y + 8, [['Employer name', pay.employer.name]]);
    cards(y + 48, [
      ['Address', pay.employer.address.join(', ')],
      ['PAYE reference', pay.employer.payeReference],
    ]);
    sheet.lines(50, 760, 11, ['Please keep this certificate in a safe place: you will need it to fill in a tax return or to claim tax credits.', 'The figures are those given to HM Revenue & Customs.'], { size: 8, colour: '#666666' }); // prettier-ignore
    return {
      pay_period: year,
      pay_period_also: [`Tax Year to 5 April ${p60.endYear}`, `5 April ${p60.endYear}`, `Year to 5 April ${p60.endYear}`, `to 5 April ${p60.endYear}`, pay.taxYear],
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    }; // prettier-ignore
  },
};
