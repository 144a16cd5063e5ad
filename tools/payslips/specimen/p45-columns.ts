import { lastEntryNames, leaverTruth } from '../certificates.ts';
import type { P45Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { date, poundsAndPence } from '../words.ts';

export const p45Columns: P45Layout = {
  name: 'p45-columns',
  like: 'P45 Part 1A printed by payroll software as the official form has it, two columns',
  type: 'p45',
  size: A4,
  fonts: ['helvetica', 'roboto', 'times'],
  fontSize: 10,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const emergency = pay.taxCode.includes(' ');
    const ink = random.pick(['#00703c', '#1d70b8', '#333333']);
    const word = pay.frequency === 'monthly' ? 'Month' : 'Week';
    const [year, month, day] = p45.leaving.split('-') as [string, string, string];
    const leaving = `${day} ${month} ${year}`;
    sheet.text(40, 56, 'P45 Part 1A', { size: 20, bold: true, colour: ink });
    sheet.text(40, 72, 'Details of employee leaving work', { size: 11 });
    sheet.text(555, 56, 'Copy for employee', { size: 12, bold: true, align: 'right' });
    sheet.line(40, 80, 555, 80, { stroke: ink, thickness: 1.5 });
    const at = { 40: 98, 305: 98 };
    const label = (x: 40 | 305, number: string, text: string) => {
      if (number !== '') sheet.box(x, at[x] - 9, 14, 12, { fill: ink });
      sheet.text(x + 7, at[x], number, { size: 8, bold: true, colour: '#ffffff', align: 'center' });
      sheet.text(x + 19, at[x], text, { size: 8 });
    };
    const field = (x: 40 | 305, number: string, text: string, value: string) => {
      label(x, number, text);
      sheet.box(x + 19, at[x] + 5, 231, 18, { stroke: ink });
      sheet.text(x + 24, at[x] + 18, value);
      at[x] += 40;
    };
    const sum = (x: 40 | 305, text: string, pence: number | undefined) => {
      sheet.text(x + 19, at[x], text, { size: 8 });
      sheet.text(x + 108, at[x] + 18, '£', { size: 10 });
      sheet.box(x + 119, at[x] + 5, 131, 18, { stroke: ink });
      sheet.line(x + 222, at[x] + 5, x + 222, at[x] + 23, { stroke: ink });
      if (pence !== undefined) {
        const [pounds, rest] = poundsAndPence(pence);
        sheet.text(x + 217, at[x] + 18, pounds, { align: 'right' });
        sheet.text(x + 229, at[x] + 18, rest);
      }
      at[x] += 34;
    };
    field(40, '1', 'Employer PAYE reference', pay.employer.payeReference);
    field(40, '2', "Employee's National Insurance number", pay.employee.niNumber);
    field(40, '3', 'Surname or family name', pay.employee.last);
    field(40, '', 'First name(s)', `${pay.employee.first} ${pay.employee.middle}`.trim());
    field(40, '4', 'Leaving date DD MM YYYY', leaving);
    field(40, '5', 'Student Loan deductions', pay.deductions.some(({ kind }) => kind === 'student-loan') ? 'Y' : '');
    field(40, '6', 'Tax code at leaving date', `${pay.taxCode.split(' ')[0]!}${emergency ? '    X' : ''}`);
    field(40, '10', 'Gender', '');
    field(40, '11', 'Date of birth', date(p45.born, '31/10/2026').replaceAll('/', ' '));
    label(305, '7', 'Last entries on Payroll record/Deductions Working Sheet.');
    at[305] += 12;
    sheet.text(324, at[305], 'Complete only if tax code is cumulative.', { size: 8 });
    at[305] += 16;
    sheet.text(324, at[305] + 18, `${word} number`, { size: 8 });
    sheet.box(424, at[305] + 5, 40, 18, { stroke: ink });
    if (!emergency) sheet.text(444, at[305] + 18, `${pay.period}`, { align: 'center' });
    at[305] += 36;
    sum(305, 'Total pay to date', p45.toDate?.pay);
    sum(305, 'Total tax to date', p45.toDate?.tax);
    label(305, '8', 'This employment pay and tax. Blank if as box 7.');
    at[305] += 16;
    sum(305, 'Total pay in this employment', p45.thisEmployment?.pay);
    sum(305, 'Total tax in this employment', p45.thisEmployment?.tax);
    field(305, '9', 'Works number/Payroll number and Department', `${pay.employee.number}  ${pay.employee.department}`);
    label(305, '12', 'Employee private address');
    sheet.box(324, at[305] + 5, 231, 50, { stroke: ink });
    sheet.lines(329, at[305] + 18, 13, pay.employee.address, { size: 9 });
    sheet.box(40, 470, 515, 118, { stroke: ink });
    sheet.box(46, 477, 14, 12, { fill: ink });
    sheet.text(53, 486, '13', { size: 8, bold: true, colour: '#ffffff', align: 'center' });
    sheet.text(65, 486, 'I certify that the details entered in items 1 to 11 on this form are correct.', { size: 8 });
    sheet.text(65, 504, 'Employer name and address', { size: 8 });
    sheet.lines(65, 520, 13, [pay.employer.name, ...pay.employer.address]);
    sheet.text(400, 504, 'Date', { size: 8 });
    sheet.text(400, 520, leaving);
    sheet.text(40, 610, 'To the employee: the P45 is in three parts. Please keep this part (Part 1A) safe. Copies are not available.', { size: 8 }); // prettier-ignore
    return leaverTruth(p45, leaving, [date(p45.leaving, '31/10/2026'), ...(emergency ? [] : lastEntryNames(pay))]);
  },
};
