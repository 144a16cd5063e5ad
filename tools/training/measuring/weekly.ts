import type { PayslipLayout } from '../../payslips/layout.ts';
import { niNumber, row } from '../../payslips/parts.ts';
import { A4, TWO_THIRDS } from '../../payslips/sheet.ts';
import { date, longName, money, rate, shortName, units } from '../../payslips/words.ts';
import { amountsOf, period, span, taxedAgain, texts, withLines, wording, wrapped } from './common.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export const visits: PayslipLayout = {
  name: 'm-visits',
  like: 'the weekly payslip of a home care agency',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'lato', 'archivo-narrow'],
  fontSize: 9.5,
  pay: { sector: 'private', frequency: 'weekly', rows: 6 },
  draw(sheet, pay, random) {
    const labels = wording(random, { hours: ['Care visits', 'Contact time', 'Visits'], holiday: ['Holiday 12.07%', 'Rolled up holiday pay'], shift: ['Weekend uplift', 'Bank hol uplift'], car: ['Travel time'] }); // prettier-ignore
    const when = `${date(pay.from, '31/10/2026')} - ${date(pay.to, '31/10/2026')}`;
    sheet.text(50, 56, pay.employer.name, { size: 15, bold: true, colour: '#35507a' });
    sheet.text(
      50,
      74,
      `${random.pick(['Carer', 'Worker', 'Care assistant'])}: ${longName(pay)} (${pay.employee.number})`,
    );
    sheet.text(50, 88, `Week worked: ${when}    Paid: ${date(pay.payDate, '31/10/2026')}    Tax week ${pay.period}`);
    sheet.text(50, 102, `NI ${niNumber(pay, false)}   Code ${pay.taxCode}   PAYE scheme ${pay.employer.payeReference}`);
    row(sheet, 128, [{ x: 50 }, { x: 110 }, { x: 260, align: 'right' }, { x: 340, align: 'right' }], ['Day', 'Client', 'Hours', 'Miles'], { bold: true, size: 8.5 }); // prettier-ignore
    const days = random.some(DAYS, random.int(4, 7));
    days.forEach((day, n) => row(sheet, 143 + n * 13, [{ x: 50 }, { x: 110 }, { x: 260, align: 'right' }, { x: 340, align: 'right' }], [day, `Round ${random.letter('ABCD')}`, `${random.int(2, 9)}.${random.pick(['00', '25', '50', '75'])}`, `${random.int(3, 38)}`], { size: 8.5 })); // prettier-ignore
    let y = 170 + days.length * 13;
    const columns = [{ x: 50 }, { x: 230, align: 'right' }, { x: 300, align: 'right' }, { x: 400, align: 'right' }, { x: 520, align: 'right' }] as const; // prettier-ignore
    row(sheet, y, columns, ['Pay', 'Hrs', '£/hr', 'Amount £', 'YTD £'], { bold: true });
    sheet.line(50, y + 4, 520, y + 4);
    const style = { negative: 'brackets' } as const;
    const line = (label: string, cells: readonly string[], bold = false) => row(sheet, (y += 15), columns, [label, ...cells], { bold }); // prettier-ignore
    for (const each of pay.payments) line(labels[each.kind], [units(each), rate(each, 2), money(each.amount, style), money(each.ytd, style)]); // prettier-ignore
    line('Gross for tax and NI', ['', '', money(pay.gross), money(pay.ytd.gross)], true);
    y += 8;
    for (const each of pay.deductions) line(labels[each.kind], ['', '', money(each.amount, style), money(each.ytd, style)]); // prettier-ignore
    y += 8;
    line(random.pick(['PAY TO BANK', 'Net pay', 'NETT']), ['', '', money(pay.net, { pound: true }), ''], true);
    sheet.text(50, y + 34, `Holiday accrued ${(random.int(100, 4_000) / 100).toFixed(2)} hrs   Holiday taken ${random.int(0, 20)}.00 hrs   Employer pension ${money(pay.employerPension)}   Employer NI ${money(pay.employerNi)}`, { size: 8 }); // prettier-ignore
    return { ...period(pay, when, [when.replace(' - ', ' to ')]), ...texts(pay, 'date', 'code', 'reference', 'number') }; // prettier-ignore
  },
};

export const twoSides: PayslipLayout = {
  name: 'm-two-sides',
  like: 'an umbrella company',
  type: 'payslip',
  size: A4,
  fonts: ['roboto', 'inter', 'helvetica'],
  fontSize: 9,
  pay: { sector: 'private', frequency: 'weekly', rows: 4, hourly: false },
  draw(sheet, pay, random) {
    const labels = wording(random, { basic: ['National Minimum Wage', 'Basic Pay'], bonus: ['Additional Taxable Pay', 'Assignment Bonus'], holiday: ['Holiday Pay Paid'] }); // prettier-ignore
    const margin = random.int(1_500, 3_000);
    const levy = Math.round(pay.gross * 0.005);
    const income = pay.gross + pay.employerNi + pay.employerPension + margin + levy;
    const when = date(pay.to, '31/10/2026');
    sheet.text(40, 50, pay.employer.name, { size: 13, bold: true });
    sheet.text(40, 64, pay.employer.address.join(', '), { size: 8 });
    sheet.text(555, 50, 'PAYSLIP', { size: 13, align: 'right' });
    sheet.box(40, 76, 515, 40, { fill: '#eeeeee' });
    const facts: [string, string][] = [['Name', shortName(pay)], ['Week Ending', when], ['Tax Week', `${pay.period}`], ['Pay Date', date(pay.payDate, '31/10/2026')], ['Tax Code', pay.taxCode], ['NI Number', niNumber(pay, false)]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(46 + n * 86, 92, label, { size: 7.5 });
      sheet.text(46 + n * 86, 107, value, { bold: true, size: value.length > 17 ? 7 : 8.5 });
    });
    const [left, right] = [
      [{ x: 40 }, { x: 285, align: 'right' }],
      [{ x: 310 }, { x: 555, align: 'right' }],
    ] as const;
    sheet.text(40, 140, 'Reconciliation of Assignment Income', { bold: true });
    sheet.text(310, 140, 'Your Pay', { bold: true });
    const company: [string, number][] = [['Assignment Income (agency)', income], ['Company Margin', -margin], ["Employer's NI", -pay.employerNi], ['Apprenticeship Levy', -levy], ['Employer Pension', -pay.employerPension], [random.pick(['Funds Available for Pay', 'Gross Pay']), pay.gross]]; // prettier-ignore
    company.forEach(([label, amount], n) => row(sheet, 160 + n * 16, left, [label, money(amount)], { bold: n === 5 }));
    let y = 160;
    const add = (label: string, amount: number, bold = false) => {
      row(sheet, y, right, [label, money(amount)], { bold });
      y += 16;
    };
    for (const { kind, amount } of pay.payments) add(labels[kind], amount);
    add('Total Gross Pay', pay.gross, true);
    y += 10;
    for (const { kind, amount } of pay.deductions) add(labels[kind], amount);
    add(random.pick(['Total Employee Deductions', 'Total Deductions']), pay.totalDeductions, true);
    y += 10;
    add(random.pick(['NET PAY', 'Net Payment']), pay.net, true);
    sheet.line(40, 400, 555, 400);
    const year: [string, number][] = [['Taxable Pay YTD', pay.ytd.taxable], ['Tax YTD', pay.ytd.tax], ["Ee's NI YTD", pay.ytd.ni], ["Er's NI YTD", pay.ytd.employerNi]]; // prettier-ignore
    year.forEach(([label, amount], n) => sheet.text(40 + n * 130, 416, `${label}: ${money(amount)}`, { size: 8 }));
    return { ...period(pay, when, [`Week Ending ${when}`]), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const subcontract: PayslipLayout = {
  name: 'm-subcontract',
  like: 'a payment and deduction statement of the Construction Industry Scheme',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['helvetica', 'times', 'source-serif'],
  fontSize: 10,
  pay: { sector: 'private', frequency: 'weekly', rows: 4 },
  draw(sheet, before, random) {
    const labour = before.payments.filter(({ kind }) => kind === 'basic' || kind === 'hours');
    const gross = labour.reduce((sum, { amount }) => sum + amount, 0);
    const tax = Math.round(gross * 0.2);
    const pay = withLines(before, labour, [{ kind: 'tax', amount: tax, ytd: tax * before.period }]);
    const ended = date(pay.to, '31 October 2026');
    sheet.text(40, 46, 'Construction Industry Scheme', { size: 12, bold: true });
    sheet.text(40, 62, random.pick(['Subcontractor pay statement', 'Payment and Deduction Statement', 'CIS payslip']), { size: 11 }); // prettier-ignore
    const facts: [string, string][] = [["Contractor's name", pay.employer.name], ["Contractor's address", pay.employer.address.join(', ')], ["Employer's PAYE reference", pay.employer.payeReference], ['Subcontractor', longName(pay)], ['Unique taxpayer reference', random.digits(10)], ['Week ended', ended]]; // prettier-ignore
    facts.forEach(([label, value], n) => row(sheet, 92 + n * 18, [{ x: 40 }, { x: 230 }], [label, value]));
    sheet.box(40, 210, 515, 150);
    const lines: [string, number][] = [[random.pick(['Gross amount paid (excl VAT)', 'Gross pay (A)', 'Gross payment']), gross], ['Less cost of materials', 0], ['Amount liable to deduction', gross], [random.pick(['CIS tax deducted at 20%', 'Tax deducted (20%)', 'Amount deducted']), tax], [random.pick(['Amount payable', 'Net pay', 'Net amount paid']), pay.net]]; // prettier-ignore
    lines.forEach(([label, amount], n) => row(sheet, 234 + n * 27, [{ x: 52 }, { x: 540, align: 'right' }], [label, money(amount, { pound: true })], { bold: n === 4 })); // prettier-ignore
    sheet.text(40, 384, `Paid by bank transfer on ${date(pay.payDate, '31 October 2026')}. Keep this statement for your tax return.`, { size: 8.5 }); // prettier-ignore
    return { ...period(pay, ended, [`Week ended ${ended}`], false), ...texts(pay, 'date', 'reference'), ...amountsOf(pay), ni_deducted: null, pension_deducted: null }; // prettier-ignore
  },
};

export const siteWeek: PayslipLayout = {
  name: 'm-site-week',
  like: 'the weekly wages of a building site',
  type: 'payslip',
  size: [595, 330],
  fonts: ['courier', 'helvetica'],
  fontSize: 9,
  pay: { sector: 'private', frequency: 'weekly', rows: 5, refunds: 0.6 },
  draw(sheet, pay, random) {
    const labels = wording(random, { hours: ['FLAT TIME', 'BASIC'], tax: ['TAX', 'P.A.Y.E.'], ni: ['N.I.C.', 'N.I.'], pension: ["B&CE PEOPLE'S PN", 'PENSION'], sick: ['S.S.P.'], car: ['TRAVEL'] }); // prettier-ignore
    const style = { negative: 'brackets', comma: random.chance(0.5) } as const;
    const ended = date(pay.to, '31-10-26');
    sheet.box(20, 20, 555, 290);
    sheet.text(28, 36, pay.employer.name, { bold: true });
    sheet.text(567, 36, `W/E ${ended}  WK ${pay.period}`, { align: 'right', bold: true });
    sheet.text(28, 50, `${pay.employee.number} ${shortName(pay)}   ${niNumber(pay, true)}   ${pay.taxCode}`);
    sheet.line(20, 58, 575, 58);
    DAYS.forEach((day, n) => {
      sheet.text(60 + n * 60, 70, day.toUpperCase(), { size: 7.5, align: 'center' });
      sheet.text(60 + n * 60, 82, n > 4 && random.chance(0.6) ? '-' : `${random.int(6, 10)}.0`, { align: 'center' });
    });
    sheet.line(20, 90, 575, 90);
    const columns = [{ x: 28 }, { x: 180, align: 'right' }, { x: 235, align: 'right' }, { x: 300, align: 'right' }] as const; // prettier-ignore
    pay.payments.forEach((line, n) => row(sheet, 108 + n * 14, columns, [labels[line.kind].slice(0, 17), units(line), rate(line, 2), money(line.amount, style)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 108 + n * 14, [{ x: 325 }, { x: 567, align: 'right' }], [`LESS ${labels[line.kind].slice(0, 20)}`, money(line.amount, style)])); // prettier-ignore
    sheet.line(20, 216, 575, 216);
    const sums: [string, number][] = [
      ['GROSS', pay.gross],
      ['STOPPAGES', pay.totalDeductions],
      ['NETT', pay.net],
    ];
    sums.forEach(([label, amount], n) => {
      sheet.text(120 + n * 185, 232, label, { align: 'center', size: 7.5 });
      sheet.text(120 + n * 185, 248, money(amount, style), { align: 'center', bold: true, size: 11 });
    });
    sheet.line(20, 258, 575, 258);
    sheet.text(28, 274, `CUM GROSS ${money(pay.ytd.gross, style)}  CUM TAX ${money(pay.ytd.tax, style)}  CUM NI ${money(pay.ytd.ni, style)}`); // prettier-ignore
    if (random.chance(0.5)) sheet.text(28, 292, `PAID ${date(pay.payDate, '31-10-26')}   HOLIDAY FUND ${money(random.int(1_000, 90_000))}`); // prettier-ignore
    return { ...period(pay, ended, [`W/E ${ended}`, `WK ${pay.period}`, `W/E ${ended} WK ${pay.period}`]), ...texts(pay, 'code', 'number') }; // prettier-ignore
  },
};

export const tillSlip: PayslipLayout = {
  name: 'm-till-slip',
  like: 'a receipt printer behind the bar of a pub',
  type: 'payslip',
  size: [226, 640],
  fonts: ['courier', 'inconsolata'],
  fontSize: 9.5,
  pay: { sector: 'private', frequency: 'weekly', rows: 5 },
  draw(sheet, before, random) {
    const pay = taxedAgain(
      before,
      before.payments.filter(({ kind }) => kind !== 'sacrifice'),
    );
    const labels = wording(random, { bonus: ['TRONC', 'Tips (tronc)'], commission: ['Service charge'], hours: ['Hours worked'], tax: ['PAYE TAX', 'Tax'], ni: ['NAT INS', 'NI'] }); // prettier-ignore
    const stacked = random.chance(0.5);
    const when = span(pay, '31/10/26');
    const middle = (y: number, text: string, bold = false) => sheet.text(113, y, text, { align: 'center', bold });
    wrapped(pay.employer.name, 30).forEach((line, n) => middle(30 + n * 13, line, true));
    middle(60, '*** STAFF PAY ***');
    middle(76, when);
    middle(90, `${pay.employee.first} ${pay.employee.last}`);
    middle(104, `Tax code ${pay.taxCode}`);
    let y = 126;
    const line = (label: string, amount: string, bold = false) => {
      sheet.text(14, y, label, { bold });
      if (stacked) y += 12;
      sheet.text(212, y, amount, { align: 'right', bold });
      y += 14;
    };
    for (const each of pay.payments) line(each.units === undefined ? labels[each.kind] : `${labels[each.kind].slice(0, 15)} ${each.units}h`, money(each.amount)); // prettier-ignore
    middle(y, '-'.repeat(34));
    y += 14;
    line('GROSS', money(pay.gross), true);
    for (const each of pay.deductions) line(labels[each.kind].slice(0, 22), money(each.amount, { negative: 'trailing' })); // prettier-ignore
    middle(y, '='.repeat(34));
    y += 16;
    line(random.pick(['CASH DUE', 'NET PAY', 'TO BANK']), money(pay.net, { pound: true }), true);
    middle(y + 12, `Paid ${date(pay.payDate, '31/10/26')}`);
    middle(y + 28, `YTD gross ${money(pay.ytd.gross)}`);
    middle(y + 42, `YTD tax ${money(pay.ytd.tax, { negative: 'trailing' })}`);
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code'), ...amountsOf(pay) };
  },
};
