import { extractReading } from '../../domain/legacy/extract.ts';
import { amountsOf, sure } from '../helpers/legacy-amounts.ts';
import { changed, typed } from '../helpers/legacy-pages.ts';

const NOW = sure(215_000, 172_744, 22_040, 8_816, 11_400);

/** What is read of a typed page whose words a picture's reader saw; a `_` is a space that it did not see as the end of a word. */
const seen = (text: string) =>
  extractReading([
    changed(typed(text, { source: 'ocr', probability: 0.97 }), (word) => ({ ...word, text: word.text.replaceAll('_', ' ') })),
  ])!; // prettier-ignore

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
  test.each(['YTD 38,700.00', 'YTD 38,70000', 'YTD38,700.00', 'YTD 38,700,0O', 'YTD 3870000'])(
    'is the heading of no column, however it was misread: %s',
    (under) => {
      expect(amountsOf(seen(payslip({ under })))).toEqual(NOW);
    },
  );
});

describe('an amount whose point was lost', () => {
  test('is told by its comma', () => {
    const text = payslip({}).replace('2,150.00', '2,15000').replace('1,727.44', '1,72744');
    expect(amountsOf(seen(text))).toEqual(NOW);
  });
});

describe('words that a picture’s reader ran together', () => {
  test.each([
    ['Payslip forMay 2025', 'May 2025'],
    ['Payslip for_May 2025', 'May 2025'],
    ['Period: 01.1l.2024 - 3O.11.2024', '01.11.2024 - 30.11.2024'],
    ['Period: 01/05/2025 T0 31/05/2025', '01/05/2025 TO 31/05/2025'],
  ])('or misread are told by their letters: %s', (title, period) => {
    expect(seen(payslip({ title })).pay_period!.value).toBe(period);
  });

  test('or tore apart are one in the name of a period', () => {
    expect(seen(payslip({ title: 'PER IOD NO   9' })).pay_period!.value).toBe('PERIOD 9');
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
  ])('are written as names of organisations are: %s', (name, mended) => {
    expect(seen(payslip({ name })).employer_name!.value).toBe(mended);
  });
});

describe('wide spaces of a picture', () => {
  test('part no label', () => {
    const page = changed(typed(payslip({ ni: 'Nat.     Insurance' }), { source: 'ocr', probability: 0.97 }), (word) =>
      word.text === 'Insurance' ? { ...word, x: word.x - 11 } : word,
    );
    expect(amountsOf(extractReading([page])!)).toEqual(NOW);
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
  ])('is read %s', (_, second) => {
    const page = changed(typed(p60(second), { source: 'ocr', probability: 0.97 }), (word) =>
      word.text === '36074' ? { ...word, x: word.x + 1, width: word.width + 14 } : word,
    );
    expect(extractReading([page])).toMatchObject({
      gross_pay: { value: 2_762_100 },
      ni_deducted: { value: 156_482 },
      pay_period: { value: 'TAX YEAR TO 5 APRIL 2026' },
    });
  });
});
