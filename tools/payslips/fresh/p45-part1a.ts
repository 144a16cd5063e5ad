import { lastEntryNames, leaverTruth } from '../certificates.ts';
import type { P45Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { poundsAndPence } from '../words.ts';

export const p45Part1a: P45Layout = {
  name: 'p45-part1a',
  like: 'P45 Part 1A as the pre-printed stationery had it',
  type: 'p45',
  size: A4,
  fonts: ['courier', 'inconsolata'],
  fontSize: 10,
  draw(sheet, p45) {
    const { pay } = p45;
    const teal = '#1f6f78';
    const form = { font: 'helvetica', size: 8, colour: teal } as const;
    const [year, month, day] = p45.leaving.split('-') as [string, string, string];
    const emergency = pay.taxCode.includes(' ');
    const monthly = pay.frequency === 'monthly';
    const box = (x: number, y: number, width: number, value: string) => {
      sheet.box(x, y - 13, width, 18, { stroke: teal });
      sheet.text(x + 5, y, value);
    };
    sheet.box(36, 36, 523, 40, { fill: '#d6ecec' });
    sheet.text(44, 53, 'Details of employee leaving work', { ...form, size: 12, bold: true });
    sheet.text(44, 68, 'Copy for employee', form);
    sheet.text(551, 62, 'P45 Part 1A', { ...form, size: 18, bold: true, align: 'right' });
    let y = 104;
    const item = (number: string, lines: readonly string[], tall = 30) => {
      sheet.text(40, y, number, { ...form, bold: true });
      sheet.lines(58, y, 10, lines, form);
      const at = y + 4;
      sheet.line(36, y + tall - 12, 559, y + tall - 12, { stroke: '#a9d0d2', thickness: 0.5 });
      y += tall;
      return at;
    };
    const amount = (at: number, pence: number | undefined) => {
      sheet.text(396, at - 15, '£', { ...form, size: 6.5 });
      sheet.text(440, at - 15, 'p', { ...form, size: 6.5 });
      sheet.box(320, at - 13, 106, 18, { stroke: teal });
      sheet.box(426, at - 13, 32, 18, { stroke: teal });
      if (pence === undefined) return;
      const [pounds, rest] = poundsAndPence(pence);
      sheet.text(420, at, pounds, { align: 'right' });
      sheet.text(442, at, rest, { align: 'center' });
    };
    const [office, reference] = pay.employer.payeReference.split('/') as [string, string];
    let at = item('1', ['Employer PAYE reference', 'Office number / Reference number']);
    box(320, at, 36, office);
    sheet.text(361, at, '/', form);
    box(370, at, 88, reference);
    at = item('2', ["Employee's National Insurance number"]);
    (pay.employee.niNumber.match(/..?/g) ?? []).forEach((pair, n) => box(320 + n * 32, at, 28, pair));
    at = item('3', ['Surname (in CAPITALS)']);
    box(320, at, 220, `${pay.employee.title} ${pay.employee.last}`.toUpperCase());
    at = item('', ['First name(s) (in CAPITALS)']);
    box(320, at, 220, pay.employee.first.toUpperCase());
    at = item('4', ['Leaving date (in figures)', 'Day / Month / Year']);
    [day, month, year].forEach((part, n) => box(320 + n * 36, at, n === 2 ? 48 : 30, part));
    at = item('5', ['Continue Student Loan deductions (Y)']);
    box(320, at, 24, '');
    at = item('6', ["Tax code at leaving date. 'Week 1' or 'Month 1' basis may", "apply, if so enter 'X' in the box marked Week 1 or Month 1"]); // prettier-ignore
    box(320, at, 70, pay.taxCode.split(' ')[0]!);
    box(434, at, 24, emergency ? 'X' : '');
    at = item('7', ['Last entries on Deductions Working Sheet (P11)', 'Complete only if tax code is cumulative. Make no entry if', 'Week 1 or Month 1 applies; go straight to item 8'], 46); // prettier-ignore
    sheet.text(320, at, 'Week', form);
    box(346, at, 28, monthly || emergency ? '' : `${pay.period}`);
    sheet.text(402, at, 'Month', form);
    box(430, at, 28, monthly && !emergency ? `${pay.period}` : '');
    amount(item('', ['', 'Total pay to date'], 34) + 6, p45.toDate?.pay);
    amount(item('', ['', 'Total tax to date'], 34) + 6, p45.toDate?.tax);
    at = item('8', ['This employment pay and tax. No entry is needed if Week 1', 'or Month 1 does not apply and the figures are those of item 7', 'Total pay in this employment'], 46); // prettier-ignore
    amount(at + 16, p45.thisEmployment?.pay);
    amount(item('', ['', 'Total tax in this employment'], 34) + 6, p45.thisEmployment?.tax);
    at = item('9', ['Works number or Payroll number and Department or branch']);
    box(320, at, 100, pay.employee.number);
    box(424, at, 116, pay.employee.department);
    at = item('10', ["Employee's private address and postcode"], 50);
    sheet.lines(320, at - 2, 11, pay.employee.address, { size: 9 });
    item('11', ['I certify that the details entered in items 1 to 9 are correct'], 20);
    at = item('', ["Employer's name, address and postcode"], 56);
    sheet.lines(290, at - 2, 11, [pay.employer.name, ...pay.employer.address], { size: 8 });
    at = item('', ['Date']);
    [day, month, year].forEach((part, n) => box(320 + n * 36, at, n === 2 ? 48 : 30, part));
    sheet.text(40, 790, 'To the employee: please keep this part (Part 1A) safe, copies are not available.', form);
    sheet.text(555, 806, 'P45(Continuous)', { ...form, size: 7, align: 'right' });
    return leaverTruth(p45, `${day} ${month} ${year}`, [`${day}/${month}/${year}`, ...lastEntryNames(pay)]);
  },
};
