import { rowsOf, labelled, type Labelled } from './labelled.ts';
import type { Sheet } from './cells.ts';

const NI_NUMBER = /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/;
const TAX_CODE = /^(?:NT|(?:[SC]?(?:0T|BR|D[01]|K\d{1,4}|\d{1,4}[LMNT])|SD[23])(?:W1\/?M1|W1|M1|X)?)$/;
const PAYE_REFERENCE = /^\d{3}\/[A-Z0-9]{1,10}$/;

const packed = (text: string): string => text.toUpperCase().replace(/[\s.\-–|]/g, '');

/** Returns a National Insurance number without spaces; null for any other text, and for dummy numbers of specimens. */
export function niNumberOf(text: string): string | null {
  const letters = packed(text);
  if (letters.length !== 9) return null;
  const middle = letters.slice(2, 8).replace(/O/g, '0').replace(/[IL]/g, '1').replace(/S/g, '5').replace(/B/g, '8');
  const number = letters.slice(0, 2) + middle + letters.slice(8);
  return NI_NUMBER.test(number) ? number : null;
}

/** Returns a tax code without spaces; null for any other text. */
export function taxCodeOf(text: string): string | null {
  const bare = packed(text)
    .replace(/(CUMULATIVE|CUMUL|CUM|NONCUMULATIVE)$/, '')
    .replace(/\((?:CUM|NC)?\)$/, '');
  const code = bare
    .replace(/[()]/g, '')
    .replace(/(WK1\/?MTH1|WK1\/?MONTH1|WEEK1\/?MONTH1|W1\/M1)$/, 'W1/M1')
    .replace(/WK1$/, 'W1')
    .replace(/MTH1$/, 'M1');
  const misread = code
    .replace(/^OT/, '0T')
    .replace(/(?<=\d)O(?=\d|[LMNT])/g, '0')
    .replace(/^(\d{3,4})[1I|]$/, '$1L');
  return [code, misread].find((text) => TAX_CODE.test(text)) ?? null;
}

/** Returns an employer's PAYE reference such as 123/AB456; null for any other text. */
export function payeReferenceOf(text: string, labelled = false): string | null {
  const reference = text
    .toUpperCase()
    .replace(/\s*\/\s*/g, '/')
    .replace(/ [.,|¦-] /g, ' ')
    .replace(/[.,:;]+$/, '')
    .trim();
  // Forms with a box for each part of the reference print no slash: `094 | A5582`.
  const boxed = /^(\d{3}) ([A-Z]{1,2}\d{1,6}[A-Z]?)$/.exec(reference);
  if (labelled && boxed !== null) return `${boxed[1]!}/${boxed[2]!}`;
  const tight = /^\d{3}\/[A-Z0-9 ]{1,12}$/.test(reference) ? reference.replaceAll(' ', '') : reference;
  return PAYE_REFERENCE.test(tight) && /[A-Z]/.test(tight) && /\/.*\d/.test(tight) ? tight : null;
}

/** Finds the NI number beside its label; without a label, anywhere on the page. */
export function findNiNumber(sheet: Sheet): Labelled<string> | null {
  const first = (text: string): string | null => {
    const words = text.split(' ');
    for (let from = 0; from < words.length; from += 1)
      for (let to = from + 1; to <= Math.min(words.length, from + 9); to += 1) {
        const number = niNumberOf(words.slice(from, to).join(''));
        if (number !== null) return number;
      }
    return null;
  };
  const named = labelled(sheet, /^ni( (number|no|num|nr|nbr))?$|^nino$|^ni ?(number|no)\b/, first)[0];
  if (named !== undefined) return named;
  for (const row of rowsOf(sheet)) {
    const value = first(row.text);
    if (value !== null) return { value, text: row.text, label: '', cells: row.cells };
  }
  return null;
}

/** Finds the page's tax code beside its label. */
export function findTaxCode(sheet: Sheet): Labelled<string> | null {
  const leading = (text: string): string | null => {
    const words = text.split(' ');
    for (let count = Math.min(5, words.length); count >= 1; count -= 1) {
      const code = taxCodeOf(words.slice(0, count).join(''));
      // Keeps the printed spacing of the mark for a week 1 or month 1 basis: `1257L M1`, `1257LX`.
      if (code !== null) return count === 1 ? code : code.replace(/(?<=[LMNTR\d])(W1\/?M1|W1|M1|X)$/, ' $1');
    }
    return null;
  };
  const found = labelled(
    sheet,
    /^(final |current |your )?tax code( (at|used|on|operated).{0,30})?$|^code$|^(paye )?code number$|^tax code basis$/,
    leading,
  );
  return found[0] ?? null;
}

/** Finds the employer's PAYE reference beside its label; without a label, if the page has only one reference. */
export function findPayeReference(sheet: Sheet): Labelled<string> | null {
  const first = (text: string, label = ''): string | null => {
    const words = text.split(' ');
    for (let from = 0; from < words.length; from += 1)
      for (let count = 1; count <= Math.min(3, words.length - from); count += 1) {
        const reference = payeReferenceOf(words.slice(from, from + count).join(' '), label !== '');
        if (reference !== null) return reference;
      }
    return null;
  };
  const named = labelled(
    sheet,
    /\b(paye|tax|hmrc|er) (paye )?(ref|reference|district|office)\b|^paye( scheme)?$|^er (paye|tax)\b/,
    first,
  )[0];
  if (named !== undefined) return named;
  const alone = rowsOf(sheet).flatMap((row) => {
    const value = first(row.text);
    return value === null ? [] : [{ value, text: row.text, label: '', cells: row.cells }];
  });
  return new Set(alone.map((one) => one.value)).size === 1 ? alone[0]! : null;
}
