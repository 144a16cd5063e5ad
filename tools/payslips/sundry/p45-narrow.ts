import { lastEntryNames, leaverTruth } from '../certificates.ts';
import type { P45Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { date, money } from '../words.ts';

export const p45Narrow: P45Layout = {
  name: 'p45-narrow',
  like: 'P45 Part 1A of Sage or IRIS on plain paper, one column of numbered rows, employer first',
  type: 'p45',
  size: A4,
  fonts: ['helvetica', 'archivo-narrow', 'times'],
  fontSize: 9.5,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const emergency = pay.taxCode.includes(' ');
    const word = pay.frequency === 'monthly' ? 'Month' : 'Week';
    const leaving = date(p45.leaving, '31 October 2026');
    const shade = random.pick(['#f0f0f0', '#eef5ea', '#ecf1f8']);
    sheet.text(90, 54, 'P45', { size: 26, bold: true });
    sheet.text(150, 46, 'Part 1A: employee leaving work', { size: 12, bold: true });
    sheet.text(150, 60, 'For the employee to keep', { size: 9 });
    let y = 74;
    let odd = false;
    const entry = (label: string, value: string, lines = 1) => {
      const height = 9 + lines * 13;
      sheet.box(90, y, 415, height, { fill: odd ? shade : '#ffffff', stroke: '#888888', thickness: 0.4 });
      sheet.text(97, y + 14, label);
      sheet.lines(320, y + 14, 13, value.split('\n'), { bold: true });
      odd = !odd;
      y += height;
    };
    const amount = (figures: { pay: number; tax: number } | null, which: 'pay' | 'tax') => (figures === null ? '' : money(figures[which], { pound: true })); // prettier-ignore
    entry('13  Employer name and address', [pay.employer.name, ...pay.employer.address].join('\n'), 4);
    entry('1  Employer PAYE reference', pay.employer.payeReference);
    entry('2  Employee National Insurance number', pay.employee.niNumber);
    entry('3  Surname', pay.employee.last);
    entry('    First names', `${pay.employee.first} ${pay.employee.middle}`.trim());
    entry('4  Leaving date', leaving);
    entry('5  Student loan deductions to continue', pay.deductions.some(({ kind }) => kind === 'student-loan') ? 'Yes' : 'No'); // prettier-ignore
    entry('6  Tax code at leaving date', pay.taxCode.split(' ')[0]!);
    entry('    Week 1 or Month 1 basis', emergency ? 'X' : '');
    entry(`7  Last entries: ${word} number`, emergency ? '' : `${pay.period}`);
    entry('    Total pay to date', amount(p45.toDate, 'pay'));
    entry('    Total tax to date', amount(p45.toDate, 'tax'));
    entry('8  Pay in this employment', amount(p45.thisEmployment, 'pay'));
    entry('    Tax in this employment', amount(p45.thisEmployment, 'tax'));
    entry('9  Payroll number', pay.employee.number);
    entry('    Department', pay.employee.department);
    entry('11  Date of birth', date(p45.born, '31 October 2026'));
    entry('12  Employee address', pay.employee.address.join('\n'), 3);
    entry('Date of this certificate', leaving);
    sheet.text(90, y + 20, 'I certify that the details entered in items 1 to 11 on this form are correct.', {
      size: 8.5,
    });
    return leaverTruth(p45, leaving, [date(p45.leaving, '31/10/2026'), ...(emergency ? [] : lastEntryNames(pay))]);
  },
};
