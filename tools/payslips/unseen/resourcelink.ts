import type { PayslipLayout } from '../layout.ts';
import { niNumber } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'BASIC PAY', hours: 'CLAIMED HOURS', overtime: 'OVERTIME T+1/2', bonus: 'BONUS', commission: 'COMMISSION', holiday: 'HOLIDAY PAY', sick: 'SSP', shift: 'SHIFT ALLOWANCE', car: 'CAR ALLOWANCE', weighting: 'LONDON ALLOWANCE', arrears: 'ARREARS OF PAY', sacrifice: 'CYCLE SACRIFICE', tax: 'TAX', ni: 'NI', pension: 'TEACHERS PENSION', avc: 'AVC', 'student-loan': 'STUDENT LOAN', 'postgraduate-loan': 'POSTGRAD LOAN', union: 'NASUWT', charity: 'CHARITY', ticket: 'SEASON TICKET', advance: 'ADVANCE RECOVERED', attachment: 'COURT ORDER', healthcare: 'HEALTH PLAN' }); // prettier-ignore

export const resourcelink: PayslipLayout = {
  name: 'resourcelink',
  like: 'Zellis ResourceLink of a school',
  type: 'payslip',
  size: A4,
  fonts: ['courier', 'inconsolata'],
  fontSize: 8.5,
  pay: { sector: 'school', frequency: 'monthly', rows: 8, hourly: false },
  draw(sheet, pay) {
    const month = date(pay.payDate, '31-OCT-26');
    const span = `${date(pay.from, '31-OCT-26')} TO ${date(pay.to, '31-OCT-26')}`;
    sheet.text(36, 50, pay.employer.name, { bold: true, size: 11 });
    sheet.text(559, 50, 'PAY ADVICE', { align: 'right', bold: true });
    sheet.line(36, 58, 559, 58);
    sheet.lines(36, 72, 12, [`NAME       ${longName(pay)}`, `EMP NO     ${pay.employee.number}`, `NI NO      ${niNumber(pay, false)}   LETTER ${pay.niLetter}`]); // prettier-ignore
    sheet.lines(330, 72, 12, [`PAY DATE    ${month}`, `PAY PERIOD  ${span}`, `TAX CODE    ${pay.taxCode}   ${periodWord(pay).toUpperCase()} ${pay.period}`]); // prettier-ignore
    sheet.line(36, 104, 559, 104);
    const dotted = (x: number, to: number, y: number, label: string, value: string, bold = false) => {
      sheet.text(x, y, label, { bold });
      sheet.text(to, y, value, { align: 'right', bold });
      const from = x + sheet.widthOf(label, { bold }) + 4;
      const until = to - sheet.widthOf(value, { bold }) - 4;
      for (let at = from; at < until; at += 6) sheet.text(at, y, '.', { colour: '#777777' });
    };
    sheet.text(36, 120, 'PAYMENTS', { bold: true });
    sheet.text(310, 120, 'DEDUCTIONS', { bold: true });
    pay.payments.forEach((line, n) => {
      const hours = line.units === undefined ? '' : ` ${units(line)} X ${rate(line, 2)}`;
      dotted(36, 285, 138 + n * 14, `${LABELS[line.kind]}${hours}`, money(line.amount, { negative: 'trailing' }));
    });
    pay.deductions.forEach((line, n) => dotted(310, 559, 138 + n * 14, LABELS[line.kind], money(line.amount, { negative: 'trailing' }))); // prettier-ignore
    const y = 138 + 9 * 14;
    sheet.line(36, y - 8, 559, y - 8);
    dotted(36, 285, y + 6, 'TOTAL GROSS PAY', money(pay.gross), true);
    dotted(310, 559, y + 6, 'TOTAL DEDUCTIONS', money(pay.totalDeductions), true);
    dotted(310, 559, y + 24, 'NET PAY', money(pay.net), true);
    sheet.line(36, y + 34, 559, y + 34);
    sheet.text(36, y + 48, 'TOTALS TO DATE', { bold: true });
    sheet.text(310, y + 48, 'EMPLOYERS CONTRIBUTIONS', { bold: true });
    dotted(36, 285, y + 64, 'GROSS PAY', money(pay.ytd.gross));
    dotted(36, 285, y + 78, 'TAXABLE PAY', money(pay.ytd.taxable));
    dotted(36, 285, y + 92, 'TAX PAID', money(pay.ytd.tax));
    dotted(36, 285, y + 106, 'NI CONTRIBUTIONS', money(pay.ytd.ni));
    dotted(36, 285, y + 120, 'SUPERANNUATION', money(pay.ytd.pension));
    dotted(310, 559, y + 64, 'NI', money(pay.employerNi));
    if (pay.pension !== null) dotted(310, 559, y + 78, 'SUPERANNUATION', money(pay.employerPension));
    dotted(310, 559, y + 106, 'TAXABLE PAY THIS MONTH', money(pay.taxable));
    return {
      pay_period: span,
      pay_period_also: [span.replace(' TO ', ' - ')],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
