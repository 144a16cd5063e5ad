import type { PayslipLayout } from '../../payslips/layout.ts';
import { niNumber, row } from '../../payslips/parts.ts';
import { A4, A4_LANDSCAPE } from '../../payslips/sheet.ts';
import { date, longName, money, monthOf, periodWord, shortName } from '../../payslips/words.ts';
import { near, period, span, texts, wording, wrapped } from './common.ts';

export const typedLines: PayslipLayout = {
  name: 'm-typed-lines',
  like: 'a page of a word processor from a small shop',
  type: 'payslip',
  size: A4,
  fonts: ['times', 'lato', 'courier'],
  fontSize: 12,
  pay: { sector: 'private', rows: 6 },
  draw(sheet, pay, random) {
    const labels = wording(random, { tax: ['Tax taken', 'less tax', 'PAYE tax'], ni: ['less NI', 'National insurance', 'Nat ins'], pension: ['your pension', 'Pension (you)'] }); // prettier-ignore
    const between = random.pick([': ', ' = ', ' - ', ':   ']);
    const when = `${date(pay.from, '31/10/26')} to ${date(pay.to, '31/10/26')}`;
    const amount = (value: number) => money(value, { pound: true, comma: random.chance(0.7) });
    const lines = [
      'WAGE SLIP', '', `From: ${pay.employer.name}`, `To: ${longName(pay)}`, `For: ${when}`, `Paid on: ${date(pay.payDate, '31/10/26')} into your bank`, `Tax code${between}${pay.taxCode}`, '',
      ...pay.payments.map((line) => `${labels[line.kind]}${between}${amount(line.amount)}${line.units ? `   (${line.units} hrs at ${money(line.rate!)})` : ''}`),
      `${random.pick(['Total before deductions', 'Gross wage', 'Total wages'])}${between}${amount(pay.gross)}`, '',
      ...pay.deductions.map((line) => `${labels[line.kind]}${between}${amount(line.amount)}`), '',
      `${random.pick(['YOU GET', 'To pay', 'Wage after deductions'])}${between}${amount(pay.net)}`, '',
      ...(pay.pension === null ? [] : [`(We also paid ${amount(pay.employerPension)} into your pension.)`]),
      `Paid so far this tax year ${amount(pay.ytd.gross)}, tax so far ${amount(pay.ytd.tax)}`, '', 'Any questions please ask.',
    ]; // prettier-ignore
    lines.forEach((line, n) => sheet.text(80, 80 + n * 19, line, { bold: n === 0, size: n === 0 ? 16 : 12 }));
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code') };
  },
};

export const monthColumns: PayslipLayout = {
  name: 'm-month-columns',
  like: 'a spreadsheet that grows by a column a month',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['lato', 'helvetica', 'inter'],
  fontSize: 9.5,
  pay: { sector: 'private', frequency: 'monthly', rows: 6, hourly: false },
  draw(sheet, pay, random) {
    const labels = wording(random);
    const count = Math.min(random.int(2, 4), pay.period);
    const names = Array.from({ length: count }, (_, n) => monthOf(monthBefore(pay.payDate, count - 1 - n)));
    const rows: [string, number | null, boolean][] = [...pay.payments.map(({ kind, amount }) => [labels[kind], amount, false] satisfies [string, number, boolean]), ['GROSS', pay.gross, true], ...pay.deductions.map(({ kind, amount }) => [labels[kind], amount, false] satisfies [string, number, boolean]), ['TOTAL DEDUCTIONS', pay.totalDeductions, true], ['NET TO BANK', pay.net, true], ["Employer's NI", pay.employerNi, false], ['Pension (us)', pay.pension === null ? 0 : pay.employerPension, false]]; // prettier-ignore
    const columns = [{ x: 64 }, ...names.map((_, n) => ({ x: 330 + n * 110, align: 'right' as const }))];
    const grid = (y: number, cells: readonly string[], bold = false) => {
      for (let n = 0; n <= count; n++) sheet.box(n === 0 ? 60 : 225 + (n - 1) * 110, y - 12, n === 0 ? 165 : 110, 17, { stroke: '#999999', thickness: 0.4 }); // prettier-ignore
      row(sheet, y, columns, cells, { bold });
    };
    sheet.text(60, 50, pay.employer.name, { size: 14, bold: true });
    sheet.text(60, 66, `${longName(pay)}   NI ${niNumber(pay, false)}   tax code ${pay.taxCode}`);
    sheet.text(60, 82, `Payslip for ${names.at(-1)!}, paid ${date(pay.payDate, '31/10/2026')}`);
    grid(110, ['', ...names.map((name, n) => (n === count - 1 && random.chance(0.4) ? name.toUpperCase() : name))], true); // prettier-ignore
    rows.forEach(([label, amount, bold], n) => grid(127 + n * 17, [label, ...names.map((_, at) => money(at === count - 1 ? amount! : near(random, amount!), { comma: false }))], bold)); // prettier-ignore
    return { ...period(pay, names.at(-1)!, [names.at(-1)!.toUpperCase()], false), ...texts(pay, 'date', 'code', 'number') }; // prettier-ignore
  },
};

function monthBefore(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  const at = year * 12 + month - 1 - months;
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-15`;
}

export const message: PayslipLayout = {
  name: 'm-message',
  like: 'an e-mail from the owner of a small firm, printed',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'inter', 'times'],
  fontSize: 10.5,
  pay: { sector: 'private', rows: 5, hourly: false },
  draw(sheet, pay, random) {
    const labels = wording(random, { tax: ['income tax', 'PAYE'], ni: ['National Insurance', 'NI'], pension: ['your pension', 'the workplace pension'], 'student-loan': ['student loan'] }); // prettier-ignore
    const amount = (value: number) => money(value, { pound: true });
    const when = pay.frequency === 'monthly' ? monthOf(pay.payDate) : span(pay, '31 October 2026', ' to ');
    const sender = pay.employer.name;
    const head: [string, string][] = [['From', `Accounts - ${sender}`], ['To', `${pay.employee.first} ${pay.employee.last}`], ['Date', `${date(pay.payDate, '31 October 2026')} 09:${random.int(10, 59)}`], ['Subject', random.pick(['Your pay', 'Payslip', `Wages ${when}`])]]; // prettier-ignore
    head.forEach(([label, value], n) => {
      sheet.text(60, 60 + n * 15, `${label}:`, { bold: true });
      sheet.text(120, 60 + n * 15, value);
    });
    sheet.line(60, 114, 535, 114);
    const extras = pay.payments.length > 1 ? ` That is made up of ${pay.payments.map((line) => `${labels[line.kind].toLowerCase()} of ${amount(line.amount)}`).join(', ')}.` : ''; // prettier-ignore
    const taken = pay.deductions.map((line, n) => `${n > 0 && n === pay.deductions.length - 1 ? 'and ' : ''}${amount(line.amount)} for ${labels[line.kind]}`).join(', '); // prettier-ignore
    const paragraphs = [
      `Hi ${pay.employee.first},`,
      `Please find below the details of your pay for ${when}. Your gross pay is ${amount(pay.gross)}.${extras}`,
      `From this we have deducted ${taken}, which comes to ${amount(pay.totalDeductions)} altogether.`,
      `${random.pick(['Your net pay is', 'This leaves net pay of', 'You will therefore receive'])} ${amount(pay.net)}, which will be in your account on ${date(pay.payDate, '31 October 2026')}.`,
      ...(pay.pension === null ? [] : [`We have also paid ${amount(pay.employerPension)} into your pension as your employer.`]),
      `So far this tax year you have earned ${amount(pay.ytd.gross)} and paid ${amount(pay.ytd.tax)} in tax. Your tax code is ${pay.taxCode} and your NI number ${niNumber(pay, true)}.`,
      'Please keep this e-mail as your payslip.', 'Kind regards', sender,
    ]; // prettier-ignore
    let y = 140;
    for (const paragraph of paragraphs) {
      const lines = wrapped(paragraph, 88);
      sheet.lines(60, y, 15, lines);
      y += lines.length * 15 + 9;
    }
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const accountant: PayslipLayout = {
  name: 'm-accountant',
  like: 'a letter from an accountant who runs a payroll',
  type: 'payslip',
  size: A4,
  fonts: ['times', 'source-serif'],
  fontSize: 11,
  pay: { rows: 6, hourly: false, sector: 'charity' },
  draw(sheet, pay, random) {
    const labels = wording(random);
    const number = `${periodWord(pay).toLowerCase()} ${pay.period}`;
    sheet.text(70, 70, pay.employer.name, { size: 15, bold: true });
    sheet.lines(70, 86, 13, pay.employer.address, { size: 9 });
    sheet.text(70, 150, date(pay.payDate, '31 October 2026'));
    sheet.text(70, 178, `Dear ${pay.employee.title} ${pay.employee.last},`);
    const when = span(pay, '31 October 2026', ' to ');
    sheet.text(70, 200, `Pay for the period ${when}`, { bold: true });
    sheet.text(70, 216, `(tax ${number}, code ${pay.taxCode}, NI number ${niNumber(pay, false)})`, { size: 10 });
    let y = 244;
    const line = (amount: number, label: string, bold = false) => {
      sheet.text(200, y, money(amount, { pound: true, negative: 'brackets' }), { align: 'right', bold });
      sheet.text(214, y, label, { bold });
      y += 17;
    };
    for (const { kind, amount } of pay.payments) line(amount, labels[kind]);
    line(pay.gross, random.pick(['total pay before deductions', 'Gross pay', 'gross']), true);
    sheet.text(70, (y += 4), 'from which we took');
    y += 18;
    for (const { kind, amount } of pay.deductions) line(amount, labels[kind]);
    line(pay.totalDeductions, 'in total', true);
    y += 8;
    line(pay.net, random.pick(['was paid into your account', 'net pay', 'net, by bank transfer']), true);
    y += 14;
    sheet.text(70, y, `Since 6 April: ${money(pay.ytd.gross, { pound: true })} pay, ${money(pay.ytd.tax, { pound: true })} tax, ${money(pay.ytd.ni, { pound: true })} NI.`, { size: 10 }); // prettier-ignore
    sheet.lines(70, y + 36, 15, ['Yours sincerely,', '', random.pick(['J. Marlow FCA', 'P. Dacre, Payroll', 'The Treasurer'])]); // prettier-ignore
    return { ...period(pay, when, [`tax ${number}`, number]), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const wagesBook: PayslipLayout = {
  name: 'm-wages-book',
  like: 'a line of a wages book, copied for the employee',
  type: 'payslip',
  size: [760, 200],
  fonts: ['helvetica', 'courier', 'times'],
  fontSize: 9,
  pay: { sector: 'private', frequency: 'weekly', rows: 5 },
  draw(sheet, pay, random) {
    const labels = wording(random, { tax: ['Tax', 'PAYE'], ni: ['N.I.', 'NI'], pension: ['Pension', 'Pens.'], union: ['Union'], charity: ['Charity'], attachment: ['A.E.O.'], healthcare: ['BHSF'], 'postgraduate-loan': ['PGL'], 'student-loan': ['S. Loan'], ticket: ['Travel'], advance: ['Sub'] }); // prettier-ignore
    const ended = date(pay.to, '31/10/26');
    sheet.text(20, 30, pay.employer.name, { bold: true, size: 11 });
    sheet.text(740, 30, `Week ending ${ended}    Week ${pay.period}`, { align: 'right' });
    sheet.text(20, 46, `${shortName(pay)}    ${niNumber(pay, true)}    Code ${pay.taxCode}`);
    const other = pay.gross - pay.payments[0]!.amount;
    const cells: [number, string][] = [[pay.payments[0]!.amount, 'Wages'], [other, 'Extras'], [pay.gross, 'Gross'], ...pay.deductions.map(({ kind, amount }) => [amount, labels[kind]] satisfies [number, string]), [pay.totalDeductions, random.pick(['Stopped', 'Total off'])], [pay.net, random.pick(['Net', 'Paid'])]]; // prettier-ignore
    const width = 720 / cells.length;
    cells.forEach(([amount, label], n) => {
      sheet.box(20 + n * width, 66, width, 44, { stroke: '#444444' });
      sheet.text(20 + (n + 0.5) * width, 86, money(amount, { comma: false }), { align: 'center', bold: n === cells.length - 1 }); // prettier-ignore
      sheet.text(20 + (n + 0.5) * width, 102, label, { align: 'center', size: 7 });
    });
    if (random.chance(0.6)) sheet.text(20, 134, `To date: gross ${money(pay.ytd.gross)}  tax ${money(pay.ytd.tax)}  N.I. ${money(pay.ytd.ni)}    Employer N.I. this week ${money(pay.employerNi)}`, { size: 8 }); // prettier-ignore
    return { ...period(pay, ended, [`Week ending ${ended}`, `Week ${pay.period}`, `Week ending ${ended} Week ${pay.period}`]), ...texts(pay, 'code', 'number') }; // prettier-ignore
  },
};
