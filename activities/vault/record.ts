import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { piiTypeOf } from '../../domain/vault/fields.ts';
import type { PiiData, PiiMetadata, PiiType } from '../../domain/vault/types.ts';
import { recordsToOpen, recordsToVerify, type VaultRecordRow } from '../../infra/db/queries/vault.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { SealBrokenError, type SealContext } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';
import { audit, auditLine, type AuditEntry } from '../audit.ts';
import { recordsOf } from '../reach.ts';
import { reportTampering, type Scanned } from '../macs.ts';
import type { SlicedScan } from '../verify/part.ts';
import { SEAL_USES, type AuditKind } from '../../domain/frozen-strings.ts';

export type VaultServices = Pick<Services, 'db' | 'keys' | 'clock' | 'newId' | 'log' | 'metrics'>;

/** `data` must not contain personal data. */
export interface Access {
  actor: string;
  /** Null if the caller may use all records. */
  app: string | null;
  data: Readonly<Record<string, string | boolean>>;
}

/** The actor's name stays the same when its key is rotated, so `data` gets the key's id. */
export function accessBy(principal: Principal, data: Access['data'] = {}): Access {
  const key: Access['data'] = principal.kind === 'api_key' ? { key_id: principal.keyId } : {};
  return { actor: callerOf(principal), app: recordsOf(principal), data: { ...key, ...data } };
}

export interface Content {
  data: PiiData;
  metadata: PiiMetadata | null;
}

export type OpenRecord = VaultRecordRow & { sealed: string };

type VaultEventKind = Extract<AuditKind, `vault.${string}`>;

/** Security events use real time instead of business time. */
export function eventOf(vaultRef: string, kind: VaultEventKind, { actor, data }: Omit<Access, 'app'>): AuditEntry {
  return { subject: piiTypeOf(vaultRef) === undefined ? 'vault' : vaultRef, kind, actor, data };
}

/** One statement reads the record and writes the audit event, before anybody sees the content. */
export async function recordToOpen(
  { db, newId }: Pick<Services, 'db' | 'newId'>,
  vaultRef: string,
  kind: VaultEventKind,
  access: Access,
): Promise<OpenRecord> {
  // Malformed references are not looked up, because the database might reject the text.
  if (piiTypeOf(vaultRef) === undefined) throw noRecord();
  const event = auditLine({ newId }, eventOf(vaultRef, kind, access));
  return requireOpen(await db.maybe(recordsToOpen({ vault_ref: vaultRef, app_id: access.app, ...event })));
}

export function requireOpen(record: VaultRecordRow | undefined): OpenRecord {
  if (!record) throw noRecord();
  const { sealed } = record;
  if (sealed === null) throw new DomainError('pii-erased', 'The personal data with this reference was erased.');
  return { ...record, sealed };
}

export function noRecord(): DomainError {
  return new DomainError('not-found', 'There is no vault record with this reference.');
}

export function typeOf({ vault_ref }: Pick<VaultRecordRow, 'vault_ref'>): PiiType {
  return piiTypeOf(vault_ref)!;
}

export async function openContent(services: VaultServices, record: OpenRecord, access: Access): Promise<Content> {
  try {
    return JSON.parse(await services.keys.open(record.sealed, sealContext(record))) as Content;
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    reportTampering(services, RECORD, record.vault_ref);
    await audit(services.db, services, eventOf(record.vault_ref, 'vault.tampering-detected', access));
    throw new DomainError(
      'pii-damaged',
      'The stored record cannot be decrypted. It was changed outside the service, or its master key no longer exists. The audit log has an event vault.tampering-detected.',
    );
  }
}

const RECORD = 'record';

/** Opens the records after `after` that are not erased. Writes no audit event, and gives the content to nobody. */
export async function findRecordTampering(db: Queries, keys: Services['keys'], scan: SlicedScan): Promise<Scanned> {
  const rows = await db.many(recordsToVerify(scan.after ?? '', scan.limit, scan.slice ?? null, scan.since ?? null));
  const faults: Scanned['faults'] = [];
  for (const record of rows) if (!(await isReadable(keys, record))) faults.push({ what: RECORD, id: record.vault_ref });
  return { checked: rows.length, next: rows.length < scan.limit ? null : rows.at(-1)!.vault_ref, faults };
}

async function isReadable(keys: Services['keys'], record: VaultRecordRow): Promise<boolean> {
  if (record.sealed === null) return true;
  try {
    await keys.open(record.sealed, sealContext(record));
    return true;
  } catch (error) {
    if (error instanceof SealBrokenError) return false;
    throw error;
  }
}

/** Binds a ciphertext to its record and application: decryption fails if it is moved to another. */
export function sealContext(record: Omit<VaultRecordRow, 'sealed'>): SealContext {
  const { vault_ref, pii_type, owner_id, created_at, app_id } = record;
  return { use: SEAL_USES.vault, vault_ref, pii_type, owner_id, created_at, app_id: app_id ?? '' };
}
