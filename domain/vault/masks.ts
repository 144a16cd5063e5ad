import { codeForm, digitsForm, phoneForm, storedForm } from './forms.ts';

/** What stands for a value, or for a part of one, that is not shown at all. */
const HIDDEN = '***';
/** However short a number is, so many of its characters stay hidden. */
const LEAST_HIDDEN = 4;
const LAST_SHOWN = 4;

/** `j***@e***.com`: the first letter of each part that has two at least, and the top-level domain. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  if (at < 1 || dot < 1) return HIDDEN;
  return `${initial(email.slice(0, at))}@${initial(domain.slice(0, dot))}${domain.slice(dot)}`;
}

/** `*** *** 0123`: the last digits. */
export function maskPhone(phone: string): string {
  return `*** *** ${lastOf(phoneForm(phone))}`.trim();
}

/** `J*** S***`: the first letter of the first and the last word, where a word has two at least. */
export function maskName(name: string): string {
  const words = storedForm(name).split(/\s+/);
  const [first = ''] = words;
  return words.length > 1 ? `${initial(first)} ${initial(words.at(-1)!)}` : initial(first);
}

/** `L***`: the first letter, where there are two at least. */
export function initial(word: string): string {
  const letters = Array.from(storedForm(word));
  return letters.length > 1 ? letters[0]! + HIDDEN : HIDDEN;
}

/** Nothing of it. */
export function maskAll(): string {
  return HIDDEN;
}

/** `SW1A ***`: the outward part of a postcode of the United Kingdom; nothing of another. */
export function maskPostcode(postcode: string): string {
  const outward = /^([A-Z]{1,2}\d[A-Z\d]?)\d[A-Z]{2}$/.exec(codeForm(postcode))?.[1];
  return outward === undefined ? HIDDEN : `${outward} ${HIDDEN}`;
}

/** `19**-**-**`: the century. */
export function maskDate(date: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date.slice(0, 2)}**-**-**` : HIDDEN;
}

/** `AB ** ** ** C`: the letters. */
export function maskNationalInsuranceNumber(number: string): string {
  const [, prefix, suffix] = /^([A-Z]{2})\d{6}([A-D])$/.exec(codeForm(number)) ?? [];
  return prefix === undefined ? HIDDEN : `${prefix} ** ** ** ${suffix}`;
}

/** `****5678`: the last characters of a number that is long enough to keep four hidden. */
export function maskNumber(number: string): string {
  return `****${lastOf(codeForm(number))}`;
}

/** `123/***`: the tax office. */
export function maskPayeReference(reference: string): string {
  const office = /^(\d{3})\//.exec(storedForm(reference))?.[1];
  return office === undefined ? HIDDEN : `${office}/${HIDDEN}`;
}

/** A sort code for display, its last two digits in the clear: `**-**-56`. */
export function maskSortCode(sortCode: string): string {
  const digits = digitsForm(sortCode);
  return `**-**-${/^\d{6}$/.test(digits) ? digits.slice(-2) : '**'}`;
}

/** An account number for display, its last four digits in the clear: `****5678`. */
export function maskAccountNumber(accountNumber: string): string {
  return `****${lastOf(digitsForm(accountNumber))}`;
}

/** At most four, and never so many that fewer than four stay hidden. */
function lastOf(text: string): string {
  const characters = Array.from(text);
  const shown = Math.min(LAST_SHOWN, Math.max(0, characters.length - LEAST_HIDDEN));
  return characters.slice(characters.length - shown).join('');
}
