import { codeForm, digitsForm, phoneForm, storedForm } from './forms.ts';

const HIDDEN = '***';
/** Even in a short number, at least this many characters stay hidden. */
const LEAST_HIDDEN = 4;
const LAST_SHOWN = 4;

/** `j***@e***.com`: shows the first letter of each part with two or more letters, and the top-level domain. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  if (at < 1 || dot < 1) return HIDDEN;
  return `${initial(email.slice(0, at))}@${initial(domain.slice(0, dot))}${domain.slice(dot)}`;
}

/** `*** *** 0123`: shows at most the last four digits. */
export function maskPhone(phone: string): string {
  return `*** *** ${lastOf(phoneForm(phone))}`.trim();
}

/** `J*** S***`: shows the first letter of the first and the last word, unless a word has only one letter. */
export function maskName(name: string): string {
  const words = storedForm(name).split(/\s+/);
  const [first = ''] = words;
  return words.length > 1 ? `${initial(first)} ${initial(words.at(-1)!)}` : initial(first);
}

/** `L***`: shows the first letter, unless it is the only letter. */
export function initial(word: string): string {
  const letters = Array.from(storedForm(word));
  return letters.length > 1 ? letters[0]! + HIDDEN : HIDDEN;
}

export function maskAll(): string {
  return HIDDEN;
}

/** `SW1A ***`: shows the outward part of a UK postcode. Other postcodes are fully hidden. */
export function maskPostcode(postcode: string): string {
  const outward = /^([A-Z]{1,2}\d[A-Z\d]?)\d[A-Z]{2}$/.exec(codeForm(postcode))?.[1];
  return outward === undefined ? HIDDEN : `${outward} ${HIDDEN}`;
}

/** `19**-**-**`: shows the century. */
export function maskDate(date: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date.slice(0, 2)}**-**-**` : HIDDEN;
}

/** `AB ** ** ** C`: shows the letters. */
export function maskNationalInsuranceNumber(number: string): string {
  const [, prefix, suffix] = /^([A-Z]{2})\d{6}([A-D])$/.exec(codeForm(number)) ?? [];
  return prefix === undefined ? HIDDEN : `${prefix} ** ** ** ${suffix}`;
}

/** `****5678`: shows the last characters of a number, but keeps at least four hidden. */
export function maskNumber(number: string): string {
  return `****${lastOf(codeForm(number))}`;
}

/** `123/***`: shows the tax office. */
export function maskPayeReference(reference: string): string {
  const office = /^(\d{3})\//.exec(storedForm(reference))?.[1];
  return office === undefined ? HIDDEN : `${office}/${HIDDEN}`;
}

/** `**-**-56`: shows the last two digits of a sort code. */
export function maskSortCode(sortCode: string): string {
  const digits = digitsForm(sortCode);
  return `**-**-${/^\d{6}$/.test(digits) ? digits.slice(-2) : '**'}`;
}

/** `****5678`: shows at most the last four digits of an account number. */
export function maskAccountNumber(accountNumber: string): string {
  return `****${lastOf(digitsForm(accountNumber))}`;
}

function lastOf(text: string): string {
  const characters = Array.from(text);
  const shown = Math.min(LAST_SHOWN, Math.max(0, characters.length - LEAST_HIDDEN));
  return characters.slice(characters.length - shown).join('');
}
