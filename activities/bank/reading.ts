import {
  MAX_WAIT_MS,
  whyUnreadable,
  type RequestedBy,
  type SyncReason,
  type Unreadable,
} from '../../domain/bank/reading.ts';
import { HOUR_MS, londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { BankError, type ConfiguredBank, type ConsentAccess, type Present } from '../../infra/bank/interface.ts';
import { connectionById, consentById, type ConnectionRow } from '../../infra/db/queries/bank.ts';
import { syncOf, type SyncRow } from '../../infra/db/queries/bank-reading.ts';
import type { Services } from '../../infra/services.ts';
import { reportTampering } from '../macs.ts';
import { settleConsent } from './look.ts';
import { openPresent } from './request-sync.ts';
import { secretHolder } from './secret.ts';

export interface SyncRef {
  connection_id: string;
  sync_id: string;
}

/**
 * The result of one step of a sync.
 * - `failed`: the step is not complete. Others go on.
 * - `stopped`: no other step can succeed now.
 * - `wait`: the bank wants no call for `ms`, which is until `until`.
 */
export type Step =
  | { kind: 'done' }
  | { kind: 'failed' | 'stopped'; reason: SyncReason }
  | { kind: 'wait'; ms: number; until: string }
  | { kind: 'not-final' };

/** Whom to ask for what, in one step of a sync. */
export interface Reading {
  connection: ConnectionRow;
  bank: ConfiguredBank;
  consentId: string;
  access: ConsentAccess;
  requestedBy: RequestedBy;
  today: CalendarDate;
}

const STOPPED: Readonly<Record<Unreadable, SyncReason>> = {
  pays: 'configuration',
  'not-connected': 'reauthorisation-needed',
  'reauthorisation-needed': 'reauthorisation-needed',
  ended: 'consent-ended',
  'reconfirmation-needed': 'reconfirmation-needed',
};

const stopped = (reason: SyncReason) => ({ kind: 'stopped', reason }) as const;

/** Runs `work` if the sync is open and the connection can be read. Turns what the bank says into a step. */
export async function readBank(
  services: Services,
  { connection_id, sync_id }: SyncRef,
  work: (reading: Reading) => Promise<Step>,
): Promise<Step> {
  const { db } = services;
  const [connection, sync] = [await db.maybe(connectionById(connection_id)), await db.maybe(syncOf(connection_id))];
  // A step that Temporal repeats although the sync is over.
  if (!connection || sync?.sync_id !== sync_id) return { kind: 'done' };
  const today = londonDateOf(await services.clock.now(db));
  const why = whyUnreadable(connection, today);
  if (why !== undefined) return stopped(STOPPED[why]);
  const bank = services.banks.find(connection.bank_id);
  if (!bank) return stopped('configuration');
  const consent = await db.one(consentById(connection.consent_id!));
  if (consent.owner_id !== connection.owner_id) {
    reportTampering(services, 'record', connection_id);
    return stopped('configuration');
  }
  const { kind, consent_ref: consentRef, consent_id: consentId } = consent;
  const present = await presentOf(services, sync);
  const requestedBy = sync.requested_by === 'person' && !present ? 'request' : sync.requested_by;
  try {
    const access = { kind, consentRef, secret: await secretHolder(services, consent), present };
    return await work({ connection, bank, consentId, access, requestedBy, today });
  } catch (error) {
    if (!(error instanceof BankError)) throw error;
    return stepAfter(services, { connection, consentId, error });
  }
}

/** Null once the person may have left. */
async function presentOf(services: Services, sync: SyncRow & { lately: boolean }): Promise<Present | null> {
  const { present_sealed, lately } = sync;
  return present_sealed === null || !lately ? null : openPresent(services, sync, present_sealed);
}

interface Failure {
  connection: ConnectionRow;
  consentId: string;
  error: BankError;
}

/** @throws BankError `away`, so that Temporal repeats the step. */
async function stepAfter(services: Services, { connection, consentId, error }: Failure): Promise<Step> {
  const { bank_id, connection_id } = connection;
  services.log.warn({ bank_id, connection_id, kind: error.kind }, 'a bank could not be read');
  switch (error.kind) {
    case 'wait':
      return waitUntil(services, error.until);
    case 'not-final':
      return { kind: 'not-final' };
    case 'configuration':
      return stopped('configuration');
    case 'reauthorise':
    case 'ended': {
      const status = await settleConsent(services, { consent_id: consentId, isOver: error.kind === 'ended' });
      if (status === 'authorised') return { kind: 'failed', reason: 'account-error' };
      return stopped(status === 'reauthorisation_needed' ? 'reauthorisation-needed' : 'consent-ended');
    }
    case 'range':
    case 'account-gone':
      return { kind: 'failed', reason: 'account-error' };
    case 'away':
      throw error;
  }
}

async function waitUntil({ clock, db }: Pick<Services, 'clock' | 'db'>, until: Date | undefined): Promise<Step> {
  const now = (await clock.real(db)).getTime();
  const given = until === undefined ? HOUR_MS : until.getTime() - now;
  const ms = Math.ceil(Math.min(Math.max(given, 1_000), MAX_WAIT_MS));
  return { kind: 'wait', ms, until: new Date(now + ms).toISOString() };
}
