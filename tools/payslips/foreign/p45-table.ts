import { lastEntryNames, leaverTruth } from '../certificates.ts';
import type { P45Layout } from '../layout.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, money } from '../words.ts';

export const p45Table: P45Layout = {
  name: 'p45-table',
  like: 'P45 Part 1A of payroll software, landscape',
  type: 'p45',
  size: A4_LANDSCAPE,
  fonts: ['helvetica', 'archivo-narrow', 'source-serif'],
  fontSize: 9.5,
  draw(sheet, p45) {
    const { pay } = p45;
    const emergency = pay.taxCode.includes(' ');
    const word = pay.frequency === 'monthly' ? 'Month' : 'Week';
    const leaving = date(p45.leaving, '31/10/2026');
    const amount = (value: number | undefined) => (value === undefined ? '' : `£ ${money(value, { comma: false })}`);
    sheet.text(40, 50, 'P45 Part 1A', { size: 16, bold: true });
    sheet.text(140, 50, 'Details of employee leaving work - copy for employee', { size: 11 });
    sheet.line(40, 58, 802, 58, { thickness: 1.5 });
    const entry = (x: number, y: number, number: string, label: string, value: string, height = 34) => {
      sheet.box(x, y, 22, height, { fill: '#e5e5e5', stroke: '#888888' });
      sheet.box(x + 22, y, 348, height, { stroke: '#888888' });
      sheet.text(x + 11, y + 13, number, { size: 8, align: 'center' });
      sheet.text(x + 28, y + 12, label, { size: 7.5, colour: '#444444' });
      sheet.text(x + 28, y + 27, value, { bold: true });
    };
    const down = (x: number, list: readonly (readonly [string, string, string])[]) =>
      list.forEach(([number, label, value], n) => entry(x, 72 + n * 38, number, label, value));
    down(40, [
      ['1', 'Employer PAYE reference', pay.employer.payeReference],
      ['2', "Employee's National Insurance number", pay.employee.niNumber],
      ['3', 'Title, surname and first name(s)', `${pay.employee.title} ${pay.employee.last}, ${pay.employee.first}`],
      ['4', 'Leaving date', leaving],
      ['9', 'Works number / payroll number', pay.employee.number],
      ['11', 'Date of birth', date(p45.born, '31/10/2026')],
      ['12', "Employee's private address", pay.employee.address.join(', ')],
      ['13', 'Employer name', pay.employer.name],
      ['', 'Employer address', pay.employer.address.join(', ')],
    ]);
    down(432, [
      ['5', 'Student Loan deductions', 'N'],
      ['6', 'Tax code at leaving date', pay.taxCode.split(' ')[0]!],
      ['', 'If week 1 or month 1 applies, X', emergency ? 'X' : ''],
      ['7', `Last entry: ${word} number`, emergency ? '' : `${pay.period}`],
      ['', 'Total pay to date', amount(p45.toDate?.pay)],
      ['', 'Total tax to date', amount(p45.toDate?.tax)],
      ['8', 'Total pay in this employment', amount(p45.thisEmployment?.pay)],
      ['', 'Total tax in this employment', amount(p45.thisEmployment?.tax)],
      ['14', 'Date of issue', leaving],
    ]);
    sheet.lines(40, 440, 12, ['I certify that the details entered in items 1 to 11 on this form are correct.', 'To the employee: this copy is yours to keep. Give Parts 2 and 3 to your new employer or Jobcentre Plus.'], { size: 8.5 }); // prettier-ignore
    return leaverTruth(p45, leaving, lastEntryNames(pay));
  },
};
