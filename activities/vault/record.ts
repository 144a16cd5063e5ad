import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { piiTypeOf, type PiiData, type PiiMetadata, type PiiType } from '../../domain/vault.ts';
import * as statements from '../../infra/db/statements/vault.ts';
import type { VaultRecordRow } from '../../infra/db/statements/vault.ts';
import { SealBrokenError, type SealContext } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';
import { audit, auditLine, type AuditEntry } from '../audit.ts';
import { recordsOf } from '../reach.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

export type VaultServices = Pick<Services, 'db' | 'keys' | 'clock' | 'newId' | 'log'>;

/** Who uses personal data, and further data of the audit event: only ids, codes and field names. */
export interface Access {
  actor: string;
  /** The application whose records may be used; null for all. */
  app: string | null;
  data: Readonly<Record<string, string | boolean>>;
}

/** A caller's access: under a name that survives the key's rotation, and under the key itself. */
export function accessBy(principal: Principal, data: Access['data'] = {}): Access {
  const key: Access['data'] = principal.kind === 'api_key' ? { key_id: principal.keyId } : {};
  return { actor: callerOf(principal), app: recordsOf(principal), data: { ...key, ...data } };
}

/** The sealed part of a record. */
export interface Content {
  data: PiiData;
  metadata: PiiMetadata | null;
}

/** A record that exists and is not erased. */
export type OpenRecord = VaultRecordRow & { sealed: string };

export type VaultEventKind =
  | 'vault.stored'
  | 'vault.retrieved'
  | 'vault.verified'
  | 'vault.masked'
  | 'vault.erased'
  | 'vault.opened'
  | 'vault.refused'
  | 'vault.tampering-detected';

/**
 * The audit event of an access. Its time is the database's own, real time: access to personal data is a matter of
 * security.
 */
export function eventOf(
  vaultRef: string,
  kind: VaultEventKind,
  { actor, data }: Omit<Access, 'app'>,
): AuditEntry & { kind: string } {
  return { subject: subjectOf(vaultRef), kind, actor, data };
}

/** The audit subject of an access: the reference if it has a valid form, else the vault itself. */
export function subjectOf(vaultRef: string | undefined): string {
  return vaultRef !== undefined && piiTypeOf(vaultRef) !== undefined ? vaultRef : 'vault';
}

/** Seals a record's content. */
export async function sealContent(
  { keys }: Pick<Services, 'keys'>,
  record: Omit<VaultRecordRow, 'sealed'>,
  content: Content,
) {
  return keys.seal(JSON.stringify(content), sealContext(record));
}

/** @throws DomainError `not-found` or `pii-erased`. */
export async function findRecord(
  { db }: Pick<Services, 'db'>,
  vaultRef: string,
  { app }: Pick<Access, 'app'>,
): Promise<OpenRecord> {
  // Do not look up a malformed reference: the database may not accept the text.
  return requireOpen(piiTypeOf(vaultRef) && (await db.maybe(statements.recordByRef(vaultRef, app))));
}

/**
 * Finds a record that is about to be opened, and audits the access in the same statement, before anybody sees the
 * content. If it then does not open, that is audited as well. Nothing is audited for an erased record.
 * @throws DomainError `not-found` or `pii-erased`.
 */
export async function recordToOpen(
  { db, newId }: Pick<Services, 'db' | 'newId'>,
  vaultRef: string,
  kind: VaultEventKind,
  { actor, app, data }: Access,
): Promise<OpenRecord> {
  if (piiTypeOf(vaultRef) === undefined) throw noRecord();
  const event = auditLine({ newId }, eventOf(vaultRef, kind, { actor, data }));
  return requireOpen(await db.load(statements.recordsToOpen({ vault_ref: vaultRef, app_id: app, ...event })));
}

/** @throws DomainError `not-found` or `pii-erased`. */
export function requireOpen(record: VaultRecordRow | undefined): OpenRecord {
  if (!record) throw noRecord();
  const { sealed } = record;
  if (sealed === null) throw new DomainError('pii-erased', 'The personal data with this reference was erased.');
  return { ...record, sealed };
}

/** The refusal of a reference that no record has. */
export function noRecord(): DomainError {
  return new DomainError('not-found', 'There is no vault record with this reference.');
}

/** A record's type, which is part of its reference. */
export function typeOf({ vault_ref }: Pick<VaultRecordRow, 'vault_ref'>): PiiType {
  return piiTypeOf(vault_ref)!;
}

/**
 * Opens a record, decrypted afresh each time. Tampering is audited.
 * @throws DomainError `pii-damaged`, or `dependency-unavailable` while the keys cannot be reached.
 */
export async function openContent(services: VaultServices, record: OpenRecord, access: Access): Promise<Content> {
  try {
    return JSON.parse(await services.keys.open(record.sealed, sealContext(record))) as Content;
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    services.log.error({ vault_ref: record.vault_ref }, 'a vault record was tampered with');
    await audit(services, eventOf(record.vault_ref, 'vault.tampering-detected', access));
    throw new DomainError(
      'pii-damaged',
      'The stored record was changed outside the service, so the service does not return it. The operator was informed.',
    );
  }
}

/**
 * The context of a record's seal. If any of it changes, or the content is moved to another record, it does not open.
 */
function sealContext({ vault_ref, pii_type, owner_id, created_at }: Omit<VaultRecordRow, 'sealed'>): SealContext {
  return { use: SEAL_USES.vault, vault_ref, pii_type, owner_id, created_at };
}
