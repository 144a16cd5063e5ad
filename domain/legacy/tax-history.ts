import type { CalendarDate } from '../dates.ts';
import { grouped } from './grouped.ts';
import { AMOUNT_FIELDS, type AmountField, type DocumentType } from './reading.ts';

type Amounts = Readonly<Record<AmountField, number | null>>;

/** Amounts are in pence, and null if not found. */
export interface TaxDocument extends Amounts {
  doc_id: string;
  document_type: DocumentType;
  employer_name: string | null;
  paye_reference: string | null;
  pay_period: string | null;
  pay_date: CalendarDate | null;
  /** Such as "2025-26". */
  tax_year: string | null;
}

/** `none` lists amounts that payslips omit if they are zero. */
interface EmployerYear {
  amounts: Amounts;
  none: readonly AmountField[];
  documents: readonly TaxDocument[];
}

/** Equal names of employers have the same number. Equal periods have the same form. */
interface Comparable extends TaxDocument {
  employer: number | null;
  period: string | null;
}

/** A history is made of an owner's newest documents. */
export const MOST_DOCUMENTS = 1_000;

/** Newest year first. `given` is in upload order. The contract has the rules (`getTaxHistory`). */
export function taxHistory(given: readonly TaxDocument[]) {
  const employers = new Map<string, number>();
  const documents = given.map((document) => comparable(document, employers));
  const years = [...new Set(documents.map(({ tax_year }) => tax_year))].filter((year) => year !== null);
  return years
    .toSorted((a, b) => (a < b ? 1 : -1))
    .map((year) =>
      yearOf(
        year,
        documents.filter(({ tax_year }) => tax_year === year),
      ),
    );
}

/** A total is null if a document that counts lacks the amount. */
function yearOf(tax_year: string, documents: readonly Comparable[]) {
  const employers = employersOf(documents);
  const counted = new Set<TaxDocument>(employers.flatMap((employer) => employer.documents));
  const sources = documents
    .filter((document) => counted.has(document))
    .map((document) => ({
      doc_id: document.doc_id,
      document_type: document.document_type,
      missing: AMOUNT_FIELDS.filter((field) => document[field] === null),
    }));
  return { tax_year, ...amountsBy((field) => totalOf(employers, field)), sources };
}

function employersOf(documents: readonly Comparable[]): EmployerYear[] {
  const p60s = latestOfEach(ofType(documents, 'p60'));
  const p45s = latestOfEach(ofType(documents, 'p45')).filter((p45) => !p60s.some((p60) => sameEmployer(p60, p45)));
  const certificates = [...p60s, ...p45s];
  const payslips = withoutDoubles(ofType(documents, 'payslip'));
  const left = payslips.filter((payslip) => !certificates.some((certificate) => sameEmployer(certificate, payslip)));
  return [
    ...certificates.map((certificate) => byCertificate(certificate, payslips, certificates)),
    ...byEmployer(left).map(byPayslips),
  ];
}

function ofType(documents: readonly Comparable[], type: DocumentType): Comparable[] {
  return documents.filter(({ document_type }) => document_type === type);
}

/** Of one employer's certificates, the last upload counts. */
function latestOfEach(certificates: readonly Comparable[]): Comparable[] {
  return certificates.filter((one, index) => !certificates.slice(index + 1).some((later) => replaces(later, one)));
}

/** If an employer is unknown, gross pay and tax decide. */
function replaces(later: Comparable, one: Comparable): boolean {
  if (isKnown(later) && isKnown(one)) return sameEmployer(later, one);
  return isEqual(later.gross_pay, one.gross_pay) && isEqual(later.tax_deducted, one.tax_deducted);
}

/** Takes missing amounts from the payslips, if the payslips add up to the certificate. */
function byCertificate(
  certificate: Comparable,
  payslips: readonly Comparable[],
  certificates: readonly Comparable[],
): EmployerYear {
  const others = certificates.filter((other) => other !== certificate);
  const own = payslips.filter(
    (payslip) => sameEmployer(certificate, payslip) && !others.some((other) => sameEmployer(other, payslip)),
  );
  const sums = byPayslips(own);
  if (!areComplete(sums, certificate)) return { amounts: certificate, none: [], documents: [certificate] };
  return {
    amounts: amountsBy((field) => certificate[field] ?? sums.amounts[field]),
    none: sums.none,
    documents: [certificate, ...sums.documents],
  };
}

/** The certificate's pay may exclude pension contributions taken before tax. */
function areComplete({ amounts: sums, documents }: EmployerYear, certificate: Comparable): boolean {
  const { gross_pay: pay, tax_deducted: tax, ni_deducted: ni } = certificate;
  if (documents.length === 0 || pay === null || tax === null || sums.gross_pay === null) return false;
  if (sums.tax_deducted !== tax) return false;
  if (ni !== null && sums.ni_deducted !== null && ni !== sums.ni_deducted) return false;
  return sums.gross_pay - (sums.pension_deducted ?? 0) <= pay && pay <= sums.gross_pay;
}

/** A missing pension counts as zero, because many payslips print none. */
function byPayslips(payslips: readonly Comparable[]): EmployerYear {
  const without = payslips.every(({ pension_deducted }) => pension_deducted === null);
  return {
    amounts: amountsBy((field) =>
      sumOf(
        payslips.map((payslip) => payslip[field]),
        field === 'pension_deducted',
      ),
    ),
    none: without ? ['pension_deducted'] : [],
    documents: payslips,
  };
}

function sumOf(amounts: readonly (number | null)[], mayMiss = false): number | null {
  const known = amounts.filter((amount) => amount !== null);
  const isComplete = mayMiss || known.length === amounts.length;
  return isComplete && known.length > 0 ? known.reduce((sum, amount) => sum + amount, 0) : null;
}

function totalOf(employers: readonly EmployerYear[], field: AmountField): number | null {
  const wanted = employers.filter(({ amounts, none }) => amounts[field] !== null || !none.includes(field));
  return sumOf(wanted.map(({ amounts }) => amounts[field]));
}

function withoutDoubles(payslips: readonly Comparable[]): Comparable[] {
  const kept: Comparable[] = [];
  for (const payslip of payslips) {
    const same = kept.findIndex((other) => isSamePayslip(other, payslip));
    if (same === -1) kept.push(payslip);
    // If two documents show one payslip, keep the document with more amounts.
    else if (knownIn(payslip) > knownIn(kept[same]!)) kept[same] = payslip;
  }
  return kept;
}

/** A missing amount matches any amount, but gross or net pay must be on both documents and equal. */
function isSamePayslip(one: Comparable, other: Comparable): boolean {
  return (
    samePeriod(one, other) &&
    sameEmployer(one, other) &&
    (isEqual(one.gross_pay, other.gross_pay) || isEqual(one.net_pay, other.net_pay)) &&
    AMOUNT_FIELDS.every((field) => one[field] === null || other[field] === null || one[field] === other[field])
  );
}

/** Documents without comparable pay dates or periods count as two payslips. */
function samePeriod(one: Comparable, other: Comparable): boolean {
  if (one.pay_date !== null && other.pay_date !== null) return one.pay_date === other.pay_date;
  return isEqual(one.period, other.period);
}

/** Payslips with an unknown employer form one group. */
function byEmployer(payslips: readonly Comparable[]): Comparable[][] {
  return grouped(payslips, ([first], payslip) => isKnown(first!) === isKnown(payslip) && sameEmployer(first!, payslip));
}

function isKnown({ employer, paye_reference }: Comparable): boolean {
  return employer !== null || paye_reference !== null;
}

/** An employer that was not found matches any employer. */
function sameEmployer(one: Comparable, other: Comparable): boolean {
  if (!isKnown(one) || !isKnown(other)) return true;
  if (isEqual(one.paye_reference, other.paye_reference)) return true;
  if (one.employer !== null && other.employer !== null) return one.employer === other.employer;
  // Different references mean different employers. A name and a reference cannot be compared, so they may match.
  return one.paye_reference === null || other.paye_reference === null;
}

/** Gives spellings that count as equal the same form. */
export function employerIdentity(name: string): string {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\bpublic limited company\b/g, 'plc')
    .replace(/\blimited\b/g, 'ltd')
    .replace(/^\s*the\b/, '');
  return squashed(words);
}

/** OCR may lose or add spaces. */
function squashed(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function isEqual(one: number | string | null, other: number | string | null): boolean {
  return one !== null && one === other;
}

function knownIn(document: Comparable): number {
  return AMOUNT_FIELDS.filter((field) => document[field] !== null).length;
}

function amountsBy(amount: (field: AmountField) => number | null): Amounts {
  return Object.fromEntries(AMOUNT_FIELDS.map((field) => [field, amount(field)])) as Amounts;
}

/** `employers` numbers the employers, because every pair of documents is compared, and numbers compare faster. */
function comparable(document: TaxDocument, employers: Map<string, number>): Comparable {
  const { employer_name, pay_period } = document;
  const name = employer_name === null ? null : employerIdentity(employer_name);
  if (name !== null && !employers.has(name)) employers.set(name, employers.size);
  return {
    ...document,
    employer: name === null ? null : employers.get(name)!,
    period: pay_period === null ? null : squashed(pay_period),
  };
}
