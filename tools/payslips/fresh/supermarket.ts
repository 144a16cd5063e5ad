import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { date, longName, money, units, words } from '../words.ts';
import { inParts } from './lines.ts';

const LABELS = words({ basic: 'Contract Pay', hours: 'Basic', overtime: 'Overtime T1.5', bonus: 'Colleague Bonus', commission: 'Skills Supplement', holiday: 'Holiday Taken', sick: 'Company/SSP', shift: 'Night Premium', car: 'Location Allow', weighting: 'Inner London', arrears: 'Adj Prev Weeks', sacrifice: 'Cycle Scheme', tax: 'PAYE', ni: 'NI Contribs', pension: 'Retirement Plan', avc: 'Ret Plan Addl', union: 'USDAW', ticket: 'Travel Loan', advance: 'Advance of Pay', attachment: 'Att. of Earnings', charity: 'Payroll Giving', healthcare: 'Health Plan', 'student-loan': 'Student Loan' }); // prettier-ignore
const DAYS = ['Basic Mon-Fri', 'Basic Saturday', 'Basic Sunday'];

export const supermarket: PayslipLayout = {
  name: 'supermarket',
  like: 'the payslip of a supermarket chain, paid by the week or four weeks',
  type: 'payslip',
  size: [419.53, 595.28],
  fonts: ['archivo-narrow', 'helvetica', 'roboto'],
  fontSize: 7,
  pay: { sector: 'private', frequency: '4-weekly', rows: 8 },
  draw(sheet, pay, random) {
    const ending = date(pay.to, '31.10.2026');
    const green = random.pick(['#2f7d32', '#1d4f91', '#b3261e']);
    sheet.box(24, 22, 372, 30, { fill: green });
    sheet.text(32, 41, pay.employer.name, { size: 12, bold: true, colour: '#ffffff' });
    sheet.text(388, 41, 'colleague payslip', { size: 9, colour: '#ffffff', align: 'right' });
    const facts: [string, string][] = [['Colleague', longName(pay)], ['Colleague no.', pay.employee.number], ['Store / Dept', `${pay.employer.address[1]!} ${pay.employee.department}`], ['Tax code', pay.taxCode], ['NI no. / cat.', `${niNumber(pay, false)} / ${pay.niLetter}`], ['Tax week', `${pay.period}`], ['4 weeks ending', ending], ['Pay day', date(pay.payDate, '31.10.2026')]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [28 + (n % 2) * 196, 66 + Math.floor(n / 2) * 11];
      sheet.text(x, y, label, { colour: '#555555' });
      sheet.text(x + 62, y, value, { bold: true });
    });
    const columns = [{ x: 28 }, { x: 210, align: 'right' }, { x: 264, align: 'right' }, { x: 328, align: 'right' }, { x: 392, align: 'right' }] as const; // prettier-ignore
    let y = 122;
    const heading = (cells: readonly string[]) => {
      row(sheet, y, columns, cells, { bold: true, colour: green });
      sheet.line(24, y + 3, 396, y + 3, { stroke: green });
      y += 12;
    };
    const total = (label: string, now: number, ytd: number) => {
      sheet.line(276, y - 7, 396, y - 7);
      row(sheet, y + 1, columns, [label, '', '', money(now), money(ytd)], { bold: true });
      y += 18;
    };
    heading(['Pay', 'Hours', 'Rate £', 'Paid £', 'Year so far £']);
    for (const line of pay.payments) {
      const parts = line.kind === 'hours' ? inParts(line, 3) : [line];
      parts.forEach((part, n) => {
        const label = parts.length > 1 ? DAYS[n]! : LABELS[line.kind];
        row(sheet, y, columns, [label, units(part), part.rate === undefined ? '' : (part.rate / 100).toFixed(3), money(part.amount), money(part.ytd)]); // prettier-ignore
        y += 10;
      });
    }
    total('Total Pay', pay.gross, pay.ytd.gross);
    heading(['Deductions', '', '', 'Taken £', 'Year so far £']);
    for (const line of pay.deductions) {
      row(sheet, y, columns, [LABELS[line.kind], '', '', money(line.amount), money(line.ytd)]);
      y += 10;
    }
    total('Total Deductions', pay.totalDeductions, pay.ytd.deductions);
    sheet.box(24, y - 9, 372, 18, { stroke: green, thickness: 1 });
    row(sheet, y + 3, columns, ['Amount paid into bank', `a/c ****${pay.employee.account.slice(4)}`, '', '', money(pay.net, { pound: true })], { bold: true, size: 9 }); // prettier-ignore
    y += 26;
    sheet.text(28, y, 'Tax Year Totals', { bold: true, colour: green });
    const totals: [string, number][] = [['Taxable Pay', pay.ytd.taxable], ['Tax Paid', pay.ytd.tax], ['NI Paid', pay.ytd.ni], ['Pension Paid', pay.ytd.pension], ['Co. NI', pay.ytd.employerNi], ['Co. Pension', pay.ytd.employerPension]]; // prettier-ignore
    totals.forEach(([label, value], n) => {
      const [x, at] = [28 + (n % 3) * 126, y + 12 + Math.floor(n / 3) * 11];
      row(sheet, at, [{ x }, { x: x + 112, align: 'right' }], [label, money(value)]);
    });
    sheet.text(28, y + 40, `The company paid ${money(pay.employerNi, { pound: true })} National Insurance${pay.pension === null ? '' : ` and ${money(pay.employerPension, { pound: true })} into your Retirement Plan`} for you.`); // prettier-ignore
    sheet.text(28, y + 51, `Taxable pay this period ${money(pay.taxable, { pound: true })}. PAYE ref ${pay.employer.payeReference}`); // prettier-ignore
    return {
      pay_period: `4 weeks ending ${ending}`,
      pay_period_also: [ending, ...periodNames(pay), `Tax week ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
