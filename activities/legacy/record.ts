import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Reading } from '../../domain/legacy/reading.ts';
import { documentById, originalOf, type DocumentRow } from '../../infra/db/statements/legacy.ts';
import { insertMessage } from '../../infra/db/statements/outbox.ts';
import { SealBrokenError } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

/** What is kept of a reading with the document; the NI number is in the vault. */
export type StoredReading = Omit<Reading, 'ni_number'>;

type Owned = Pick<DocumentRow, 'doc_id' | 'owner_id'>;

/** What has a secret of its own: a document that is not erased. */
type WithKey = Owned & Pick<DocumentRow, 'key_sealed'>;

/** @throws DomainError `not-found` when there is no such document. */
export function requireDocument(row: DocumentRow | undefined): DocumentRow {
  if (row) return row;
  throw new DomainError('not-found', 'There is no such document.');
}

/** @throws DomainError `not-found`, `document-erased`. */
export async function keptDocument({ db }: Services, docId: string): Promise<DocumentRow> {
  return requireKept(requireDocument(await db.maybe(documentById(docId))));
}

/** @throws DomainError `document-erased`. */
export function requireKept(row: DocumentRow): DocumentRow {
  if (row.status !== 'erased') return row;
  throw new DomainError('document-erased', 'The document was erased, and what was read from it.');
}

/** Puts on record that somebody who is not the owner gets to see what a document says. A key is never the owner itself. */
export async function tellAccess(
  services: Services,
  principal: Principal,
  docId: string,
  purpose: string,
): Promise<void> {
  if (principal.kind === 'user') return;
  const data = { purpose, key_id: principal.keyId };
  const event = { subject: docId, kind: 'document.accessed', actor: callerOf(principal), data } as const;
  await audit(services, event);
}

/** Puts the start of the document's workflow into the outbox, in the transaction that is open. */
export async function startReading({ db, outbox, tracing }: Services, { doc_id, owner_id }: Owned): Promise<void> {
  await db.run(insertMessage('document.read', doc_id, tracing.carry({ doc_id, owner_id })));
  db.afterCommit(() => outbox.notify());
}

/** A secret for a new document, sealed under the master keys. What is sealed under it is gone when this is. */
export async function sealSecret({ keys }: Services, document: Owned, secret: string) {
  return keys.seal(secret, contextOf(document, SEAL_USES.documentKey));
}

/** Seals a file under the document's secret. */
export async function sealOriginal({ keys }: Services, document: Owned, secret: string, file: Uint8Array) {
  return keys.sealFileUnder(secret, file, contextOf(document, SEAL_USES.documentOriginal));
}

/** @throws DomainError `pii-damaged`, or `dependency-unavailable` while the keys are away. */
export async function openOriginal(services: Services, document: WithKey): Promise<Uint8Array> {
  const { sealed } = await services.db.one(originalOf(document.doc_id));
  return opening(services, document, (secret) =>
    services.keys.openFileUnder(secret, sealed, contextOf(document, SEAL_USES.documentOriginal)),
  );
}

/** Seals what was read under the document's secret. */
export async function sealReading(services: Services, document: WithKey, reading: StoredReading): Promise<string> {
  return opening(services, document, (secret) =>
    services.keys.sealUnder(secret, JSON.stringify(reading), contextOf(document, SEAL_USES.documentReading)),
  );
}

/** @throws DomainError `pii-damaged`, or `dependency-unavailable` while the keys are away. */
export async function openReading(services: Services, document: DocumentRow): Promise<StoredReading> {
  return opening(services, document, async (secret) => {
    const context = contextOf(document, SEAL_USES.documentReading);
    return JSON.parse(await services.keys.openUnder(secret, document.reading_sealed!, context)) as StoredReading;
  });
}

/** Gives the document's secret to what needs it; what somebody changed is put on record. */
async function opening<T>(services: Services, document: WithKey, work: (secret: string) => T | Promise<T>) {
  try {
    return await work(await services.keys.open(document.key_sealed!, contextOf(document, SEAL_USES.documentKey)));
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    const { doc_id } = document;
    services.log.error({ doc_id }, 'a document was tampered with');
    const event = { subject: doc_id, kind: 'document.tampering-detected', actor: 'service', data: {} } as const;
    await audit(services, event);
    throw new DomainError(
      'pii-damaged',
      'The document is not as it was stored, so nothing of it is given. The operator of this service has been told.',
    );
  }
}

/** What it is bound to: with any of it changed, or moved to another document, it does not open. */
function contextOf({ doc_id, owner_id }: Owned, use: (typeof SEAL_USES)[keyof typeof SEAL_USES]) {
  return { use, doc_id, owner_id };
}
