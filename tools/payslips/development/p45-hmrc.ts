import { lastEntryNames, leaverTruth } from '../certificates.ts';
import type { P45Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { poundsAndPence } from '../words.ts';

export const p45Hmrc: P45Layout = {
  name: 'p45-hmrc',
  like: 'P45 Part 1A (online form) of HMRC',
  type: 'p45',
  size: A4,
  fonts: ['helvetica', 'lato'],
  fontSize: 9,
  draw(sheet, p45) {
    const { pay } = p45;
    const [year, month, day] = p45.leaving.split('-') as [string, string, string];
    const monthly = pay.frequency === 'monthly';
    const label = (x: number, y: number, number: string, lines: readonly string[]) => {
      sheet.text(x, y, number, { bold: true });
      sheet.lines(x + 16, y, 10, lines, { size: 8 });
    };
    const field = (x: number, y: number, width: number, value: string) => {
      sheet.box(x, y, width, 18);
      sheet.text(x + 5, y + 13, value);
    };
    const split = (x: number, y: number, pence: number | null) => {
      sheet.text(x - 8, y + 13, '£');
      sheet.box(x, y, 72, 18);
      sheet.box(x + 78, y, 26, 18);
      if (pence === null) return;
      const [pounds, rest] = poundsAndPence(pence);
      sheet.text(x + 67, y + 13, pounds, { align: 'right' });
      sheet.text(x + 91, y + 13, rest, { align: 'center' });
    };
    sheet.text(36, 52, 'P45 Part 1A', { size: 16, bold: true });
    sheet.text(36, 68, 'Details of employee leaving work', { size: 11, bold: true });
    sheet.text(36, 81, 'Copy for employee', { size: 9 });
    sheet.text(559, 52, 'HM Revenue & Customs', { align: 'right', size: 11 });
    sheet.line(36, 90, 559, 90, { thickness: 1 });
    label(36, 108, '1', ['Employer PAYE reference', 'Office number  Reference number']);
    field(52, 124, 36, pay.employer.payeReference.slice(0, 3));
    sheet.text(93, 137, '/');
    field(100, 124, 90, pay.employer.payeReference.slice(4));
    label(36, 164, '2', ["Employee's National Insurance number"]);
    field(52, 170, 140, pay.employee.niNumber);
    label(36, 208, '3', ['Title - enter MR, MRS, MISS, MS or other title']);
    field(52, 214, 60, pay.employee.title);
    sheet.text(52, 246, 'Surname or family name', { size: 8 });
    field(52, 250, 210, pay.employee.last);
    sheet.text(52, 282, 'First or given name(s)', { size: 8 });
    field(52, 286, 210, pay.employee.first);
    label(36, 324, '4', ['Leaving date DD MM YYYY']);
    field(52, 330, 28, day);
    field(84, 330, 28, month);
    field(116, 330, 46, year);
    label(36, 368, '6', ['Tax code at leaving date']);
    field(52, 374, 90, pay.taxCode.split(' ')[0]!);
    const emergency = pay.taxCode.includes(' ');
    sheet.text(52, 406, 'If week 1 or month 1 applies, enter "X" in the box below.', { size: 8 });
    sheet.text(52, 420, 'Week 1/Month 1', { size: 8 });
    field(120, 408, 20, emergency ? 'X' : '');
    label(300, 108, '7', [
      'Last entries on Payroll record/Deductions Working Sheet.',
      'Complete only if tax code is cumulative.',
    ]);
    sheet.text(316, 138, 'Week number', { size: 8 });
    field(390, 126, 40, monthly || emergency ? '' : `${pay.period}`);
    sheet.text(440, 138, 'Month number', { size: 8 });
    field(510, 126, 40, monthly && !emergency ? `${pay.period}` : '');
    sheet.text(316, 168, 'Total pay to date', { size: 8 });
    split(420, 156, p45.toDate?.pay ?? null);
    sheet.text(316, 198, 'Total tax to date', { size: 8 });
    split(420, 186, p45.toDate?.tax ?? null);
    label(300, 232, '8', ['This employment pay and tax. Leave blank if the', 'figures are the same as at item 7']);
    sheet.text(316, 264, 'Total pay in this', { size: 8 });
    sheet.text(316, 274, 'employment', { size: 8 });
    split(420, 256, p45.thisEmployment?.pay ?? null);
    sheet.text(316, 300, 'Total tax in this', { size: 8 });
    sheet.text(316, 310, 'employment', { size: 8 });
    split(420, 292, p45.thisEmployment?.tax ?? null);
    label(300, 340, '9', ['Works number/Payroll number']);
    field(316, 346, 140, pay.employee.number);
    label(300, 384, '11', ['Date of birth']);
    const born = p45.born.split('-');
    field(316, 390, 28, born[2]!);
    field(348, 390, 28, born[1]!);
    field(380, 390, 46, born[0]!);
    label(36, 452, '12', ["Employee's private address"]);
    sheet.lines(58, 468, 12, pay.employee.address);
    label(300, 432, '13', [
      'I certify that the details entered in items 1 to 11 on',
      'this form are correct.',
      'Employer name and address',
    ]);
    sheet.box(316, 458, 240, 62);
    sheet.lines(322, 471, 12, [pay.employer.name, ...pay.employer.address]);
    sheet.text(36, 545, 'To the employee', { bold: true });
    sheet.lines(36, 558, 11, ['The P45 is in 3 parts. Please keep this part (Part 1A) safe. Copies are not available. You might need the information in', 'Part 1A to fill in a tax return if you are sent one. Please read the notes in Part 2 that accompany Part 1A.'], { size: 8 }); // prettier-ignore
    sheet.text(36, 800, 'P45(Online) Part 1A', { size: 8 });
    sheet.text(559, 800, 'HMRC 04/25', { size: 8, align: 'right' });
    const printed = `${day} ${month} ${year}`;
    return leaverTruth(p45, printed, [`${day}/${month}/${year}`, ...lastEntryNames(pay)]);
  },
};
