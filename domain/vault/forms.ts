export function storedForm(given: string): string {
  return given
    .normalize('NFKC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
}

export function codeForm(given: string): string {
  return storedForm(given).toUpperCase().replace(/\s/g, '');
}

export function digitsForm(given: string): string {
  return storedForm(given).replace(/[\s-]/g, '');
}

/** Numbers of six or seven digits get leading zeros. */
export function accountNumberForm(given: string): string {
  const digits = digitsForm(given);
  return /^\d{6,7}$/.test(digits) ? digits.padStart(8, '0') : digits;
}

/** The national prefix replaces the UK country code. */
export function phoneForm(given: string): string {
  const international = storedForm(given)
    .replace(/[\s().-]/g, '')
    .replace(/^00/, '+');
  return international.replace(/^\+440?/, '0').replace(/^\+/, '');
}
