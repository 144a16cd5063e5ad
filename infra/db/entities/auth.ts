import { defineEntity, p } from '@mikro-orm/core';
import type { Scope } from '../../../domain/auth.ts';
import { createdAt, instant, pence, text } from './columns.ts';

const scopes = () => p.array().$type<readonly Scope[]>();

/** `emailRef` points into the PII vault. `emailIndex` is a keyed hash of the email address. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    userId: text().primary(),
    emailRef: text().index('users_email_ref'),
    emailIndex: text().unique('users_email_index_unique'),
    /** Null if the account has no password. */
    passwordHash: text().nullable(),
    emailVerifiedAt: instant().nullable(),
    createdAt: createdAt(),
    /** Since when nobody can sign in to the account, and no application can act for the person. */
    disabledAt: instant().nullable(),
  },
});

/** A program of the operator or of a partner, which uses API keys or acts for users as an OAuth client. */
export const Application = defineEntity({
  name: 'Application',
  tableName: 'applications',
  properties: {
    appId: text().primary(),
    name: text(),
    createdAt: createdAt(),
    /** Reserves new owner ids with this prefix for this application. */
    ownerPrefix: text().nullable(),
  },
});

/** If `appId` is null, only keys with `admin:owners` can act for the owner. */
export const OwnerApplication = defineEntity({
  name: 'OwnerApplication',
  tableName: 'owner_applications',
  properties: {
    ownerId: text().primary(),
    appId: text().nullable().index('owner_applications_app'),
    boundAt: createdAt(),
  },
});

/** The rotations of a key share a `lineage`, and so count as the same caller. */
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
    /** Rounded down to the hour. */
    lastUsedAt: instant().nullable(),
    mac: text(),
    macVersion: p.integer(),
    /** Since a backup was restored, until an operator confirms the key. */
    disabledAt: instant().nullable(),
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
    origins: p.array().$type<readonly string[]>().default([]),
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
    /** `password`, or the id of a sign-in provider. */
    signedInWith: text(),
  },
});

/** If the code is used twice, the tokens of `familyId` are revoked. */
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

/** The tokens of one sign-in. */
export const TokenFamily = defineEntity({
  name: 'TokenFamily',
  tableName: 'token_families',
  properties: {
    familyId: text().primary(),
    userId: text().index('token_families_user'),
    clientId: text().nullable(),
    /** Null if the application itself sent the user's password. */
    sessionHash: text().nullable().index('token_families_session'),
    scopes: scopes(),
    createdAt: createdAt(),
    expiresAt: instant().index('token_families_expires'),
    endedAt: instant().nullable(),
    endedReason: text().nullable(),
    /** Copied from the browser session. Without a session, `password`. */
    signedInWith: text().nullable(),
  },
});

/** If `scopes` is null, the token has the scopes of its family. */
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

/** `successorSealed` holds the encrypted new tokens, to send again if the response to a rotation was lost. */
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
