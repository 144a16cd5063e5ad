import { sumOf } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { frequencyWord, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Base salary', hours: 'Regular hours', overtime: 'Overtime hours 150%', bonus: 'Spot bonus', commission: 'Sales incentive', holiday: 'Paid time off', sick: 'SSP', shift: 'Stand-by allowance', car: 'Car allowance', weighting: 'Location allowance', arrears: 'Retroactive pay', sacrifice: 'Bike benefit sacrifice', tax: 'Income tax (PAYE)', ni: 'Employee NIC', pension: 'Employee pension', avc: 'Employee pension, voluntary', 'student-loan': 'Student loan repayment', 'postgraduate-loan': 'Postgraduate loan repayment', union: 'Trade union dues', charity: 'Payroll giving', ticket: 'Commuter loan', advance: 'Advance recovered', attachment: 'Earnings attachment', healthcare: 'Medical plan' }); // prettier-ignore

export const worldwide: PayslipLayout = {
  name: 'worldwide',
  like: 'an employer of record in many countries (Deel, Remote, Rippling)',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'roboto', 'helvetica'],
  fontSize: 8.5,
  pay: { sector: 'private', rows: 8, refunds: 0.15 },
  draw(sheet, pay, random) {
    const tone = random.pick(['#15357a', '#1d1d1f', '#6b21a8']);
    const soft = '#6e7480';
    const coded = (value: number) => `GBP ${money(value)}`;
    const period = `${pay.from} to ${pay.to}`;
    sheet.text(42, 56, 'Payslip', { size: 22, bold: true, colour: tone });
    sheet.text(42, 72, `United Kingdom, ${frequencyWord(pay.frequency).toLowerCase()} payroll`, { colour: soft });
    const facts: [string, string][] = [['Legal entity', pay.employer.name], ['Worker', `${pay.employee.first} ${pay.employee.last}`], ['Worker ID', pay.employee.number], ['Job title', pay.employee.job], ['Pay period', period], ['Payment date', pay.payDate], ['Tax code / NI category', `${pay.taxCode} / ${pay.niLetter}`], ['NI number', niNumber(pay, false)], ['Employer tax ID (PAYE)', pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const y = 98 + n * 14;
      sheet.text(42, y, label, { colour: soft });
      sheet.text(150, y, value);
    });
    sheet.box(394, 128, 160, 62, { stroke: tone, thickness: 1.2, radius: 6 });
    sheet.text(406, 146, 'Net pay', { colour: soft });
    sheet.text(542, 170, coded(pay.net), { size: 15, bold: true, align: 'right', colour: tone });
    sheet.text(542, 183, `by bank transfer, ****${pay.employee.account.slice(4)}`, { size: 7, align: 'right', colour: soft }); // prettier-ignore
    const columns = [{ x: 48 }, { x: 282, align: 'right' }, { x: 350, align: 'right' }, { x: 446, align: 'right' }, { x: 548, align: 'right' }] as const; // prettier-ignore
    let y = 248;
    const table = (title: string, lines: readonly (readonly string[])[], total: readonly [string, number, number], heads = ['', '']) => {
      sheet.line(42, y - 13, 554, y - 13, { stroke: tone, thickness: 1 });
      row(sheet, y, columns, [title, '', '', '', ''], { bold: true, colour: tone, size: 9.5 });
      row(sheet, y, columns, ['', ...heads, 'YTD', 'Amount'], { colour: soft, size: 7.5 });
      for (const cells of lines) {
        y += 16;
        row(sheet, y, columns, cells);
      }
      y += 18;
      sheet.line(378, y - 11, 554, y - 11, { stroke: '#c9ccd3' });
      row(sheet, y, columns, [total[0], '', '', money(total[2]), money(total[1])], { bold: true });
      y += 36;
    }; // prettier-ignore
    table('Earnings', pay.payments.map((line) => [LABELS[line.kind], units(line), rate(line, 2), money(line.ytd), money(line.amount)]), ['Total gross', pay.gross, pay.ytd.gross], ['Quantity', 'Rate']); // prettier-ignore
    const [now, total] = sumOf(pay.deductions);
    table('Statutory and other deductions', pay.deductions.map((line) => [LABELS[line.kind], '', '', money(-line.ytd), money(-line.amount)]), ['Total deductions', -now, -total]); // prettier-ignore
    sheet.box(42, y - 28, 512, 22, { fill: '#f0f2f6' });
    row(sheet, y - 13, columns, ['Net pay', '', '', money(pay.ytd.net), coded(pay.net)], { bold: true, size: 9.5 });
    y += 26;
    const costs = [['Employer NIC', '', '', money(pay.ytd.employerNi), money(pay.employerNi)]];
    if (pay.pension !== null) costs.push(['Employer pension', '', '', money(pay.ytd.employerPension), money(pay.employerPension)]); // prettier-ignore
    table('Employer contributions', costs, ['Total cost of employment', pay.gross + pay.employerNi + pay.employerPension, pay.ytd.gross + pay.ytd.employerNi + pay.ytd.employerPension]); // prettier-ignore
    sheet.text(42, y, `Taxable income ${coded(pay.taxable)}, since 6 April ${coded(pay.ytd.taxable)}.`, { size: 7.5, colour: soft }); // prettier-ignore
    sheet.text(42, 812, `${pay.employer.address.join(', ')}. All amounts in pounds sterling.`, { size: 7, colour: soft }); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [period.replace(' to ', ' - ')],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
