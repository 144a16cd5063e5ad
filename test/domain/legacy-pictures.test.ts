import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';
import { changed, typed } from '../helpers/legacy-pages.ts';

const { extractReading } = withReader();

const NOW = sure(215_000, 172_744, 22_040, 8_816, 11_400);

// `_` stands for a space that OCR missed.
const seen = async (text: string) =>
  (await extractReading([
    changed(typed(text, { source: 'ocr', probability: 0.97 }), (word) => ({ ...word, text: word.text.replaceAll('_', ' ') })),
  ]))!; // prettier-ignore

const payslip = ({
  name = 'Penrose Builders Ltd',
  title = 'Payslip for May 2025',
  under = '',
  ni = 'N.I.',
}): string => `
${name}
${title}

Gross pay                                       2,150.00
${under.padStart(56)}
P.A.Y.E.                                          220.40
${ni.padEnd(48)}  88.16
Pension                                           114.00
Net pay                                         1,727.44
`;

describe('an amount of the year below an amount', () => {
  test.each(['YTD 38,700.00', 'YTD 38,70000', 'YTD38,700.00', 'YTD 38,700,0O'])(
    'is not a column heading, even if misread: %s',
    async (under) => {
      expect(amountsOf(await seen(payslip({ under })))).toEqual(NOW);
    },
  );

  test('does not change the amounts, even if it lost all its punctuation', async () => {
    const amounts = amountsOf(await seen(payslip({ under: 'YTD 3870000' })));
    expect(amounts.map(([pence]) => pence)).toEqual(NOW.map(([pence]) => pence));
  });
});

describe('a label that ends like a name', () => {
  test.each(['Pay Group:', 'Staff Association:', 'Payroll Services:'])('is not an employer: %s', async (caption) => {
    const text = payslip({ name: `${caption}   Monthly\n\nThe Old Penrose Bakery` });
    expect((await seen(text)).employer_name!.value).toBe('The Old Penrose Bakery');
  });
});

describe('an amount that touches its currency', () => {
  test('belongs to the label beside it', async () => {
    expect(amountsOf(await seen(payslip({}).replaceAll(/ {4}(?=[\d,]+\.\d\d)/g, ' GBP')))).toEqual(NOW);
  });
});

describe('an amount after dots', () => {
  test('is read without the dots', async () => {
    const text = payslip({})
      .replace(' 2,150.00', '.2,150.00')
      .replace(' 220.40', '.220.40')
      .replace('  88.16', '..88.16');
    expect(amountsOf(await seen(text))).toEqual(NOW);
  });
});

describe('an amount without its decimal point', () => {
  test.each([
    ['pension', 'Pension', '114.00', '11400', 11_400],
    ['NI', 'N.I.', '88.16', '8816', 8_816],
  ])('is the %s that the totals leave, if the digits agree', async (_, label, amount, read, pence) => {
    const text = payslip({}).replace(
      '\nNet pay',
      `\nTotal deductions                                  422.56\nNet pay`,
    );
    const found = async (figures: string) => {
      const { ni_deducted, pension_deducted } = await seen(text.replace(amount, figures));
      return label === 'N.I.' ? ni_deducted : pension_deducted;
    };
    const [right, wrong] = [await found(read), await found(read.replace(/.$/, '7'))];
    expect(right).toMatchObject({ value: pence, confidence: 0.7 });
    expect(wrong).toBeNull();
  });

  test('is read by its comma', async () => {
    const text = payslip({}).replace('2,150.00', '2,15000').replace('1,727.44', '1,72744');
    expect(amountsOf(await seen(text))).toEqual(NOW);
  });
});

describe('words that OCR joined', () => {
  test.each([
    ['Payslip forMay 2025', 'May 2025'],
    ['Payslip for_May 2025', 'May 2025'],
    ['Payslip for 0ctober 2O25', 'October 2025'],
    ['Month: APRI1 2025', 'APRIL 2025'],
    ['Period: 1 Ju|y 2025 - 31 Ju|y 2025', '1 July 2025 - 31 July 2025'],
    ['Period: 01.1l.2024 - 3O.11.2024', '01.11.2024 - 30.11.2024'],
    ['Period: 01/05/2025 T0 31/05/2025', '01/05/2025 TO 31/05/2025'],
  ])('or misread are recognised by their letters: %s', async (title, period) => {
    expect((await seen(payslip({ title }))).pay_period!.value).toBe(period);
  });

  test.each([
    ['PER IOD NO   9', 'PERIOD 9'],
    ['TAX PERI00   9', 'TAX PERIOD 9'],
    ['Tax Peri0d   9', 'Tax Period 9'],
    ['Tax Mth   9', 'Tax Mth 9'],
  ])('or split are whole in the name of a period: %s', async (title, period) => {
    expect((await seen(payslip({ title }))).pay_period!.value).toBe(period);
  });

  test('name a period no more certainly than they were read', async () => {
    const page = changed(typed(payslip({ title: 'Tax Period   9' }), { source: 'ocr', probability: 0.99 }), (word) =>
      word.text === 'Period' ? { ...word, probability: 0.6 } : word,
    );
    expect((await extractReading([page]))!.pay_period!.confidence).toBeLessThan(0.6);
  });

  test("are still labels: E'ee N..C.", async () => {
    expect(amountsOf(await seen(payslip({ ni: "E'ee N..C." })))).toEqual(NOW);
  });

  test.each([
    ['Citizens of Penrose Cic', 'Citizens of Penrose CIC'],
    ['Citizens of Penrose CiC', 'Citizens of Penrose CIC'],
    ['Citizens of Penrose ClC', 'Citizens of Penrose CIC'],
    ['Penrose Software (Uk) Ltd', 'Penrose Software (UK) Ltd'],
    ['Penrose Nhs Trust', 'Penrose NHS Trust'],
    ['Penrose Builders LTd', 'Penrose Builders Ltd'],
    ['PENROSE & SONSLTD', 'PENROSE & SONS LTD'],
    ['PENROSE BUILDERS LTd', 'PENROSE BUILDERS LTD'],
    ['Penrose&Hollis LLP', 'Penrose & Hollis LLP'],
    ['Penrose Buildersplc', 'Penrose Builders plc'],
    ['M&P Builders Ltd', 'M&P Builders Ltd'],
    ['McPenrose Builders Ltd', 'McPenrose Builders Ltd'],
    ['Penrose Builders Plc', 'Penrose Builders Plc'],
  ])('are written like names of organisations: %s', async (name, mended) => {
    expect((await seen(payslip({ name }))).employer_name!.value).toBe(mended);
  });
});

describe('a letter that OCR read twice', () => {
  test('at the end of the word before counts once', async () => {
    const page = changed(typed(payslip({ name: 'StP Penrose Ltd' }), { source: 'ocr', probability: 0.97 }), (word) =>
      word.text === 'Penrose' ? { ...word, x: word.x - 9 } : word,
    );
    expect((await extractReading([page]))!.employer_name!.value).toBe('St Penrose Ltd');
  });

  test('at the beginning of a word counts once', async () => {
    const page = typed(payslip({ ni: 'N N.I.' }), { source: 'ocr', probability: 0.97 });
    const [letter, word] = ['N', 'N.I.'].map((text) => page.words.find((one) => one.text === text)!);
    const twice = changed(page, (one) => (one === letter ? { ...one, x: word!.x } : one));
    expect(amountsOf((await extractReading([twice]))!)).toEqual(NOW);
  });
});

describe('wide spaces in a picture', () => {
  test('do not split a label between two columns', async () => {
    const page = changed(
      typed(payslip({}).replace('Gross pay', 'TOTAL PAY'), { source: 'ocr', probability: 0.97 }),
      (word) => ({
        ...word,
        x: word.x * 1.6,
        width: word.width * 1.6 - 1.5,
      }),
    );
    expect(amountsOf((await extractReading([page]))!)).toEqual(NOW);
  });

  test("do not separate a letter from a label's word", async () => {
    expect(amountsOf(await seen(payslip({ ni: 'Nationa l Insuranc e' })))).toEqual(NOW);
  });

  test('do not count if two lines overlap', async () => {
    const page = changed(typed(payslip({ name: 'PENROSE ACADEMY' }), { source: 'ocr', probability: 0.97 }), (word) =>
      word.text === 'ACADEMY' ? { ...word, x: word.x - 6 } : word,
    );
    expect((await extractReading([page]))!.employer_name!.value).toBe('PENROSE ACADEMY');
  });

  test('do not split a label', async () => {
    const page = changed(typed(payslip({ ni: 'Nat.     Insurance' }), { source: 'ocr', probability: 0.97 }), (word) =>
      word.text === 'Insurance' ? { ...word, x: word.x - 11 } : word,
    );
    expect(amountsOf((await extractReading([page]))!)).toEqual(NOW);
  });
});

describe('an empty box', () => {
  test.each(['0  00', 'ol 00', 'o 00', '0l00'])('has neither pounds nor pence: %s', async (nothing) => {
    const text = `
P60 End of Year Certificate                   Tax year to 5 April 2026

                              Pay               Tax deducted
                                £  p                 £  p
In this employment          12621  00               10  40

National Insurance contributions in this employment
NIC letter                                  Employee's contributions
                                                     £  p
A              6500      4548       214               ${nothing}
`;
    expect((await seen(text)).ni_deducted?.value).toBe(0);
  });
});

describe('a box of pounds and pence of a P60', () => {
  const p60 = (second: string) => `
P60 End of Year Certificate                   TAX YEAR T0 5 APRIL 2026

                              Pay               Tax deducted
                                £  p                 £  p
In this employment          27621  00             3008  40
Total for year              27621  00             3008  40

National Insurance contributions in this employment
NIC letter                                  Employee's contributions
                                                     £  p
A              6500      6070      1856           1204  08
H              2048      1214       988           ${second}

Employer's full name
Penrose Garden Centres Ltd
`;

  test.each([
    ['whole', ' 360  74'],
    ['as one number', '36074'],
    ['with its line as a letter', '360l 74'],
  ])('is read %s', async (_, second) => {
    const page = changed(typed(p60(second), { source: 'ocr', probability: 0.97 }), (word) =>
      word.text === '36074' ? { ...word, x: word.x + 1, width: word.width + 14 } : word,
    );
    expect(await extractReading([page])).toMatchObject({
      gross_pay: { value: 2_762_100 },
      ni_deducted: { value: 156_482 },
      pay_period: { value: 'TAX YEAR TO 5 APRIL 2026' },
    });
  });
});
