import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { date, money, words } from '../words.ts';

const LABELS = words({ basic: 'BASIC', hours: 'BASIC HRS', overtime: 'OVERTIME', bonus: 'BONUS', commission: 'COMMISSION', holiday: 'HOLIDAY PAY', sick: 'SSP', shift: 'LATE SHIFT', car: 'TAXI', weighting: 'LONDON', arrears: 'ARREARS', sacrifice: 'SAL SAC', tax: 'PAYE TAX', ni: 'NI', pension: 'PENSION', avc: 'PENSION AVC', 'student-loan': 'STUDENT LOAN', 'postgraduate-loan': 'PG LOAN', union: 'UNION', charity: 'CHARITY', ticket: 'TRAVEL LOAN', advance: 'ADVANCE', attachment: 'AEO', healthcare: 'HEALTH PLAN' }); // prettier-ignore

export const till: PayslipLayout = {
  name: 'till',
  like: 'what a back-office till or a kiosk prints for staff of a shop or a pub',
  type: 'payslip',
  size: [240, 620],
  fonts: ['courier', 'inconsolata'],
  fontSize: 9,
  pay: { frequency: 'weekly', rows: 6, sector: 'private' },
  draw(sheet, pay, random) {
    const ending = date(pay.to, '31/10/26');
    let y = 30;
    const centre = (text: string, bold = false) => {
      sheet.text(120, y, text, { align: 'center', bold });
      y += 12;
    };
    const entry = (label: string, value: string, bold = false) => {
      sheet.text(14, y, label, { bold });
      sheet.text(226, y, value, { align: 'right', bold });
      y += 12;
    };
    const rule = () => {
      sheet.text(14, y, '-'.repeat(Math.floor(212 / sheet.widthOf('-'))));
      y += 12;
    };
    const amount = (value: number) => money(value, { comma: false });
    sheet.text(120, y, pay.employer.name, { align: 'center', bold: true, size: sheet.widthOf(pay.employer.name, { bold: true }) > 215 ? 7 : 9 }); // prettier-ignore
    y += 12;
    centre(pay.employer.address[0]!.toUpperCase());
    centre(`${pay.employer.address[1]!.toUpperCase()} ${pay.employer.address[2]!}`);
    centre('STAFF PAYSLIP', true);
    rule();
    entry('NAME', `${pay.employee.first[0]!} ${pay.employee.last}`.toUpperCase());
    entry('STAFF NO', pay.employee.number);
    entry('NI NO', niNumber(pay, false));
    entry('TAX CODE', pay.taxCode);
    entry('WEEK', `${pay.period}`);
    entry('W/E', ending);
    entry('PAY DATE', date(pay.payDate, '31/10/26'));
    rule();
    for (const { kind, amount: paid, units, rate } of pay.payments) {
      entry(LABELS[kind], amount(paid));
      if (units === undefined) continue;
      sheet.text(26, y, `${units.toFixed(2)} @ ${amount(rate ?? 0)}`);
      y += 12;
    }
    entry('TOTAL PAY', amount(pay.gross), true);
    rule();
    for (const { kind, amount: taken } of pay.deductions) entry(LABELS[kind], amount(-taken));
    entry('TOTAL DEDNS', amount(-pay.totalDeductions), true);
    rule();
    entry('NET PAY', `GBP ${amount(pay.net)}`, true);
    rule();
    entry('PAY TO DATE', amount(pay.ytd.gross));
    entry('TAX TO DATE', amount(pay.ytd.tax));
    entry('NI TO DATE', amount(pay.ytd.ni));
    if (pay.pension !== null) entry('ER PENSION', amount(pay.employerPension));
    rule();
    centre(`TILL ${random.int(1, 9)}  ${random.digits(6)}`);
    return {
      pay_period: ending,
      pay_period_also: [`W/E ${ending}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
