import type { ConnectionStatus } from '../../domain/bank/connections.ts';
import { BankError, type ConsentState } from '../../infra/bank/interface.ts';
import { consentById, type ConsentRow } from '../../infra/db/queries/bank.ts';
import * as queries from '../../infra/db/queries/bank-reading.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { enqueue } from '../outbox.ts';
import {
  endConnection,
  lockConnection,
  needReauthorisation,
  resumeAuthorisation,
  type LockedConnection,
} from './record.ts';
import { requestSync } from './request-sync.ts';
import { secretHolder } from './secret.ts';

/**
 * Asks the bank for the consent of a connection, and stores what that means.
 * @returns the connection's status afterwards. Null if no connection uses the consent.
 * @throws BankError while the bank is away.
 */
export async function lookAtConsent(
  services: Services,
  { consent_id }: { consent_id: string },
): Promise<ConnectionStatus | null> {
  return settleConsent(services, { consent_id, isOver: false });
}

/** `isOver`: whether the bank has said, to another call, that the consent is over. */
export async function settleConsent(
  services: Services,
  { consent_id, isOver }: { consent_id: string; isOver: boolean },
): Promise<ConnectionStatus | null> {
  const { db } = services;
  const consent = await db.maybe(consentById(consent_id));
  const used = await db.maybe(queries.connectionOfConsent(consent_id));
  if (!consent || !used) return null;
  const state = consent.end_requested_at === null ? await stateOf(services, consent) : 'revoked';
  return db.transaction(async (tx) => {
    const connection = await lockConnection(tx, used.connection_id);
    // Another journey may have brought a new consent meanwhile.
    if (connection.consent_id !== consent_id) return null;
    await tx.run(queries.looked(consent_id, consent.looked_at));
    const isLive = state === 'awaiting' || state === 'authorised' || state === 'reauthorise';
    return (await follow(connection, services, isLive && isOver ? 'revoked' : state)).status;
  });
}

async function stateOf(services: Services, consent: ConsentRow): Promise<ConsentState> {
  const { bank_id, kind, consent_ref: consentRef } = consent;
  const bank = services.banks.find(bank_id);
  if (!bank) throw new BankError('configuration', `the bank ${bank_id} is not configured`);
  try {
    return await bank.port.look({ kind, consentRef, secret: await secretHolder(services, consent), present: null });
  } catch (error) {
    if (error instanceof BankError && error.kind === 'reauthorise') return 'reauthorise';
    if (error instanceof BankError && error.kind === 'ended') return 'revoked';
    throw error;
  }
}

const SERVICE = { actor: 'service' };

async function follow(
  connection: LockedConnection,
  services: Services,
  state: ConsentState,
): Promise<LockedConnection> {
  switch (state) {
    case 'awaiting':
      return connection;
    case 'authorised':
      return resumeAuthorisation(connection, services, SERVICE);
    case 'reauthorise':
      return needReauthorisation(connection, services, SERVICE);
    case 'expired':
      return endConnection(connection, services, { ...SERVICE, as: 'expired', reason: 'expired-at-bank' });
    case 'rejected':
    case 'revoked':
    case 'unknown':
      return endConnection(connection, services, { ...SERVICE, as: 'revoked', reason: 'ended-at-bank' });
  }
}

export async function startLook(
  tx: Tx,
  services: Pick<Services, 'outbox' | 'tracing'>,
  { consent_id, owner_id }: Pick<ConsentRow, 'consent_id' | 'owner_id'>,
): Promise<void> {
  await enqueue(tx, services, 'bank.look', consent_id, services.tracing.carry({ consent_id, owner_id }));
}

interface ConsentNews {
  bank_id: string;
  consent_ref: string;
  what: 'revoked' | 'accounts-changed';
}

/**
 * What a bank reports about a consent is a reason to ask the bank, and proves nothing.
 * @returns false if the service does not know the consent.
 */
export async function recordConsentEvent(
  services: Services,
  { bank_id, consent_ref, what }: ConsentNews,
): Promise<boolean> {
  return services.db.transaction(async (tx) => {
    const consent = await tx.maybe(queries.consentByRef(bank_id, consent_ref));
    if (!consent) return false;
    const used = await tx.maybe(queries.connectionOfConsent(consent.consent_id));
    if (!used || consent.end_requested_at !== null) return true;
    const connection = await lockConnection(tx, used.connection_id);
    if (connection.consent_id !== consent.consent_id) return true;
    await tx.run(queries.lookAgain(consent.consent_id));
    await startLook(tx, services, consent);
    if (what === 'accounts-changed' && connection.kind === 'accounts') await listAgain(connection, services);
    return true;
  });
}

/** The next sync asks the bank for its list of accounts, and begins at once. */
export async function listAgain(connection: LockedConnection, services: Services): Promise<void> {
  await connection.tx.run(queries.listAgain(connection.connection_id));
  const request = { requestedBy: 'request', presentSealed: null, actor: null } as const;
  await requestSync({ ...connection, accounts_listed_at: null }, services, request);
}
