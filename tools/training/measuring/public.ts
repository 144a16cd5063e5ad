import type { PayslipLayout } from '../../payslips/layout.ts';
import { niNumber, row } from '../../payslips/parts.ts';
import { A4, A4_LANDSCAPE, A5_LANDSCAPE, TWO_THIRDS } from '../../payslips/sheet.ts';
import { date, longName, money, monthOf, shortName } from '../../payslips/words.ts';
import { amountsOf, capitals, inTwo, period, span, taxedAgain, texts, wording } from './common.ts';

export const ward: PayslipLayout = {
  name: 'm-ward',
  like: 'the payslip of a hospital trust',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['helvetica', 'archivo-narrow'],
  fontSize: 8,
  pay: { sector: 'nhs', frequency: 'monthly', rows: 8, hourly: false },
  draw(sheet, pay, random) {
    const labels = wording(random, { basic: ['010 Basic Pay'], shift: ['Sat Enh', 'Night Dty 30%'], tax: ['PAYE'], ni: ['NI A', 'NI'], pension: ['NHS Pension', 'NHS Pens 9.8%'], avc: ['ERRBO', 'NHS Added Pens'] }); // prettier-ignore
    const when = date(pay.to, '31-OCT-26');
    const month = monthOf(pay.payDate).toUpperCase();
    const bands: [string, string][][] = [
      [['ASSIGNMENT NUMBER', pay.employee.number], ['EMPLOYEE NAME', shortName(pay).toUpperCase()], ['LOCATION', pay.employee.address[1]!.toUpperCase()]],
      [['DEPARTMENT', pay.employee.department.toUpperCase()], ['JOB TITLE', pay.employee.job], ['PAYSCALE DESCRIPTION', `AfC Band ${random.int(3, 8)}`]],
      [['SAL/WAGE', money(pay.salary * 100)], ['INC. DATE', when], ['STANDARD HRS', '37.50'], ['PT SAL/WAGE', '']],
      [['TAX OFFICE NAME', 'HMRC'], ['TAX OFFICE REF', pay.employer.payeReference], ['TAX CODE', pay.taxCode], ['NI NUMBER', niNumber(pay, false)]],
    ]; // prettier-ignore
    sheet.text(40, 40, pay.employer.name, { bold: true, size: 10 });
    sheet.text(555, 40, random.pick([month, `PAY ADVICE ${month}`]), { align: 'right' });
    bands.forEach((band, n) => {
      sheet.box(36, 50 + n * 26, 523, 26);
      band.forEach(([label, value], at) => {
        sheet.text(40 + (at * 523) / band.length, 58 + n * 26, label, { size: 6 });
        sheet.text(40 + (at * 523) / band.length, 71 + n * 26, value);
      });
    });
    const [left, right] = [[{ x: 40 }, { x: 160, align: 'right' }, { x: 215, align: 'right' }, { x: 290, align: 'right' }], [{ x: 304 }, { x: 460, align: 'right' }, { x: 554, align: 'right' }]] as const; // prettier-ignore
    sheet.box(36, 158, 262, 190);
    sheet.box(298, 158, 261, 190);
    row(sheet, 168, left, ['PAY AND ALLOWANCES', 'UNITS', 'RATE', 'AMOUNT'], { size: 6 });
    row(sheet, 168, right, ['DEDUCTIONS', 'BALANCE C/F', 'AMOUNT'], { size: 6 });
    pay.payments.forEach((line, n) => row(sheet, 184 + n * 14, left, [labels[line.kind], line.units?.toFixed(2) ?? '', '', money(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 184 + n * 14, right, [labels[line.kind], line.kind === 'advance' ? money(line.amount * 3) : '', money(line.amount)])); // prettier-ignore
    const foot: [string, string][][] = [
      [['GROSS PAY', money(pay.ytd.gross)], ['TAXABLE PAY', money(pay.ytd.taxable)], ['NI PAY', money(pay.ytd.niable)], ['NI CONTS', money(pay.ytd.ni)], ['TAX PAID', money(pay.ytd.tax)], ['PENSION CONTS', money(pay.ytd.pension)]],
      [['PERIOD END DATE', when], ['PAY DATE', date(pay.payDate, '31-OCT-26')], ['TAX PERIOD', `${pay.period}`], ['TAXABLE PAY', money(pay.taxable)], ['NON TAXABLE', '0.00'], ['TOTAL PAYMENTS', money(pay.gross)]],
      [['FREQUENCY', 'MONTHLY'], ['PAY METHOD', 'BACS'], ['SD REF', random.digits(4)], ['PENSIONABLE PAY', money(pay.gross)], ['TOTAL DEDUCTIONS', money(pay.totalDeductions)], ['NET PAY', money(pay.net)]],
    ]; // prettier-ignore
    sheet.text(40, 358, 'YEAR TO DATE BALANCES (THIS EMPLOYMENT ONLY) / THIS PERIOD SUMMARY', { size: 6 });
    foot.forEach((band, n) => {
      sheet.box(36, 362 + n * 26, 523, 26);
      band.forEach(([label, value], at) => {
        sheet.text(40 + at * 87, 370 + n * 26, label, { size: 6 });
        sheet.text(118 + at * 87, 383 + n * 26, value, { align: 'right', bold: n === 2 && at === 5 });
      });
    });
    return { ...period(pay, month, [when, `PERIOD END DATE ${when}`]), ...texts(pay, 'date', 'code', 'reference', 'number') }; // prettier-ignore
  },
};

export const classroom: PayslipLayout = {
  name: 'm-classroom',
  like: 'the payroll of a council for teachers',
  type: 'payslip',
  size: A4,
  fonts: ['times', 'source-serif', 'helvetica'],
  fontSize: 10,
  pay: { sector: 'school', frequency: 'monthly', rows: 6, hourly: false },
  draw(sheet, whole, random) {
    const pay = random.chance(0.5) ? inTwo(whole, 0.2) : whole;
    const labels = wording(random, { basic: ['Teacher MPS', 'Teachers Upper Pay Scale', 'Leadership Spine'], weighting: ['Inner London Area'], bonus: ['TLR 2b', 'SEN Allowance 1'], pension: ["Teachers' Pension", 'TPS 9.6%', 'Teachers Superann.'], avc: ["Teachers' Addnl Pension", 'TPS Faster Accrual'], union: ['NEU', 'NASUWT'] }); // prettier-ignore
    const style = { negative: 'trailing' } as const;
    const when = monthOf(pay.payDate);
    sheet.text(60, 60, pay.employer.name, { bold: true, size: 14 });
    sheet.text(60, 76, `Statement of salary for ${when}`, { size: 11 });
    const facts: [string, string][] = [['Name', longName(pay)], ['Post', 'Teacher'], ['Establishment', `Site ${random.digits(3)}`], ['Pay point', `M${random.int(1, 6)}`], ['DfE / TP number', `${random.digits(2)}/${random.digits(5)}`], ['N.I. number', niNumber(pay, true)], ['Tax code', pay.taxCode], ['Date paid', date(pay.payDate, '31 October 2026')]]; // prettier-ignore
    facts.forEach(([label, value], n) => row(sheet, 104 + Math.floor(n / 2) * 16, [{ x: 60 + (n % 2) * 240 }, { x: 150 + (n % 2) * 240 }], [label, value])); // prettier-ignore
    const columns = [{ x: 60 }, { x: 400, align: 'right' }, { x: 530, align: 'right' }] as const;
    row(sheet, 190, columns, ['', 'This month £', 'Tax year £'], { bold: true });
    sheet.line(60, 195, 530, 195);
    let y = 212;
    const line = (label: string, now: number, year: number, bold = false) => {
      row(sheet, y, columns, [label, money(now, style), money(year, style)], { bold });
      y += 17;
    };
    for (const { kind, amount, ytd } of pay.payments) line(labels[kind], amount, ytd);
    line(random.pick(['Total salary', 'Gross', 'Gross salary']), pay.gross, pay.ytd.gross, true);
    y += 6;
    for (const { kind, amount, ytd } of pay.deductions) line(labels[kind], -amount, -ytd);
    sheet.line(280, y - 9, 530, y - 9);
    y += 5;
    row(sheet, y, columns, [random.pick(['Salary paid to your bank', 'Net salary', 'Amount credited']), money(pay.net), ''], { bold: true, size: 11.5 }); // prettier-ignore
    y += 40;
    sheet.text(60, y, "The employer's contributions below are not part of your pay:", { size: 9 });
    row(sheet, y + 15, columns, ['NI (employer)', money(pay.employerNi), money(pay.ytd.employerNi)], { size: 9 });
    if (pay.pension !== null) row(sheet, y + 30, columns, ['Pension (employer)', money(pay.employerPension), money(pay.ytd.employerPension)], { size: 9 }); // prettier-ignore
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code', 'number'), ...amountsOf(pay) };
  },
};

export const garrison: PayslipLayout = {
  name: 'm-garrison',
  like: 'the pay statement of the armed forces',
  type: 'payslip',
  size: A4,
  fonts: ['courier', 'inconsolata'],
  fontSize: 9.5,
  pay: { sector: 'council', frequency: 'monthly', rows: 6, hourly: false },
  draw(sheet, before, random) {
    const pay = taxedAgain(before, before.payments, { pension: false });
    const labels = capitals(wording(random, { basic: ['OR4 BASE PAY', 'OF2 BASE PAY'], weighting: ['LONGER SEP ALLCE', 'X-FACTOR'], shift: ['LSSA'], advance: ['SUB REPAYMENT'], ticket: ['FOOD CHARGE'], union: ['SPORTS SUB'], healthcare: ['SLA CHARGE', 'CILOCT'] })); // prettier-ignore
    const employer = random.pick(['HM ARMED FORCES', 'MINISTRY OF DEFENCE', pay.employer.name.toUpperCase()]);
    const when = span(pay, '31-OCT-26', ' TO ');
    const rule = '-'.repeat(78);
    sheet.lines(50, 60, 14, [employer, `STATEMENT OF PAY AND CHARGES    PERIOD ${when}`, rule]);
    sheet.text(50, 106, `SERVICE NO ${pay.employee.number}   ${pay.employee.last.toUpperCase()} ${pay.employee.first[0]!}`); // prettier-ignore
    sheet.text(50, 120, `TAX CODE ${pay.taxCode}   NI ${niNumber(pay, false)}   TABLE ${pay.niLetter}   CREDITED ON ${date(pay.payDate, '31-OCT-26')}`); // prettier-ignore
    sheet.text(50, 134, rule);
    const columns = [{ x: 50 }, { x: 90 }, { x: 290, align: 'right' }] as const;
    const other = [{ x: 310 }, { x: 345 }, { x: 540, align: 'right' }] as const;
    row(sheet, 150, columns, ['CODE', 'CREDITS', 'AMOUNT']);
    row(sheet, 150, other, ['CODE', 'CHARGES', 'AMOUNT']);
    const style = { comma: false, negative: 'CR' } as const;
    pay.payments.forEach((line, n) => row(sheet, 170 + n * 14, columns, [random.digits(3), labels[line.kind].slice(0, 22), money(line.amount, style)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 170 + n * 14, other, [random.digits(3), labels[line.kind].slice(0, 18), money(line.amount, style)])); // prettier-ignore
    sheet.text(50, 290, rule);
    const sums: [string, number][] = [['TOTAL CREDITS', pay.gross], ['LESS TOTAL CHARGES', pay.totalDeductions], [random.pick(['NET CREDIT TO BANK', 'NET PAY TO BANK']), pay.net]]; // prettier-ignore
    sums.forEach(([label, amount], n) => row(sheet, 306 + n * 14, [{ x: 50 }, { x: 290, align: 'right' }], [label, money(amount, style)])); // prettier-ignore
    row(sheet, 306, [{ x: 310 }, { x: 540, align: 'right' }], ['GROSS FOR TAX TO DATE', money(pay.ytd.gross, style)]);
    row(sheet, 320, [{ x: 310 }, { x: 540, align: 'right' }], ['TAX TO DATE', money(pay.ytd.tax, style)]);
    row(sheet, 334, [{ x: 310 }, { x: 540, align: 'right' }], ['NI TO DATE', money(pay.ytd.ni, style)]);
    return { ...period(pay, when, [when.replace(' TO ', ' - '), when.replace(' TO ', ' to ')], false), ...texts(pay, 'date', 'code', 'number'), ...amountsOf(pay), employer_name: employer }; // prettier-ignore
  },
};

export const cyflog: PayslipLayout = {
  name: 'm-cyflog',
  like: 'a council in Wales, Welsh with or without English',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['helvetica', 'lato', 'times'],
  fontSize: 9,
  pay: { sector: 'council', frequency: 'monthly', rows: 7, hourly: false },
  draw(sheet, pay, random) {
    const english = random.chance(0.6);
    const labels = wording(random, { basic: ['Cyflog Sylfaenol', 'Cyflog'], overtime: ['Goramser'], bonus: ['Taliad Atodol'], holiday: ['Tâl Gwyliau'], sick: ['Tâl Salwch Statudol'], arrears: ['Ôl-daliad'], tax: ['Treth Incwm', 'Treth'], ni: ['Yswiriant Gwladol', 'Yswiriant Cenedlaethol', 'YG'], pension: ['Pensiwn LlL', 'Blwydd-dal', 'Cyfraniad Pensiwn'], avc: ['CGY Pensiwn'], 'student-loan': ['Benthyciad Myfyriwr'], union: ['Unsain'], charity: ['Rhodd Elusen'] }); // prettier-ignore
    const both = (x: number, y: number, welsh: string, other: string, align: 'left' | 'right' = 'left') => {
      sheet.text(x, y, welsh, { bold: true, align });
      if (english) sheet.text(x, y + 9, other, { size: 6.5, align, colour: '#444444' });
    };
    const when = `${date(pay.from, '31/10/2026')} - ${date(pay.to, '31/10/2026')}`;
    sheet.text(40, 46, pay.employer.name, { size: 14, bold: true });
    both(800, 46, 'SLIP CYFLOG', 'PAY SLIP', 'right');
    const facts: [string, string, string][] = [['Enw', 'Name', shortName(pay)], ['Rhif Cyflogai', 'Employee No', pay.employee.number], ['Cyfnod', 'Period', when], ['Dyddiad Talu', 'Pay Date', date(pay.payDate, '31/10/2026')], ['Cod Treth', 'Tax Code', pay.taxCode], ['Rhif YG', 'NI No', niNumber(pay, false)]]; // prettier-ignore
    facts.forEach(([welsh, other, value], n) => {
      both(40 + (n % 3) * 255, 74 + Math.floor(n / 3) * 24, welsh, other);
      sheet.text(130 + (n % 3) * 255, 74 + Math.floor(n / 3) * 24, value);
    });
    sheet.line(40, 116, 800, 116, { thickness: 1 });
    const [left, right] = [[{ x: 40 }, { x: 290, align: 'right' }, { x: 390, align: 'right' }], [{ x: 430 }, { x: 700, align: 'right' }, { x: 800, align: 'right' }]] as const; // prettier-ignore
    for (const [at, title, other] of [
      [left, 'TALIADAU', 'PAYMENTS'],
      [right, 'DIDYNIADAU', 'DEDUCTIONS'],
    ] as const) {
      // prettier-ignore
      both(at[0].x, 130, title, other);
      both(at[1].x, 130, 'Y Cyfnod Hwn', 'This Period', 'right');
      both(at[2].x, 130, 'Hyd Yma', 'To Date', 'right');
    }
    pay.payments.forEach((line, n) => row(sheet, 160 + n * 17, left, [labels[line.kind], money(line.amount), money(line.ytd)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 160 + n * 17, right, [labels[line.kind], money(line.amount), money(line.ytd)])); // prettier-ignore
    sheet.line(40, 300, 800, 300);
    both(40, 316, 'Cyfanswm Taliadau', 'Gross Pay');
    row(sheet, 316, left, ['', money(pay.gross), money(pay.ytd.gross)], { bold: true });
    both(430, 316, 'Cyfanswm Didyniadau', 'Total Deductions');
    row(sheet, 316, right, ['', money(pay.totalDeductions), money(pay.ytd.deductions)], { bold: true });
    sheet.box(560, 350, 240, 36, { thickness: 1.4 });
    both(570, 368, 'CYFLOG NET', 'NET PAY');
    sheet.text(792, 372, money(pay.net, { pound: random.chance(0.5) }), { size: 13, bold: true, align: 'right' });
    return { ...period(pay, when, [when.replace(' - ', ' i ')], false), ...texts(pay, 'date', 'code', 'number') };
  },
};

export const annuitant: PayslipLayout = {
  name: 'm-annuitant',
  like: 'the pension advice of a pension fund',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['times', 'helvetica', 'inter'],
  fontSize: 10,
  pay: { sector: 'charity', frequency: 'monthly', rows: 4, hourly: false },
  draw(sheet, before, random) {
    const isOwn = (kind: string) => kind === 'basic' || kind === 'arrears';
    const pay = taxedAgain(before, before.payments.filter(({ kind }) => isOwn(kind)), { insured: false, pension: false }); // prettier-ignore
    const labels = wording(random, { basic: ['Annual Pension (monthly part)', 'Pension', 'Member Pension'], arrears: ['Pensions Increase arrears', 'Arrears of Pension'], tax: ['Tax deducted', 'Income Tax'] }); // prettier-ignore
    const day = date(pay.payDate, '31 October 2026');
    const when = monthOf(pay.payDate);
    sheet.text(50, 50, pay.employer.name, { size: 13, bold: true });
    sheet.text(50, 64, 'Pensions Payroll', { size: 9 });
    sheet.text(545, 50, `Pension payment advice ${when}`, { align: 'right' });
    sheet.lines(50, 96, 13, [longName(pay), ...pay.employee.address], { size: 9.5 });
    const facts = [`Pension number ${pay.employee.number}`, `NI number ${niNumber(pay, true)}`, `Tax code ${pay.taxCode}`, `Payment date ${day}`]; // prettier-ignore
    sheet.lines(545, 96, 13, facts, { align: 'right', size: 9.5 });
    const columns = [{ x: 50 }, { x: 340, align: 'right' }, { x: 440, align: 'right' }, { x: 545, align: 'right' }] as const; // prettier-ignore
    row(sheet, 170, columns, ['Details', 'Added £', 'Taken off £', 'Year so far £'], { bold: true });
    sheet.line(50, 175, 545, 175);
    let y = 192;
    for (const line of pay.payments) row(sheet, (y += 16) - 16, columns, [labels[line.kind], money(line.amount), '', money(line.ytd)]); // prettier-ignore
    for (const line of pay.deductions) row(sheet, (y += 16) - 16, columns, [labels[line.kind], '', money(line.amount), money(line.ytd)]); // prettier-ignore
    sheet.line(50, 310, 545, 310);
    row(sheet, 326, columns, ['Totals', money(pay.gross), money(pay.totalDeductions), ''], { bold: true });
    sheet.text(50, 352, `${random.pick(['Net pension paid', 'Amount paid into your bank', 'Net payment'])}: ${money(pay.net, { pound: true })}`, { bold: true, size: 12 }); // prettier-ignore
    sheet.text(50, 380, 'Please tell us if your address or bank changes. This is not a state benefit.', { size: 8 });
    return { ...period(pay, when, [], false), ...texts(pay, 'date', 'code', 'number'), ...amountsOf(pay), ni_deducted: null, pension_deducted: null }; // prettier-ignore
  },
};
