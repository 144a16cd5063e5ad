import fc from 'fast-check';
import { AMOUNT_FIELDS } from '../../domain/legacy/reading.ts';
import { employerIdentity, taxHistory, type TaxDocument } from '../../domain/legacy/tax-history.ts';

let made = 0;

function payslip(more: Partial<TaxDocument> = {}): TaxDocument {
  return {
    doc_id: `doc_${(made += 1)}`,
    document_type: 'payslip',
    employer_name: 'Acme Ltd',
    paye_reference: null,
    pay_period: null,
    pay_date: '2025-05-30',
    tax_year: '2025-26',
    gross_pay: 1_000,
    net_pay: 750,
    tax_deducted: 100,
    ni_deducted: 50,
    pension_deducted: 100,
    ...more,
  };
}

const NOT_PRINTED = { net_pay: null, pension_deducted: null, pay_date: null };
const p60 = (more: Partial<TaxDocument> = {}) =>
  payslip({ document_type: 'p60', gross_pay: 12_000, tax_deducted: 1_200, ni_deducted: 600, ...NOT_PRINTED, ...more });
const p45 = (more: Partial<TaxDocument> = {}) =>
  payslip({
    document_type: 'p45',
    gross_pay: 5_000,
    tax_deducted: 500,
    ...NOT_PRINTED,
    ni_deducted: null,
    pay_date: '2025-09-12',
    ...more,
  });
const month = (n: number, more: Partial<TaxDocument> = {}) =>
  payslip({ pay_date: `2025-${String(n).padStart(2, '0')}-28`, ...more });

/** Expects one year. @returns its gross pay, net pay, tax, NI and pension. */
function totals(...documents: TaxDocument[]): (number | null)[] {
  const years = taxHistory(documents);
  expect(years).toHaveLength(1);
  return AMOUNT_FIELDS.map((field) => years[0]![field]);
}
const sources = (...documents: TaxDocument[]) => taxHistory(documents)[0]!.sources.map(({ doc_id }) => doc_id);

describe('payslips', () => {
  test('of one year add up, the newest year is first, and one without a tax year is omitted', () => {
    const history = taxHistory([
      month(5),
      month(6),
      payslip({ tax_year: '2026-27', pay_date: '2026-05-30' }),
      payslip({ tax_year: null }),
      payslip({ tax_year: '1999-00' }),
    ]);
    expect(history.map(({ tax_year, gross_pay }) => [tax_year, gross_pay])).toEqual([
      ['2026-27', 1_000],
      ['2025-26', 2_000],
      ['1999-00', 1_000],
    ]);
  });

  test.each<[string, Partial<TaxDocument>, number]>([
    ['the very same', {}, 1_000],
    ['another spelling of the employer', { employer_name: 'ACME LIMITED' }, 1_000],
    ['no employer found on one of them', { employer_name: null }, 1_000],
    ['a figure not found on one of them', { pension_deducted: null }, 1_000],
    ['another day', { pay_date: '2025-06-30' }, 2_000],
    ['another employer', { employer_name: 'Bolt Ltd' }, 2_000],
    ['another net pay', { net_pay: 751 }, 2_000],
    ['no day found on one of them, and no period', { pay_date: null }, 2_000],
  ])('that exist twice, with %s, give %j', (_what, more, gross) => {
    expect(totals(payslip(), payslip(more))[0]).toBe(gross);
    expect(totals(payslip(more), payslip())[0]).toBe(gross);
  });

  test('are also the same by their period, if no pay date was found', () => {
    const undated = { pay_date: null, pay_period: 'Month 2' };
    expect(totals(payslip(undated), payslip({ ...undated, pay_period: 'MONTH  2' }))[0]).toBe(1_000);
    expect(totals(payslip(undated), payslip({ ...undated, pay_period: 'Month 3' }))[0]).toBe(2_000);
  });

  test('of two photos of one payslip the more complete one counts', () => {
    const poor = payslip({ net_pay: null });
    const good = payslip();
    expect([totals(poor, good), sources(poor, good)]).toEqual([[1_000, 750, 100, 50, 100], [good.doc_id]]);
  });

  test('a total is null if a payslip lacks its part, and the source names the missing field', () => {
    const poor = month(6, { tax_deducted: null });
    const [year] = taxHistory([month(5), poor]);
    expect([year!.gross_pay, year!.tax_deducted]).toEqual([2_000, null]);
    expect(year!.sources[1]).toEqual({ doc_id: poor.doc_id, document_type: 'payslip', missing: ['tax_deducted'] });
  });

  test('a pension that is not printed is zero, unless no payslip prints one', () => {
    expect(totals(month(5), month(6, { pension_deducted: null }))[4]).toBe(100);
    expect(totals(month(5), month(6, { pension_deducted: null, employer_name: 'Bolt Ltd' }))[4]).toBe(100);
    expect(totals(month(5, { pension_deducted: null }))[4]).toBeNull();
  });
});

describe('a P60', () => {
  test('replaces the sum of its employer’s payslips; what the P60 does not print is null', () => {
    const certificate = p60();
    expect(totals(month(5), month(6), certificate)).toEqual([12_000, null, 1_200, 600, null]);
    expect(sources(month(5), month(6), certificate)).toEqual([certificate.doc_id]);
  });

  test.each([
    ['gross pay', 2_000],
    ['gross pay less pension', 1_800],
  ])('takes net pay and pension from its payslips if they are complete by %s', (_what, gross_pay) => {
    const certificate = p60({ gross_pay, tax_deducted: 200, ni_deducted: 100 });
    expect(totals(month(5), certificate, month(6))).toEqual([gross_pay, 1_500, 200, 100, 200]);
    expect(sources(month(5), certificate, month(6))).toHaveLength(3);
  });

  test.each<[string, Partial<TaxDocument>]>([
    ['their tax is not its tax', { gross_pay: 2_000, tax_deducted: 201, ni_deducted: 100 }],
    ['their NI is not its NI', { gross_pay: 2_000, tax_deducted: 200, ni_deducted: 99 }],
    ['its pay is more than theirs', { gross_pay: 2_001, tax_deducted: 200, ni_deducted: 100 }],
    ['its pay is less than theirs without pension', { gross_pay: 1_799, tax_deducted: 200, ni_deducted: 100 }],
  ])('takes nothing from payslips if %s', (_what, more) => {
    expect(totals(month(5), month(6), p60(more))[1]).toBeNull();
  });

  test('of another employer is added, also to a third employer’s payslips', () => {
    const others = [p60(), p60({ employer_name: 'Bolt Ltd', gross_pay: 100 }), month(5, { employer_name: 'Cog Ltd' })];
    expect(totals(...others)[0]).toBe(13_100);
  });

  test('that exists twice counts once, by the last upload', () => {
    const last = p60({ gross_pay: 12_500 });
    expect([totals(p60(), last)[0], sources(p60(), last)]).toEqual([12_500, [last.doc_id]]);
  });

  test('whose employer was not found replaces all payslips, and the same P60 of a known employer', () => {
    expect(totals(month(5), p60({ employer_name: null }))[0]).toBe(12_000);
    expect(totals(p60(), p60({ employer_name: null }))[0]).toBe(12_000);
    expect(totals(p60(), p60({ employer_name: null, gross_pay: 9 }))[0]).toBe(12_009);
  });

  test('replaces payslips whose employer was not found', () => {
    expect(totals(month(5, { employer_name: null }), p60())[0]).toBe(12_000);
  });

  test('also identifies its employer by the PAYE reference', () => {
    const certificate = p60({ paye_reference: '123/AB456' });
    const slip = month(5, { employer_name: 'ACME (trading as Cogs)', paye_reference: '123/AB456' });
    expect(totals(slip, certificate)[0]).toBe(12_000);
  });
});

describe('a P45', () => {
  test('counts if that employer has no P60', () => {
    expect(totals(month(5), p45())).toEqual([5_000, null, 500, null, null]);
    expect(totals(p45(), p60())[0]).toBe(12_000);
    expect(totals(p45({ employer_name: 'Bolt Ltd' }), p60())[0]).toBe(17_000);
  });

  test('takes NI, net pay and pension from its payslips if they are complete', () => {
    const five = [4, 5, 6, 7, 8].map((n) => month(n));
    expect(totals(...five, p45())).toEqual([5_000, 3_750, 500, 250, 500]);
  });
});

test.each([
  ['Acme Limited', 'ACME LTD.'],
  ['Brown & Sons plc', 'Brown and Sons Public Limited Company'],
  ['The Corner Bakery', 'Corner  Bakery'],
  ['St. Mary’s NHS Trust', 'ST MARYS NHS TRUST'],
])('%s and %s are one employer', (one, other) => {
  expect(employerIdentity(one)).toBe(employerIdentity(other));
});

describe('for any documents', () => {
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
  const document = fc
    .record({
      document_type: fc.constantFrom('payslip', 'p60', 'p45'),
      employer_name: maybe(fc.constantFrom('Acme Ltd', 'Acme Limited', 'Bolt plc')),
      paye_reference: maybe(fc.constantFrom('123/AB456', '321/XY')),
      pay_period: maybe(fc.constantFrom('Month 2', 'MONTH  2', 'Month 3')),
      pay_date: maybe(fc.constantFrom('2025-05-30', '2025-06-30')),
      tax_year: maybe(fc.constantFrom('2025-26', '2024-25')),
      gross_pay: maybe(fc.nat(5)),
      net_pay: maybe(fc.nat(5)),
      tax_deducted: maybe(fc.nat(5)),
      ni_deducted: maybe(fc.nat(5)),
      pension_deducted: maybe(fc.nat(5)),
    })
    .map((given) => payslip(given as Partial<TaxDocument>));
  const documents = fc.array(document, { maxLength: 12 });

  test('uploading one of them again changes no total', () => {
    fc.assert(
      fc.property(documents, fc.nat(), (given, which) => {
        fc.pre(given.length > 0);
        const again = given[which % given.length]!;
        // Without both, the service might not recognise the second upload as the same payslip.
        fc.pre(again.document_type === 'payslip' && again.pay_date !== null && again.gross_pay !== null);
        const figures = (all: TaxDocument[]) => taxHistory(all).map(({ sources: _, ...rest }) => rest);
        expect(figures([...given, { ...again, doc_id: 'again' }])).toEqual(figures(given));
      }),
    );
  });

  test('two payslips count once exactly if employer, pay date or period, and figures agree', () => {
    const same = <T>(one: T | null, other: T | null) => one !== null && one === other;
    const agree = <T>(one: T | null, other: T | null) => one === null || other === null || one === other;
    const periodOf = ({ pay_period }: TaxDocument) => pay_period && pay_period.toLowerCase().replace(/ /g, '');
    const employerOf = ({ employer_name }: TaxDocument) => employer_name && employerIdentity(employer_name);
    const areOne = (one: TaxDocument, other: TaxDocument) =>
      (same(one.paye_reference, other.paye_reference) ||
        (employerOf(one) !== null && employerOf(other) !== null
          ? employerOf(one) === employerOf(other)
          : [one, other].some((each) => employerOf(each) === null && each.paye_reference === null) ||
            agree(one.paye_reference, other.paye_reference))) &&
      (one.pay_date !== null && other.pay_date !== null
        ? one.pay_date === other.pay_date
        : same(periodOf(one), periodOf(other))) &&
      (same(one.gross_pay, other.gross_pay) || same(one.net_pay, other.net_pay)) &&
      AMOUNT_FIELDS.every((field) => agree(one[field], other[field]));
    const slip = document.map((given) => ({ ...given, document_type: 'payslip' as const, tax_year: '2025-26' }));
    fc.assert(
      fc.property(slip, slip, (one, other) => {
        expect(sources(one, other)).toHaveLength(areOne(one, other) ? 1 : 2);
      }),
      { numRuns: 2_000 },
    );
  });

  test('no total exceeds the sum of the documents, and each source is named once', () => {
    fc.assert(
      fc.property(documents, (given) => {
        for (const year of taxHistory(given)) {
          const own = given.filter(({ tax_year }) => tax_year === year.tax_year);
          for (const field of AMOUNT_FIELDS)
            expect(year[field] ?? 0).toBeLessThanOrEqual(own.reduce((sum, each) => sum + (each[field] ?? 0), 0));
          const ids = year.sources.map(({ doc_id }) => doc_id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(own.map(({ doc_id }) => doc_id)).toEqual(expect.arrayContaining(ids));
        }
      }),
    );
  });
});
