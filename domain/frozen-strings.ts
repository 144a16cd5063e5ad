/**
 * Stored data and running workflows contain these strings, so a changed value would lose data or break workflows.
 * Values may be added.
 */

/** Part of the context of each encryption. A record can be decrypted only with the same `use`. */
export const SEAL_USES = {
  credentialKey: 'credential key',
  cursor: 'cursor',
  documentKey: 'document key',
  documentOriginal: 'document original',
  documentReading: 'document reading',
  idempotentAnswer: 'idempotent answer',
  secret: 'secret',
  signInAttempt: 'sign-in-attempt',
  signInProvider: 'sign-in-provider',
  successor: 'successor',
  vault: 'vault',
} as const;

/** Labels of keys derived by HKDF (RFC 5869). */
export const DERIVED_KEYS = {
  blindIndex: 'ringfence blind index ',
  underSecret: 'ringfence sealed under a secret',
} as const;

/** Kinds of keyed hashes, each with its own key. */
export const BLIND_INDEXES = [
  'caller address',
  'csrf',
  'cursor',
  'document',
  'idempotency key',
  'idempotent request',
  'payee account',
  'provider_subject',
  'rate limit',
  'sign-in place',
  'user_email',
] as const;
export type BlindIndex = (typeof BLIND_INDEXES)[number];

export const OUTBOX_KINDS = [
  'payment.start',
  'payment.changed',
  'payment.due',
  'clock.moved',
  'yield.start',
  'credential.start',
  'document.read',
] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

export const AUDIT_KINDS = [
  'access-token.revoked',
  'account.claimed',
  'allocations.vault-closed',
  'allocations.vault-renamed',
  'application.created',
  'authorization-code.redeemed',
  'authorization-code.reused',
  'client.created',
  'client.removed',
  'clock.moved',
  'consent.denied',
  'consent.granted',
  'credential-key.made',
  'credential-key.rotated',
  'credential.issued',
  'credential.revoked',
  'debt.payment-recorded',
  'debt.plan-closed',
  'debt.plan-created',
  'debt.plan-updated',
  'document.accessed',
  'document.erased',
  'document.failed',
  'document.parsed',
  'document.tampering-detected',
  'document.tax-history-read',
  'document.uploaded',
  'email.verified',
  'invitation.created',
  'key.issued',
  'key.revoked',
  'key.rotated',
  'master-key.retired',
  'master-key.rotated',
  'owner.assigned',
  'password.changed',
  'password.reset',
  'payee.confirmed',
  'payee.removed',
  'payee.renamed',
  'payment.acknowledged',
  'payment.attention',
  'payment.cancelled',
  'payment.completed',
  'payment.contradiction',
  'payment.failed',
  'payment.pending',
  'payment.processing',
  'payment.resolved',
  'payment.retried',
  'payment.returned',
  'provider.created',
  'provider.linked',
  'provider.removed',
  'refresh-token.reused',
  'refresh-token.revoked',
  'sign-in.failed',
  'sign-in.succeeded',
  'sign-out',
  'user.disabled',
  'user.enabled',
  'user.registered',
  'vault-certificate.issued',
  'vault.erased',
  'vault.masked',
  'vault.opened',
  'vault.refused',
  'vault.retrieved',
  'vault.stored',
  'vault.tampering-detected',
  'vault.verified',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];
