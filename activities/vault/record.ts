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

/** Who gets at personal data, and what the audit log says of it beside that. Ids, codes and field names only. */
export interface Access {
  actor: string;
  /** The application whose records may be got at; null for all. */
  app: string | null;
  data: Readonly<Record<string, string | boolean>>;
}

/** The access of a caller: by name whatever its key was rotated to, and by the very key. */
export function accessBy(principal: Principal, data: Access['data'] = {}): Access {
  const key: Access['data'] = principal.kind === 'api_key' ? { key_id: principal.keyId } : {};
  return { actor: callerOf(principal), app: recordsOf(principal), data: { ...key, ...data } };
}

/** What is sealed of a record. */
export interface Content {
  data: PiiData;
  metadata: PiiMetadata | null;
}

/** A record that was found and not erased. */
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

/** The event of an access. Its time is the database's own, and real: who got at what is a matter of security. */
export function eventOf(
  vaultRef: string,
  kind: VaultEventKind,
  { actor, data }: Omit<Access, 'app'>,
): AuditEntry & { kind: string } {
  return { subject: subjectOf(vaultRef), kind, actor, data };
}

/** Whose chain an access is told in: that of the reference where it has the form of one, else the vault's own. */
export function subjectOf(vaultRef: string | undefined): string {
  return vaultRef !== undefined && piiTypeOf(vaultRef) !== undefined ? vaultRef : 'vault';
}

/** Seals what a record is to hold. */
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
  // What is no reference is not looked for: it may be text that the database does not take.
  return requireOpen(piiTypeOf(vaultRef) && (await db.maybe(statements.recordByRef(vaultRef, app))));
}

/**
 * Finds a record that is about to be opened, and puts that on record in the same statement, before anybody sees what is in it; where
 * it does not open after that, that is told as well. Of one that was erased nothing is put on record.
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
  if (sealed === null) throw new DomainError('pii-erased', 'The personal data of this reference was erased.');
  return { ...record, sealed };
}

/** The refusal of a reference that no record has. */
export function noRecord(): DomainError {
  return new DomainError('not-found', 'There is no vault record with this reference.');
}

/** A record's type, which its reference names. */
export function typeOf({ vault_ref }: Pick<VaultRecordRow, 'vault_ref'>): PiiType {
  return piiTypeOf(vault_ref)!;
}

/**
 * Opens a record, afresh each time. One that somebody changed is put on record.
 * @throws DomainError `pii-damaged`, or `dependency-unavailable` while the keys are away.
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
      'The record is not as it was stored, so nothing of it is given. The operator of this service has been told.',
    );
  }
}

/** What a record is bound to: with any of it changed, or moved to another record, it does not open. */
function sealContext({ vault_ref, pii_type, owner_id, created_at }: Omit<VaultRecordRow, 'sealed'>): SealContext {
  return { use: SEAL_USES.vault, vault_ref, pii_type, owner_id, created_at };
}
