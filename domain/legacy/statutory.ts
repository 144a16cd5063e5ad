/** Employee's NI, category A, in pounds per period. HMRC, Rates and thresholds for employers, 2024 to 2027. */
const PERIODS = [
  { from: 242, to: 967, perYear: 52 },
  { from: 484, to: 1_934, perYear: 26 },
  { from: 967, to: 3_868, perYear: 13 },
  { from: 1_048, to: 4_189, perYear: 12 },
] as const;
type Period = (typeof PERIODS)[number];

/** From April 2024, from January 2024, and before. */
const MAIN_RATES = [0.08, 0.1, 0.12];
const UPPER_RATE = 0.02;
/** Payroll software rounds each part of the contribution on its own. */
const NI_TOLERANCE = 2;

const BASIC_RATE = 0.2;
const HIGHER_RATE = 0.4;
const BASIC_BAND = 37_700;
/** A cumulative tax code may carry the rounding of earlier periods into this one. */
const TAX_TOLERANCE = 40;

/** In pence. Null if not found. */
interface Paid {
  gross: number | null;
  tax: number | null;
  ni: number | null;
  pension: number | null;
  code: string | null;
}

/** For category A and English tax codes. False proves nothing: back pay, for example, gives other amounts. */
export function statutoryAmounts({ gross, tax, ni, pension, code }: Paid): { tax: boolean; ni: boolean } {
  if (gross === null || ni === null || ni <= 0) return { tax: false, ni: false };
  const matching = PERIODS.filter((period) =>
    MAIN_RATES.some((rate) => near(ni, niOf(gross, period, rate), NI_TOLERANCE)),
  );
  const isTax = (taxable: number) => matching.some((period) => tax !== null && near(tax, taxOf(taxable, period, code ?? ''), TAX_TOLERANCE)); // prettier-ignore
  return { ni: matching.length > 0, tax: isTax(gross) || (pension !== null && isTax(gross - Math.abs(pension))) };
}

const near = (one: number, other: number, tolerance: number): boolean => Math.abs(one - other) <= tolerance;

function niOf(gross: number, { from, to }: Period, rate: number): number {
  const main = Math.min(gross, to * 100) - from * 100;
  return Math.max(0, main) * rate + Math.max(0, gross - to * 100) * UPPER_RATE;
}

/** As in the first period of a tax year, on whole pounds. NaN for a code that is not covered. */
function taxOf(pay: number, { perYear }: Period, code: string): number {
  const free = /^(\d{1,4})[LMNT]\b/.exec(code);
  const allowance = free === null ? (/^(0T|BR)\b/.test(code) ? 0 : NaN) : Math.ceil(((Number(free[1]) * 10 + 9) * 100) / perYear); // prettier-ignore
  const taxable = Math.max(0, Math.floor((pay - allowance) / 100));
  const band = code.startsWith('BR') ? Infinity : Math.ceil(BASIC_BAND / perYear);
  return 100 * (Math.min(taxable, band) * BASIC_RATE + Math.max(0, taxable - band) * HIGHER_RATE);
}
