import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Cyflog / Salary', hours: 'Oriau / Hours', overtime: 'Goramser / Overtime', bonus: 'Bonws / Bonus', commission: 'Honorariwm / Honorarium', holiday: 'Gwyliau / Holiday', sick: 'TSS / SSP', shift: 'Sifft / Shift', car: 'Lwfans Car / Car Allowance', weighting: 'Ychwanegiad / Supplement', arrears: 'Ol-dal / Arrears', sacrifice: 'Beicio / Cycle Scheme', tax: 'Treth / Tax', ni: 'Yswiriant Gwladol / Nat. Ins.', pension: 'Pensiwn / Pension', avc: 'CGY / AVC', 'student-loan': 'Benthyciad Myfyriwr / Student Loan', 'postgraduate-loan': 'Benthyciad Olradd / PG Loan', union: 'Undeb / Union', charity: 'Elusen / Charity', ticket: 'Parcio / Parking', advance: 'Blaendal / Advance', attachment: 'Atafaelu / AEO', healthcare: 'Iechyd / Health Plan' }); // prettier-ignore

export const bilingual: PayslipLayout = {
  name: 'bilingual',
  like: 'the payslip of a public body in Wales, both languages',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'source-serif', 'lato'],
  fontSize: 8.5,
  pay: { sector: 'council', frequency: 'monthly', rows: 8 },
  draw(sheet, pay, random) {
    const green = random.pick(['#00693e', '#a6192e', '#444444']);
    const ending = date(pay.to, '31/10/2026');
    sheet.text(40, 56, pay.employer.name, { size: 16, bold: true, colour: green });
    sheet.text(555, 56, 'Slip Cyflog / Payslip', { size: 12, align: 'right' });
    sheet.line(40, 64, 555, 64, { stroke: green, thickness: 1.5 });
    const facts: [string, string][] = [['Enw / Name', longName(pay)], ['Rhif Cyflog / Pay No.', pay.employee.number], ['Cod Treth / Tax Code', pay.taxCode], ['Rhif YG / NI No.', niNumber(pay, true)], ['Diwedd Cyfnod / Period Ending', ending], ['Dyddiad Talu / Pay Date', date(pay.payDate, '31/10/2026')], ['Mis Treth / Tax Month', `${pay.period}`], ['Llythyren YG / NI Letter', pay.niLetter]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [40 + (n % 4) * 129, 74 + Math.floor(n / 4) * 34];
      sheet.box(x, y, 127, 31, { stroke: '#999999' });
      sheet.text(x + 4, y + 10, label, { size: 7, colour: green });
      sheet.text(x + 4, y + 25, value, { size: 9 });
    });
    const left = [{ x: 45 }, { x: 185, align: 'right' }, { x: 225, align: 'right' }, { x: 291, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 305 }, { x: 550, align: 'right' }] as const;
    sheet.box(40, 152, 256, 18, { fill: green });
    sheet.box(299, 152, 256, 18, { fill: green });
    row(sheet, 164, left, ['Taliadau / Payments', 'Oriau', '£/awr', 'Swm / Amount'], { bold: true, colour: '#ffffff' });
    row(sheet, 164, right, ['Didyniadau / Deductions', 'Swm / Amount'], { bold: true, colour: '#ffffff' });
    sheet.box(40, 152, 256, 200, { stroke: green });
    sheet.box(299, 152, 256, 200, { stroke: green });
    pay.payments.forEach((line, n) => row(sheet, 186 + n * 17, left, [LABELS[line.kind], units(line), rate(line, 2), money(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 186 + n * 17, right, [LABELS[line.kind], money(line.amount)]));
    row(sheet, 344, left, ['Cyfanswm / Gross Pay', '', '', money(pay.gross)], { bold: true });
    row(sheet, 344, right, ['Cyfanswm / Total Deductions', money(pay.totalDeductions)], { bold: true });
    sheet.line(40, 331, 296, 331, { stroke: green });
    sheet.line(299, 331, 555, 331, { stroke: green });
    sheet.box(299, 360, 256, 28, { stroke: green, thickness: 1.5 });
    sheet.text(305, 378, 'Cyflog Net / Net Pay', { size: 11, bold: true });
    sheet.text(549, 378, money(pay.net, { pound: true }), { size: 12, bold: true, align: 'right' });
    sheet.text(45, 374, 'Telir i / Paid to', { size: 7, colour: green });
    sheet.text(45, 386, `${pay.employee.sortCode}  ****${pay.employee.account.slice(4)}`);
    sheet.box(40, 400, 515, 16, { fill: green });
    sheet.text(45, 411, 'Blwyddyn hyd yma / Year to date', { bold: true, colour: '#ffffff' });
    const sums: [string, number][] = [['Gros / Gross', pay.ytd.gross], ['Trethadwy / Taxable', pay.ytd.taxable], ['Treth / Tax', pay.ytd.tax], ['YG / NI', pay.ytd.ni], ['Pensiwn / Pension', pay.ytd.pension]]; // prettier-ignore
    sums.forEach(([label, value], n) => {
      sheet.box(40 + n * 103, 416, 103, 30, { stroke: green });
      sheet.text(45 + n * 103, 426, label, { size: 7, colour: green });
      sheet.text(138 + n * 103, 440, money(value), { align: 'right' });
    });
    const share = pay.pension === null ? '' : `   Pensiwn / Pension ${money(pay.employerPension)}`;
    sheet.text(45, 464, `Cyfraniadau'r cyflogwr / Employer contributions:   YG / NI ${money(pay.employerNi)}${share}`, { size: 8 }); // prettier-ignore
    sheet.text(45, 478, `Cyfeirnod TWE / PAYE reference: ${pay.employer.payeReference}`, { size: 8 });
    return {
      pay_period: ending,
      pay_period_also: [`Period Ending ${ending}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
