/** Normalises text for storage: NFKC, trimmed. */
export function storedForm(given: string): string {
  return given.normalize('NFKC').trim();
}

/** Normalises a code such as a National Insurance number or postcode: upper case, without spaces. */
export function codeForm(given: string): string {
  return storedForm(given).toUpperCase().replace(/\s/g, '');
}

/** Removes spaces and hyphens. */
export function digitsForm(given: string): string {
  return storedForm(given).replace(/[\s-]/g, '');
}

/** Normalises an account number to eight digits. Numbers of six or seven digits get leading zeros. */
export function accountNumberForm(given: string): string {
  const digits = digitsForm(given);
  return /^\d{6,7}$/.test(digits) ? digits.padStart(8, '0') : digits;
}

/** Normalises a phone number to digits. The UK country code is replaced by the national prefix. */
export function phoneForm(given: string): string {
  const international = storedForm(given)
    .replace(/[\s().-]/g, '')
    .replace(/^00/, '+');
  return international.replace(/^\+440?/, '0').replace(/^\+/, '');
}
