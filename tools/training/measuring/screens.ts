import type { PayslipLayout } from '../../payslips/layout.ts';
import type { Pay } from '../../payslips/figures.ts';
import { niNumber } from '../../payslips/parts.ts';
import type { Sheet } from '../../payslips/sheet.ts';
import { date, money, monthOf, periodWord } from '../../payslips/words.ts';
import { period, span, texts, wording, wrapped } from './common.ts';

const PHONE = [360, 900] as const;
const pounds = (amount: number) => money(amount, { pound: true });

function named(sheet: Sheet, x: number, y: number, { employer }: Pay, colour: string, size = 12): void {
  sheet.lines(x, y, size + 2, wrapped(employer.name, 38), { bold: true, size, colour });
}

export const nightRows: PayslipLayout = {
  name: 'm-night-rows',
  like: 'a payroll app in dark mode',
  type: 'payslip',
  size: PHONE,
  fonts: ['inter', 'roboto'],
  fontSize: 12,
  pay: { sector: 'private', rows: 7 },
  draw(sheet, pay, random) {
    const labels = wording(random);
    const [ground, ink, dim] = random.pick([['#000000', '#ffffff', '#a5a5ad'], ['#121418', '#f0f0f0', '#a8b0bc'], ['#1b1530', '#ffffff', '#b9aede']] as const); // prettier-ignore
    const when = pay.frequency === 'monthly' ? monthOf(pay.payDate) : span(pay, '31 Oct 2026');
    sheet.box(0, 0, 360, 900, { fill: ground });
    sheet.text(24, 50, when, { size: 15, bold: true, colour: ink });
    named(sheet, 24, 72, pay, dim);
    sheet.text(24, 128, random.pick(['Take-home', 'Net pay', 'You were paid']), { colour: dim });
    sheet.text(24, 162, pounds(pay.net), { size: 32, bold: true, colour: ink });
    sheet.text(24, 184, `Paid ${date(pay.payDate, '31 Oct 2026')}`, { colour: dim, size: 11 });
    let y = 222;
    const line = (label: string, value: string, bold = false) => {
      sheet.text(24, y, label, { colour: bold ? ink : dim, bold });
      sheet.text(336, y, value, { colour: ink, align: 'right', bold });
      sheet.line(24, y + 9, 336, y + 9, { stroke: '#3a3a44', thickness: 0.5 });
      y += 27;
    };
    for (const { kind, amount } of pay.payments) line(labels[kind], pounds(amount));
    line(random.pick(['Gross pay', 'Total earnings', 'Gross']), pounds(pay.gross), true);
    y += 12;
    for (const { kind, amount } of pay.deductions) line(labels[kind], pounds(amount));
    line(random.pick(['Total deducted', 'Deductions']), pounds(pay.totalDeductions), true);
    y += 12;
    line('Tax code', pay.taxCode);
    line('NI number', niNumber(pay, true));
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const tiles: PayslipLayout = {
  name: 'm-tiles',
  like: 'the home page of a payroll app',
  type: 'payslip',
  size: [375, 760],
  fonts: ['lato', 'inter'],
  fontSize: 11,
  pay: { sector: 'private', frequency: 'monthly', rows: 5, hourly: false },
  draw(sheet, pay, random) {
    const dark = random.chance(0.5);
    const [ground, tile, ink, dim] = dark ? ['#0f1a20', '#22323c', '#ffffff', '#b4c4cc'] as const : ['#f1f3f6', '#ffffff', '#1a1a1a', '#5a6470'] as const; // prettier-ignore
    const labels = wording(random);
    const when = monthOf(pay.payDate);
    sheet.box(0, 0, 375, 760, { fill: ground });
    named(sheet, 20, 46, pay, ink, 13);
    sheet.text(20, 88, `Payslip - ${when}`, { colour: ink, size: 12 });
    const other = pay.totalDeductions - pay.tax - pay.ni - (pay.pension ?? 0);
    const all: [number, string, number][] = [[pay.gross, 'Gross pay', pay.ytd.gross], [pay.net, random.pick(['Net pay', 'Take home pay']), pay.ytd.net], [pay.tax, random.pick(['Income tax', 'Tax']), pay.ytd.tax], [pay.ni, 'National Insurance', pay.ytd.ni]]; // prettier-ignore
    if (pay.pension !== null) all.push([pay.pension, random.pick(['Your pension', 'Pension (you)']), pay.ytd.pension], [pay.employerPension, 'Employer pension', pay.ytd.employerPension]); // prettier-ignore
    if (other !== 0) all.push([other, 'Other deductions', pay.ytd.deductions - pay.ytd.tax - pay.ytd.ni - pay.ytd.pension]); // prettier-ignore
    all.forEach(([amount, label, year], n) => {
      const [x, y] = [20 + (n % 2) * 170, 108 + Math.floor(n / 2) * 94];
      sheet.box(x, y, 160, 84, { fill: tile, radius: 10 });
      sheet.text(x + 12, y + 32, pounds(amount), { size: 18, bold: true, colour: ink });
      sheet.text(x + 12, y + 50, label, { colour: dim });
      sheet.text(x + 12, y + 70, `${pounds(year)} this tax year`, { colour: dim, size: 9.5 });
    });
    const y = 140 + Math.ceil(all.length / 2) * 94;
    sheet.text(20, y, 'How your pay is made up', { colour: ink, bold: true });
    pay.payments.forEach(({ kind, amount }, n) => sheet.text(20, y + 20 + n * 18, `${labels[kind]}  ${pounds(amount)}`, { colour: dim })); // prettier-ignore
    sheet.text(20, 740, `Tax code ${pay.taxCode}   Paid ${date(pay.payDate, '31/10/2026')}`, { colour: dim, size: 10 });
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code') };
  },
};

export const feed: PayslipLayout = {
  name: 'm-feed',
  like: 'a bank’s or an employer’s app that lists pay as movements',
  type: 'payslip',
  size: [390, 844],
  fonts: ['roboto', 'lato'],
  fontSize: 12.5,
  pay: { rows: 7, sector: 'private', frequency: 'fortnightly' },
  draw(sheet, pay, random) {
    const labels = wording(random);
    const dark = random.chance(0.4);
    const [ground, ink, dim] = dark ? ['#17181c', '#f4f4f4', '#9aa0ac'] : ['#ffffff', '#111111', '#666666'];
    const when = span(pay, '31 Oct 2026', ' to ');
    sheet.box(0, 0, 390, 844, { fill: ground });
    sheet.box(20, 30, 350, 74, { fill: random.pick(['#3b2ccf', '#0a6b4f', '#b3243c']), radius: 12 });
    sheet.lines(36, 54, 16, wrapped(pay.employer.name, 40), { colour: '#ffffff', bold: true });
    sheet.text(36, 92, when, { colour: '#ffffff', size: 11 });
    let y = 140;
    const line = (label: string, note: string, value: string, bold = false) => {
      sheet.text(24, y, label, { colour: ink, bold });
      if (note !== '') sheet.text(24, y + 14, note, { colour: dim, size: 9.5 });
      sheet.text(366, y, value, { colour: ink, align: 'right', bold });
      y += note === '' ? 26 : 38;
    };
    for (const { kind, amount, units } of pay.payments) line(labels[kind], units === undefined ? '' : `${units} hours`, `${amount < 0 ? '-' : '+'}${pounds(Math.abs(amount))}`); // prettier-ignore
    line('Gross for the period', '', pounds(pay.gross), true);
    for (const { kind, amount } of pay.deductions) line(labels[kind], random.chance(0.3) && amount >= 0 ? 'Deducted from pay' : '', `${amount < 0 ? '+' : '-'}${pounds(Math.abs(amount))}`); // prettier-ignore
    sheet.line(24, y - 8, 366, y - 8, { stroke: dim });
    y += 12;
    line(random.pick(['Net pay', 'Paid to you']), `${date(pay.payDate, '31 Oct 2026')}, account ••${pay.employee.account.slice(6)}`, pounds(pay.net), true); // prettier-ignore
    sheet.text(24, y + 10, `${periodWord(pay)} ${pay.period}. Tax code ${pay.taxCode}`, { colour: dim, size: 10.5 });
    return { ...period(pay, when, []), ...texts(pay, 'date', 'code') };
  },
};

export const unfolded: PayslipLayout = {
  name: 'm-unfolded',
  like: 'the employee portal of a payroll service on a phone',
  type: 'payslip',
  size: [360, 1_060],
  fonts: ['inter', 'archivo-narrow', 'roboto'],
  fontSize: 11,
  pay: { rows: 7, hourly: false },
  draw(sheet, pay, random) {
    const accent = random.pick(['#006d77', '#7a1f5c', '#274690']);
    const labels = wording(random);
    const when = `${periodWord(pay)} ${pay.period}, ${pay.taxYear.replace('-', '/')}`;
    sheet.box(0, 0, 360, 64, { fill: accent });
    sheet.text(20, 40, 'My payslip', { size: 17, bold: true, colour: '#ffffff' });
    const above = (x: number, y: number, label: string, value: string, big = false) => {
      sheet.text(x, y, label, { size: 8.5, colour: '#555555' });
      sheet.text(x, y + 16, value, { bold: big, size: big ? 15 : 11 });
    };
    sheet.text(20, 84, 'Employer', { size: 8.5, colour: '#555555' });
    sheet.lines(20, 100, 14, wrapped(pay.employer.name, 46));
    above(20, 140, 'Pay period', when);
    above(200, 140, 'Payment date', date(pay.payDate, '31 Oct 2026'));
    above(20, 178, 'Tax code', pay.taxCode);
    above(200, 178, 'NI number', niNumber(pay, false));
    sheet.box(12, 206, 336, 52, { fill: '#eef4f4', radius: 6 });
    above(20, 224, 'Total pay', pounds(pay.gross), true);
    above(136, 224, 'Taken off', pounds(pay.totalDeductions), true);
    above(252, 224, 'Into bank', pounds(pay.net), true);
    let y = 286;
    const panel = (title: string, lines: readonly (readonly [string, number, number])[]) => {
      sheet.text(20, y, `${title}  v`, { bold: true, size: 13, colour: accent });
      for (const [label, now, year] of lines) {
        sheet.text(20, y + 22, label);
        above(130, y + 34, 'This period', pounds(now));
        above(250, y + 34, 'This tax year', pounds(year));
        y += 50;
      }
      y += 40;
    };
    panel(
      'Payments',
      pay.payments.slice(0, 3).map((line) => [labels[line.kind], line.amount, line.ytd] as const),
    );
    panel(
      'Deductions',
      pay.deductions.slice(0, 6).map((line) => [labels[line.kind], line.amount, line.ytd] as const),
    );
    if (pay.pension !== null && pay.payments.length + pay.deductions.length < 8) panel('Your employer paid', [['Pension', pay.employerPension, pay.ytd.employerPension]]); // prettier-ignore
    return { ...period(pay, when, [when.replace(', ', ' '), pay.taxYear.replace('-', '/')].slice(0, 1)), ...texts(pay, 'date', 'code', 'number') }; // prettier-ignore
  },
};
