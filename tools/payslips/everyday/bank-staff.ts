import { addDays } from '../../../domain/dates.ts';
import { inParts } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Bank Pay', hours: 'Bank Shift', overtime: 'Enhancement Sun/BH', bonus: 'Incentive Payment', commission: 'Specialty Premium', holiday: 'WTD Holiday Pay', sick: 'SSP', shift: 'Enhancement Night/Sat', car: 'Travel (taxable)', weighting: 'High Cost Area Supp', arrears: 'Arrears', sacrifice: 'Cycle Scheme', tax: 'PAYE', ni: 'National Ins.', pension: 'NHS Pension', avc: 'NHS Added', 'student-loan': 'Student Loan', 'postgraduate-loan': 'PG Loan', union: 'UNISON', ticket: 'Travel Loan', attachment: 'AoE' }); // prettier-ignore

export const bankStaff: PayslipLayout = {
  name: 'bank-staff',
  like: 'a staff bank of hospitals, weekly',
  type: 'payslip',
  size: A4,
  fonts: ['lato', 'helvetica', 'inter'],
  fontSize: 8.5,
  pay: { sector: 'nhs', frequency: 'weekly', rows: 7 },
  draw(sheet, pay, random) {
    const blue = random.pick(['#005eb8', '#003087', '#41505c']);
    const ending = date(pay.to, '31 Oct 2026');
    sheet.text(550, 48, pay.employer.name, { size: 12, bold: true, align: 'right', colour: blue });
    sheet.text(550, 61, 'Temporary Staffing Payslip', { align: 'right' });
    sheet.text(45, 48, longName(pay), { bold: true, size: 10 });
    sheet.lines(45, 61, 11, pay.employee.address);
    const facts: [string, string][] = [['Week ending', ending], ['Pay date', date(pay.payDate, '31 Oct 2026')], ['Assignment', pay.employee.number], ['NI number', niNumber(pay, true)], ['NI category', pay.niLetter], ['Tax code', pay.taxCode]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.box(45 + n * 84.2, 100, 82, 30, { fill: '#e8f1f8' });
      sheet.text(50 + n * 84.2, 111, label, { size: 6.5, colour: blue });
      sheet.text(50 + n * 84.2, 124, value, { bold: true });
    });
    const columns = [{ x: 50 }, { x: 115 }, { x: 190 }, { x: 390, align: 'right' }, { x: 460, align: 'right' }, { x: 544, align: 'right' }] as const; // prettier-ignore
    let y = 154;
    row(sheet, y, columns, ['Shift date', 'Reference', 'Description', 'Hours', 'Rate', 'Amount (£)'], { bold: true, colour: blue }); // prettier-ignore
    sheet.line(45, y + 5, 550, y + 5, { stroke: blue });
    y += 18;
    let day = 0;
    for (const line of pay.payments) {
      const parts = line.kind === 'hours' ? inParts(line, 4) : [line];
      for (const part of parts) {
        const shift = part.units !== undefined && line.kind !== 'holiday';
        const when = shift ? date(addDays(pay.from, Math.min(6, day++)), '31/10/26') : '';
        row(sheet, y, columns, [when, shift ? `${random.int(10, 99)}${random.digits(6)}` : '', shift ? `${LABELS[line.kind]} - ${pay.employee.department}` : LABELS[line.kind], units(part), rate(part, 2), money(part.amount)]); // prettier-ignore
        y += 14;
      }
    }
    sheet.line(45, y - 8, 550, y - 8, { stroke: blue, thickness: 0.4 });
    y += 4;
    row(sheet, y, columns, ['', '', 'Gross pay', '', '', money(pay.gross)], { bold: true });
    y += 26;
    const cells = [
      ...pay.deductions.map(({ kind, amount, ytd }) => [LABELS[kind], amount, ytd] as const),
      ['Total', pay.totalDeductions, pay.ytd.deductions] as const,
    ];
    const width = 435 / cells.length;
    sheet.text(50, y, 'Deductions', { bold: true, colour: blue });
    cells.forEach(([label, now, year], n) => {
      const x = 115 + (n + 1) * width - 6;
      sheet.text(x, y, label, { size: 7, bold: true, align: 'right', colour: blue });
      sheet.text(x, y + 16, money(now), { align: 'right', bold: n === cells.length - 1 });
      sheet.text(x, y + 31, money(year), { align: 'right', colour: '#555555' });
    });
    sheet.text(50, y + 16, 'This week');
    sheet.text(50, y + 31, 'Year to date', { colour: '#555555' });
    sheet.box(45, y - 11, 505, 48, { stroke: blue });
    y += 56;
    sheet.box(345, y, 205, 30, { fill: blue });
    sheet.text(355, y + 19, 'Net pay', { size: 11, bold: true, colour: '#ffffff' });
    sheet.text(542, y + 20, money(pay.net, { pound: true }), { size: 13, bold: true, colour: '#ffffff', align: 'right' }); // prettier-ignore
    const sums = [`Gross pay year to date: ${money(pay.ytd.gross, { pound: true })}`, `Taxable pay year to date: ${money(pay.ytd.taxable, { pound: true })}`]; // prettier-ignore
    sheet.lines(50, y + 10, 13, sums);
    y += 52;
    const shares = [`Employer NI ${money(pay.employerNi)}`, ...(pay.pension === null ? [] : [`Employer NHS Pension ${money(pay.employerPension)}`])]; // prettier-ignore
    sheet.text(50, y, `For information only, not deducted: ${shares.join(', ')}. PAYE ref ${pay.employer.payeReference}.`, { size: 7.5 }); // prettier-ignore
    sheet.text(50, y + 12, 'Query a shift within 14 days with your booking team; have its reference to hand.', { size: 7.5 }); // prettier-ignore
    return {
      pay_period: ending,
      pay_period_also: [`Week ending ${ending}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
