/** Text in its stored form: one form for all spellings of its characters, without white space around it. */
export function storedForm(given: string): string {
  return given.normalize('NFKC').trim();
}

/** A code of letters and digits, ignoring case and spaces: a National Insurance number, a postcode. */
export function codeForm(given: string): string {
  return storedForm(given).toUpperCase().replace(/\s/g, '');
}

/** Digits without separators. */
export function digitsForm(given: string): string {
  return storedForm(given).replace(/[\s-]/g, '');
}

/** An account number of eight digits; six or seven are padded with leading zeros. */
export function accountNumberForm(given: string): string {
  const digits = digitsForm(given);
  return /^\d{6,7}$/.test(digits) ? digits.padStart(8, '0') : digits;
}

/** The digits of a phone number; one with the United Kingdom's country code equals the national form. */
export function phoneForm(given: string): string {
  const international = storedForm(given)
    .replace(/[\s().-]/g, '')
    .replace(/^00/, '+');
  return international.replace(/^\+440?/, '0').replace(/^\+/, '');
}
