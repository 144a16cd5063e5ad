import { defineEntity, p } from '@mikro-orm/core';
import type { Scope } from '../../../domain/auth.ts';
import { createdAt, instant, pence, text } from './columns.ts';

const scopes = () => p.array().$type<readonly Scope[]>();

/** A person who can sign in. `emailRef` refers to the PII vault; `emailIndex` is a keyed hash of the email address. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    userId: text().primary(),
    emailRef: text().index('users_email_ref'),
    emailIndex: text().unique('users_email_index_unique'),
    /**
     * The hash of the password. Null if the account has no password, for example because it was created through a
     * sign-in provider.
     */
    passwordHash: text().nullable(),
    emailVerifiedAt: instant().nullable(),
    createdAt: createdAt(),
  },
});

/** A program of the operator or of a partner. An application uses API keys, or acts for users as an OAuth client. */
export const Application = defineEntity({
  name: 'Application',
  tableName: 'applications',
  properties: {
    appId: text().primary(),
    name: text(),
    createdAt: createdAt(),
    /** Only this application may use a new owner id with this prefix. */
    ownerPrefix: text().nullable(),
  },
});

/** Binds an owner to an application. If `appId` is null, only a key with `admin:owners` can act for the owner. */
export const OwnerApplication = defineEntity({
  name: 'OwnerApplication',
  tableName: 'owner_applications',
  properties: {
    ownerId: text().primary(),
    appId: text().nullable().index('owner_applications_app'),
    boundAt: createdAt(),
  },
});

/** An API key, stored as a hash. All rotations of a key share a `lineage`, and so count as the same caller. */
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
    name: text().nullable(),
    /** When the key was last used, rounded down to the hour. */
    lastUsedAt: instant().nullable(),
  },
});

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
    /** The web origins from which browsers may call the service for this client. */
    origins: p.array().$type<readonly string[]>().default([]),
    /** A removed client is treated as unknown. */
    removedAt: instant().nullable(),
  },
});

export const Consent = defineEntity({
  name: 'Consent',
  tableName: 'consents',
  properties: { userId: text().primary(), clientId: text().primary(), scopes: scopes(), grantedAt: instant() },
});

/** A browser's signed-in session at the authorization pages. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    sessionHash: text().primary(),
    userId: text().index('sessions_user'),
    createdAt: createdAt(),
    expiresAt: instant().index('sessions_expires'),
    endedAt: instant().nullable(),
    /** `password`, or the id of the sign-in provider. Null in sessions that earlier versions of the service created. */
    signedInWith: text().nullable(),
  },
});

/** A single-use authorization code. If the code is used twice, the tokens of `familyId` are revoked. */
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

/** All tokens of one sign-in. Revoking the family revokes all of its tokens. */
export const TokenFamily = defineEntity({
  name: 'TokenFamily',
  tableName: 'token_families',
  properties: {
    familyId: text().primary(),
    userId: text().index('token_families_user'),
    clientId: text().nullable(),
    /**
     * The browser session in which the user granted access. Null if the application itself sent the password to the
     * service.
     */
    sessionHash: text().nullable().index('token_families_session'),
    scopes: scopes(),
    createdAt: createdAt(),
    expiresAt: instant().index('token_families_expires'),
    endedAt: instant().nullable(),
    endedReason: text().nullable(),
    /** How the user signed in, copied from the browser session. Without a session, this is `password`. */
    signedInWith: text().nullable(),
  },
});

/** An access token, stored as its SHA-256 hash. If `scopes` is null, the token has all scopes of its family. */
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

/**
 * A refresh token, stored as its SHA-256 hash. `successorSealed` holds the new tokens of a rotation, encrypted, so that
 * the service can send them again if the response was lost.
 */
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

/** A single-use link for setting a new password. Only the SHA-256 hash of its token is stored. */
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
