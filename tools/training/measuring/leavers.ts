import { lastEntryNames, leaverTruth, type P45 } from '../../payslips/certificates.ts';
import type { P45Layout } from '../../payslips/layout.ts';
import { niNumber, row } from '../../payslips/parts.ts';
import { A4, A4_LANDSCAPE, A5_LANDSCAPE } from '../../payslips/sheet.ts';
import { date, longName, money, periodWord, poundsAndPence, shortName, type DateStyle } from '../../payslips/words.ts'; // prettier-ignore
import { wrapped } from './common.ts';

/** Accepts the last pay period as another name of the period if the form prints it. */
function leaver(p45: P45, style: DateStyle, also: readonly string[] = []) {
  const printed = date(p45.leaving, style);
  const names = p45.toDate === null ? [] : lastEntryNames(p45.pay);
  return leaverTruth(p45, printed, [...names, ...also]);
}

const code = ({ pay }: P45) => pay.taxCode.split(' ')[0]!;
const isEmergency = ({ pay }: P45) => pay.taxCode.includes(' ');
const last = ({ toDate, pay }: P45) => (toDate === null ? '' : `${periodWord(pay)} ${pay.period}`);

export const p45Letter: P45Layout = {
  name: 'm-p45-letter',
  like: 'a P45 as the body of a letter',
  type: 'p45',
  size: A4,
  fonts: ['times', 'lato', 'helvetica'],
  fontSize: 11,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const amount = (value: number) => money(value, { pound: true });
    sheet.text(70, 70, pay.employer.name, { size: 14, bold: true });
    sheet.lines(70, 86, 13, pay.employer.address, { size: 9.5 });
    sheet.text(70, 146, random.pick(['P45 Part 1A - details of employee leaving work', 'Your P45 (part 1A)']), { bold: true }); // prettier-ignore
    const main = p45.toDate ?? p45.thisEmployment!;
    const where = p45.toDate === null ? 'in this employment' : 'to date';
    const paragraphs = [
      `Dear ${pay.employee.first},`,
      `You left our employment. Your leaving date is ${date(p45.leaving, '31 October 2026')}. Your National Insurance number is ${niNumber(pay, true)} and our PAYE reference is ${pay.employer.payeReference}.`,
      `Your tax code at leaving was ${code(p45)}${isEmergency(p45) ? ' on a week 1 or month 1 basis' : `, and the last entry on our records was for ${last(p45).toLowerCase()}`}.`,
      `Total pay ${where}: ${amount(main.pay)}. Total tax ${where}: ${amount(main.tax)}.`,
      ...(p45.toDate && p45.thisEmployment ? [`Of this, pay in this employment was ${amount(p45.thisEmployment.pay)} and tax in this employment ${amount(p45.thisEmployment.tax)}.`] : []),
      'Give parts 2 and 3 to your new employer, and keep this part.', `For ${pay.employer.name}`,
    ]; // prettier-ignore
    let y = 176;
    for (const paragraph of paragraphs) {
      const lines = wrapped(paragraph, 82);
      sheet.lines(70, y, 16, lines);
      y += lines.length * 16 + 8;
    }
    return leaver(p45, '31 October 2026');
  },
};

export const p45Page: P45Layout = {
  name: 'm-p45-page',
  like: 'a P45 in an employee portal, saved from the browser',
  type: 'p45',
  size: A4,
  fonts: ['inter', 'roboto', 'helvetica'],
  fontSize: 10,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const accent = random.pick(['#00703c', '#1d4e89', '#222222']);
    sheet.text(60, 60, 'P45', { size: 26, bold: true, colour: accent });
    sheet.text(60, 80, 'Part 1A, copy for employee');
    const pounds = (value: number | undefined) => (value === undefined ? 'Not applicable' : money(value, { pound: true })); // prettier-ignore
    const rows: [string, string][] = [['Employer', pay.employer.name], ['Employer PAYE reference', pay.employer.payeReference], ['Employee', longName(pay)], ['National Insurance number', niNumber(pay, false)], ['Date of birth', date(p45.born, '31 Oct 2026')], ['Leaving date', date(p45.leaving, '31 Oct 2026')], ['Student loan deductions to continue', 'No'], ['Tax code at leaving date', code(p45)], ['Week 1 or month 1', isEmergency(p45) ? 'Yes' : 'No'], ['Last entries on payroll record', last(p45)], ['Total pay to date', pounds(p45.toDate?.pay)], ['Total tax to date', pounds(p45.toDate?.tax)], ['Pay in this employment', pounds(p45.thisEmployment?.pay)], ['Tax in this employment', pounds(p45.thisEmployment?.tax)]]; // prettier-ignore
    rows.forEach(([label, value], n) => {
      sheet.text(60, 116 + n * 24, label, { colour: '#444444' });
      sheet.text(310, 116 + n * 24, value, { bold: true });
      sheet.line(60, 124 + n * 24, 535, 124 + n * 24, { stroke: '#cccccc', thickness: 0.5 });
    });
    return leaver(p45, '31 Oct 2026');
  },
};

export const p45Typed: P45Layout = {
  name: 'm-p45-typed',
  like: 'a P45 of a mainframe',
  type: 'p45',
  size: A4,
  fonts: ['courier', 'inconsolata'],
  fontSize: 10,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const dots = random.chance(0.5);
    const amount = (value: number | undefined) => (value === undefined ? '' : money(value, { comma: false }));
    const rows: [string, string][] = [['1  EMPLOYER PAYE REF', pay.employer.payeReference], ['2  NI NUMBER', niNumber(pay, true)], ['3  SURNAME', pay.employee.last.toUpperCase()], ['   FIRST NAMES', pay.employee.first.toUpperCase()], ['4  LEAVING DATE', date(p45.leaving, '31-10-26')], ['5  STUDENT LOAN', 'N'], ['6  TAX CODE', `${code(p45)}${isEmergency(p45) ? '  W1/M1' : ''}`], ['7  LAST ENTRIES', last(p45).toUpperCase()], ['   TOTAL PAY TO DATE', amount(p45.toDate?.pay)], ['   TOTAL TAX TO DATE', amount(p45.toDate?.tax)], ['8  THIS EMPLOYMENT PAY', amount(p45.thisEmployment?.pay)], ['   THIS EMPLOYMENT TAX', amount(p45.thisEmployment?.tax)], ['9  WORKS NUMBER', pay.employee.number]]; // prettier-ignore
    sheet.lines(60, 60, 15, ['P45 1A     DETAILS OF EMPLOYEE LEAVING WORK', '-'.repeat(70)]);
    rows.forEach(([label, value], n) => {
      sheet.text(60, 100 + n * 18, dots ? label.padEnd(30, '.') : label);
      sheet.text(380, 100 + n * 18, value, { align: 'right' });
    });
    sheet.text(60, 350, '-'.repeat(70));
    sheet.lines(60, 368, 15, ['EMPLOYER', pay.employer.name.toUpperCase(), ...pay.employer.address.map((each) => each.toUpperCase())]); // prettier-ignore
    return { ...leaver(p45, '31-10-26'), employer_name: pay.employer.name.toUpperCase() };
  },
};

export const p45Fields: P45Layout = {
  name: 'm-p45-fields',
  like: 'a substitute P45 with captions under the fields',
  type: 'p45',
  size: A4_LANDSCAPE,
  fonts: ['helvetica', 'times', 'archivo-narrow'],
  fontSize: 11,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const tint = random.pick(['#eef3ea', '#ececec', '#e9eef8']);
    const apart = random.chance(0.4);
    const amount = (value: number | undefined) => (value === undefined ? '' : apart ? poundsAndPence(value).join('   ') : money(value)); // prettier-ignore
    const fields: [string, string][][] = [
      [[pay.employer.name, 'Employer name'], [pay.employer.payeReference, 'PAYE reference'], [longName(pay), 'Employee'], [niNumber(pay, true), 'National Insurance number'], [date(p45.leaving, '31/10/2026'), 'Leaving date'], [code(p45), 'Tax code at leaving']],
      [[last(p45), 'Week or month of last entry'], [amount(p45.toDate?.pay), 'Total pay to date £'], [amount(p45.toDate?.tax), 'Total tax to date £'], [amount(p45.thisEmployment?.pay), 'Pay in this employment £ (if different)'], [amount(p45.thisEmployment?.tax), 'Tax in this employment £ (if different)'], [pay.employee.department, 'Department']],
    ]; // prettier-ignore
    sheet.text(40, 50, 'P45 Part 1A  Employee leaving', { size: 16, bold: true });
    fields.forEach((column, at) =>
      column.forEach(([value, label], n) => {
        const [x, y] = [40 + at * 390, 70 + n * 62];
        sheet.box(x, y, 370, 30, { fill: tint });
        sheet.text(x + 10, y + 20, value, { bold: true });
        sheet.text(x + 10, y + 42, label, { size: 8, colour: '#333333' });
      }),
    );
    return leaver(p45, '31/10/2026');
  },
};

export const p45Cymraeg: P45Layout = {
  name: 'm-p45-cymraeg',
  like: 'the Welsh P45',
  type: 'p45',
  size: A4,
  fonts: ['helvetica', 'inter', 'times'],
  fontSize: 10,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const english = random.chance(0.75);
    const both = (welsh: string, other: string) => (english ? `${welsh} (${other})` : welsh);
    sheet.text(50, 60, 'P45 Rhan 1A', { size: 20, bold: true });
    sheet.text(50, 78, both("Manylion cyflogai sy'n gadael gwaith", 'Details of employee leaving work'));
    const amount = (value: number | undefined) => (value === undefined ? '' : money(value, { pound: true }));
    const word = pay.frequency === 'monthly' ? 'Mis' : 'Wythnos';
    const entry = p45.toDate === null ? '' : `${word} ${pay.period}`;
    const rows: [string, string][] = [[both('Cyflogwr', 'Employer'), pay.employer.name], [both('Cyfeirnod TWE', 'PAYE reference'), pay.employer.payeReference], [both('Enw', 'Name'), shortName(pay)], [both('Rhif Yswiriant Gwladol', 'NI number'), niNumber(pay, false)], [both('Dyddiad gadael', 'Leaving date'), date(p45.leaving, '31/10/2026')], [both('Cod treth wrth adael', 'Tax code at leaving'), code(p45)], [both('Cofnod olaf', 'Last entry'), entry], [both('Cyfanswm y tâl hyd yma', 'Total pay to date'), amount(p45.toDate?.pay)], [both('Cyfanswm y dreth hyd yma', 'Total tax to date'), amount(p45.toDate?.tax)], [both('Tâl yn y gyflogaeth hon', 'Pay in this employment'), amount(p45.thisEmployment?.pay)], [both('Treth yn y gyflogaeth hon', 'Tax in this employment'), amount(p45.thisEmployment?.tax)]]; // prettier-ignore
    rows.forEach(([label, value], n) => {
      sheet.box(50, 100 + n * 26, 495, 26, { stroke: '#999999' });
      sheet.text(58, 117 + n * 26, label);
      sheet.text(310, 117 + n * 26, value, { bold: true, size: value.length > 40 ? 8.5 : 10 });
    });
    return leaver(
      p45,
      '31/10/2026',
      [entry].filter((each) => each !== ''),
    );
  },
};

export const p45Right: P45Layout = {
  name: 'm-p45-right',
  like: 'a P45 of a temporary staff agency, half a page',
  type: 'p45',
  size: A5_LANDSCAPE,
  fonts: ['roboto', 'courier', 'helvetica'],
  fontSize: 9.5,
  draw(sheet, p45, random) {
    const { pay } = p45;
    const bold = random.chance(0.5);
    const style: DateStyle = random.pick(['31-Oct-2026', '31/10/2026']);
    sheet.text(40, 42, 'P45 PART 1A', { size: 14, bold: true });
    sheet.text(40, 58, pay.employer.name, { size: 11 });
    sheet.text(555, 42, `PAYE ${pay.employer.payeReference}`, { align: 'right' });
    sheet.text(555, 58, `${shortName(pay)}  ${niNumber(pay, false)}`, { align: 'right' });
    sheet.line(40, 68, 555, 68);
    const rows: [string, string][] = [[date(p45.leaving, style), 'date of leaving'], [code(p45), isEmergency(p45) ? 'tax code, week 1/month 1' : 'tax code'], ...(p45.toDate === null ? [] : [[last(p45), 'last entries'], [money(p45.toDate.pay), 'total pay to date'], [money(p45.toDate.tax), 'total tax to date']] satisfies [string, string][]), ...(p45.thisEmployment === null ? [] : [[money(p45.thisEmployment.pay), 'pay, this employment'], [money(p45.thisEmployment.tax), 'tax, this employment']] satisfies [string, string][])]; // prettier-ignore
    rows.forEach((cells, n) => {
      row(sheet, 94 + n * 26, [{ x: 180, align: 'right' }, { x: 196 }], cells, { size: 11 });
      if (bold) sheet.line(40, 102 + n * 26, 400, 102 + n * 26, { stroke: '#aaaaaa' });
    });
    sheet.text(40, 330, 'Keep this part. You need it for a tax return or a claim for benefits.', { size: 8 });
    return leaver(p45, style);
  },
};
