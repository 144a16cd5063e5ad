import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, text } from './columns.ts';

/** A link that proves an address together with the account's password, as the SHA-256 of its token; single use. */
export const EmailVerification = defineEntity({
  name: 'EmailVerification',
  tableName: 'email_verifications',
  properties: {
    tokenHash: text().primary(),
    userId: text().index('email_verifications_user'),
    createdAt: createdAt(),
    expiresAt: instant().index('email_verifications_expires'),
    usedAt: instant().nullable(),
  },
});

/** An OpenID Connect provider that people may sign in with; any address where `domains` is empty. */
export const SignInProvider = defineEntity({
  name: 'SignInProvider',
  tableName: 'sign_in_providers',
  properties: {
    providerId: text().primary(),
    name: text(),
    issuer: text(),
    clientId: text(),
    clientSecretSealed: text(),
    createdAt: createdAt(),
    removedAt: instant().nullable(),
    domains: p.array().default([]),
  },
});

/**
 * Somebody whom a provider named, of one browser, and the account that still has to be proved theirs. The browser holds the request's
 * token, a letter the other one; of both only the SHA-256 is here.
 */
export const ProviderLinkRequest = defineEntity({
  name: 'ProviderLinkRequest',
  tableName: 'provider_link_requests',
  properties: {
    requestHash: text().primary(),
    mailTokenHash: text().nullable().unique('provider_link_requests_mail_token_hash_unique'),
    providerId: text(),
    subjectIndex: text(),
    userId: text(),
    browserHash: text(),
    /** The query with which the browser goes on at our authorization endpoint; empty where it came from nowhere. */
    continueWith: text(),
    createdAt: createdAt(),
    expiresAt: instant().index('provider_link_requests_expires'),
  },
});

/** Who a user is to another provider; the provider's subject is kept as a blind index. */
export const UserIdentity = defineEntity({
  name: 'UserIdentity',
  tableName: 'user_identities',
  properties: {
    providerId: text().primary(),
    subjectIndex: text().primary(),
    userId: text().index('user_identities_user'),
    createdAt: createdAt(),
  },
});

/** A sign-in that is under way at another provider, of one browser; `sealed` opens with its state alone. */
export const SignInAttempt = defineEntity({
  name: 'SignInAttempt',
  tableName: 'sign_in_attempts',
  properties: {
    stateHash: text().primary(),
    providerId: text(),
    browserHash: text(),
    sealed: text(),
    createdAt: createdAt(),
    expiresAt: instant().index('sign_in_attempts_expires'),
  },
});
