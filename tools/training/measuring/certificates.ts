import type { P60 } from '../../payslips/certificates.ts';
import type { P60Layout } from '../../payslips/layout.ts';
import { niNumber, row } from '../../payslips/parts.ts';
import { A4, A4_LANDSCAPE, A5_LANDSCAPE } from '../../payslips/sheet.ts';
import { longName, money, poundsAndPence, shortName } from '../../payslips/words.ts';
import { texts, wrapped } from './common.ts';

function year({ endYear, pay }: P60, printed: string, also: readonly string[] = []) {
  const end = `5 April ${endYear}`;
  return { pay_period: printed, pay_period_also: [end, `to ${end}`, `Year to ${end}`, `Tax year to ${end}`, `tax year to ${end}`, pay.taxYear, pay.taxYear.replace('-', '/'), `${endYear - 1}/${endYear}`, `${endYear - 1}-${endYear}`, ...also], tax_year: pay.taxYear }; // prettier-ignore
}

export const p60Screen: P60Layout = {
  name: 'm-p60-screen',
  like: 'the P60 in an employer’s app',
  type: 'p60',
  size: [375, 812],
  fonts: ['inter', 'roboto'],
  fontSize: 11,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const dark = random.chance(0.6);
    const [ground, card, ink, dim] = dark ? ['#101010', '#242428', '#ffffff', '#b0b0b8'] as const : ['#ffffff', '#eef1f5', '#111111', '#555555'] as const; // prettier-ignore
    sheet.box(0, 0, 375, 812, { fill: ground });
    sheet.text(20, 48, `P60 ${pay.taxYear.replace('-', '/')}`, { size: 22, bold: true, colour: ink });
    sheet.text(20, 68, `End of year certificate, tax year to 5 April ${p60.endYear}`, { colour: dim, size: 9.5 });
    sheet.lines(20, 92, 15, wrapped(pay.employer.name, 44), { colour: ink, bold: true });
    let y = 122;
    const cards: [string, string][] = [['Pay in this employment', money(p60.thisPay, { pound: true })], ['Income Tax in this employment', money(p60.thisTax, { pound: true })], ["Employee's National Insurance", money(p60.ni, { pound: true })], ...(p60.studentLoan === null ? [] : [['Student loan', money(p60.studentLoan, { pound: true })] satisfies [string, string]]), ...(p60.previous === null ? [] : [['Pay in previous employments', money(p60.previous.pay, { pound: true })] satisfies [string, string], ['Tax in previous employments', money(p60.previous.tax, { pound: true })] satisfies [string, string]])]; // prettier-ignore
    for (const [label, value] of cards) {
      sheet.box(16, y, 343, 58, { fill: card, radius: 10 });
      sheet.text(30, y + 22, label, { colour: dim });
      sheet.text(30, y + 45, value, { colour: ink, size: 17, bold: true });
      y += 68;
    }
    const facts = [`Final tax code ${pay.taxCode}`, `NI number ${niNumber(pay, true)}   Letter ${pay.niLetter}`, `Employer PAYE reference ${pay.employer.payeReference}`, longName(pay)]; // prettier-ignore
    sheet.lines(20, y + 18, 17, facts, { colour: dim });
    return { ...year(p60, `tax year to 5 April ${p60.endYear}`), ...texts(pay, 'code', 'reference', 'number') };
  },
};

export const p60Letter: P60Layout = {
  name: 'm-p60-letter',
  like: 'a replacement P60 as a letter',
  type: 'p60',
  size: A4,
  fonts: ['times', 'source-serif', 'lato'],
  fontSize: 11,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const amount = (value: number) => money(value, { pound: true });
    sheet.text(70, 70, pay.employer.name, { size: 15, bold: true });
    sheet.lines(70, 86, 13, pay.employer.address, { size: 9.5 });
    sheet.text(70, 150, `${random.pick(['Statement of earnings', 'Replacement P60', 'P60 details'])} for the tax year to 5 April ${p60.endYear}`, { bold: true }); // prettier-ignore
    const paragraphs = [
      `To ${longName(pay)}, National Insurance number ${niNumber(pay, false)}.`,
      `This letter replaces your form P60. In the year ended 5 April ${p60.endYear} you were employed by us under PAYE reference ${pay.employer.payeReference}. Your final tax code was ${pay.taxCode}.`,
      random.chance(0.5) ? 'The figures for this employment are:' : 'In this employment:',
    ]; // prettier-ignore
    let y = 180;
    for (const paragraph of paragraphs) {
      const lines = wrapped(paragraph, 84);
      sheet.lines(70, y, 15, lines);
      y += lines.length * 15 + 8;
    }
    const figures: [string, number][] = [[random.pick(['Total pay', 'Gross pay', 'Pay']), p60.thisPay], [random.pick(['Tax deducted', 'Income Tax', 'PAYE deducted']), p60.thisTax], ["Employee's NI contributions", p60.ni]]; // prettier-ignore
    if (p60.studentLoan !== null) figures.push(['Student Loan deductions', p60.studentLoan]);
    figures.forEach(([label, value], n) => sheet.text(100, y + 4 + n * 19, `${label}: ${amount(value)}`));
    y += figures.length * 19 + 20;
    if (p60.previous) sheet.lines(70, y, 15, wrapped(`Our records of your previous employment in the year show pay of ${amount(p60.previous.pay)} and tax of ${amount(p60.previous.tax)}.`, 84)); // prettier-ignore
    sheet.lines(70, y + 50, 15, ['Yours sincerely', '', 'Payroll Manager']);
    return { ...year(p60, `tax year to 5 April ${p60.endYear}`, [`year ended 5 April ${p60.endYear}`]), ...texts(pay, 'code', 'reference', 'number') }; // prettier-ignore
  },
};

export const p60Ruled: P60Layout = {
  name: 'm-p60-ruled',
  like: 'a substitute P60 with captions under the entries',
  type: 'p60',
  size: A5_LANDSCAPE,
  fonts: ['helvetica', 'times', 'courier'],
  fontSize: 10,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const under = (
      x: number,
      y: number,
      width: number,
      value: string,
      label: string,
      align: 'left' | 'right' = 'left',
    ) => {
      // prettier-ignore
      sheet.text(align === 'right' ? x + width - 4 : x + 4, y, value, { align });
      sheet.line(x, y + 4, x + width, y + 4);
      sheet.text(x, y + 13, label, { size: 6.5 });
    };
    sheet.text(40, 42, `P60 (Substitute)   Year to 5 April ${p60.endYear}`, { bold: true, size: 12 });
    under(40, 74, 250, pay.employer.name, 'Employer');
    under(305, 74, 120, pay.employer.payeReference, 'PAYE reference');
    under(440, 74, 115, pay.taxCode, 'Final tax code');
    under(40, 110, 250, `${pay.employee.last}, ${pay.employee.first}`, 'Employee (surname, forename)');
    under(305, 110, 120, niNumber(pay, false), 'NI number');
    under(440, 110, 115, pay.employee.number, 'Works no.');
    const comma = random.chance(0.5);
    const amount = (value: number | undefined) => (value === undefined ? '' : money(value, { comma }));
    const swap = random.chance(0.5);
    const [one, two] = swap ? [305, 40] : [40, 305];
    sheet.text(one, 142, 'Previous employment(s)', { bold: true, size: 9 });
    sheet.text(two, 142, 'This employment', { bold: true, size: 9 });
    under(one, 170, 118, amount(p60.previous?.pay), 'Pay £', 'right');
    under(one + 130, 170, 118, amount(p60.previous?.tax), 'Tax £', 'right');
    under(two, 170, 118, amount(p60.thisPay), 'Pay £', 'right');
    under(two + 130, 170, 118, amount(p60.thisTax), 'Tax £', 'right');
    sheet.text(40, 212, 'National Insurance in this employment', { bold: true, size: 9 });
    const ni: [string, string][] = [[pay.niLetter, 'Letter'], [`${p60.niEarnings[0]}`, 'Up to LEL £'], [`${p60.niEarnings[1]}`, 'LEL to PT £'], [`${p60.niEarnings[2]}`, 'PT to UEL £'], [amount(p60.ni), "Employee's contributions £"]]; // prettier-ignore
    ni.forEach(([value, label], n) => under(40 + n * 104, 240, 94, value, label, n === 0 ? 'left' : 'right'));
    under(
      40,
      290,
      200,
      p60.studentLoan === null ? '' : `${p60.studentLoan / 100}`,
      'Student loan deductions, whole £',
      'right',
    );
    sheet.text(40, 340, 'Keep this certificate in a safe place. You may need it for a tax return or a claim.', { size: 7.5 }); // prettier-ignore
    return { ...year(p60, `Year to 5 April ${p60.endYear}`), ...texts(pay, 'code', 'reference', 'number') };
  },
};

export const p60Cymraeg: P60Layout = {
  name: 'm-p60-cymraeg',
  like: 'the Welsh P60',
  type: 'p60',
  size: A4,
  fonts: ['helvetica', 'lato'],
  fontSize: 10,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const english = random.chance(0.7);
    const ink = random.pick(['#7a1f1f', '#1f4f7a', '#333333']);
    const both = (x: number, y: number, welsh: string, other: string) => {
      sheet.text(x, y, welsh, { colour: ink });
      if (english) sheet.text(x, y + 10, other, { size: 7, colour: '#555555' });
    };
    sheet.text(40, 56, 'P60 Tystysgrif Diwedd Blwyddyn', { size: 18, bold: true, colour: ink });
    if (english) sheet.text(40, 72, 'P60 End of Year Certificate', { size: 10 });
    sheet.text(555, 56, `Blwyddyn dreth hyd at 5 Ebrill ${p60.endYear}`, { align: 'right' });
    if (english) sheet.text(555, 70, `Tax year to 5 April ${p60.endYear}`, { align: 'right', size: 8.5 });
    const facts: [string, string, string][] = [['Enw', 'Name', shortName(pay)], ['Rhif Yswiriant Gwladol', 'National Insurance number', niNumber(pay, true)], ['Cod treth terfynol', 'Final tax code', pay.taxCode], ['Cyfeirnod TWE y cyflogwr', 'Employer PAYE reference', pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([welsh, other, value], n) => {
      both(46, 106 + n * 28, welsh, other);
      sheet.text(300, 106 + n * 28, value, { bold: true });
    });
    sheet.box(40, 226, 515, 132, { stroke: ink });
    both(46, 242, 'Tâl a Threth Incwm', 'Pay and Income Tax');
    sheet.text(420, 242, random.pick(['Tâl £', 'Cyflog £']), { align: 'right', bold: true });
    sheet.text(545, 242, 'Treth £', { align: 'right', bold: true });
    const rows: [string, string, number | undefined, number | undefined][] = [['Yn y gyflogaeth hon', 'In this employment', p60.thisPay, p60.thisTax], ['Mewn cyflogaeth(au) flaenorol', 'In previous employment(s)', p60.previous?.pay, p60.previous?.tax], ['Cyfanswm', 'Total', p60.thisPay + (p60.previous?.pay ?? 0), p60.thisTax + (p60.previous?.tax ?? 0)]]; // prettier-ignore
    rows.forEach(([welsh, other, paid, tax], n) => {
      both(46, 272 + n * 30, welsh, other);
      row(sheet, 272 + n * 30, [{ x: 420, align: 'right' }, { x: 545, align: 'right' }], [paid === undefined ? '' : money(paid), tax === undefined ? '' : money(tax)]); // prettier-ignore
    });
    both(
      46,
      386,
      `Cyfraniadau Yswiriant Gwladol y cyflogai (${pay.niLetter})`,
      "Employee's National Insurance contributions",
    );
    sheet.text(545, 386, money(p60.ni), { align: 'right' });
    both(46, 426, 'Enw a chyfeiriad y cyflogwr', 'Employer name and address');
    sheet.lines(300, 426, 14, [pay.employer.name, ...pay.employer.address]);
    const welsh = `hyd at 5 Ebrill ${p60.endYear}`;
    return { ...year(p60, `Blwyddyn dreth ${welsh}`, [welsh, `5 Ebrill ${p60.endYear}`]), ...texts(pay, 'code', 'reference', 'number') }; // prettier-ignore
  },
};

export const p60Typed: P60Layout = {
  name: 'm-p60-typed',
  like: 'the P60 of a mainframe, printed on plain paper',
  type: 'p60',
  size: A4_LANDSCAPE,
  fonts: ['courier', 'inconsolata'],
  fontSize: 10,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const apart = random.chance(0.5);
    const amount = (value: number | undefined) => (value === undefined ? '' : apart ? poundsAndPence(value).join('  ') : money(value, { comma: false })); // prettier-ignore
    const rule = '='.repeat(110);
    sheet.lines(50, 60, 15, [`P60 CERTIFICATE OF PAY AND TAX    YEAR ENDED 5 APRIL ${p60.endYear}`, rule]);
    const facts: [string, string][] = [['EMPLOYER', pay.employer.name.toUpperCase()], ['PAYE REF', pay.employer.payeReference], ['EMPLOYEE', `${pay.employee.last.toUpperCase()} ${pay.employee.first.toUpperCase()}`], ['NI NUMBER', niNumber(pay, false)], ['TAX CODE', pay.taxCode]]; // prettier-ignore
    facts.forEach(([label, value], n) => row(sheet, 92 + n * 16, [{ x: 50 }, { x: 160 }], [label, value]));
    sheet.text(50, 180, rule);
    const columns = [{ x: 50 }, { x: 420, align: 'right' }, { x: 620, align: 'right' }] as const;
    row(sheet, 198, columns, ['', apart ? 'PAY  £   P' : 'PAY £', apart ? 'TAX  £   P' : 'TAX £']);
    row(sheet, 216, columns, ['PREVIOUS EMPLOYMENT', amount(p60.previous?.pay), amount(p60.previous?.tax)]);
    row(sheet, 232, columns, ['THIS EMPLOYMENT', amount(p60.thisPay), amount(p60.thisTax)]);
    row(sheet, 248, columns, ['TOTAL FOR YEAR', amount(p60.thisPay + (p60.previous?.pay ?? 0)), amount(p60.thisTax + (p60.previous?.tax ?? 0))]); // prettier-ignore
    row(sheet, 284, columns, [`NI CONTRIBUTIONS EMPLOYEE  TABLE ${pay.niLetter}`, amount(p60.ni), '']);
    if (p60.studentLoan !== null) row(sheet, 300, columns, ['STUDENT LOAN', amount(p60.studentLoan), '']);
    sheet.text(50, 330, rule);
    return { ...year(p60, `YEAR ENDED 5 APRIL ${p60.endYear}`, [`5 APRIL ${p60.endYear}`]), ...texts(pay, 'code', 'reference', 'number'), employer_name: pay.employer.name.toUpperCase() }; // prettier-ignore
  },
};

export const p60Pensioner: P60Layout = {
  name: 'm-p60-pensioner',
  like: 'the P60 of a pension provider',
  type: 'p60',
  size: A4,
  fonts: ['source-serif', 'helvetica', 'inter'],
  fontSize: 10.5,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const span = `6 April ${p60.endYear - 1} to 5 April ${p60.endYear}`;
    sheet.text(60, 64, pay.employer.name, { size: 14, bold: true });
    sheet.text(60, 80, 'Pension payer', { size: 9 });
    sheet.text(60, 112, `Your P60 for ${span}`, { size: 15, bold: true });
    sheet.lines(60, 146, 14, [longName(pay), ...pay.employee.address]);
    sheet.lines(340, 146, 14, [`NI number ${niNumber(pay, false)}`, `Tax code ${pay.taxCode}`, `PAYE reference ${pay.employer.payeReference}`, `Pension ref ${pay.employee.number}`]); // prettier-ignore
    sheet.box(60, 220, 475, 84, { stroke: '#888888' });
    const figures: [number, string][] = [[p60.thisPay, random.pick(['Pension paid to you in the tax year, before tax', 'Total for year: pension (gross)'])], [p60.thisTax, random.pick(['Income Tax taken off', 'Tax deducted'])]]; // prettier-ignore
    figures.forEach(([amount, label], n) => row(sheet, 250 + n * 30, [{ x: 190, align: 'right' }, { x: 206 }], [money(amount, { pound: true }), label], { size: 12 })); // prettier-ignore
    if (p60.previous) sheet.text(60, 330, `Earlier pensions or jobs in the year: pay ${money(p60.previous.pay, { pound: true })}, tax ${money(p60.previous.tax, { pound: true })}`, { size: 9 }); // prettier-ignore
    sheet.text(60, 356, 'Please keep this certificate. We cannot send another one.', { size: 9 });
    return { ...year(p60, span, [span.replace(' to ', ' - ')]), ...texts(pay, 'code', 'reference', 'number'), ni_deducted: null }; // prettier-ignore
  },
};
