/** A sort code for display, its last two digits in the clear: `**-**-56`. */
export function maskSortCode(sortCode: string): string {
  return `**-**-${sortCode.slice(-2)}`;
}

/** An account number for display, its last four digits in the clear: `****5678`. */
export function maskAccountNumber(accountNumber: string): string {
  return `****${accountNumber.slice(-4)}`;
}
