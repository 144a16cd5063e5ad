import { randomBytes } from 'node:crypto';

// Production refuses the development passwords.
export const newPassword = () => randomBytes(16).toString('hex');

/** Production accepts certificates of this CA. */
export const OWN_AUTHORITY = 'Authority of this test';

export const OWN_CONSENT = 'consent-of-this-test';

export const PRODUCTION: Readonly<Record<string, string>> = {
  RINGFENCE_ENV: 'production',
  BANK_URL: 'https://bank.example',
  BANK_CONSENT_ID: OWN_CONSENT,
  SMTP_URL: 'smtps://mail.example',
  LIMIT_PAYMENT: '1000000000000000',
  LIMIT_OWNER_PAYMENTS_PER_DAY: '1000000000000000',
};

export function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}
