import type { PayeeAccount } from '../../domain/bank/payments.ts';
import { endedAs, isEnded, mayBecome, requireNotEnded } from '../../domain/bank/connections.ts';
import { DomainError } from '../../domain/errors.ts';
import { SEAL_USES, type AuditKind } from '../../domain/frozen-strings.ts';
import type { Finished } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/bank.ts';
import type { ConnectionRow, ConsentRow } from '../../infra/db/queries/bank.ts';
import { insertDueOf } from '../../infra/db/queries/outbox.ts';
import { addOwnNumbers } from '../../infra/db/queries/own-accounts.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { enqueue } from '../outbox.ts';
import { accountNumberHash } from './identities.ts';

export type RecordServices = Pick<Services, 'clock' | 'newId' | 'outbox' | 'tracing'>;

const LOCKED = Symbol('locked');

/** A connection that `tx` has locked. Nobody else can change it until `tx` ends. */
export type LockedConnection = ConnectionRow & { readonly tx: Tx; readonly [LOCKED]: true };

const lockedBy = (tx: Tx, row: ConnectionRow): LockedConnection => ({ ...row, tx, [LOCKED]: true });

/** @throws DomainError `not-found`. */
export async function lockConnection(tx: Tx, connectionId: string): Promise<LockedConnection> {
  return lockedBy(tx, requireConnection(await tx.maybe(queries.lockConnection(connectionId))));
}

export function requireConnection(row: ConnectionRow | undefined): ConnectionRow {
  if (row) return row;
  throw new DomainError('not-found', 'There is no connection with this id.');
}

type Changed = Parameters<typeof queries.changeConnection>[1];

interface Change extends Changed {
  event: AuditKind;
  actor: string;
  data?: Readonly<Record<string, string>>;
}

/** Returns the connection as it is now, still locked. */
export async function changeConnection(
  connection: LockedConnection,
  services: RecordServices,
  { event, actor, data = {}, ...changed }: Change,
): Promise<LockedConnection> {
  const { tx, connection_id: subject, kind } = connection;
  await tx.run(queries.changeConnection(subject, changed));
  const at = await services.clock.now(tx);
  await audit(tx, services, { subject, kind: event, actor, data: { kind, ...data }, at });
  const { authorise_until: until } = changed;
  const offered = until === undefined ? connection.offered : until !== null;
  return { ...connection, ...changed, offered, overdue: false, version: connection.version + 1 };
}

type Authorised = Extract<Finished, { kind: 'authorised' }>;

/** What a bank granted, with its secrets sealed. */
export interface SealedGrant extends Pick<Authorised, 'consentRef' | 'validUntil' | 'reconfirmBy' | 'limits'> {
  secretSealed: string;
  payingAccountSealed: string | null;
  /** The payee as the bank's consent names it. Null for a connection that reads. */
  payeeSealed: string | null;
  payingNumberHash: string | null;
}

const secretContext = ({ bank_id, consent_ref }: Pick<ConsentRow, 'bank_id' | 'consent_ref'>) => ({
  use: SEAL_USES.bankSecret,
  bank_id,
  consent_ref,
});

export async function sealSecret(
  { keys }: Pick<Services, 'keys'>,
  consent: Pick<ConsentRow, 'bank_id' | 'consent_ref'>,
  secret: string,
): Promise<string> {
  return (await keys.seal(secret, secretContext(consent))).sealed;
}

export function openSecret(
  { keys }: Pick<Services, 'keys'>,
  consent: Pick<ConsentRow, 'bank_id' | 'consent_ref'>,
  sealed: string,
): Promise<string> {
  return keys.open(sealed, secretContext(consent));
}

const accountContext = (connection_id: string) => ({ use: SEAL_USES.bankAccount, connection_id });

/** Before the transaction that stores the grant, because the key service may be slow. */
export async function sealGrant(
  services: Pick<Services, 'keys'>,
  { connection_id, bank_id }: Pick<ConnectionRow, 'connection_id' | 'bank_id'>,
  { consentRef, secret, validUntil, reconfirmBy, limits, payingAccount, payee }: Authorised,
): Promise<SealedGrant> {
  const account = payingAccount && JSON.stringify(payingAccount);
  const named = payee && JSON.stringify(payee);
  return {
    ...{ consentRef, validUntil, reconfirmBy, limits },
    secretSealed: await sealSecret(services, { bank_id, consent_ref: consentRef }, secret),
    payingAccountSealed: account && (await services.keys.seal(account, accountContext(connection_id))).sealed,
    payeeSealed: named && (await services.keys.seal(named, payeeContext(connection_id))).sealed,
    payingNumberHash: payingAccount && accountNumberHash(services, payingAccount),
  };
}

const payeeContext = (connection_id: string) => ({ use: SEAL_USES.bankPayee, connection_id });

/** The payee as the bank's consent names it, which may have another name here by now. */
export async function openAgreedPayee(
  { keys }: Pick<Services, 'keys'>,
  { connection_id, payee_sealed }: { connection_id: string; payee_sealed: string },
): Promise<PayeeAccount> {
  return JSON.parse(await keys.open(payee_sealed, payeeContext(connection_id))) as PayeeAccount;
}

export async function openPayingAccount(
  { keys }: Pick<Services, 'keys'>,
  { connection_id, paying_account_sealed }: Pick<ConnectionRow, 'connection_id' | 'paying_account_sealed'>,
): Promise<Authorised['payingAccount']> {
  if (paying_account_sealed === null) return null;
  return JSON.parse(
    await keys.open(paying_account_sealed, accountContext(connection_id)),
  ) as Authorised['payingAccount'];
}

/**
 * Stores what the bank granted. A consent that it replaces ends at the bank.
 * @param given.startsOn the first day of the consent, in London.
 * @throws DomainError `bank-consent-ended` if the connection, or this consent, ended meanwhile.
 */
export async function authoriseConnection(
  connection: LockedConnection,
  services: RecordServices,
  { grant, startsOn, actor }: { grant: SealedGrant; startsOn: string; actor: string },
): Promise<LockedConnection> {
  const { tx, kind, owner_id, bank_id } = connection;
  requireNotEnded(connection.status);
  const { consentRef: consent_ref, secretSealed: secret_sealed } = grant;
  const consent = { consent_id: services.newId('cons'), owner_id, bank_id, consent_ref, kind, secret_sealed };
  const kept = await tx.maybe(queries.keepConsent(consent));
  if (!kept) throw new DomainError('bank-consent-ended', 'This consent has ended. Start again.');
  const { consent_id: before } = connection;
  if (before !== null && before !== kept.consent_id) {
    await tx.run(queries.requestConsentEnd(before));
    await startConsentEnd(tx, services, { consent_id: before, owner_id });
  }
  if (grant.payingNumberHash !== null) await tx.run(addOwnNumbers(owner_id, [grant.payingNumberHash]));
  const isFirst = connection.status === 'awaiting_authorisation';
  return changeConnection(connection, services, {
    status: 'authorised',
    consent_id: kept.consent_id,
    authorised_at: connection.authorised_at ?? (await services.clock.now(tx)).toISOString(),
    authorise_until: null,
    reconfirm_by: grant.reconfirmBy,
    reminders: 0,
    paying_account_sealed: grant.payingAccountSealed,
    paying_number_hash: grant.payingNumberHash,
    // Another consent can show other accounts, and the bank may call them something else.
    ...(kind === 'accounts' && { valid_until: grant.validUntil, accounts_listed_at: null, read_wait_until: null }),
    ...(isFirst && { starts_on: startsOn, payee_sealed: grant.payeeSealed }),
    ...(isFirst && grant.limits && limitsGranted(grant.limits)),
    event: 'connection.authorised',
    actor,
    data: { consent_id: kept.consent_id },
  });
}

function limitsGranted({ perPayment, perMonth, validUntil }: NonNullable<Authorised['limits']>) {
  return { per_payment: perPayment, per_month: perMonth, valid_until: validUntil };
}

/** The person refused at the bank. A connection that was granted before stays as it is. */
export async function rejectConnection(
  connection: LockedConnection,
  services: RecordServices,
  { actor }: { actor: string },
): Promise<LockedConnection> {
  if (isEnded(connection.status)) return connection;
  const rejected = mayBecome(connection.status, 'rejected') ? ({ status: 'rejected' } as const) : {};
  const change = { ...rejected, authorise_until: null, event: 'connection.rejected', actor } as const;
  return changeConnection(connection, services, change);
}

/** The bank no longer takes our token, but has not ended the consent. */
export async function needReauthorisation(
  connection: LockedConnection,
  services: RecordServices,
  { actor }: { actor: string },
): Promise<LockedConnection> {
  if (!mayBecome(connection.status, 'reauthorisation_needed')) return connection;
  const status = 'reauthorisation_needed';
  return changeConnection(connection, services, { status, event: 'connection.reauthorisation-needed', actor });
}

/** The bank, asked, takes our token again. */
export async function resumeAuthorisation(
  connection: LockedConnection,
  services: RecordServices,
  { actor }: { actor: string },
): Promise<LockedConnection> {
  const { status, consent_id } = connection;
  if (status !== 'reauthorisation_needed' || consent_id === null) return connection;
  const change = { status: 'authorised', event: 'connection.authorised', actor, data: { consent_id } } as const;
  return changeConnection(connection, services, change);
}

interface Ending {
  as?: 'revoked' | 'expired';
  reason: string;
  actor: string;
  /** Whether a workflow ends the consent at the bank, as by default, or the caller does so after the commit. */
  byWorkflow?: boolean;
}

/**
 * Ends a connection here at once, and its consent at the bank afterwards. Payments that wait for their day fail. Changes nothing if
 * it has ended.
 */
export async function endConnection(
  connection: LockedConnection,
  services: RecordServices,
  { as, reason, actor, byWorkflow = true }: Ending,
): Promise<LockedConnection> {
  const { tx, consent_id, owner_id, overdue } = connection;
  if (isEnded(connection.status) && !overdue) return connection;
  const status = overdue ? 'expired' : (as ?? endedAs(connection.status));
  if (consent_id !== null) {
    await tx.run(queries.requestConsentEnd(consent_id));
    if (byWorkflow) await startConsentEnd(tx, services, { consent_id, owner_id });
  }
  if (connection.kind === 'payments' && (await tx.run(insertDueOf(connection.connection_id))) > 0)
    tx.afterCommit(() => services.outbox.notify());
  const event = status === 'revoked' ? 'connection.revoked' : 'connection.expired';
  return changeConnection(connection, services, { status, authorise_until: null, event, actor, data: { reason } });
}

/** @returns how many were ended. */
export async function endConnections(
  tx: Tx,
  services: RecordServices,
  { of, ...why }: { of: { ownerId: string } | { providerId: string }; reason: string; actor: string },
): Promise<number> {
  const open = 'ownerId' in of ? queries.openConnectionsOf(of.ownerId) : queries.openConnectionsTo(of.providerId);
  const rows = await tx.many(open);
  for (const row of rows) await endConnection(lockedBy(tx, row), services, why);
  return rows.length;
}

type ToEnd = Pick<ConsentRow, 'consent_id' | 'owner_id'>;

/** Starts the workflow that ends the consent at the bank. */
export async function startConsentEnd(
  tx: Tx,
  services: Pick<Services, 'outbox' | 'tracing'>,
  { consent_id, owner_id }: ToEnd,
): Promise<void> {
  await enqueue(tx, services, 'bank.end', consent_id, services.tracing.carry({ consent_id, owner_id }));
}

/**
 * Ends a consent at the bank that no connection uses, such as that of a failed journey. Does nothing if the service uses
 * the consent, or ends it already.
 * @param consent.secretSealed by `sealSecret`, or null if the bank needs none to end the consent.
 */
export async function endUnusedConsent(
  tx: Tx,
  services: Pick<Services, 'newId' | 'outbox' | 'tracing'>,
  consent: Pick<ConsentRow, 'owner_id' | 'bank_id' | 'consent_ref' | 'kind'> & { secretSealed: string | null },
): Promise<void> {
  const { owner_id, bank_id, consent_ref, kind, secretSealed: secret_sealed } = consent;
  const row = { consent_id: services.newId('cons'), owner_id, bank_id, consent_ref, kind, secret_sealed };
  if ((await tx.run(queries.insertConsentToEnd(row))) > 0) await startConsentEnd(tx, services, row);
}
