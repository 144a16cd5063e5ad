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

/** An invitation to create one account while registration is closed, as the SHA-256 of its token. */
export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    tokenHash: text().primary(),
    invitationId: text(),
    createdAt: createdAt(),
    expiresAt: instant().index('invitations_expires'),
    usedAt: instant().nullable(),
  },
});

/** An OpenID Connect provider that people may sign in with. An empty `domains` allows any address. */
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
 * A person whom a provider named, in one browser, and the account that the person still has to prove. The browser holds
 * the request's token, a letter the other one. Only their SHA-256s are here.
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
    /** The query with which the browser continues at our authorization endpoint; empty if it came from elsewhere. */
    continueWith: text(),
    createdAt: createdAt(),
    expiresAt: instant().index('provider_link_requests_expires'),
  },
});

/** A user's identity at another provider; the provider's subject is stored as a blind index. */
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

/** A browser's sign-in at another provider that is under way. Only its state can open `sealed`. */
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
