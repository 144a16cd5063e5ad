import { isDeepStrictEqual } from 'node:util';
import { isEnded, limitsFromForm, type ConnectionStatus } from '../../domain/bank/connections.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';
import { BankError, type BeginOrder, type Begun, type ConfiguredBank } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/bank-journeys.ts';
import { changeConnection, connectionById, type ConnectionRow } from '../../infra/db/queries/bank.ts';
import { payeeById } from '../../infra/db/queries/payees.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf, newBankState } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { enqueue } from '../outbox.ts';
import { payeeAccount } from '../payments/payees.ts';
import type { Session } from '../auth/sessions.ts';
import { requireBank } from './banks.ts';
import { endUnusedConsent, lockConnection, type LockedConnection } from './record.ts';

/** What `begin` ordered and returned, which `finish` needs again. */
export interface Ordered {
  order: BeginOrder;
  secret: string;
}

/** `not-open`: nobody is asked to authorise the connection now. */
export type Continued =
  | { kind: 'sent'; sendTo: string }
  | { kind: 'not-yours' }
  | { kind: 'not-open'; status: ConnectionStatus }
  /** A later Continue of the same person was faster, or the connection ended meanwhile. */
  | { kind: 'overtaken' }
  | { kind: 'bank-away' };

interface Continue {
  connectionId: string;
  session: Session;
  browser: string;
  /** The fields of the page. They count only before the first authorisation of a connection that pays. */
  limits: { per_payment: string; per_month: string; valid_until: string };
}

/**
 * Sends the person to their bank. The journey is stored before the bank is called, and its workflow settles it, so a
 * crash leaves no consent that works.
 * @throws DomainError `invalid-request` that points at the fields of the limits.
 */
export async function beginJourney(services: Services, given: Continue): Promise<Continued> {
  const { connectionId, session, browser } = given;
  const row = await services.db.maybe(connectionById(connectionId));
  if (row?.owner_id !== session.userId) return { kind: 'not-yours' };
  if (!isOpen(row) || !services.banks.find(row.bank_id)) return { kind: 'not-open', status: row.status };
  const limits = mayChangeLimits(row) ? limitsFromForm(given.limits, await services.clock.now(services.db)) : null;
  const state = newBankState();
  const journey = {
    journey_id: services.newId('jrn'),
    state_hash: hashOf(services, state),
    connection_id: connectionId,
    user_id: session.userId,
    browser_hash: hashOf(services, browser),
  };
  const status = await services.db.transaction(async (tx) => {
    const connection = await lockConnection(tx, connectionId);
    if (!isOpen(connection)) return connection.status;
    if (limits !== null && mayChangeLimits(connection) && isOther(limits, connection))
      await tx.run(changeConnection(connectionId, limits));
    await tx.run(queries.insertJourney(journey));
    await enqueue(tx, services, 'bank.journey', journey.journey_id, { journey_id: journey.journey_id });
    await auditJourney(tx, services, { connection, kind: 'connection.journey-begun', journeyId: journey.journey_id });
    return undefined;
  });
  if (status !== undefined) return { kind: 'not-open', status };
  return order(services, { journeyId: journey.journey_id, connectionId, state });
}

type LimitsRow = Pick<ConnectionRow, 'per_payment' | 'per_month' | 'valid_until'>;

/** Limits that stay leave the row as it is, so that callers who wait for its status go on waiting. */
function isOther(limits: LimitsRow, { per_payment, per_month, valid_until }: LimitsRow): boolean {
  return !isDeepStrictEqual(limits, { per_payment, per_month, valid_until });
}

async function order(
  services: Services,
  { journeyId, connectionId, state }: { journeyId: string; connectionId: string; state: string },
): Promise<Continued> {
  const connection = await services.db.one(connectionById(connectionId));
  const bank = requireBank(services, connection.bank_id);
  let begun: Begun;
  let ordered: BeginOrder;
  try {
    ordered = await orderOf(services, { connection, bank, state });
    begun = await bank.port.begin(ordered);
  } catch (error) {
    await failBegun(services, { journeyId, connectionId, reason: error instanceof BankError ? error.kind : 'error' });
    if (!(error instanceof BankError)) throw error;
    services.log.warn({ bank_id: bank.bankId, kind: error.kind }, 'a bank began no journey');
    return { kind: 'bank-away' };
  }
  const sealed = await sealOrdered(services, journeyId, { order: ordered, secret: begun.secret });
  const consent_ref = begun.consentRef ?? null;
  const isKept = await services.db.transaction(async (tx) => {
    const locked = await lockConnection(tx, connectionId);
    if (isEnded(locked.status)) {
      await failJourney(tx, services, { connection: locked, journeyId, reason: 'connection-ended' });
    }
    for (const { journey_id } of await tx.many(queries.lockEarlierJourneys({ connectionId, journeyId }))) {
      await failJourney(tx, services, { connection: locked, journeyId: journey_id, reason: 'superseded' });
    }
    if ((await tx.run(queries.storeOrder(journeyId, { consent_ref, sealed }))) > 0) return true;
    // This journey may be settled already, so its consent is not left to that.
    const { owner_id, bank_id, kind } = locked;
    if (consent_ref !== null) {
      await endUnusedConsent(tx, services, { owner_id, bank_id, kind, consent_ref, secretSealed: null });
    }
    return false;
  });
  return isKept ? { kind: 'sent', sendTo: begun.sendTo } : { kind: 'overtaken' };
}

async function failBegun(
  services: Services,
  { connectionId, ...failed }: { journeyId: string; connectionId: string; reason: string },
): Promise<void> {
  await services.db.transaction(async (tx) => {
    await failJourney(tx, services, { connection: await lockConnection(tx, connectionId), ...failed });
  });
}

async function orderOf(
  services: Services,
  { connection, bank, state }: { connection: ConnectionRow; bank: ConfiguredBank; state: string },
): Promise<BeginOrder> {
  const { kind, institution_id: institutionId } = connection;
  const consentRef = bank.port.traits.reauthorise === 'same' ? await consentRefOf(services, connection) : undefined;
  return {
    ...{ kind, institutionId, state },
    redirectUri: bank.redirectUri,
    payments: kind === 'payments' ? await paymentsOf(services, connection) : null,
    ...(consentRef !== undefined && { consentRef }),
  };
}

async function paymentsOf(services: Services, connection: ConnectionRow): Promise<BeginOrder['payments']> {
  const { provider_id, vrp_type, per_payment, per_month, valid_until, starts_on } = connection;
  return {
    payee: await payeeAccount(services, await services.db.one(payeeById(provider_id!))),
    limits: { perPayment: pence(per_payment!), perMonth: pence(per_month!), validUntil: valid_until },
    vrpType: vrp_type!,
    from: starts_on ?? londonDateOf(await services.clock.now(services.db)),
  };
}

async function consentRefOf({ db }: Services, { consent_id }: ConnectionRow): Promise<string | undefined> {
  return consent_id === null ? undefined : (await db.one(queries.consentRefById(consent_id))).consent_ref;
}

/** Before the person has authorised a connection that pays, they may still choose its limits. */
export function mayChangeLimits({ kind, status }: Pick<ConnectionRow, 'kind' | 'status'>): boolean {
  return kind === 'payments' && status === 'awaiting_authorisation';
}

/** Whether the person may go to the bank now, which they are asked to for 30 minutes. */
export function isOpen({ status, offered }: Pick<ConnectionRow, 'status' | 'offered'>): boolean {
  return offered && !isEnded(status);
}

/** Reasons of a person who did not come back from the bank in time. */
const ABANDONED: readonly string[] = ['not-finished', 'superseded', 'connection-ended'];

/** Ends a journey that has no outcome yet, and starts its settlement at once. */
export async function failJourney(
  tx: Tx,
  services: Pick<Services, 'newId' | 'outbox' | 'clock' | 'metrics'>,
  { connection, journeyId, reason }: { connection: LockedConnection; journeyId: string; reason: string },
): Promise<void> {
  if ((await tx.run(queries.endJourney(journeyId, { outcome: 'failed', reason }))) === 0) return;
  const outcome = ABANDONED.includes(reason) ? 'abandoned' : 'failed';
  tx.afterCommit(() => services.metrics.bankJourneys.inc({ outcome }));
  await enqueue(tx, services, 'bank.journey-over', journeyId, { journey_id: journeyId });
  await auditJourney(tx, services, { connection, kind: 'connection.journey-failed', journeyId, reason });
}

interface JourneyEvent {
  connection: LockedConnection;
  kind: 'connection.journey-begun' | 'connection.journey-failed';
  journeyId: string;
  reason?: string;
}

/** `reason` is a code without personal data. */
export async function auditJourney(
  tx: Tx,
  services: Pick<Services, 'newId' | 'clock'>,
  { connection, kind, journeyId: journey_id, reason }: JourneyEvent,
): Promise<void> {
  const data = { kind: connection.kind, journey_id, ...(reason !== undefined && { reason }) };
  const at = await services.clock.now(tx);
  await audit(tx, services, { subject: connection.connection_id, kind, actor: connection.owner_id, data, at });
}

const journeyContext = (journey_id: string) => ({ use: SEAL_USES.bankJourney, journey_id });

export async function sealOrdered(
  { keys }: Pick<Services, 'keys'>,
  journeyId: string,
  ordered: Ordered,
): Promise<string> {
  return (await keys.seal(JSON.stringify(ordered), journeyContext(journeyId))).sealed;
}

export async function openOrdered(
  { keys }: Pick<Services, 'keys'>,
  { journey_id, sealed }: { journey_id: string; sealed: string },
): Promise<Ordered> {
  return JSON.parse(await keys.open(sealed, journeyContext(journey_id))) as Ordered;
}
