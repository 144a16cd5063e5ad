/** Text as it is kept: one form for all spellings of its characters, without white space around it. */
export function storedForm(given: string): string {
  return given.normalize('NFKC').trim();
}

/** A code of letters and digits, whatever its case and spaces: a National Insurance number, a postcode. */
export function codeForm(given: string): string {
  return storedForm(given).toUpperCase().replace(/\s/g, '');
}

/** Digits without what sets them apart. */
export function digitsForm(given: string): string {
  return storedForm(given).replace(/[\s-]/g, '');
}

/** An account number of eight digits; one of six or seven stands for the same with zeros before it. */
export function accountNumberForm(given: string): string {
  const digits = digitsForm(given);
  return /^\d{6,7}$/.test(digits) ? digits.padStart(8, '0') : digits;
}

/** The digits of a phone number; one with the country code of the United Kingdom is the same as the one dialled there. */
export function phoneForm(given: string): string {
  const international = storedForm(given)
    .replace(/[\s().-]/g, '')
    .replace(/^00/, '+');
  return international.replace(/^\+440?/, '0').replace(/^\+/, '');
}
