import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'BASIC PAY', hours: 'BASIC HRS', overtime: 'O/T T+1/2', bonus: 'BONUS', commission: 'COMMISSN', holiday: 'HOL PAY', sick: 'S.S.P.', shift: 'SHIFT ALL', car: 'CAR ALL', weighting: 'LDN WTG', arrears: 'ARREARS', sacrifice: 'SAL SAC', tax: 'P.A.Y.E.', ni: 'NAT INS', pension: 'PENSION', avc: 'A.V.C.', 'student-loan': 'STUD LOAN', 'postgraduate-loan': 'P/G LOAN', union: 'UNION', charity: 'CHARITY', ticket: 'SEASON TKT', advance: 'ADV RECOV', attachment: 'ATT EARNGS', healthcare: 'HSA' }); // prettier-ignore

const COLUMNS = 96;

/** A text with a negative column ends at that column. */
function typed(...cells: readonly (readonly [column: number, text: string])[]): string {
  const line = Array.from({ length: COLUMNS }, () => ' ');
  for (const [column, text] of cells) {
    const from = column < 0 ? -column - text.length : column;
    line.splice(from, text.length, ...Array.from(text));
  }
  return line.join('').trimEnd();
}

export const listing: PayslipLayout = {
  name: 'listing',
  like: "a mainframe's payroll (Cyborg, Peterborough) on a line printer, now as PDF",
  type: 'payslip',
  size: A4,
  fonts: ['courier', 'inconsolata'],
  fontSize: 9.2,
  pay: { rows: 8, refunds: 0.2 },
  draw(sheet, pay, random) {
    const comma = random.chance(0.5);
    const amount = (value: number) => money(value, { comma, negative: 'trailing' });
    // The minus sign is in the column after the digits.
    const upTo = (column: number, value: number) => [-(column + (value < 0 ? 1 : 0)), amount(value)] as const;
    const name = pay.employer.name.toUpperCase();
    const number = String(pay.period).padStart(2, '0');
    const period = `${pay.frequency === 'monthly' ? 'MTH' : 'WK'} ${number}`;
    const lines: string[] = [];
    const bars = [
      [36, '|'],
      [65, '|'],
    ] as const;
    const rule = (of: string) => lines.push(of.repeat(COLUMNS));
    rule('=');
    lines.push(typed([0, name], [-96, 'PAY ADVICE']));
    rule('-');
    lines.push(typed([0, 'EMP NO'], [11, 'NAME'], [35, 'N.I. NUMBER'], [49, 'CAT'], [55, 'TAX CODE'], [66, 'PERIOD'], [-96, 'DATE PAID'])); // prettier-ignore
    const person = `${pay.employee.last.toUpperCase()} ${pay.employee.first[0]!}`;
    lines.push(typed([0, pay.employee.number], [11, person], [35, niNumber(pay, false)], [49, pay.niLetter], [55, pay.taxCode], [66, period], [-96, date(pay.payDate, '31-OCT-26')])); // prettier-ignore
    rule('-');
    lines.push(typed([0, 'PAYMENTS'], [-18, 'HRS'], [-25, 'RATE'], [-34, 'AMOUNT'], [39, 'DEDUCTIONS'], [-62, 'AMOUNT'], [68, 'BALANCES TO DATE'], ...bars)); // prettier-ignore
    lines.push(typed(...bars));
    const balances: [string, number][] = [['GROSS PAY', pay.ytd.gross], ['TAXABLE PAY', pay.ytd.taxable], ['P.A.Y.E.', pay.ytd.tax], ['NAT INS EES', pay.ytd.ni], ['NAT INS ERS', pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) balances.push(['PENSION EES', pay.ytd.pension], ['PENSION ERS', pay.ytd.employerPension]);
    for (let n = 0; n < Math.max(9, pay.deductions.length + 1); n++) {
      const [paid, off, balance] = [pay.payments[n], pay.deductions[n], balances[n]];
      lines.push(
        typed(
          ...(paid ? ([[0, LABELS[paid.kind]], [-18, units(paid)], [-25, rate(paid, 2)], upTo(34, paid.amount)] as const) : []), // prettier-ignore
          ...(off ? ([[39, LABELS[off.kind]], upTo(62, off.amount)] as const) : []),
          ...(balance ? ([[68, balance[0]], upTo(94, balance[1])] as const) : []),
          ...bars,
        ),
      );
    }
    lines.push(typed([-34, '---------'], [-62, '---------'], ...bars));
    lines.push(typed([0, 'TOTAL PAY'], upTo(34, pay.gross), [39, 'TOTAL DEDNS'], upTo(62, pay.totalDeductions), ...bars)); // prettier-ignore
    rule('-');
    lines.push(typed([0, 'THIS PERIOD'], [14, 'TAXABLE PAY'], upTo(35, pay.taxable), [39, 'NAT INS ERS'], upTo(62, pay.employerNi), ...(pay.pension === null ? [] : [[68, 'PENSION ERS'] as const, upTo(94, pay.employerPension)]))); // prettier-ignore
    rule('-');
    lines.push(typed([0, `PAID BY BACS TO ${pay.employee.sortCode} A/C ****${pay.employee.account.slice(4)}`], [68, 'NET PAY'], [-95, `**${amount(pay.net)}**`])); // prettier-ignore
    rule('=');
    lines.push(typed([0, `TAX REF ${pay.employer.payeReference}`]));
    const size = 520 / (COLUMNS * (sheet.widthOf('0') / 9.2));
    sheet.lines(38, 60, size * 1.3, lines, { size });
    return {
      employer_name: name,
      pay_period: period,
      pay_period_also: [number, ...periodNames(pay), period.replace(/ 0/, ' '), `PERIOD ${period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
