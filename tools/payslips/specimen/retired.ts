import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf } from '../words.ts';

export const retired: PayslipLayout = {
  name: 'retired',
  like: 'the monthly payslip of a pensioner from a pension administrator',
  type: 'payslip',
  size: A4,
  fonts: ['source-serif', 'helvetica', 'times'],
  fontSize: 10,
  pay: { frequency: 'monthly', rows: 4, hourly: false },
  draw(sheet, pay, random) {
    const teal = random.pick(['#005f73', '#5a189a', '#3a3a3a']);
    const increase = Math.round(pay.gross * 0.067);
    const fee = random.chance(0.4) ? random.int(200, 900) : 0;
    const net = pay.gross - pay.tax - fee;
    const paid = date(pay.payDate, '31 October 2026');
    sheet.text(60, 70, pay.employer.name, { size: 17, bold: true, colour: teal });
    sheet.text(60, 86, pay.employer.address.join(', '), { size: 9 });
    sheet.lines(60, 130, 14, [longName(pay), ...pay.employee.address]);
    sheet.text(535, 130, 'Pension payslip', { size: 14, bold: true, align: 'right', colour: teal });
    sheet.text(535, 148, monthOf(pay.payDate), { size: 11, align: 'right' });
    const facts: [string, string][] = [['Payment date', paid], ['Tax code', pay.taxCode], ['National Insurance number', niNumber(pay, true)], ['Pensioner reference', pay.employee.number], ['Tax month', `${pay.period}`]]; // prettier-ignore
    facts.forEach(([label, value], n) => row(sheet, 200 + n * 16, [{ x: 60 }, { x: 240, align: 'left' }], [label, value])); // prettier-ignore
    const columns = [{ x: 68 }, { x: 420, align: 'right' }, { x: 527, align: 'right' }] as const;
    let y = 310;
    const head = (title: string) => {
      sheet.box(60, y - 14, 475, 20, { fill: teal });
      row(sheet, y, columns, [title, 'This month', 'Tax year to date'], { bold: true, colour: '#ffffff', size: 9 });
      y += 22;
    };
    const next = (label: string, now: number, year: number, bold = false) => {
      row(sheet, y, columns, [label, money(now), money(year)], { bold });
      sheet.line(60, y + 6, 535, y + 6, { stroke: '#cccccc', thickness: 0.5 });
      y += 19;
    };
    const months = Math.max(1, Math.round(pay.ytd.gross / pay.gross));
    head('Pension');
    next('Annual pension / 12', pay.gross - increase, pay.ytd.gross - increase * months);
    next('Pensions increase', increase, increase * months);
    next('Gross pension', pay.gross, pay.ytd.gross, true);
    y += 18;
    head('Deductions');
    next('Income tax', pay.tax, pay.ytd.tax);
    if (fee > 0) next('Benevolent fund', fee, fee * months);
    next('Total deductions', pay.tax + fee, pay.ytd.tax + fee * months, true);
    y += 16;
    sheet.box(60, y - 16, 475, 26, { stroke: teal, thickness: 1.4 });
    sheet.text(68, y + 1, 'Net pension paid', { bold: true, size: 12 });
    sheet.text(527, y + 1, money(net, { pound: true }), { bold: true, size: 12, align: 'right' });
    sheet.lines(60, y + 40, 14, [`Paid to your bank account ending ${pay.employee.account.slice(4)}.`, `Please quote your reference if you write to us. PAYE reference: ${pay.employer.payeReference}`], { size: 9 }); // prettier-ignore
    return {
      net_pay: net,
      ni_deducted: null,
      pension_deducted: null,
      pay_period: monthOf(pay.payDate),
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
