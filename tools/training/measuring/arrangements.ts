import { addDays } from '../../../domain/dates.ts';
import type { PayslipLayout } from '../../payslips/layout.ts';
import { niNumber, row } from '../../payslips/parts.ts';
import { A4, A4_LANDSCAPE, A5_LANDSCAPE, TWO_THIRDS } from '../../payslips/sheet.ts';
import { date, frequencyWord, longName, money, monthOf, periodWord, poundsAndPence, shortName } from '../../payslips/words.ts'; // prettier-ignore
import { amountsOf, capitals, exchanged, inTwo, near, period, span, texts, wording } from './common.ts';

export const beforeAndNow: PayslipLayout = {
  name: 'm-before-and-now',
  like: 'a payslip that compares with the last one',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'roboto', 'helvetica'],
  fontSize: 9.5,
  pay: { rows: 7, hourly: false },
  draw(sheet, pay, random) {
    const labels = wording(random);
    const isMonth = pay.frequency === 'monthly';
    const when = isMonth ? monthOf(pay.payDate) : `${frequencyWord(pay.frequency)} period ${pay.period}`;
    const nowFirst = random.chance(0.4);
    sheet.text(50, 60, pay.employer.name, { size: 14, bold: true });
    sheet.text(50, 80, `Pay statement: ${when}`, { size: 12 });
    sheet.text(545, 60, longName(pay), { align: 'right' });
    sheet.text(545, 74, `Tax code ${pay.taxCode}   NI ${niNumber(pay, false)}`, { align: 'right', size: 8.5 });
    sheet.text(545, 88, `Paid on ${date(pay.payDate, '31 Oct 2026')}`, { align: 'right', size: 8.5 });
    const columns = [{ x: 50 }, { x: 330, align: 'right' }, { x: 440, align: 'right' }, { x: 545, align: 'right' }] as const; // prettier-ignore
    const [then, now] = random.pick([['Last time', 'This time'], ['Previous', 'Current'], ['Last period', 'This period']] as const); // prettier-ignore
    row(sheet, 126, columns, ['', ...(nowFirst ? [now, then] : [then, now]), 'Change'], { bold: true });
    sheet.line(50, 132, 545, 132);
    let y = 150;
    const line = (label: string, amount: number, earlier: number, bold = false) => {
      const [was, is] = [money(earlier), money(amount)];
      row(sheet, y, columns, [label, ...(nowFirst ? [is, was] : [was, is]), amount === earlier ? '' : money(amount - earlier)], { bold }); // prettier-ignore
      y += 18;
      return earlier;
    };
    const paid = pay.payments.reduce((sum, { kind, amount }) => sum + line(labels[kind], amount, near(random, amount)), 0); // prettier-ignore
    line(random.pick(['Gross', 'Total gross pay', 'Pay before deductions']), pay.gross, paid, true);
    y += 10;
    const taken = pay.deductions.reduce((sum, { kind, amount }) => sum + line(labels[kind], amount, near(random, amount)), 0); // prettier-ignore
    line('All deductions', pay.totalDeductions, taken, true);
    y += 10;
    line(random.pick(['Net', 'Net pay', 'Pay after deductions']), pay.net, paid - taken, true);
    if (random.chance(0.5)) sheet.text(50, y + 20, `Tax year ${pay.taxYear.replace('-', '/')} so far: gross ${money(pay.ytd.gross)}, tax ${money(pay.ytd.tax)}, NI ${money(pay.ytd.ni)}`, { size: 8.5 }); // prettier-ignore
    return { ...period(pay, when, [`period ${pay.period}`], !isMonth), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const yearBelow: PayslipLayout = {
  name: 'm-year-below',
  like: 'the web payslip of a young payroll service',
  type: 'payslip',
  size: A4,
  fonts: ['lato', 'source-serif', 'inter'],
  fontSize: 10.5,
  pay: { rows: 6 },
  draw(sheet, pay, random) {
    const labels = wording(random);
    const accent = random.pick(['#3d2c8d', '#00573f', '#333333']);
    const number = `${periodWord(pay)} ${pay.period}`;
    const when = span(pay, '31 Oct 2026', ' to ');
    sheet.box(40, 36, 515, 64, { fill: '#f0f0f3', radius: 6 });
    sheet.text(54, 62, pay.employer.name, { size: 14, bold: true, colour: accent });
    sheet.text(54, 84, `${longName(pay)}, ${number}: ${when}`);
    const facts: [string, string][] = [['Paid', date(pay.payDate, '31 Oct 2026')], ['Tax code', pay.taxCode], ['NI letter', pay.niLetter], ['NI number', niNumber(pay, true)], ['PAYE ref', pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([label, value], n) => sheet.text(44 + n * 103, 122, `${label} ${value}`, { size: 8 }));
    const list = (x: number, title: string, lines: readonly (readonly [string, number, number])[]) => {
      sheet.text(x, 152, title, { bold: true, size: 12, colour: accent });
      lines.forEach(([label, now, year], n) => {
        const y = 178 + n * 31;
        sheet.text(x, y, label, { bold: n === lines.length - 1 });
        sheet.text(x + 240, y, money(now, { pound: true }), { align: 'right', bold: n === lines.length - 1 });
        sheet.text(x + 240, y + 12, `YTD ${money(year, { pound: true })}`, { align: 'right', size: 8, colour: '#666666' }); // prettier-ignore
      });
    };
    const rows = (of: typeof pay.payments) => of.map(({ kind, amount, ytd }) => [labels[kind], amount, ytd] as const);
    list(44, 'Earnings', [...rows(pay.payments), ['Gross pay', pay.gross, pay.ytd.gross]]);
    list(310, 'Deductions', [...rows(pay.deductions), ['Total', pay.totalDeductions, pay.ytd.deductions]]);
    sheet.line(40, 450, 555, 450, { stroke: accent, thickness: 1.5 });
    sheet.text(44, 474, random.pick(['Net pay', 'Amount paid', 'Net wages']), { size: 14, bold: true });
    sheet.text(550, 474, money(pay.net, { pound: true }), { size: 16, bold: true, align: 'right' });
    sheet.text(550, 488, `YTD ${money(pay.ytd.net, { pound: true })}`, { align: 'right', size: 8, colour: '#666666' });
    return { ...period(pay, when, [`${number}: ${when}`]), ...texts(pay, 'date', 'code', 'reference', 'number') };
  },
};

export const mirrored: PayslipLayout = {
  name: 'm-mirrored',
  like: 'an old payroll programme whose reports put amounts first',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['courier', 'inconsolata', 'helvetica'],
  fontSize: 9.5,
  pay: { rows: 6 },
  draw(sheet, whole, random) {
    const pay = inTwo(whole, random.between(0.15, 0.4));
    const labels = capitals(wording(random));
    const columns = [{ x: 120, align: 'right' }, { x: 134 }, { x: 420, align: 'right' }] as const;
    const style = { negative: random.pick(['trailing', 'brackets'] as const) };
    const when = `${date(pay.from, '31.10.2026')} - ${date(pay.to, '31.10.2026')}`;
    sheet.text(50, 46, pay.employer.name.toUpperCase());
    sheet.text(50, 60, `${shortName(pay).toUpperCase()}   NO. ${pay.employee.number}   ${niNumber(pay, false)}   ${pay.taxCode}`); // prettier-ignore
    sheet.text(50, 74, `PERIOD ${when}   PAYDAY ${date(pay.payDate, '31.10.2026')}`);
    row(sheet, 100, columns, ['AMOUNT', 'DESCRIPTION', 'TAX YEAR']);
    let y = 118;
    const line = (amount: number, label: string, year?: number, bold = false) => {
      row(sheet, y, columns, [money(amount, style), label, year === undefined ? '' : money(year, style)], { bold });
      y += 14;
    };
    for (const { kind, amount, ytd } of pay.payments) line(amount, labels[kind], ytd);
    line(pay.gross, random.pick(['GROSS', 'TOTAL PAY', 'GROSS PAY']), pay.ytd.gross, true);
    y += 8;
    for (const { kind, amount, ytd } of pay.deductions) line(amount, labels[kind], ytd);
    line(pay.totalDeductions, 'DEDUCTED', undefined, true);
    y += 8;
    line(pay.net, random.pick(['NET', 'NET PAY', 'TRANSFERRED']), undefined, true);
    y += 16;
    sheet.text(50, y, 'EMPLOYER (FOR INFORMATION)');
    y += 14;
    line(pay.employerNi, 'NI EMPLOYER', pay.ytd.employerNi);
    if (pay.pension !== null) line(pay.employerPension, 'PENSION EMPLOYER', pay.ytd.employerPension);
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code', 'number'), ...amountsOf(pay), employer_name: pay.employer.name.toUpperCase() }; // prettier-ignore
  },
};

export const shares: PayslipLayout = {
  name: 'm-shares',
  like: 'payroll of a company with salary exchange, shares side by side',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['archivo-narrow', 'roboto', 'helvetica'],
  fontSize: 9.5,
  pay: { sector: 'private', frequency: 'monthly', rows: 6, hourly: false },
  draw(sheet, before, random) {
    const { pay, given } = exchanged(before);
    const labels = wording(random, {
      pension: ['Pension Sal Sac', 'SMART Pension', 'Pension salary exchange', 'PenSave sacrifice'],
    });
    const style = { negative: random.pick(['minus', 'brackets'] as const) };
    const when = `${monthOf(pay.payDate)} (month ${pay.period})`;
    sheet.text(40, 48, pay.employer.name, { bold: true, size: 13 });
    sheet.text(
      40,
      64,
      `${longName(pay)}  |  ${pay.employee.number}  |  ${niNumber(pay, true)}  |  Tax code ${pay.taxCode}`,
    );
    sheet.text(800, 48, `Pay advice ${when}`, { align: 'right', bold: true });
    sheet.text(800, 64, `Payment ${date(pay.payDate, '31-Oct-2026')}`, { align: 'right' });
    const columns = [{ x: 40 }, { x: 360, align: 'right' }, { x: 500, align: 'right' }, { x: 660, align: 'right' }, { x: 800, align: 'right' }] as const; // prettier-ignore
    sheet.box(36, 84, 768, 20, { fill: '#dfe6ee' });
    row(sheet, 98, columns, ['Element', 'Employee', 'Employee YTD', 'Employer', 'Employer YTD'], { bold: true });
    let y = 120;
    const line = (label: string, cells: readonly number[], bold = false) => {
      row(sheet, y, columns, [label, ...cells.map((amount) => money(amount, style))], { bold });
      y += 17;
    };
    for (const { kind, amount, ytd } of pay.payments) line(labels[kind], [amount, ytd]);
    line(random.pick(['Gross after sacrifice', 'Total gross', 'Gross pay']), [pay.gross, pay.ytd.gross], true);
    sheet.line(36, y - 10, 804, y - 10, { stroke: '#8899aa' });
    y += 6;
    for (const { kind, amount, ytd } of pay.deductions) line(labels[kind], kind === 'ni' ? [amount, ytd, pay.employerNi, pay.ytd.employerNi] : [amount, ytd]); // prettier-ignore
    if (given !== null) row(sheet, y, columns, ['Pension paid to provider', '', '', money(given + pay.employerPension), ''], {}); // prettier-ignore
    y += 22;
    line(random.pick(['Net Pay', 'Net amount due']), [pay.net], true);
    return { ...period(pay, when, [monthOf(pay.payDate)]), ...texts(pay, 'date', 'code', 'number'), ...amountsOf(pay), pension_deducted: given }; // prettier-ignore
  },
};

export const manyDates: PayslipLayout = {
  name: 'm-many-dates',
  like: 'payroll of a large shop or warehouse, with a calendar of paydays',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'times', 'roboto'],
  fontSize: 9,
  pay: { rows: 8, frequency: '4-weekly', refunds: 0.5 },
  draw(sheet, pay, random) {
    const labels = wording(random, {
      arrears: ['Underpaymnt prev per.', 'Correction P' + String(Math.max(1, pay.period - 4))],
    });
    const style = { negative: 'trailing' } as const;
    const day = (of: string) => date(of, '31/10/2026');
    const when = `${day(pay.from)} to ${day(pay.to)}`;
    const dates: [string, string][] = [['Printed', day(addDays(pay.payDate, -3))], ['Last pay date', day(addDays(pay.payDate, -28))], ['Next pay date', day(addDays(pay.payDate, 28))], ['Pay date', day(pay.payDate)], ['Period covered', when], ['Started', '04/09/2017']]; // prettier-ignore
    sheet.box(40, 40, 515, 84, { stroke: '#777777' });
    sheet.text(48, 58, pay.employer.name, { bold: true, size: 11 });
    sheet.text(48, 74, `${shortName(pay)}   Colleague no. ${pay.employee.number}`);
    sheet.text(48, 88, `Store ${random.digits(4)}   Contract hours ${random.int(16, 39)}.00`);
    sheet.text(48, 102, `Tax code ${pay.taxCode}   NI ${niNumber(pay, false)} ${pay.niLetter}`);
    dates.forEach(([label, value], n) => row(sheet, 54 + n * 13, [{ x: 345 }, { x: 548, align: 'right' }], [label, value], { size: 8.5 })); // prettier-ignore
    const columns = [{ x: 44 }, { x: 200, align: 'right' }, { x: 285, align: 'right' }] as const;
    const right = [{ x: 310 }, { x: 470, align: 'right' }, { x: 550, align: 'right' }] as const;
    row(sheet, 146, columns, ['Pay', 'Total to date', 'Amount'], { bold: true });
    row(sheet, 146, right, ['Deduction', 'Total to date', 'Amount'], { bold: true });
    pay.payments.forEach((line, n) => row(sheet, 164 + n * 15, columns, [labels[line.kind].slice(0, 20), money(line.ytd, style), money(line.amount, style)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 164 + n * 15, right, [labels[line.kind], money(line.ytd, style), money(line.amount, style)])); // prettier-ignore
    const y = 190 + 15 * Math.max(pay.payments.length, pay.deductions.length);
    sheet.line(40, y - 12, 555, y - 12);
    row(sheet, y, columns, ['Total pay', money(pay.ytd.gross, style), money(pay.gross, style)], { bold: true });
    row(sheet, y, right, ['Total deductions', money(pay.ytd.deductions, style), money(pay.totalDeductions, style)], { bold: true }); // prettier-ignore
    sheet.text(310, y + 26, random.pick(['Net pay to bank', 'Net pay', 'Your pay']), { bold: true, size: 11 });
    sheet.text(550, y + 26, money(pay.net, { pound: true }), { bold: true, size: 12, align: 'right' });
    sheet.text(44, y + 26, `Employer's pension ${money(pay.employerPension)}   Employer's NI ${money(pay.employerNi)}`, { size: 7.5 }); // prettier-ignore
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const poundColumns: PayslipLayout = {
  name: 'm-pound-columns',
  like: 'a printed pay form with columns for pounds and pence',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['times', 'courier'],
  fontSize: 10,
  pay: { sector: 'private', rows: 5, hourly: false },
  draw(sheet, pay, random) {
    const labels = wording(random);
    const when = pay.frequency === 'monthly' ? monthOf(pay.payDate) : `Week ${pay.period}`;
    sheet.text(297, 40, pay.employer.name, { size: 13, bold: true, align: 'center' });
    sheet.text(40, 62, `Name  ${longName(pay)}`);
    sheet.text(300, 62, `${pay.frequency === 'monthly' ? 'Month of' : 'For'}  ${when}`);
    sheet.text(40, 78, `Code  ${pay.taxCode}`);
    sheet.text(300, 78, `Date  ${date(pay.payDate, '31/10/26')}`);
    for (const [x, title] of [
      [40, 'EARNINGS'],
      [305, 'DEDUCTIONS'],
    ] as const) {
      sheet.box(x, 90, 250, 216);
      sheet.line(x + 165, 90, x + 165, 306);
      sheet.line(x + 222, 90, x + 222, 306, { thickness: 0.4 });
      sheet.text(x + 8, 104, title, { bold: true, size: 8.5 });
      sheet.text(x + 192, 104, '£', { align: 'center', size: 8.5 });
      sheet.text(x + 236, 104, 'p', { align: 'center', size: 8.5 });
      sheet.line(x, 110, x + 250, 110);
    }
    const put = (x: number, y: number, label: string, amount: number, bold = false) => {
      const [pounds, pence] = poundsAndPence(Math.abs(amount));
      sheet.text(x + 8, y, label, { bold });
      sheet.text(x + 217, y, amount < 0 ? `-${pounds}` : pounds, { align: 'right', bold });
      sheet.text(x + 236, y, pence, { align: 'center', bold });
    };
    pay.payments.forEach(({ kind, amount }, n) => put(40, 130 + n * 22, labels[kind], amount));
    pay.deductions.forEach(({ kind, amount }, n) => put(305, 130 + n * 22, labels[kind], amount));
    put(40, 298, random.pick(['GROSS', 'Gross Pay', 'Total Earned']), pay.gross, true);
    put(305, 298, 'Total Deductions', pay.totalDeductions, true);
    sheet.box(305, 314, 250, 24, { thickness: 1.2 });
    put(305, 331, random.pick(['NET PAY', 'Balance Payable', 'Net Wages']), pay.net, true);
    sheet.text(40, 331, `NI number ${niNumber(pay, true)}   Received ..............`, {
      size: 7.5,
    });
    return { ...period(pay, when, [], pay.frequency !== 'monthly'), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const onLeave: PayslipLayout = {
  name: 'm-on-leave',
  like: 'payroll software for somebody on family or sick leave',
  type: 'payslip',
  size: A4,
  fonts: ['roboto', 'archivo-narrow', 'source-serif'],
  fontSize: 9.5,
  pay: { rows: 7, frequency: 'monthly', hourly: false },
  draw(sheet, pay, random) {
    const labels = wording(random, { basic: ['Keeping In Touch Days', 'Salary (part month)', 'Basic less unpaid leave'], bonus: ['Statutory Maternity Pay', 'SMP', 'Stat. Paternity Pay', 'ShPP'], sick: ['Statutory Sick Pay', 'SSP (7 days)'], arrears: ['Occupational Maternity Pay', 'OSP Full Pay'], advance: ['Overpayment recovery', 'Recovery of o/payment'] }); // prettier-ignore
    const when = random.chance(0.5) ? monthOf(pay.payDate) : span(pay, '31/10/2026', ' - ');
    sheet.text(46, 56, 'PAYSLIP', { bold: true, size: 16 });
    sheet.text(46, 74, pay.employer.name, { size: 11 });
    const facts: [string, string][] = [['Employee', shortName(pay)], ['Period', when], ['Pay day', date(pay.payDate, '31 Oct 2026')], ['Code', pay.taxCode], ['NI', niNumber(pay, false)]]; // prettier-ignore
    facts.forEach(([label, value], n) => row(sheet, 50 + n * 13, [{ x: 350 }, { x: 415 }], [label, value]));
    const columns = [{ x: 46 }, { x: 360, align: 'right' }, { x: 450, align: 'right' }, { x: 550, align: 'right' }] as const; // prettier-ignore
    row(sheet, 138, columns, ['', 'Payment', 'Deduction', 'Total this year'], { bold: true });
    let y = 156;
    const ruled = random.chance(0.5);
    const line = (cells: readonly string[], bold = false) => {
      row(sheet, y, columns, cells, { bold });
      if (ruled) sheet.line(46, y + 5, 550, y + 5, { stroke: '#cccccc' });
      y += 18;
    };
    for (const { kind, amount, ytd } of pay.payments) line([labels[kind], money(amount), '', money(ytd)]);
    for (const { kind, amount, ytd } of pay.deductions) line([labels[kind], '', money(amount), money(ytd)]);
    y += 4;
    line(['Totals', money(pay.gross), money(pay.totalDeductions), ''], true);
    y += 10;
    sheet.text(450, y, random.pick(['Net pay', 'Payable']), { align: 'right', bold: true, size: 11 });
    sheet.text(550, y, money(pay.net, { pound: true }), { align: 'right', bold: true, size: 12 });
    sheet.lines(46, y + 36, 13, ['Statutory payments are recovered by your employer and do not change this figure.', `Employer NI this month ${money(pay.employerNi)}; employer pension ${money(pay.employerPension)}.`, `Gross this year ${money(pay.ytd.gross)}; taxable this year ${money(pay.ytd.taxable)}.`], { size: 8 }); // prettier-ignore
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code', 'number') };
  },
};
