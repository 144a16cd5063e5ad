/** How a wage was recognised: by a payslip, a known payer, the person, or the rhythm of the credits. */
export const WAGE_MATCHES = ['payslip', 'payer', 'person', 'pattern'] as const;
export type WageMatch = (typeof WAGE_MATCHES)[number];

/** Nothing runs on a suggested wage. A reversed one went back to its payer. */
export const WAGE_STATUSES = ['confirmed', 'suggested', 'reversed'] as const;
export type WageStatus = (typeof WAGE_STATUSES)[number];
