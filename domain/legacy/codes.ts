const NI_NUMBER = /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/;
const TAX_CODE = /^(?:NT|(?:[SC]?(?:0T|BR|D[01]|K\d{1,4}|\d{1,4}[LMNT])|SD[23])(?:W1\/?M1|W1|M1|X)?)$/;
const PAYE_REFERENCE = /^\d{3}\/[A-Z0-9]{1,10}$/;

const packed = (text: string): string => text.toUpperCase().replace(/[\s.\-–|]/g, '');

/** Null for dummy numbers on specimen payslips, such as QQ 12 34 56 C. */
export function niNumberOf(text: string): string | null {
  const letters = packed(text);
  if (letters.length !== 9) return null;
  const middle = letters.slice(2, 8).replace(/O/g, '0').replace(/[IL]/g, '1').replace(/S/g, '5').replace(/B/g, '8');
  const number = letters.slice(0, 2) + middle + letters.slice(8);
  return NI_NUMBER.test(number) ? number : null;
}

function taxCodeOf(text: string): string | null {
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

/** Keeps a printed space before the week 1 or month 1 mark: `1257L M1`. */
export function taxCodeIn(text: string): string | null {
  const code = taxCodeOf(text);
  return code === null || !text.includes(' ') ? code : code.replace(/(?<=[LMNTR\d])(W1\/?M1|W1|M1|X)$/, ' $1');
}

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
