import { defineEntity, p } from '@mikro-orm/core';
import type { ConnectionKind, ConnectionStatus } from '../../../domain/bank/connections.ts';
import type { VrpType } from '../../../domain/bank/payments.ts';
import type { SyncOutcome } from '../../../domain/bank/reading.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/** A person's grant at one bank: to read the accounts, or to pay one payee. */
export const BankConnection = defineEntity({
  name: 'BankConnection',
  tableName: 'bank_connections',
  properties: {
    connectionId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    bankId: text(),
    institutionId: text().nullable(),
    kind: text().$type<ConnectionKind>(),
    providerId: text().nullable(),
    vrpType: text().$type<VrpType>().nullable(),
    perPayment: pence().nullable(),
    perMonth: pence().nullable(),
    startsOn: calendarDate().nullable(),
    validUntil: calendarDate().nullable(),
    status: text().$type<ConnectionStatus>(),
    consentId: text().nullable(),
    payingAccountSealed: text().nullable(),
    payingNumberHash: text().nullable(),
    payeeSealed: text().nullable(),
    reconfirmBy: calendarDate().nullable(),
    reminders: p.integer().default(0),
    returnUrl: text().nullable(),
    authoriseUntil: instant().nullable(),
    authorisedAt: instant().nullable(),
    accountsListedAt: instant().nullable(),
    readWaitUntil: instant().nullable(),
    syncedAt: instant().nullable(),
    syncOutcome: text().$type<SyncOutcome>().nullable(),
    syncReason: text().nullable(),
    syncRowsNew: p.integer().nullable(),
    syncRowsRefused: p.integer().nullable(),
    createdAt: createdAt(),
    version: p.integer().default(1),
  },
  indexes: [{ name: 'bank_connections_owner', properties: ['ownerId', 'seq'] }],
});

/** The bank knows the consent as `consentRef`. The secret is what the bank's API needs to use the consent. */
export const BankConsent = defineEntity({
  name: 'BankConsent',
  tableName: 'bank_consents',
  properties: {
    consentId: text().primary(),
    ownerId: text(),
    bankId: text(),
    consentRef: text(),
    kind: text().$type<ConnectionKind>(),
    secretSealed: text().nullable(),
    leaseId: text().nullable(),
    leaseUntil: instant().nullable(),
    lookedAt: instant().nullable(),
    createdAt: createdAt(),
    endRequestedAt: instant().nullable(),
    endedAt: instant().nullable(),
  },
  uniques: [{ name: 'bank_consents_ref_unique', properties: ['bankId', 'consentRef'] }],
});
