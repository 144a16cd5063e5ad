import type { P60Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { money } from '../words.ts';

export const p60Bureau: P60Layout = {
  name: 'p60-bureau',
  like: 'the P60 of an accountant who runs a payroll bureau, on letter paper',
  type: 'p60',
  size: A4,
  fonts: ['times', 'source-serif', 'helvetica'],
  fontSize: 10,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const pound = random.chance(0.5);
    const amount = (value: number) => money(value, { pound });
    const heading = `Tax year to 5 April ${p60.endYear}`;
    sheet.text(297, 66, 'End of Year Certificate (P60)', { size: 15, bold: true, align: 'center' });
    sheet.text(297, 84, heading, { size: 11, align: 'center' });
    sheet.line(60, 96, 535, 96, { thickness: 1.2 });
    let y = 122;
    const title = (text: string) => {
      y += 8;
      sheet.text(60, y, text, { bold: true, size: 10.5 });
      y += 19;
    };
    const entry = (label: string, value: string, bold = false) => {
      const from = 72 + sheet.widthOf(label, { bold }) + 4;
      const to = 535 - sheet.widthOf(value, { bold }) - 4;
      sheet.text(72, y, label, { bold });
      sheet.text(535, y, value, { bold, align: 'right' });
      if (to > from) sheet.line(from, y - 1, to, y - 1, { dash: 1.5, thickness: 0.5, stroke: '#888888' });
      y += 17;
    };
    title("Employee's details");
    entry('Surname', pay.employee.last);
    entry('Forenames or initials', pay.employee.first);
    entry('National Insurance number', pay.employee.niNumber);
    entry('Works/payroll number', pay.employee.number);
    title('National Insurance contributions in this employment');
    entry('NIC table letter', pay.niLetter);
    entry('Earnings at the Lower Earnings Limit (whole £s only)', `${p60.niEarnings[0]}`);
    entry('Earnings above the LEL, up to and including the Primary Threshold', `${p60.niEarnings[1]}`);
    entry('Earnings above the PT, up to and including the Upper Earnings Limit', `${p60.niEarnings[2]}`);
    entry("Employee's contributions due on all earnings above the PT", amount(p60.ni));
    title('Pay and Income Tax details');
    if (p60.previous) {
      entry('Pay in previous employment(s)', amount(p60.previous.pay));
      entry('Tax deducted in previous employment(s)', amount(p60.previous.tax));
    }
    entry('Pay in this employment', amount(p60.thisPay), true);
    entry('Tax deducted in this employment', amount(p60.thisTax), true);
    entry('Total for year: pay', amount(p60.thisPay + (p60.previous?.pay ?? 0)));
    entry('Total for year: tax deducted', amount(p60.thisTax + (p60.previous?.tax ?? 0)));
    entry('Final tax code', pay.taxCode);
    title('Other details');
    entry('Student Loan deductions in this employment', p60.studentLoan === null ? 'None' : `${p60.studentLoan / 100}`);
    entry('Statutory payments included in the pay above', 'None');
    title("Employer's details");
    entry("Employer's name", pay.employer.name);
    entry("Employer's address", pay.employer.address.join(', '));
    entry('Employer PAYE reference', pay.employer.payeReference);
    sheet.line(60, y + 2, 535, y + 2, { thickness: 1.2 });
    sheet.lines(60, y + 18, 11, ['To the employee: please keep this certificate in a safe place as you will need it if you have to fill in a tax return.', 'By law you are required to tell HM Revenue & Customs about any income that is not fully taxed, even if you are', 'not sent a tax return.'], { size: 8 }); // prettier-ignore
    return {
      pay_period: heading,
      pay_period_also: [`Tax Year to 5 April ${p60.endYear}`, `5 April ${p60.endYear}`, `Year to 5 April ${p60.endYear}`, `to 5 April ${p60.endYear}`, pay.taxYear],
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    }; // prettier-ignore
  },
};
