import type { PayslipLayout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, words } from '../words.ts';

const LABELS = words({ basic: 'Basic wage', hours: 'Hours', overtime: 'O/T', tax: 'P.A.Y.E.', ni: "E'ee N.I.C.", pension: 'NEST pension (employee)', avc: 'Extra pension', sick: 'SSP', 'student-loan': 'S. Loan', holiday: 'Holiday' }); // prettier-ignore

export const spreadsheet: PayslipLayout = {
  name: 'spreadsheet',
  like: 'a payslip kept in a spreadsheet by the owner of a shop',
  type: 'payslip',
  size: A4,
  fonts: ['lato', 'roboto', 'helvetica'],
  fontSize: 10,
  pay: { rows: 6 },
  draw(sheet, pay, random) {
    const [x, widths, tall] = [60, [170, 90, 90, 90], 18] as const;
    const yearLeft = random.chance(0.5);
    let y = 70;
    const line = (cells: readonly string[], style: { bold?: boolean; fill?: string } = {}) => {
      let at: number = x;
      widths.forEach((width, n) => {
        sheet.box(at, y, width, tall, { stroke: '#999999', thickness: 0.4, ...(style.fill && { fill: style.fill }) });
        const text = cells[n] ?? '';
        if (text !== '') sheet.text(n === 0 ? at + 4 : at + width - 4, y + 13, text, { bold: style.bold === true, align: n === 0 ? 'left' : 'right' }); // prettier-ignore
        at += width;
      });
      y += tall;
    };
    const wide = (left: string, right: string) => {
      sheet.box(x, y, 170, tall, { stroke: '#999999', thickness: 0.4 });
      sheet.box(x + 170, y, 270, tall, { stroke: '#999999', thickness: 0.4 });
      sheet.text(x + 4, y + 13, left);
      sheet.text(x + 174, y + 13, right);
      y += tall;
    };
    const style = random.pick(['31/10/2026', '31-Oct-2026'] as const);
    const ending = date(pay.to, style);
    sheet.text(x, 56, pay.employer.name, { bold: true, size: 14 });
    wide('Employee', longName(pay));
    wide('NI No', pay.employee.niNumber);
    wide('Tax Code', pay.taxCode);
    wide(pay.frequency === 'monthly' ? 'Month ending' : 'Week ending', ending);
    wide('Date paid', date(pay.payDate, style));
    y += 10;
    const both = (now: string, total: string) => (yearLeft ? [total, now] : [now, total]);
    const amount = (value: number) => money(value, { comma: false });
    line(['', '', ...both('This period', 'Year to date')], { bold: true, fill: '#ddebf7' });
    for (const each of pay.payments) {
      const hours = each.units === undefined ? '' : `${each.units.toFixed(2)} hrs`;
      line([LABELS[each.kind], hours, ...both(amount(each.amount), amount(each.ytd))]);
    }
    line(['GROSS', '', ...both(amount(pay.gross), amount(pay.ytd.gross))], { bold: true, fill: '#f2f2f2' });
    for (const each of pay.deductions) line([LABELS[each.kind], '', ...both(amount(each.amount), amount(each.ytd))]);
    line(['TOTAL DEDUCTIONS', '', ...both(amount(pay.totalDeductions), amount(pay.ytd.deductions))], { bold: true });
    line(['NET', '', ...both(amount(pay.net), amount(pay.ytd.net))], { bold: true, fill: '#ffe699' });
    y += 10;
    line(["E'er N.I.C.", '', ...both(amount(pay.employerNi), amount(pay.ytd.employerNi))]);
    if (pay.pension !== null) line(['NEST pension (employer)', '', ...both(amount(pay.employerPension), amount(pay.ytd.employerPension))]); // prettier-ignore
    const word = pay.frequency === 'monthly' ? 'Month ending' : 'Week ending';
    return {
      pay_period: ending,
      pay_period_also: [`${word} ${ending}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
