import { defineEntity, p } from '@mikro-orm/core';
import type { MonthOfPayments, ScorePart } from '../../../domain/credential.ts';
import type { PayeeCategory } from '../../../domain/payments.ts';
import type { PublicJwk } from '../../credential/keys.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/** Once the credential is signed, only `revokedAt` can change, and only once. */
export const CredentialRecord = defineEntity({
  name: 'CredentialRecord',
  tableName: 'credentials',
  properties: {
    credentialId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    requestedBy: text(),
    categories: p.array().$type<PayeeCategory[]>().columnType('text[]'),
    periodFrom: calendarDate(),
    periodTo: calendarDate(),
    totalPayments: p.integer(),
    missedPayments: p.integer(),
    onTimeRate: text(),
    reliabilityScore: p.integer(),
    scoreBreakdown: p.json<ScorePart[]>(),
    months: p.json<MonthOfPayments[]>(),
    bills: p.integer(),
    payees: p.integer(),
    monthsCovered: p.integer(),
    totalPaid: pence(),
    paymentsLeftOut: p.integer(),
    listId: p.integer(),
    listIndex: p.integer(),
    createdAt: createdAt(),
    issuedAt: instant().nullable(),
    expiresAt: instant().nullable(),
    kid: text().nullable(),
    sdJwt: text().nullable(),
    revokedAt: instant().nullable(),
  },
  uniques: [{ name: 'credentials_list_index_unique', properties: ['listId', 'listIndex'] }],
  indexes: [{ name: 'credentials_kid', properties: ['kid', 'expiresAt'] }],
});

/** The signed PDF of a credential. */
export const CredentialPdf = defineEntity({
  name: 'CredentialPdf',
  tableName: 'credential_pdfs',
  properties: {
    credentialId: text().primary(),
    ownerId: text(),
    madeFrom: text(),
    pdf: p.uint8array(),
    keptAt: instant(),
  },
  indexes: [
    { name: 'credential_pdfs_kept', properties: ['keptAt'] },
    { name: 'credential_pdfs_owner', properties: ['ownerId', 'keptAt'] },
  ],
});

/** One bit for each credential says whether the credential is revoked. `version` counts revocations. */
export const StatusListRecord = defineEntity({
  name: 'StatusListRecord',
  tableName: 'credential_status_lists',
  properties: {
    listId: p.integer().primary().autoincrement(false),
    version: p.integer().default(0),
    used: p.integer().default(0),
    createdAt: createdAt(),
  },
});

/** The public key of a signing key. `sealed_secrets` holds the private key until `retiredAt`. */
export const CredentialKey = defineEntity({
  name: 'CredentialKey',
  tableName: 'credential_keys',
  properties: {
    kid: text().primary(),
    publicJwk: p.json<PublicJwk>(),
    createdAt: createdAt(),
    retiredAt: instant().nullable(),
  },
});
