import type { PayslipLayout } from '../../payslips/layout.ts';
import { cell, niNumber, row } from '../../payslips/parts.ts';
import { A4, A4_LANDSCAPE, A5_LANDSCAPE } from '../../payslips/sheet.ts';
import { date, frequencyWord, longName, money, monthOf, periodWord, rate, shortName, units } from '../../payslips/words.ts'; // prettier-ignore
import { capitals, period, span, texts, wording } from './common.ts';

export const triplet: PayslipLayout = {
  name: 'm-triplet',
  like: 'a desktop payroll product on plain paper, half a page',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['helvetica', 'archivo-narrow', 'roboto'],
  fontSize: 8.5,
  pay: { rows: 7 },
  draw(sheet, pay, random) {
    const labels = wording(random, { hours: ['Basic Hrs'], pension: ['Pension (Ees)', 'EE Pens'], ni: ['Nat.Ins. ' + pay.niLetter, 'NI'] }); // prettier-ignore
    const tint = random.pick(['#e8eef7', '#eeeeee', '#f4ecdc']);
    const strip = [[pay.employer.name, 'Company', 190], [longName(pay), 'Employee', 130], [pay.employee.number, 'Ref', 60], [pay.taxCode, 'Tax Code', 60], [niNumber(pay, false), 'NI No', 75]] as const; // prettier-ignore
    let x = 40;
    for (const [value, label, width] of strip) {
      sheet.box(x, 34, width, 28, { stroke: '#555555', fill: tint });
      sheet.text(x + 4, 44, label, { size: 6.5 });
      sheet.text(x + 4, 57, value, { bold: true, size: value.length > 36 ? 6.5 : 8 });
      x += width;
    }
    const when = random.chance(0.5) ? `${periodWord(pay)} ${pay.period}` : `${frequencyWord(pay.frequency)} ${pay.period}`; // prettier-ignore
    sheet.text(44, 76, `Process Period: ${when}`);
    sheet.text(551, 76, `Date Paid: ${date(pay.payDate, '31-Oct-26')}`, { align: 'right' });
    for (const [at, width, title] of [
      [40, 210, 'PAYMENTS'],
      [255, 150, 'DEDUCTIONS'],
      [410, 145, 'BALANCES TO DATE'],
    ] as const) {
      // prettier-ignore
      sheet.box(at, 84, width, 200, { stroke: '#555555' });
      sheet.box(at, 84, width, 16, { fill: tint, stroke: '#555555' });
      sheet.text(at + width / 2, 95, title, { align: 'center', bold: true, size: 7.5 });
    }
    const left = [{ x: 45 }, { x: 150, align: 'right' }, { x: 192, align: 'right' }, { x: 246, align: 'right' }] as const; // prettier-ignore
    pay.payments.forEach((line, n) => row(sheet, 115 + n * 14, left, [labels[line.kind].slice(0, 17), units(line), rate(line, 2), money(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 115 + n * 14, [{ x: 260 }, { x: 401, align: 'right' }], [labels[line.kind], money(line.amount)])); // prettier-ignore
    const year: [string, number][] = [['Gross Pay TD', pay.ytd.gross], ['Taxable TD', pay.ytd.taxable], ['Tax Paid TD', pay.ytd.tax], ['Ees NI TD', pay.ytd.ni], ['Ees Pension TD', pay.ytd.pension], ['Ers Pension TD', pay.ytd.employerPension]]; // prettier-ignore
    year.forEach(([label, amount], n) => row(sheet, 115 + n * 14, [{ x: 415 }, { x: 551, align: 'right' }], [label, money(amount)])); // prettier-ignore
    row(sheet, 302, left, ['Total Payments', '', '', money(pay.gross)], { bold: true });
    row(sheet, 302, [{ x: 260 }, { x: 401, align: 'right' }], ['Total Deductions', money(pay.totalDeductions)], { bold: true }); // prettier-ignore
    sheet.box(410, 290, 145, 34, { fill: tint, stroke: '#222222', thickness: 1.2 });
    sheet.text(416, 311, random.pick(['NETT PAY', 'NET PAY', 'Net Pay £']), { bold: true });
    sheet.text(550, 311, money(pay.net), { bold: true, size: 11, align: 'right' });
    return { ...period(pay, when), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const sidebar: PayslipLayout = {
  name: 'm-sidebar',
  like: 'an online bookkeeping suite',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'lato', 'roboto'],
  fontSize: 9,
  pay: { sector: 'private', frequency: 'monthly', rows: 8 },
  draw(sheet, pay, random) {
    const labels = wording(random, { tax: ['PAYE'], ni: ['NIC', 'Employee NIC'], basic: ['Salary'] });
    const dark = random.pick(['#14324f', '#2b2b40', '#0d4f48']);
    const when = span(pay, '31 Oct 2026', random.pick([' - ', ' to ']));
    sheet.box(0, 0, 178, 842, { fill: dark });
    const facts: [string, string][] = [['Employee', longName(pay)], ['Payroll ID', pay.employee.number], ['NI number', niNumber(pay, true)], ['NI table', pay.niLetter], ['Tax code', pay.taxCode], ['Pay period', when], ['Paid on', date(pay.payDate, '31 Oct 2026')], ["Employer's PAYE reference", pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(20, 120 + n * 40, label.toUpperCase(), { size: 6.5, colour: '#c8d4e4' });
      sheet.text(20, 134 + n * 40, value, { colour: '#ffffff', size: 9 });
    });
    sheet.text(200, 60, 'Payslip', { size: 24, bold: true, colour: dark });
    sheet.text(200, 80, pay.employer.name, { size: 11 });
    sheet.lines(200, 94, 12, pay.employer.address, { size: 8, colour: '#555555' });
    const columns = [{ x: 200 }, { x: 350, align: 'right' }, { x: 405, align: 'right' }, { x: 480, align: 'right' }, { x: 560, align: 'right' }] as const; // prettier-ignore
    let y = 160;
    const block = (heads: string[], lines: readonly string[][], total: string[]) => {
      row(sheet, y, columns, heads, { size: 8, bold: true, colour: dark });
      lines.forEach((cells, n) => row(sheet, y + 20 + n * 18, columns, cells));
      y += 20 + lines.length * 18;
      sheet.line(200, y - 8, 560, y - 8, { stroke: dark });
      row(sheet, y + 6, columns, total, { bold: true });
      y += 44;
    };
    block(['Earnings', 'Units', 'Rate', 'Amount', 'This year'], pay.payments.map((line) => [labels[line.kind], units(line), rate(line, 2), money(line.amount), money(line.ytd)]), ['Total earnings', '', '', money(pay.gross), money(pay.ytd.gross)]); // prettier-ignore
    block(['Deductions', '', '', 'Amount', 'This year'], pay.deductions.map((line) => [labels[line.kind], '', '', money(line.amount), money(line.ytd)]), ['Total deductions', '', '', money(pay.totalDeductions), money(pay.ytd.deductions)]); // prettier-ignore
    const ours: string[][] = [['NIC employer', '', '', money(pay.employerNi), money(pay.ytd.employerNi)]];
    if (pay.pension !== null) ours.push(['Pension employer', '', '', money(pay.employerPension), money(pay.ytd.employerPension)]); // prettier-ignore
    block(['Company contributions', '', '', 'Amount', 'This year'], ours, ['', '', '', '', '']);
    sheet.text(200, y, 'Take home pay', { size: 11 });
    sheet.text(560, y, money(pay.net, { pound: true }), { size: 18, bold: true, align: 'right', colour: dark });
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code', 'reference', 'number') };
  },
};

export const earningsFirst: PayslipLayout = {
  name: 'm-ytd-first',
  like: 'an American payroll suite in its British edition, landscape',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['helvetica', 'source-serif', 'inconsolata'],
  fontSize: 9,
  pay: { rows: 8 },
  draw(sheet, pay, random) {
    const labels = capitals(wording(random, { tax: ['UK Tax', 'Income Tax'], ni: ['UK NI Employee', 'NI EE'], pension: ['Pension EE Pre-Tax', 'Retirement Plan EE'] })); // prettier-ignore
    const when = [date(pay.from, '31.10.2026'), date(pay.to, '31.10.2026')] as const;
    sheet.text(40, 50, pay.employer.name.toUpperCase(), { size: 13, bold: true });
    sheet.text(800, 50, 'EARNINGS STATEMENT', { size: 13, align: 'right' });
    row(sheet, 78, [{ x: 40 }, { x: 250 }, { x: 430 }, { x: 600 }], [`PERIOD BEGINNING: ${when[0]}`, `PERIOD ENDING: ${when[1]}`, `PAY DATE: ${date(pay.payDate, '31.10.2026')}`, `CODE ${pay.taxCode}  NI ${niNumber(pay, false)}`]); // prettier-ignore
    sheet.text(40, 94, longName(pay).toUpperCase(), { bold: true });
    const columns = [{ x: 40 }, { x: 270, align: 'right' }, { x: 370, align: 'right' }] as const;
    const right = [{ x: 430 }, { x: 680, align: 'right' }, { x: 800, align: 'right' }] as const;
    row(sheet, 124, columns, ['EARNINGS', 'YEAR TO DATE', 'THIS PERIOD'], { bold: true });
    row(sheet, 124, right, ['DEDUCTIONS', 'YEAR TO DATE', 'THIS PERIOD'], { bold: true });
    sheet.line(40, 129, 370, 129, { dash: 2 });
    sheet.line(430, 129, 800, 129, { dash: 2 });
    const style = { negative: 'trailing' } as const;
    pay.payments.forEach((line, n) => row(sheet, 146 + n * 16, columns, [labels[line.kind], money(line.ytd, style), money(line.amount, style)])); // prettier-ignore
    row(sheet, 160 + pay.payments.length * 16, columns, [random.pick(['GROSS PAY', 'TOTAL GROSS', 'GROSS EARNINGS']), money(pay.ytd.gross), money(pay.gross)], { bold: true }); // prettier-ignore
    const isStatutory = ({ kind }: { kind: string }) => ['tax', 'ni', 'student-loan', 'postgraduate-loan', 'attachment'].includes(kind); // prettier-ignore
    let y = 146;
    for (const [title, lines] of [
      ['STATUTORY', pay.deductions.filter(isStatutory)],
      ['OTHER', pay.deductions.filter((line) => !isStatutory(line))],
    ] as const) {
      // prettier-ignore
      if (lines.length > 0) sheet.text(430, y, title, { colour: '#444444', size: 8 });
      for (const line of lines) row(sheet, (y += 15), right, [labels[line.kind], money(line.ytd, style), money(line.amount, style)]); // prettier-ignore
      y += 18;
    }
    const own: [string, number, number][] = [['EMPLOYER NI', pay.ytd.employerNi, pay.employerNi], ['EMPLOYER PENSION', pay.ytd.employerPension, pay.employerPension]]; // prettier-ignore
    sheet.text(430, y, 'MEMO (NOT DEDUCTED)', { colour: '#444444', size: 8 });
    own.forEach(([label, total, now], n) => row(sheet, y + 15 + n * 15, right, [label, money(total), money(now)]));
    sheet.line(40, 430, 800, 430);
    row(sheet, 448, columns, [random.pick(['NET PAY', 'NET PAYMENT', 'NET AMOUNT']), money(pay.ytd.net), money(pay.net)], { bold: true, size: 11 }); // prettier-ignore
    sheet.text(430, 448, `DEPOSITED TO ACCOUNT ENDING ${pay.employee.account.slice(5)}`);
    return { ...period(pay, when.join(' - '), [when.join(' to '), when.join(' '), when[1]], false), ...texts(pay, 'date', 'code', 'number'), employer_name: pay.employer.name.toUpperCase() }; // prettier-ignore
  },
};

export const summaryRows: PayslipLayout = {
  name: 'm-summary-rows',
  like: 'a human resources suite of large companies',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['roboto', 'inter', 'helvetica'],
  fontSize: 8.5,
  pay: { sector: 'private', rows: 7, hourly: false },
  draw(sheet, pay, random) {
    const labels = wording(random);
    const head = { size: 7.5, bold: true, colour: '#333333' };
    const begin = date(pay.from, '31/10/2026');
    const end = date(pay.to, '31/10/2026');
    const grid = (
      y: number,
      title: string,
      heads: readonly string[],
      rows: readonly (readonly string[])[],
      first = 130,
    ) => {
      // prettier-ignore
      const step = (760 - first) / (heads.length - 1);
      const at = heads.map((_, n) => (n === 0 ? { x: 44 } : { x: 36 + first + n * step, align: 'right' as const }));
      sheet.text(40, y, title, { bold: true, size: 10 });
      sheet.box(40, y + 6, 762, 18, { fill: '#e6e6e6' });
      row(sheet, y + 18, at, heads, head);
      rows.forEach((cells, n) => {
        sheet.box(40, y + 24 + n * 18, 762, 18, { stroke: '#bbbbbb' });
        row(sheet, y + 36 + n * 18, at, cells);
      });
      return y + 50 + rows.length * 18;
    };
    let y = grid(44, 'Payslip Information', ['Company', 'Employee ID', 'Pay Period Begin', 'Pay Period End', 'Payment Date'], [[pay.employer.name, pay.employee.number, begin, end, date(pay.payDate, '31/10/2026')]], 250); // prettier-ignore
    const other = pay.totalDeductions - pay.tax - pay.ni - (pay.pension ?? 0);
    const otherYtd = pay.ytd.deductions - pay.ytd.tax - pay.ytd.ni - pay.ytd.pension;
    y = grid(y, 'Current and YTD Totals', ['', 'Gross Pay', 'Income Tax', 'Employee NI', 'Employee Pension', 'Other Deductions', 'Net Pay'], [['Current', money(pay.gross), money(pay.tax), money(pay.ni), money(pay.pension ?? 0, { zero: '' }), money(other), money(pay.net)], ['YTD', money(pay.ytd.gross), money(pay.ytd.tax), money(pay.ytd.ni), money(pay.ytd.pension, { zero: '' }), money(otherYtd), money(pay.ytd.net)]]); // prettier-ignore
    y = grid(y, 'Earnings', ['Description', 'Dates', 'Amount', 'YTD'], pay.payments.map((line) => [labels[line.kind], random.chance(0.3) ? `${begin} - ${end}` : '', money(line.amount), money(line.ytd)])); // prettier-ignore
    y = grid(y, 'Deductions', ['Description', '', 'Amount', 'YTD'], pay.deductions.map((line) => [labels[line.kind], '', money(line.amount), money(line.ytd)])); // prettier-ignore
    sheet.text(40, y, `Tax Code ${pay.taxCode}    NI Category ${pay.niLetter}    National ID ${niNumber(pay, true)}    ${shortName(pay)}`, { size: 8 }); // prettier-ignore
    return { ...period(pay, `${begin} - ${end}`, [`${begin} to ${end}`, `${begin} ${end}`, end, begin], false), ...texts(pay, 'date', 'code', 'number') }; // prettier-ignore
  },
};

export const boxGrid: PayslipLayout = {
  name: 'm-box-grid',
  like: 'a payroll bureau’s pre-printed laser form',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'courier', 'archivo-narrow'],
  fontSize: 9,
  pay: { rows: 7 },
  draw(sheet, pay, random) {
    const labels = capitals(wording(random));
    const border = random.pick(['#8a1c1c', '#1c4f8a', '#222222']);
    const put = (x: number, y: number, width: number, label: string, value: string, align: 'left' | 'right' = 'left') => cell(sheet, [x, y, width, 30], label, value, { border, label: { size: 6.5, colour: border }, value: { align } }); // prettier-ignore
    const month = pay.frequency === 'monthly' ? monthOf(pay.payDate).toUpperCase() : `WEEK ${pay.period}`;
    put(36, 40, 300, 'EMPLOYER', pay.employer.name);
    put(336, 40, 120, 'PAY PERIOD', month);
    put(456, 40, 104, 'PAY DATE', date(pay.payDate, '31/10/26'));
    put(36, 70, 220, 'EMPLOYEE', shortName(pay).toUpperCase());
    put(256, 70, 100, 'EMPLOYEE NO', pay.employee.number);
    put(356, 70, 100, 'N.I. NUMBER', niNumber(pay, false));
    put(456, 70, 104, 'TAX CODE', pay.taxCode);
    sheet.box(36, 100, 262, 190, { stroke: border });
    sheet.box(298, 100, 262, 190, { stroke: border });
    const [left, right] = [
      [{ x: 42 }, { x: 292, align: 'right' }],
      [{ x: 304 }, { x: 554, align: 'right' }],
    ] as const;
    row(sheet, 112, left, ['PAY AND ALLOWANCES', '£'], { size: 7, colour: border });
    row(sheet, 112, right, ['DEDUCTIONS', '£'], { size: 7, colour: border });
    const style = { comma: false, negative: random.pick(['trailing', 'brackets', 'CR'] as const) };
    pay.payments.forEach((line, n) => row(sheet, 130 + n * 15, left, [labels[line.kind], money(line.amount, style)]));
    pay.deductions.forEach((line, n) => row(sheet, 130 + n * 15, right, [labels[line.kind], money(line.amount, style)])); // prettier-ignore
    put(36, 290, 131, 'GROSS PAY', money(pay.gross, style), 'right');
    put(167, 290, 131, 'TAXABLE PAY', money(pay.taxable, style), 'right');
    put(298, 290, 131, 'TOTAL DEDUCTIONS', money(pay.totalDeductions, style), 'right');
    put(429, 290, 131, 'NET PAY', money(pay.net, style), 'right');
    const year: [string, number][] = [['GROSS TO DATE', pay.ytd.gross], ['TAX TO DATE', pay.ytd.tax], ['NI TO DATE', pay.ytd.ni], ['PENSION TO DATE', pay.ytd.pension]]; // prettier-ignore
    year.forEach(([label, amount], n) => put(36 + n * 131, 320, 131, label, money(amount, style), 'right'));
    if (random.chance(0.5)) sheet.text(36, 364, `${pay.employer.address.join(', ')}   PAYE REF ${pay.employer.payeReference}`, { size: 7 }); // prettier-ignore
    return { ...period(pay, month, [], pay.frequency !== 'monthly'), ...texts(pay, 'date', 'code', 'number') }; // prettier-ignore
  },
};
