import { drawPayslip, pdfOf, pictureAsPdf, withOcr } from '../helpers/ocr.ts';
import { PAID, payslipText, sumsOf, typedPdf } from '../helpers/typed-pdf.ts';
import { pence } from '../../domain/money.ts';

const ocr = withOcr();

async function reasonsOf(pdf: Buffer): Promise<readonly string[] | string> {
  const { outcome } = await ocr.read(pdf);
  return outcome.kind === 'failed' ? outcome.code : outcome.reading.review_reasons;
}
const reasonsIn = async (...pages: string[]) => reasonsOf(await typedPdf(pages));

const OTHER = { name: 'Ms R Okafor', number: 'JG774120B', basic: 2_310 };
const NEXT = { month: 'November 2026', date: '30/11/2026', basic: 2_850 };

describe('a payslip of one person and one period', () => {
  test('needs no review', async () => {
    expect(await reasonsIn(payslipText())).toEqual([]);
  });

  test.each([
    [
      'a letter before it',
      'Dear Mr Whitfield,\nyour payslip of October is on the next page. Please keep it in a safe place, for years.',
    ],
    ['its copy', payslipText()],
    [
      'a page of notes',
      'Notes\nQuestions about your pay go to the payroll office on the second floor, every day from nine to five.',
    ],
  ])('needs no review with %s', async (_what, page) => {
    expect(await reasonsIn(page, payslipText())).toEqual([]);
    expect(await reasonsIn(payslipText(), page)).toEqual([]);
  });

  test.each([
    ['a hint to a calculator', 'Estimate your tax with the tax calculator at gov.uk/estimate-income-tax'],
    ['a hint to a guide', 'Understanding your payslip: see the page "How to read your payslip" of the intranet.'],
    ['people and streets named Example', 'Line manager   Ms A Example      Office   14 Sample Road'],
    ['the pay date in two other formats', 'Paid on 30 Oct 2026\nPayment date: 30-10-26'],
    ['a pay date that is no date', 'Paid on 38/10/2026'],
    ['the next pay date, and the pay date in words', 'Next pay date 30/11/2026\nPaid on 30 October 2026'],
    ['a word that only begins so', 'Samples Allowance is paid in December'],
  ])('needs no review with %s below', async (_what, below) => {
    expect(await reasonsIn(payslipText({}, { below }))).toEqual([]);
  });
});

describe('low-confidence', () => {
  test('if an amount is missing', async () => {
    const text = payslipText()
      .replace(/^Net pay.*$/m, '')
      .replace(/National Insurance +[\d.,]+/, '');
    expect(await reasonsIn(text)).toEqual(['low-confidence']);
  });
});

describe('several-payslips', () => {
  test.each([
    ['of two people on two pages', [payslipText(), payslipText(OTHER)]],
    ['of two months', [payslipText(), payslipText(NEXT)]],
    ['of two months with the same pay', [payslipText(), payslipText({ ...NEXT, basic: PAID.basic })]],
    [
      'of three months',
      [payslipText(), payslipText(NEXT), payslipText({ month: 'December 2026', date: '31/12/2026' })],
    ],
    ['of two people on one page', [`${payslipText()}\n\n${payslipText(OTHER)}`]],
    ['of two months on one page', [`${payslipText()}\n\n${payslipText(NEXT)}`]],
    [
      'of two months on one page, with pay dates in different formats',
      [`${payslipText()}\n\n${payslipText({ ...NEXT, date: '30 November 2026' })}`],
    ],
    ['of two people without NI numbers', [payslipText({ number: '' }), payslipText({ ...OTHER, number: '' })]],
  ])('%s', async (_what, pages) => {
    expect(await reasonsIn(...pages)).toContain('several-payslips');
  });

  test('of two months, scanned', async () => {
    const pages = await Promise.all(
      [payslipText(), payslipText(NEXT)].map(async (text) => ocr.draw(await typedPdf([text]))),
    );
    const scan = await pdfOf((pdf) =>
      pages.forEach((page, at) => {
        if (at > 0) pdf.addPage();
        pdf.image(page, 0, 0, { fit: [pdf.page.width, pdf.page.height] });
      }),
    );
    const { outcome } = await ocr.read(scan);
    expect(outcome).toMatchObject({
      kind: 'read',
      reading: { net_pay: { value: pence(215_040), page: 1 }, review_reasons: ['several-payslips'] },
    });
  });
});

describe('specimen', () => {
  test.each([
    ['a title', payslipText({}, { above: '# SPECIMEN' })],
    ['a title of several words', payslipText({}, { above: '# Example payslip - not a real employee' })],
    ['a title in brackets', payslipText().replace('Payslip  ', 'Payslip (sample)\n')],
    ['spaced letters', payslipText({}, { below: 'S P E C I M E N' })],
    ['a line of its words', payslipText({}, { below: 'SPECIMEN    SPECIMEN    SPECIMEN' })],
    ['a person of that name', payslipText({ name: 'Mr A Specimen' })],
    ['a company of that name', payslipText().replace('Bramble & Stone Ltd', 'Sample Company Ltd')],
    ['a sentence on top', payslipText({}, { above: 'This is a sample payslip for illustration only' })],
    ['a note in the corner', payslipText({}, { below: '                           SAMPLE ONLY' })],
  ])('by %s', async (_what, text) => {
    expect(await reasonsIn(text)).toEqual(['specimen']);
  });

  test('by a stamp across the page', async () => {
    const stamped = await pdfOf((pdf) => {
      drawPayslip(pdf);
      pdf
        .rotate(45, { origin: [300, 400] })
        .fontSize(60)
        .text('SPECIMEN', 200, 400, { lineBreak: false });
    });
    expect(await reasonsOf(stamped)).toEqual(['specimen']);
  });

  test('by a stamp on a picture', async () => {
    const picture = await ocr.draw(await typedPdf([payslipText({}, { above: '# SPECIMEN' })]));
    expect(await reasonsOf(await pictureAsPdf(picture))).toEqual(['specimen']);
  });
});

describe('register', () => {
  const STAFF = [
    ['Whitfield, T', 'AB123456C', 2_800],
    ['Okafor, R', 'JG774120B', 2_310],
    ['Lindqvist, A', 'PA767122C', 1_940],
    ['Pemberton, J', 'CE402211D', 3_125],
  ] as const;
  const total = STAFF.reduce((sum, [, , basic]) => sum + basic, 0);
  const table = (title: string, withNumber: boolean) => `# Bramble & Stone Ltd
${title}          October 2026        Pay date 30/10/2026

Employee              ${withNumber ? 'NI number    ' : ''}Gross pay        Tax         NI    Pension    Net pay
${[...STAFF, ['Total', '', total] as const]
  .map(([name, number, basic]) => {
    const sums = sumsOf(basic).map((sum) => sum.padStart(10));
    return `${name.padEnd(22)}${withNumber ? number.padEnd(12) : ''}${sums.join(' ')}`;
  })
  .join('\n')}
`;

  test.each([
    ['with NI numbers', table('Payroll register', true)],
    ['with names', table('Payroll register', false)],
    ['without a title', table('Pay', false)],
  ])('%s', async (_what, text) => {
    const reasons = await reasonsIn(text);
    expect(reasons).toContain('register');
    expect(reasons).not.toContain('several-payslips');
  });
});

describe('a page that only mentions pay is not a payslip', () => {
  /** Rows of a label, its amount of the year if there is one, and its amount of the month. */
  const rows = (...list: string[]) =>
    list
      .map((one) => {
        const [label, amounts] = one.split('  ') as [string, string];
        const [month, year = ''] = amounts.split(' ').reverse() as [string, string?];
        return `${label.padEnd(24)}${year.padStart(12)}${month.padStart(12)}`;
      })
      .join('\n');
  const YEARLY = ['National Insurance  1,682.40 140.20'];
  const MONTHLY = ['Gross pay  2,800.00', 'Income tax  350.50', 'National Insurance  140.20'];

  test.each([
    [
      'a salary calculator with columns',
      `# Take-home pay calculator\nTax year 2026/27        Tax code 1257L\n\n${' '.repeat(28)}Yearly     Monthly      Weekly\n${rows('Gross pay  33,600.00 2,800.00', 'Tax  4,206.00 350.50', ...YEARLY, 'Pension  1,680.00 140.00', 'Net pay  26,031.60 2,169.30')}`,
    ],
    [
      'a result without the word',
      `# Your results\nYour take home pay is £2,169.30 a month, £500.61 a week or £26,031.60 a year\n${rows(...MONTHLY, 'Pension  140.00', 'Net pay  2,169.30')}`,
    ],
    [
      'a result with its columns per year, month and day',
      `Summary\n${' '.repeat(28)}Year       Month         Day\n${rows('Gross income  33,600.00 2,800.00', 'Tax paid  4,206.00 350.50', ...YEARLY, 'Net wage  26,031.60 2,169.30')}`,
    ],
    ['an estimate', `# Your estimated take-home pay\n${rows(...MONTHLY, 'Take-home pay  2,309.30')}`],
    [
      'a payslip with numbers under a title',
      payslipText({}, { above: '# Your payslip explained', below: '(1) (2) (3)' }),
    ],
    [
      'a guide to payslips',
      payslipText(
        {},
        {
          above: '# How to read your payslip',
          below: `1 Tax code: this tells your employer how much tax to take.
2 National Insurance number: it is yours for life. Check that it is right.
3 Gross pay: this is the total that you earned before deductions.
4 Net pay: the amount that you take home.`,
        },
      ),
    ],
  ])('%s', async (_what, text) => {
    expect(await reasonsIn(text)).toBe('no-payslip-found');
  });
});

describe('page-limit', () => {
  const page = 'Terms and conditions of employment, which nobody has ever read to their end, and which go on and on.';
  const many = (count: number) => Array.from({ length: count }, () => page);

  test('a payslip on the eleventh page is not found, and the detail says why', async () => {
    const { outcome } = await ocr.read(await typedPdf([...many(10), payslipText()]));
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'no-payslip-found',
      detail: expect.stringContaining('the first 10 pages') as unknown,
    });
  });

  test('a payslip on the tenth of ten pages is found, and needs no review', async () => {
    expect(await reasonsIn(...many(9), payslipText())).toEqual([]);
  });

  test('a payslip on the first of eleven pages is found, with this reason for a review', async () => {
    expect(await reasonsIn(payslipText(), ...many(10))).toEqual(['page-limit']);
  });
});
