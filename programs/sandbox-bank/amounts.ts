const AMOUNT = /^(\d{1,13})(?:\.(\d{1,2})0{0,3})?$/;

/** Formats 1234 as `12.34`, without the sign. */
export function decimalOf(minorUnits: number): string {
  const digits = String(Math.abs(minorUnits)).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Null if the value is not an amount, or has a fraction of a penny. */
export function minorUnitsOf(value: unknown): number | null {
  const parts = typeof value === 'string' ? AMOUNT.exec(value) : null;
  if (parts === null) return null;
  return Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
}
