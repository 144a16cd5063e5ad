import { defineEntity, p } from '@mikro-orm/core';
import type { Scope } from '../../../domain/auth.ts';
import { createdAt, instant, pence, text } from './columns.ts';

const scopes = () => p.array().$type<readonly Scope[]>();

/** A person who signs in. The email address is in the PII vault; `emailIndex`, its keyed blind index, finds it. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    userId: text().primary(),
    emailRef: text().index('users_email_ref'),
    emailIndex: text().unique('users_email_index_unique'),
    /** Null for an account that another provider's sign-in made and that has no password yet. */
    passwordHash: text().nullable(),
    /** When the owner of the mailbox proved it: by a mailed link, or through a provider that had verified it. */
    emailVerifiedAt: instant().nullable(),
    createdAt: createdAt(),
  },
});

/** A program of the operator or a partner. It calls with API keys, or acts for users as an OAuth client. */
export const Application = defineEntity({
  name: 'Application',
  tableName: 'applications',
  properties: {
    appId: text().primary(),
    name: text(),
    createdAt: createdAt(),
    /** Owner ids with this prefix belong to this application, and no others do. */
    ownerPrefix: text().nullable(),
  },
});

/** The application of an owner. Without one, only a key with `admin:owners` reaches the owner. */
export const OwnerApplication = defineEntity({
  name: 'OwnerApplication',
  tableName: 'owner_applications',
  properties: {
    ownerId: text().primary(),
    appId: text().nullable().index('owner_applications_app'),
    boundAt: createdAt(),
  },
});

/**
 * An API key, stored as a hash. All rotations of one key share its `lineage`, so a retry after a rotation is the same
 * caller.
 */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    keyId: text().primary(),
    appId: text().index('api_keys_app'),
    lineage: text(),
    secretHash: text().unique('api_keys_secret_hash_unique'),
    scopes: scopes(),
    environment: text().$type<'sandbox' | 'production'>(),
    createdAt: createdAt(),
    expiresAt: instant().nullable(),
    revokedAt: instant().nullable(),
    incomePerOwner: pence().nullable(),
    incomePerMonth: pence().nullable(),
    perMinute: p.integer().nullable(),
    /** The operator's name for the key. */
    name: text().nullable(),
    /** The hour of the last use. */
    lastUsedAt: instant().nullable(),
  },
});

/** An OAuth client: the scopes that it may request, and the addresses to which codes may be sent. */
export const OAuthClient = defineEntity({
  name: 'OAuthClient',
  tableName: 'oauth_clients',
  properties: {
    clientId: text().primary(),
    appId: text().index('oauth_clients_app'),
    name: text(),
    redirectUris: p.array().$type<readonly string[]>(),
    scopes: scopes(),
    secretHash: text().nullable(),
    createdAt: createdAt(),
    /** Whose pages may call for this client from a browser. */
    origins: p.array().$type<readonly string[]>().default([]),
    /** A removed client is treated as unknown. */
    removedAt: instant().nullable(),
  },
});

/** The scopes that a user allowed a client. */
export const Consent = defineEntity({
  name: 'Consent',
  tableName: 'consents',
  properties: { userId: text().primary(), clientId: text().primary(), scopes: scopes(), grantedAt: instant() },
});

/** A browser's sign-in at the authorization pages. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    sessionHash: text().primary(),
    userId: text().index('sessions_user'),
    createdAt: createdAt(),
    expiresAt: instant().index('sessions_expires'),
    endedAt: instant().nullable(),
    /** `password`, or the provider that the person used; null if the session began before this was stored. */
    signedInWith: text().nullable(),
  },
});

/** An authorization code, single use; `familyId` names the tokens to end if it is used twice. */
export const AuthorizationCode = defineEntity({
  name: 'AuthorizationCode',
  tableName: 'authorization_codes',
  properties: {
    codeHash: text().primary(),
    clientId: text(),
    userId: text(),
    redirectUri: text(),
    scopes: scopes(),
    codeChallenge: text().nullable(),
    familyId: text().nullable(),
    sessionHash: text().nullable(),
    createdAt: createdAt(),
    expiresAt: instant().index('authorization_codes_expires'),
    usedAt: instant().nullable(),
  },
});

/** One sign-in and all its tokens; ending the family ends them all. */
export const TokenFamily = defineEntity({
  name: 'TokenFamily',
  tableName: 'token_families',
  properties: {
    familyId: text().primary(),
    userId: text().index('token_families_user'),
    clientId: text().nullable(),
    /** The browser session that it was granted in; null for a sign-in with our own password. */
    sessionHash: text().nullable().index('token_families_session'),
    scopes: scopes(),
    createdAt: createdAt(),
    expiresAt: instant().index('token_families_expires'),
    endedAt: instant().nullable(),
    endedReason: text().nullable(),
    /** As in the session that it was granted in. */
    signedInWith: text().nullable(),
  },
});

/** An access token, as its SHA-256. If `scopes` is null, they are the family's; else they are fewer. */
export const AccessToken = defineEntity({
  name: 'AccessToken',
  tableName: 'access_tokens',
  properties: {
    tokenHash: text().primary(),
    familyId: text().index('access_tokens_family'),
    scopes: scopes().nullable(),
    createdAt: createdAt(),
    expiresAt: instant(),
  },
});

/** A refresh token, as its SHA-256; `successorSealed` keeps the answer of its rotation for a lost reply. */
export const RefreshToken = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_tokens',
  properties: {
    tokenHash: text().primary(),
    familyId: text().index('refresh_tokens_family'),
    createdAt: createdAt(),
    expiresAt: instant(),
    rotatedAt: instant().nullable(),
    successorSealed: text().nullable(),
  },
});

/** A link that sets a new password, as the SHA-256 of its token; single use. */
export const PasswordReset = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_resets',
  properties: {
    tokenHash: text().primary(),
    userId: text().index('password_resets_user'),
    createdAt: createdAt(),
    expiresAt: instant().index('password_resets_expires'),
    usedAt: instant().nullable(),
  },
});
