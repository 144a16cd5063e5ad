import { randomBytes } from 'node:crypto';
import { callerOf, type Principal } from '../../domain/auth.ts';
import type { DocumentType } from '../../domain/legacy/reading.ts';
import { documentByFingerprint, insertDocument, insertOriginal } from '../../infra/db/queries/legacy.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { bindOwner, type NewOwner } from '../reach.ts';
import { mediaTypeOf } from './media-type.ts';
import { lockUploads, payerOf, requireWithinUploadLimits, sharedQueueOf } from './upload-limits.ts';
import { sealOriginal, sealSecret, startReading } from './record.ts';

/** `sha256` is hexadecimal. */
export interface Upload {
  principal: Principal;
  user_id: string;
  file: { bytes: Buffer; sha256: string };
  document_type?: DocumentType;
  newOwner?: NewOwner | undefined;
}

/** `known` is true if the owner already had a document with this file. */
type Uploaded = Readonly<{ doc_id: string; known: boolean }>;

export type PreparedUpload = Awaited<ReturnType<typeof prepareUpload>>;

export async function prepareUpload(services: Pick<Services, 'db' | 'config' | 'keys' | 'newId'>, upload: Upload) {
  const { user_id: owner_id, file } = upload;
  const mediaType = await mediaTypeOf(file.bytes);
  // The fingerprint includes the owner, so the database does not reveal that two people have the same file.
  const fingerprint = services.keys.blindIndex('document', JSON.stringify([owner_id, file.sha256]));
  const known = await services.db.maybe(documentByFingerprint(owner_id, fingerprint));
  if (known) return { mediaType, fingerprint };
  // Storing checks the limits again. This check avoids encrypting a file that would be refused.
  await requireWithinUploadLimits(services.db, services, payerOf(upload));
  return { mediaType, fingerprint, sealed: await sealUpload(services, upload) };
}

type Storing = Pick<Services, 'clock' | 'config' | 'keys' | 'newId' | 'outbox' | 'tracing'>;

export async function uploadPayslip(
  tx: Tx,
  services: Storing,
  upload: Upload,
  { sealed, ...prepared }: PreparedUpload,
): Promise<Uploaded> {
  const known = await tx.maybe(documentByFingerprint(upload.user_id, prepared.fingerprint));
  if (known) {
    // Another request might have bound the owner to a different application and stored the same file.
    await bindOwner(tx, upload.newOwner);
    return { ...known, known: true };
  }
  // Without `sealed`, the file was stored before, but its document has since been erased.
  const fresh = sealed ?? (await sealUpload(services, upload));
  return store(tx, services, upload, { ...fresh, ...prepared });
}

type SealedUpload = Awaited<ReturnType<typeof sealUpload>>;

async function sealUpload(services: Pick<Services, 'keys' | 'newId'>, { user_id: owner_id, file }: Upload) {
  const document = { doc_id: services.newId('doc'), owner_id };
  const secret = randomBytes(32).toString('base64url');
  const [key, original] = await Promise.all([
    sealSecret(services, document, secret),
    sealOriginal(document, secret, file.bytes),
  ]);
  return { doc_id: document.doc_id, key, original };
}

async function store(
  tx: Tx,
  services: Storing,
  upload: Upload,
  { doc_id, key, original, fingerprint, mediaType }: SealedUpload & Omit<PreparedUpload, 'sealed'>,
): Promise<Uploaded> {
  const { principal, user_id: owner_id, file, document_type, newOwner } = upload;
  const at = await services.clock.now(tx);
  await bindOwner(tx, newOwner);
  const payer = payerOf(upload);
  await lockUploads(tx, payer);
  const known = await tx.maybe(documentByFingerprint(owner_id, fingerprint));
  if (known) return { ...known, known: true };
  await requireWithinUploadLimits(tx, services, payer);
  const [size, hint] = [file.bytes.length, document_type ?? null];
  await tx.run(
    insertDocument({
      doc_id,
      owner_id,
      app_id: payer.appId,
      shared_queue: await sharedQueueOf(tx, owner_id),
      fingerprint,
      media_type: mediaType,
      size,
      hint,
      key_sealed: key.sealed,
      key_version: key.keyVersion,
      uploaded_at: at.toISOString(),
    }),
  );
  await tx.run(insertOriginal({ doc_id, sealed: original }));
  const data = { media_type: mediaType, size, hint };
  await audit(tx, services, { subject: doc_id, kind: 'document.uploaded', actor: callerOf(principal), data, at });
  await startReading(tx, services, { doc_id, owner_id });
  return { doc_id, known: false };
}
