import { MONTH_NAME } from './printed-dates.ts';

const FIGURES: Record<string, string> = { l: '1', I: '1', '|': '1', O: '0', o: '0' };
const DATE = /^[\dlI|Oo]{1,2}([./-])[\dlI|Oo]{1,2}\1(?:\d{4}|[\dlI|Oo]{2,4})$/;
/** OCR reads a zero in place of a letter. Other mixtures of a digit and letters may be tax codes. */
const WORDS: Record<string, string> = { T0: 'TO', t0: 'to', N0: 'NO', 'N0.': 'NO.', '0F': 'OF', '0f': 'of' };
const YEAR = /^2[0Oo][\dlIOo]{2}$/;
const MONTH = new RegExp(`^${MONTH_NAME}$`, 'i');
const AMOUNT_BEHIND = /^(?!GBP)([A-Za-z]{2,}[.:]?)(?=[£-]?\d{1,3}(?:,?\d{3})*\.\d{2}-?$)/;
const AND = /(?<=[a-z]{2})&(?=[A-Z][a-z])/;
/** Adds missing spaces only after these words, because other words may contain a capital letter. */
const NEXT_WORD =
  /(?<=^(?:[Ff]or|[Tt]o|[Oo]f|[Aa]nd|[Tt]he|[Ii]n|[Oo]n|[Ff]rom|[Bb]y|[Nn]o|[Pp]ay|[Pp]aid|[Dd]ate|[Ww]eek|[Mm]onth|[Pp]eriod|[Yy]ear|[Ee]nd(?:ing|ed)))(?=[A-Z][a-z]{2})/;

function monthOf(text: string): string | null {
  if (!/[01|]/.test(text)) return null;
  const inCapitals = text === text.toUpperCase();
  const letters = text
    .replace(/^0/, 'O')
    .replace(/0/g, inCapitals ? 'O' : 'o')
    .replace(/[1|]/g, inCapitals ? 'L' : 'l');
  return MONTH.test(letters) ? letters : null;
}

/** The sign, brackets or currency may be misread: `$443.00`, `.-185.42`, `[36.32)`. */
const AMOUNT = /^[.'·]*([[({]?)([-–]?)[$£]?(\d{1,3}(?:[,.]?\d{3})*[.,]\d{2})[\])}]?([-–]?)[.'·]*$/;
/** A minus in place of the point, and a second minus at the end. */
const AMOUNT_MINUS = /^(\d[\d,]{2,})[-–](\d{2})[-–]$/;

/** Corrects a word that OCR misread (`01.1l.2024`, `0ctober`), and adds lost spaces (`YTD1,204.36`, `forJanuary`). */
export function reread(text: string): string {
  const isDate = DATE.test(text) && text.replace(/\D/g, '').length >= 4;
  if (isDate || (YEAR.test(text) && text.replace(/\D/g, '').length >= 3))
    return text.replace(/[lI|Oo]/g, (letter) => FIGURES[letter]!);
  const word = WORDS[text] ?? monthOf(text);
  if (word !== null) return word;
  if (/[$[\]{}]|^\.[-–]/.test(text) && AMOUNT.test(text))
    return text.replace(AMOUNT, (_, open: string, sign: string, amount: string, minus: string) => (open === '' ? `${sign}£${amount}${minus}` : `(${amount})`)); // prettier-ignore
  if (AMOUNT_MINUS.test(text)) return text.replace(AMOUNT_MINUS, '$1.$2-');
  const apart = text.replace(AMOUNT_BEHIND, '$1 ').replace(AND, ' & ');
  return apart.split(NEXT_WORD).join(' ');
}
