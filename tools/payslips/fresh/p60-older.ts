import type { P60Layout } from '../layout.ts';
import { cell } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { poundsAndPence } from '../words.ts';

export const p60Older: P60Layout = {
  name: 'p60-older',
  like: 'P60 (Substitute) of the years with an upper accruals point, landscape',
  type: 'p60',
  size: A4_LANDSCAPE,
  fonts: ['times', 'courier', 'helvetica'],
  fontSize: 9,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const form = { font: 'helvetica', size: 7 } as const;
    const label = { label: { ...form, size: 6.5 } };
    sheet.text(36, 44, 'P60 End of Year Certificate', { size: 16, bold: true, font: 'helvetica' });
    sheet.text(806, 44, `Tax Year to 5 April ${p60.endYear}`, {
      size: 12,
      bold: true,
      font: 'helvetica',
      align: 'right',
    });
    sheet.text(36, 58, 'To the employee: please keep this certificate in a safe place as you will need it if you have to fill in a tax return.', form); // prettier-ignore
    cell(sheet, [36, 66, 250, 28], "Employee's surname", pay.employee.last.toUpperCase(), label);
    cell(sheet, [286, 66, 190, 28], 'Forenames or initials', pay.employee.first.toUpperCase(), label);
    cell(sheet, [476, 66, 170, 28], 'National Insurance number', pay.employee.niNumber, label);
    cell(sheet, [646, 66, 160, 28], 'Works/payroll number', pay.employee.number, label);
    const split = (right: number, y: number, pence: number) => {
      const [pounds, rest] = poundsAndPence(pence);
      sheet.text(right - 24, y, pounds, { align: 'right' });
      sheet.text(right - 6, y, rest, { align: 'right' });
    };
    const ruled = (x: number, y: number, width: number, height: number) => {
      sheet.box(x, y, width, height);
      sheet.line(x + width - 22, y, x + width - 22, y + height);
    };
    const previous = p60.previous ?? { pay: 0, tax: 0 };
    const money: [string, string, number, number][] = [
      ['Previous employment(s)', '(if shown on P45)', previous.pay, previous.tax],
      ['This employment', '(figures to be used for a tax return)', p60.thisPay, p60.thisTax],
      ['Total for year', '', p60.thisPay + previous.pay, p60.thisTax + previous.tax],
    ];
    money.forEach(([title, note, amount, tax], n) => {
      const x = 36 + n * 222;
      sheet.text(x + 4, 112, title, { ...form, size: 8.5, bold: true });
      sheet.text(x + 4, 121, note, { ...form, size: 6 });
      ['Pay', 'Tax deducted'].forEach((head, c) => {
        sheet.text(x + 4 + c * 108, 132, head, form);
        sheet.text(x + 96 + c * 108, 132, '£     p', { ...form, align: 'right' });
        ruled(x + c * 108, 136, 102, 20);
        if (n !== 0 || p60.previous) split(x + c * 108 + 102, 150, c === 0 ? amount : tax);
      });
    });
    cell(sheet, [702, 136, 104, 28], 'Final tax code', pay.taxCode, label);
    sheet.text(36, 186, 'National Insurance contributions in this employment', { ...form, size: 9, bold: true });
    const heads = [['NIC', 'Table', 'letter', ''], ['Earnings at the Lower', 'Earnings Limit (LEL)', '(whole £s only)', '1a'], ['Earnings above the LEL,', 'up to the Primary', 'Threshold (PT)', '1b'], ['Earnings above the PT,', 'up to the Upper', 'Accrual Point (UAP)', '1c'], ['Earnings above the UAP,', 'up to the Upper', 'Earnings Limit (UEL)', '1d'], ["Employee's contributions", 'payable on all earnings', 'above the PT   £  p', '1e']]; // prettier-ignore
    const widths = [50, 138, 138, 138, 138, 168];
    const other = random.pick(['D', 'J', 'M', 'H'].filter((letter) => letter !== pay.niLetter));
    const share = random.between(0.3, 0.8);
    const first = Math.round(p60.ni * share);
    const part = (value: number, n: number) =>
      n === 0 ? Math.floor(value * share) : value - Math.floor(value * share);
    const upper = Math.floor(p60.niEarnings[2] * 0.8);
    const earnings = [p60.niEarnings[0], p60.niEarnings[1], upper, p60.niEarnings[2] - upper];
    const letters = [pay.niLetter, other];
    let x = 36;
    widths.forEach((width, c) => {
      sheet.box(x, 192, width, 46);
      sheet.lines(x + 4, 201, 9, heads[c]!.slice(0, 3), { ...form, size: 6.5 });
      sheet.text(x + width / 2, 234, heads[c]![3]!, { ...form, bold: true, align: 'center' });
      for (let n = 0; n < 4; n++) {
        const y = 238 + n * 18;
        if (c === 5) ruled(x, y, width, 18);
        else sheet.box(x, y, width, 18);
        const letter = letters[n];
        if (letter === undefined) continue;
        if (c === 0) sheet.text(x + width / 2, y + 13, letter, { align: 'center' });
        else if (c === 5) split(x + width, y + 13, n === 0 ? first : p60.ni - first);
        else sheet.text(x + width - 8, y + 13, `${part(earnings[c - 1]!, n)}`, { align: 'right' });
      }
      x += width;
    });
    ['Statutory Maternity Pay included in the pay above', 'Statutory Paternity Pay included in the pay above', 'Statutory Adoption Pay included in the pay above'].forEach((title, n) => cell(sheet, [36 + n * 195, 322, 190, 28], title, '', label)); // prettier-ignore
    cell(sheet, [621, 322, 185, 28], 'Student Loan deductions (whole £s only)', p60.studentLoan === null ? '' : `${p60.studentLoan / 100}`, label); // prettier-ignore
    sheet.box(36, 362, 380, 84);
    sheet.text(40, 371, "Employer's full name and address (including postcode)", { ...form, size: 6.5 });
    sheet.lines(44, 386, 12, [pay.employer.name, ...pay.employer.address]);
    cell(sheet, [426, 362, 190, 28], 'Employer PAYE reference', pay.employer.payeReference, label);
    sheet.box(426, 400, 380, 84);
    sheet.text(430, 409, "Employee's private address", { ...form, size: 6.5 });
    sheet.lines(434, 424, 12, [`${pay.employee.title} ${pay.employee.first} ${pay.employee.last}`, ...pay.employee.address]); // prettier-ignore
    sheet.text(36, 520, 'Certificate by employer/paying office: this form shows your total pay for Income Tax purposes in this employment for the year.', form); // prettier-ignore
    return {
      pay_period: `Tax Year to 5 April ${p60.endYear}`,
      pay_period_also: [`5 April ${p60.endYear}`, `Year to 5 April ${p60.endYear}`, `to 5 April ${p60.endYear}`, pay.taxYear],
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    }; // prettier-ignore
  },
};
