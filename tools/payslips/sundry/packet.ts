import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import type { TextStyle } from '../sheet.ts';
import { date, longName, money, poundsAndPence, words } from '../words.ts';
import { inWords } from './in-words.ts';

const LABELS = words({ basic: 'Basic wage', hours: 'Basic wage', overtime: 'Overtime', bonus: 'Bonus', commission: 'Piecework', holiday: 'Holiday pay', sick: 'S.S.P.', shift: 'Travelling time', car: 'Van money', weighting: 'Tool money', arrears: 'Short last week', tax: 'Tax (P.A.Y.E.)', ni: 'Nat. Insurance', pension: 'Pension', avc: 'Extra pension', 'student-loan': 'Student Loan', 'postgraduate-loan': 'P.G. Loan', union: 'Union', charity: 'Charity', ticket: 'Van repairs', advance: 'Sub', attachment: 'Court order', healthcare: 'B.U.P.A.' }); // prettier-ignore

export const packet: PayslipLayout = {
  name: 'packet',
  like: "a stationer's pay form of a small builder, filled in by the week, the net in words",
  type: 'payslip',
  size: [420, 595],
  fonts: ['helvetica', 'times', 'lato'],
  fontSize: 9,
  pay: { frequency: 'weekly', rows: 6, sector: 'private' },
  draw(sheet, pay, random) {
    const ink = random.pick(['#1b3a8f', '#222222', '#0d5c3a']);
    const hand: TextStyle = { font: 'courier', size: 10, colour: '#111111' };
    const form = (x: number, y: number, text: string, bold = false) => sheet.text(x, y, text, { colour: ink, bold });
    const ending = date(pay.to, '31-10-26');
    sheet.box(20, 20, 380, 555, { stroke: ink, thickness: 1.2 });
    sheet.text(210, 42, 'WAGES SLIP', { size: 13, bold: true, align: 'center', colour: ink });
    const blank = (x: number, y: number, width: number, label: string, value: string) => {
      form(x, y, label);
      const at = x + sheet.widthOf(label) + 5;
      sheet.line(at, y + 2, x + width, y + 2, { stroke: ink, dash: 1 });
      sheet.text(at + 4, y, value, hand);
    };
    blank(32, 64, 356, 'Employer', pay.employer.name);
    blank(32, 84, 210, 'Name', longName(pay));
    blank(252, 84, 136, 'Works No.', pay.employee.number);
    blank(32, 104, 130, 'Week No.', `${pay.period}`);
    blank(172, 104, 216, 'Week ending', ending);
    blank(32, 124, 210, 'N.I. Number', niNumber(pay, true));
    blank(252, 124, 136, 'Tax Code', pay.taxCode);
    sheet.line(20, 136, 400, 136, { stroke: ink });
    sheet.text(338, 148, '£', { colour: ink, align: 'right', bold: true });
    sheet.text(382, 148, 'p', { colour: ink, align: 'right', bold: true });
    form(32, 148, 'EARNINGS', true);
    const top = 136;
    let y = 164;
    const sum = (label: string, pence: number, bold = false) => {
      const [pounds, rest] = poundsAndPence(Math.abs(pence));
      form(32, y, label, bold);
      sheet.text(342, y, `${pence < 0 ? '-' : ''}${pounds}`, { ...hand, align: 'right', bold });
      sheet.text(386, y, rest, { ...hand, align: 'right', bold });
      sheet.line(20, y + 5, 400, y + 5, { stroke: ink, thickness: 0.4 });
      y += 17;
    };
    for (const { kind, amount, units, rate } of pay.payments) {
      if (units !== undefined)
        sheet.text(110, y, `${units.toFixed(2)} hrs @ ${money(rate ?? 0)}`, { ...hand, size: 9 });
      sum(LABELS[kind], amount);
    }
    sum('GROSS WAGE', pay.gross, true);
    form(32, y, 'DEDUCTIONS', true);
    y += 17;
    for (const { kind, amount } of pay.deductions) sum(LABELS[kind], amount);
    sum('TOTAL DEDUCTIONS', pay.totalDeductions, true);
    sum('AMOUNT PAYABLE', pay.net, true);
    sheet.line(290, top, 290, y - 12, { stroke: ink });
    sheet.line(352, top, 352, y - 12, { stroke: ink });
    y += 8;
    form(32, y, 'In words');
    sheet.text(78, y, inWords(pay.net), { ...hand, size: 8 });
    y += 22;
    form(32, y, 'Tax to date');
    sheet.text(100, y, money(pay.ytd.tax), hand);
    form(190, y, 'Gross to date');
    sheet.text(270, y, money(pay.ytd.gross), hand);
    form(32, 562, `Received with thanks the sum stated above. Date paid`);
    sheet.text(290, 562, date(pay.payDate, '31-10-26'), hand);
    return {
      pay_period: ending,
      pay_period_also: [`Week ending ${ending}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
