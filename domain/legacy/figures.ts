export interface Money {
  /** Negative if printed with a minus, in brackets or with `CR`. */
  pence: number;
  /** False for an amount printed without pence, such as `£2,500`. */
  exact: boolean;
}

const LETTERS_FOR_DIGITS: Record<string, string> = { O: '0', o: '0', Q: '0', D: '0', l: '1', I: '1', i: '1', '|': '1' };
const GROUPED = String.raw`\d{1,3}(?:[,.' ]\d{3})+`;
const WHOLE = new RegExp(String.raw`^(?:${GROUPED}|\d{1,8})$`);
const WITH_PENCE = new RegExp(String.raw`^(${GROUPED}|\d{0,8})[.,·:]+(\d{2})$`);
const MOST_PENCE = 100_000_000_000;

/** Allows for the usual errors of OCR. Null for other text, such as percentages, dates and plain whole numbers. */
export function moneyOf(text: string): Money | null {
  // The dots that lead from a label to its amount may touch the amount. So may the full stop or comma of a sentence.
  const trimmed = text
    .replace(/[*_]+$|^[*_]+/g, '')
    .replace(/^\.+(?=\d[\d,]*\.\d{2}\b)/, '')
    .replace(/(?<=\.\d{2})[.,;:]$/, '');
  const credit = /^(.*\d)(?:CR|cr)$/.exec(trimmed);
  const bare = credit?.[1] ?? trimmed;
  const signed = /^(\(?)([-–—−+]?)((?:GBP)?[£€fFEL]?)([-–—−]?)([0-9OoQDlIi|,.'·:]+)([-–—−]?)(\)?)$/.exec(bare);
  if (signed === null) return null;
  const [, open, before, symbol, after, body, behind, close] = signed as unknown as string[];
  const digits = digitsOf(body!);
  if (digits === null) return null;
  const money = amountOf(digits, symbol !== '' && symbol !== 'L');
  if (money === null) return null;
  const negative =
    credit !== null || (open === '(' && close === ')') || [before, after, behind].some((sign) => /[-–—−]/.test(sign!));
  return { ...money, pence: negative && money.pence !== 0 ? -money.pence : money.pence };
}

function digitsOf(body: string): string | null {
  const read = body.replace(/[OoQDlIi|]/g, (letter) => LETTERS_FOR_DIGITS[letter]!);
  const printed = body.replace(/[^0-9]/g, '').length;
  return printed >= read.replace(/[^0-9]/g, '').length / 2 && printed > 0 ? read : null;
}

function amountOf(digits: string, marked: boolean): Money | null {
  // If five digits follow a comma, OCR lost the point before the last two, which are pence.
  const parts = WITH_PENCE.exec(digits.replace(/(?<=,\d{3})(?=\d{2}$)/, '.'));
  if (parts !== null) {
    const whole = parts[1]!.replace(/[^0-9]/g, '');
    return within({ pence: Number(whole) * 100 + Number(parts[2]), exact: true });
  }
  if (!WHOLE.test(digits) || !(marked || /[,]/.test(digits))) return null;
  return within({ pence: Number(digits.replace(/[^0-9]/g, '')) * 100, exact: false });
}

const within = (money: Money): Money | null => (money.pence <= MOST_PENCE ? money : null);

export function isPartOfMoney(text: string): boolean {
  return /^[£€(]?[-–—−+]?[£€]?[0-9OlI.,·]*[-–—−)]?\)?$/.test(text) && text !== '';
}

export function wholeNumber(text: string): number | null {
  return /^\d{1,3}(?:,\d{3}){1,2}$|^\d{1,7}$/.test(text) ? Number(text.replaceAll(',', '')) : null;
}
