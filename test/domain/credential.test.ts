import {
  categoriesOf,
  credentialStatus,
  expiryOf,
  issueInstant,
  periodOf,
  periodText,
} from '../../domain/credential.ts';
import { PAYEE_CATEGORIES } from '../../domain/payments.ts';

test('a period ends today, and begins that many months earlier on an existing day', () => {
  expect(periodText(periodOf('2026-11-21', 12))).toBe('2025-11-21 to 2026-11-21');
  expect(periodText(periodOf('2026-03-31', 1))).toBe('2026-02-28 to 2026-03-31');
  expect(periodText(periodOf('2028-02-29', 36))).toBe('2025-02-28 to 2028-02-29');
});

test('categories have a fixed order, and default to all', () => {
  expect(categoriesOf(['OTHER', 'HOUSING'])).toEqual(['HOUSING', 'OTHER']);
  expect(categoriesOf(undefined)).toEqual(PAYEE_CATEGORIES);
});

test('a credential is valid for exactly 90 days unless revoked, and a revocation is permanent', () => {
  const issuedAt = issueInstant(new Date('2026-11-21T09:30:00.987Z'));
  expect(issuedAt.toISOString()).toBe('2026-11-21T09:30:00.000Z');
  const expires_at = expiryOf(issuedAt).toISOString();
  expect(expires_at).toBe('2027-02-19T09:30:00.000Z');
  const status = (revoked_at: string | null, now: string) =>
    credentialStatus({ expires_at, revoked_at }, new Date(now));
  expect(status(null, '2027-02-19T09:29:59.999Z')).toBe('valid');
  expect(status(null, '2027-02-19T09:30:00.000Z')).toBe('expired');
  expect(status('2026-11-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z')).toBe('revoked');
  expect(status('2026-11-22T00:00:00.000Z', '2027-03-01T00:00:00.000Z')).toBe('revoked');
});
