import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, text } from './columns.ts';

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

/** If `domains` is empty, any email domain is allowed. */
export const IdentityProvider = defineEntity({
  name: 'IdentityProvider',
  tableName: 'identity_providers',
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

/** A sign-in that waits until the person confirms the existing account with a token from the email. */
export const IdentityLinkRequest = defineEntity({
  name: 'IdentityLinkRequest',
  tableName: 'identity_link_requests',
  properties: {
    requestHash: text().primary(),
    mailTokenHash: text().nullable().unique('identity_link_requests_mail_token_hash_unique'),
    providerId: text(),
    subjectIndex: text(),
    userId: text(),
    browserHash: text(),
    /** What to continue with, as a query string. Empty if neither an application nor a page of ours is waiting. */
    continueWith: text(),
    createdAt: createdAt(),
    expiresAt: instant().index('identity_link_requests_expires'),
  },
});

/** `subjectIndex` is a keyed hash of the identity provider's subject. */
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

/** Only the OAuth parameter `state` of this sign-in can decrypt `sealed`. */
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
