import { lastEntryNames, leaverTruth } from '../certificates.ts';
import type { P45Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { date, poundsAndPence } from '../words.ts';

export const p45Typed: P45Layout = {
  name: 'p45-typed',
  like: 'P45 Part 1A of payroll software on plain paper, as a list',
  type: 'p45',
  size: A4,
  fonts: ['courier', 'inconsolata', 'times'],
  fontSize: 9,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const emergency = pay.taxCode.includes(' ');
    const word = pay.frequency === 'monthly' ? 'Month' : 'Week';
    const leaving = date(p45.leaving, random.pick(['31/10/2026', '31 October 2026'] as const));
    const amount = (value: number | undefined) => (value === undefined ? '' : `£ ${poundsAndPence(value).join('.')}`);
    sheet.text(60, 60, 'P45 Part 1A', { size: 16, bold: true });
    sheet.text(535, 60, 'Copy for employee', { size: 11, align: 'right' });
    sheet.text(60, 80, 'Details of employee leaving work', { size: 12 });
    sheet.line(60, 90, 535, 90, { thickness: 1.2 });
    let y = 116;
    const line = (number: string, label: string, value: string) => {
      sheet.text(76, y, number, { align: 'right' });
      sheet.text(86, y, label);
      const [from, to] = [92 + sheet.widthOf(label), 252];
      const dots = Math.max(0, Math.floor((to - from) / sheet.widthOf('.')));
      sheet.text(from, y, '.'.repeat(dots), { colour: '#777777' });
      sheet.text(262, y, value, { bold: true });
      y += 21;
    };
    line('1', 'Employer PAYE reference', pay.employer.payeReference);
    line('2', 'National Insurance number', pay.employee.niNumber);
    line('3', 'Surname', pay.employee.last);
    line('', 'First name(s)', `${pay.employee.first} ${pay.employee.middle}`.trim());
    line('4', 'Leaving date', leaving);
    line('5', 'Student Loan deductions', pay.deductions.some(({ kind }) => kind === 'student-loan') ? 'Y' : 'N');
    line('6', 'Tax code at leaving date', `${pay.taxCode.split(' ')[0]!}${emergency ? '   Week 1/Month 1: X' : ''}`);
    line('7', `${word} number`, emergency ? '' : `${pay.period}`);
    line('', 'Total pay to date', amount(p45.toDate?.pay));
    line('', 'Total tax to date', amount(p45.toDate?.tax));
    line('8', 'Total pay in this employment', amount(p45.thisEmployment?.pay));
    line('', 'Total tax in this employment', amount(p45.thisEmployment?.tax));
    line('9', 'Works number', pay.employee.number);
    line('10', 'Department', pay.employee.department);
    line('11', 'Date of birth', date(p45.born, '31/10/2026'));
    line('12', 'Private address', pay.employee.address[0]!);
    for (const part of pay.employee.address.slice(1)) line('', '', part);
    line('13', 'Employer', pay.employer.name);
    line('', 'Address', pay.employer.address[0]!);
    for (const part of pay.employer.address.slice(1)) line('', '', part);
    line('14', 'Date', leaving);
    sheet.lines(60, y + 12, 14, ['I certify that items 1 to 11 are correct.', 'Keep this part: your new employer needs Parts 2 and 3 only.'], { size: 9 }); // prettier-ignore
    return leaverTruth(p45, leaving, emergency ? [] : lastEntryNames(pay));
  },
};
