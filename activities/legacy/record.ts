import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Reading } from '../../domain/legacy/reading.ts';
import { documentById, originalOf, stalledDocuments, type DocumentRow } from '../../infra/db/queries/legacy.ts';
import { openFileUnder, openUnder, SealBrokenError, sealFileUnder, sealUnder } from '../../infra/keys/seal.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { enqueue, restartSilent, type Silent } from '../outbox.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

/** A document's values without the NI number, which the PII vault stores. */
export type StoredReading = Omit<Reading, 'ni_number'>;

type Opening = Pick<Services, 'db' | 'keys' | 'log' | 'newId'>;

type Owned = Pick<DocumentRow, 'doc_id' | 'owner_id'>;

type WithKey = Owned & Pick<DocumentRow, 'key_sealed'>;

export type WithReading = WithKey & Pick<DocumentRow, 'reading_sealed'>;

export function requireDocument(row: DocumentRow | undefined): DocumentRow {
  if (row) return row;
  throw new DomainError('not-found', 'There is no document with this id.');
}

export async function keptDocument({ db }: Pick<Services, 'db'>, docId: string): Promise<DocumentRow> {
  return requireKept(requireDocument(await db.maybe(documentById(docId))));
}

export function requireKept(row: DocumentRow): DocumentRow {
  if (row.status !== 'erased') return row;
  throw new DomainError('document-erased', 'The document and the data that was read from it were erased.');
}

/** Writes no audit event for the owner's own access. */
export async function auditAccess(
  services: Pick<Services, 'db' | 'newId'>,
  principal: Principal,
  docId: string,
  purpose: string,
): Promise<void> {
  if (principal.kind === 'user') return;
  const data = { purpose, key_id: principal.keyId };
  const event = { subject: docId, kind: 'document.accessed', actor: callerOf(principal), data } as const;
  await audit(services.db, services, event);
}

export async function startReading(
  tx: Tx,
  services: Pick<Services, 'outbox' | 'tracing'>,
  { doc_id, owner_id }: Owned,
): Promise<void> {
  await enqueue(tx, services, 'document.read', doc_id, services.tracing.carry({ doc_id, owner_id }));
}

export async function restartStalledDocuments(services: Services, silent: Silent): Promise<number> {
  return restartSilent(services, silent, { find: stalledDocuments, restart: startReading });
}

/** Once the secret is destroyed, nobody can read what was encrypted under the secret. */
export async function sealSecret({ keys }: Pick<Services, 'keys'>, document: Owned, secret: string) {
  return keys.seal(secret, contextOf(document, SEAL_USES.documentKey));
}

export async function sealOriginal(document: Owned, secret: string, file: Uint8Array) {
  return sealFileUnder(secret, file, contextOf(document, SEAL_USES.documentOriginal));
}

/** @throws DomainError `pii-damaged`. */
export async function openOriginal(services: Opening, document: WithKey): Promise<Uint8Array> {
  const { sealed } = await services.db.one(originalOf(document.doc_id));
  return opening(services, document, (secret) =>
    openFileUnder(secret, sealed, contextOf(document, SEAL_USES.documentOriginal)),
  );
}

export async function sealReading(services: Opening, document: WithKey, reading: StoredReading): Promise<string> {
  return opening(services, document, (secret) =>
    sealUnder(secret, JSON.stringify(reading), contextOf(document, SEAL_USES.documentReading)),
  );
}

export async function openReading(services: Opening, document: WithReading): Promise<StoredReading> {
  return opening(services, document, async (secret) => {
    const context = contextOf(document, SEAL_USES.documentReading);
    return JSON.parse(await openUnder(secret, document.reading_sealed!, context)) as StoredReading;
  });
}

async function opening<T>(services: Opening, document: WithKey, work: (secret: string) => T | Promise<T>) {
  try {
    return await work(await services.keys.open(document.key_sealed!, contextOf(document, SEAL_USES.documentKey)));
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    const { doc_id } = document;
    services.log.error({ doc_id }, 'a document was tampered with');
    const event = { subject: doc_id, kind: 'document.tampering-detected', actor: 'service', data: {} } as const;
    await audit(services.db, services, event);
    throw new DomainError(
      'pii-damaged',
      'The stored document cannot be decrypted. It was changed outside the service, or its master key no longer exists. The audit log has an event document.tampering-detected.',
    );
  }
}

/** Binds a ciphertext to its document: decryption fails if the ciphertext is moved to another document. */
function contextOf({ doc_id, owner_id }: Owned, use: (typeof SEAL_USES)[keyof typeof SEAL_USES]) {
  return { use, doc_id, owner_id };
}
