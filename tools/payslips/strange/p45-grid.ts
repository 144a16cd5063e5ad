import { lastEntryNames, leaverTruth } from '../certificates.ts';
import type { P45Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { date, money } from '../words.ts';

export const p45Grid: P45Layout = {
  name: 'p45-grid',
  like: 'P45 Part 1A from a payroll service on the web',
  type: 'p45',
  size: A4,
  fonts: ['inter', 'roboto', 'times'],
  fontSize: 10,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const emergency = pay.taxCode.includes(' ');
    const monthly = pay.frequency === 'monthly';
    const word = monthly ? 'Month' : 'Week';
    const leaving = date(p45.leaving, '31/10/2026').replaceAll('/', ' ');
    const strip = random.pick(['#e7e7e7', '#dfe9f3', '#f1e9df']);
    const amount = (value: number | undefined) => (value === undefined ? '' : money(value, { pound: true }));
    const entry = (column: number, line: number, span: number, label: string, value: string) => {
      const [x, y, width] = [45 + column * 168.5, 112 + line * 50, span * 168.5 - 6];
      sheet.box(x, y, width, 15, { fill: strip });
      sheet.box(x, y, width, 42, { stroke: '#9a9a9a' });
      sheet.text(x + 5, y + 10.5, label, { size: 7.5 });
      sheet.text(x + 6, y + 32, value, { bold: true });
    };
    sheet.text(45, 60, 'P45 Part 1A', { size: 18, bold: true });
    sheet.text(550, 60, 'Copy for employee', { align: 'right' });
    sheet.text(45, 80, 'Details of employee leaving work', { size: 12 });
    sheet.line(45, 92, 550, 92);
    entry(0, 0, 1, '1 Employer PAYE reference', pay.employer.payeReference);
    entry(1, 0, 1, '2 National Insurance number', pay.employee.niNumber);
    entry(2, 0, 1, '4 Leaving date (DD MM YYYY)', leaving);
    entry(0, 1, 1, '3 Title', pay.employee.title);
    entry(1, 1, 1, 'Surname', pay.employee.last);
    entry(2, 1, 1, 'First name(s)', `${pay.employee.first} ${pay.employee.middle}`.trim());
    entry(0, 2, 1, '5 Student Loan deductions to continue', pay.deductions.some(({ kind }) => kind === 'student-loan') ? 'Y' : ''); // prettier-ignore
    entry(1, 2, 1, '6 Tax Code at leaving date', pay.taxCode.split(' ')[0]!);
    entry(2, 2, 1, 'Week 1/Month 1 (X if it applies)', emergency ? 'X' : '');
    entry(0, 3, 1, '7 Last entries: week / month number', emergency ? '' : `${word} ${pay.period}`);
    entry(1, 3, 1, '7 Total pay to date', amount(p45.toDate?.pay));
    entry(2, 3, 1, '7 Total tax to date', amount(p45.toDate?.tax));
    entry(1, 4, 1, '8 This employment: total pay', amount(p45.thisEmployment?.pay));
    entry(2, 4, 1, '8 This employment: total tax', amount(p45.thisEmployment?.tax));
    entry(0, 5, 1, '9 Works / payroll number', pay.employee.number);
    entry(1, 5, 1, 'Department or branch', pay.employee.department);
    entry(2, 5, 1, '11 Date of birth', date(p45.born, '31/10/2026').replaceAll('/', ' '));
    entry(0, 6, 3, "12 Employee's private address", pay.employee.address.join(', '));
    entry(0, 7, 3, '13 Employer name', pay.employer.name);
    entry(0, 8, 2, 'Employer address', pay.employer.address.join(', '));
    entry(2, 8, 1, 'Date of this form', leaving);
    sheet.lines(45, 590, 14, ['I certify that the details entered in items 1 to 11 on this form are correct.', 'To the employee: keep this part safe, copies are not available. You may need it for a tax return.', 'Give Parts 2 and 3 to your new employer, or to Jobcentre Plus if you do not go straight to a new job.'], { size: 8.5 }); // prettier-ignore
    return leaverTruth(p45, leaving, [leaving.replaceAll(' ', '/'), ...(emergency ? [] : lastEntryNames(pay))]);
  },
};
