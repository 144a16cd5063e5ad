import { defineEntity, p } from '@mikro-orm/core';
import type { DocumentFailure, DocumentStatus } from '../../../domain/documents.ts';
import type { DocumentType } from '../../../domain/legacy/reading.ts';
import { createdAt, instant, sequence, text } from './columns.ts';

export type MediaType = 'application/pdf' | 'image/jpeg' | 'image/png';

/**
 * An uploaded document. This row decides the document's state; the workflow only acts on it. No document content is
 * stored here unencrypted.
 * - `fingerprint`: a keyed hash of owner and bytes.
 * - `appId`: the application whose upload limit counts the document. Null if the document's owner is a person.
 * - `receivedAt`: the upload time, by the real clock.
 * - `claimedAt`: when the reader last claimed the document.
 * - `keySealed`: the encryption key of the file and its reading, encrypted under the master keys.
 * - `reads`: how many times the reader started to read the document.
 */
export const Document = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    docId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    appId: text().nullable(),
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

/** A document's uploaded file, encrypted with the document's key. Deleted when the document is erased. */
export const DocumentOriginal = defineEntity({
  name: 'DocumentOriginal',
  tableName: 'document_originals',
  properties: { docId: text().primary(), sealed: p.uint8array() },
});
