import { defineEntity, p } from '@mikro-orm/core';
import type { DocumentFailure, DocumentStatus } from '../../../domain/documents.ts';
import type { DocumentType } from '../../../domain/legacy/reading.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

export type MediaType = 'application/pdf' | 'image/jpeg' | 'image/png';

/**
 * An uploaded document. The row decides the document's state, and the workflow only acts on the row.
 * - `fingerprint`: a keyed hash of the owner and the file.
 * - `appId`: the application whose upload limit counts the document. Null if the owner is a person.
 * - `sharedQueue`: set if the document shares a queue with other owners' documents.
 * - `receivedAt`: the upload time by the real clock.
 * - `netPay`, `payDate`: those of a parsed payslip, by which the credit that paid it is found.
 * - `keySealed`: the key of the file and its reading, encrypted under the master keys.
 */
export const Document = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    docId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    appId: text().nullable(),
    sharedQueue: text().nullable(),
    fingerprint: text().nullable(),
    mediaType: text().$type<MediaType>(),
    size: p.integer(),
    hint: text().$type<DocumentType>().nullable(),
    status: text().$type<DocumentStatus>(),
    failure: p.json<DocumentFailure>().nullable(),
    reads: p.integer().default(0),
    keySealed: text().nullable(),
    keyVersion: p.integer(),
    readingSealed: text().nullable(),
    niNumberRef: text().nullable(),
    netPay: pence().nullable(),
    payDate: calendarDate().nullable(),
    uploadedAt: createdAt(),
    receivedAt: instant().nullable().defaultRaw('now()'),
    claimedAt: instant().nullable(),
    parsedAt: instant().nullable(),
    erasedAt: instant().nullable(),
    updatedAt: instant(),
    version: p.integer().default(1),
  },
  uniques: [{ name: 'documents_fingerprint_unique', properties: ['ownerId', 'fingerprint'] }],
  indexes: [
    { name: 'documents_owner', properties: ['ownerId', 'seq'] },
    { name: 'documents_key_version', properties: ['keyVersion', 'docId'] },
    { name: 'documents_of_owner_received', properties: ['ownerId', 'receivedAt'] },
    { name: 'documents_owner_turn', properties: ['ownerId', 'claimedAt'] },
  ],
});

export const DocumentOriginal = defineEntity({
  name: 'DocumentOriginal',
  tableName: 'document_originals',
  properties: { docId: text().primary(), sealed: p.uint8array() },
});
