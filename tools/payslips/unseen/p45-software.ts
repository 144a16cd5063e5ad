import { lastEntryNames, leaverTruth } from '../certificates.ts';
import type { P45Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { date, money } from '../words.ts';

export const p45Software: P45Layout = {
  name: 'p45-software',
  like: 'P45 (laser) of payroll software on plain paper',
  type: 'p45',
  size: A4,
  fonts: ['helvetica', 'courier', 'roboto'],
  fontSize: 9.5,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const emergency = pay.taxCode.includes(' ');
    const monthly = pay.frequency === 'monthly';
    const style = random.pick(['31 10 2026', '31/10/2026'] as const);
    const leaving = style === '31/10/2026' ? date(p45.leaving, style) : date(p45.leaving, '31/10/2026').replaceAll('/', ' '); // prettier-ignore
    sheet.text(50, 60, 'P45 Part 1A - Details of employee leaving work', { size: 13, bold: true });
    sheet.text(50, 75, 'Copy for employee', { size: 9 });
    let y = 105;
    const line = (number: string, label: string, value: string) => {
      sheet.text(50, y, number);
      sheet.text(75, y, label);
      sheet.text(330, y, value, { bold: true });
      sheet.line(50, y + 6, 545, y + 6, { stroke: '#bbbbbb' });
      y += 22;
    };
    const amount = (value: number | undefined) => (value === undefined ? '' : money(value, { pound: true }));
    line('1', 'Employer PAYE reference', pay.employer.payeReference);
    line('2', "Employee's National Insurance number", pay.employee.niNumber);
    line('3', 'Title', pay.employee.title.toUpperCase());
    line('', 'Surname or family name', pay.employee.last.toUpperCase());
    line('', 'First name(s)', pay.employee.first.toUpperCase());
    line('4', 'Leaving date', leaving);
    line('5', 'Student Loan deductions to continue', '');
    line('6', 'Tax code at leaving date', pay.taxCode.split(' ')[0]!);
    line('', 'Week 1/Month 1 applies', emergency ? 'X' : '');
    line('7', `${monthly ? 'Month' : 'Week'} number`, emergency ? '' : `${pay.period}`);
    line('', 'Total pay to date', amount(p45.toDate?.pay));
    line('', 'Total tax to date', amount(p45.toDate?.tax));
    line('8', 'Total pay in this employment', amount(p45.thisEmployment?.pay));
    line('', 'Total tax in this employment', amount(p45.thisEmployment?.tax));
    line('9', 'Works number/Payroll number', pay.employee.number);
    line('10', 'Gender', random.pick(['M', 'F']));
    line('11', 'Date of birth', date(p45.born, '31/10/2026'));
    line('12', "Employee's private address", pay.employee.address.join(', '));
    line('13', 'Employer name', pay.employer.name);
    line('', 'Employer address', pay.employer.address.join(', '));
    line('', 'Date', date(p45.leaving, '31/10/2026'));
    sheet.lines(50, y + 14, 12, ['I certify that the details entered in items 1 to 11 on this form are correct.', 'To the employee: please keep this part (Part 1A) safe. Copies are not available.'], { size: 8 }); // prettier-ignore
    return leaverTruth(p45, leaving, [
      date(p45.leaving, '31/10/2026'),
      date(p45.leaving, '31/10/2026').replaceAll('/', ' '),
      ...lastEntryNames(pay),
    ]);
  },
};
