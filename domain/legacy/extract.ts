import { sheetOf, type Cell, type Sheet } from './cells.ts';
import { findNiNumber, findPayeReference, findTaxCode } from './codes.ts';
import { amountReading, confidenceOf, overall } from './confidence.ts';
import { kindOf } from './kind.ts';
import { labelled, rowsOf, type Labelled } from './labelled.ts';
import { findLeavingDate, readP45 } from './p45.ts';
import { readP60 } from './p60.ts';
import type { Page } from './page.ts';
import { readAmounts, yearCovers } from './payslip.ts';
import { periodColumns } from './period-columns.ts';
import { findPayDate, findPeriod } from './period.ts';
import { taxYearIn, taxYearOf } from './printed-dates.ts';
import type { Check, DocumentType, Extraction as Reading, FieldReading } from './reading.ts';

/**
 * Reads the fields of a payslip, P60 or P45 from words and their positions on the page. `hint` decides between equally
 * likely kinds of document. Returns null if the pages contain none of these. A field without a printed value is null.
 */
export function extractReading(pages: readonly Page[], hint?: DocumentType): RuleReading | null {
  const sheets = pages.map(sheetOf).filter((sheet) => sheet.all.length > 0);
  const type = kindOf(sheets, hint);
  if (type === null) return null;
  const readings = sheets.map((sheet) => READERS[type](sheet));
  const best = readings.reduce((a, b) => (worth(b) > worth(a) ? b : a));
  // A form without any amount is still that form. But a page that mentions pay without any amount is not a payslip.
  return worth(best) > 0 || type !== 'payslip' ? best : null;
}

/** The fields that the fixed rules found. */
export interface RuleReading extends Reading {
  /** Whether another column may belong to the period being paid. */
  undecided?: boolean;
  /** Whether the page says which column belongs to the period being paid. */
  decided?: boolean;
}

const worth = (reading: Reading): number =>
  [reading.gross_pay, reading.net_pay, reading.tax_deducted, reading.ni_deducted, reading.pension_deducted].reduce(
    (total, field) => total + (field?.confidence ?? 0),
    0,
  );

const READERS: Record<DocumentType, (sheet: Sheet) => RuleReading> = { payslip: ofPayslip, p60: ofP60, p45: ofP45 };

type Amounts = Pick<Reading, 'gross_pay' | 'net_pay' | 'tax_deducted' | 'ni_deducted' | 'pension_deducted'>;
type Named = Pick<Reading, 'pay_period' | 'pay_date' | 'tax_year'>;

function ofPayslip(sheet: Sheet): RuleReading {
  const choice = readAmounts(sheet);
  const { told } = choice;
  const totals = told && (choice.totalsClose === true || choice.linesClose === true);
  const lines = told && choice.linesClose === true;
  const amounts = {
    gross_pay: amountReading(choice.gross, totals),
    net_pay: amountReading(choice.net, totals),
    tax_deducted: amountReading(choice.tax, lines),
    ni_deducted: amountReading(choice.ni, lines),
    pension_deducted: amountReading(choice.pension, told && choice.pensionWhole),
  };
  const payDate = asField(sheet, findPayDate(sheet));
  const period = asField(sheet, findPeriod(sheet));
  const printedYear = asField(sheet, labelled(sheet, /^(tax )?year$/, taxYearIn)[0] ?? null);
  const year = printedYear ?? (payDate === null ? null : { ...payDate, value: taxYearOf(payDate.value) });
  const checks: Check[] = [
    { name: 'net-is-gross-less-deductions', holds: choice.totalsClose ?? choice.linesClose },
    { name: 'deductions-add-up', holds: choice.linesClose },
    { name: 'year-to-date-covers-period', holds: yearCovers(sheet, choice) },
  ];
  const named = { pay_period: period, pay_date: payDate, tax_year: year };
  return {
    ...assembled('payslip', sheet, amounts, named, checks),
    undecided: !told,
    decided: told && periodColumns(sheet).headings.size > 0,
  };
}

function ofP60(sheet: Sheet): Reading {
  const { gross, tax, ni, addsUp } = readP60(sheet);
  const amounts = {
    gross_pay: amountReading(gross, addsUp === true),
    net_pay: null,
    tax_deducted: amountReading(tax, addsUp === true),
    // No sum on a P60 includes the National Insurance contributions, so no sum confirms them.
    ni_deducted: amountReading(ni, false),
    pension_deducted: null,
  };
  const row = rowsOf(sheet).find(({ text }) => /year/i.test(text) && taxYearIn(text) !== null);
  const printed =
    row === undefined
      ? null
      : /(?:tax\s*)?year\s*(?:to.*\d{4}|20\d\d\s*to\s*20\d\d)|20\d\d\s*[/\-–]\s*\d+/i.exec(row.text);
  const year =
    row === undefined ? null : asField(sheet, { value: taxYearIn(row.text)!, label: 'year', cells: row.cells });
  const period =
    year === null || printed === null
      ? null
      : { ...year, value: printed[0].replace(/^(tax)?\s*(year)\s*(to)\s*(?=\d)/i, '$1 $2 $3 ').trim() };
  return assembled('p60', sheet, amounts, { pay_period: period, pay_date: null, tax_year: year }, []);
}

function ofP45(sheet: Sheet): Reading {
  const { gross, tax } = readP45(sheet);
  const amounts = {
    gross_pay: amountReading(gross, false),
    net_pay: null,
    tax_deducted: amountReading(tax, false),
    ni_deducted: null,
    pension_deducted: null,
  };
  const leaving = findLeavingDate(sheet);
  const date = asField(sheet, leaving);
  const named = {
    pay_date: date,
    pay_period: date === null ? null : { ...date, value: leaving!.printed },
    tax_year: date === null ? null : { ...date, value: taxYearOf(date.value) },
  };
  return assembled('p45', sheet, amounts, named, []);
}

function assembled(type: DocumentType, sheet: Sheet, amounts: Amounts, named: Named, checks: Check[]): Reading {
  return {
    document_type: type,
    // Only the trained model finds names.
    employer_name: null,
    ...amounts,
    ...named,
    tax_code: asField(sheet, findTaxCode(sheet)),
    paye_reference: asField(sheet, findPayeReference(sheet)),
    ni_number: asField(sheet, findNiNumber(sheet)),
    checks,
    confidence: overall(type, amounts),
  };
}

/** Returns a value with its confidence, which is lower for a value without a label. */
function asField<T>(
  sheet: Sheet,
  found: (Pick<Labelled<T>, 'value' | 'label'> & { cells: readonly Cell[] }) | null,
): FieldReading<T> | null {
  if (found === null) return null;
  return {
    value: found.value,
    confidence: confidenceOf(found.cells, found.label === '' ? 0.85 : 0.95),
    page: sheet.page,
  };
}
