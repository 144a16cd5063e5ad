import { isEnded } from '../../domain/bank/connections.ts';
import { withParameters } from '../../domain/authorize.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { BankError, type BeginOrder, type Finished, type Present } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/bank-journeys.ts';
import { connectionById, type ConnectionRow } from '../../infra/db/queries/bank.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { openAnswer, takeKept } from './answers.ts';
import { enqueue } from '../outbox.ts';
import { auditJourney, failJourney, openOrdered } from './journeys.ts';
import {
  authoriseConnection,
  endUnusedConsent,
  lockConnection,
  rejectConnection,
  sealGrant,
  type LockedConnection,
  type SealedGrant,
} from './record.ts';
import { requestSync, sealPresent } from './request-sync.ts';
import { checkAccounts, type Checked } from './same-accounts.ts';
import type { Session } from '../auth/sessions.ts';

/** `connectionId` is set if the person of this browser owns the connection, and may start again. `location`: of the application. */
export type FinishedJourney =
  | { kind: 'authorised' | 'refused'; row: ConnectionRow; location: string | undefined }
  | { kind: 'failed'; why: FailureKind; connectionId: string | undefined };

/** What the page says. The audit log has the exact reason. */
export type FailureKind =
  'used' | 'too-late' | 'elsewhere' | 'bank-away' | 'not-confirmed' | 'over' | 'no-account-in-common';

interface Finishing {
  handle: string;
  session: Session | undefined;
  browser: string;
  /** What the bank is told about the person, if they signed in a moment ago. */
  present?: Present | null;
}

interface Held {
  connectionId: string;
  bankId: string;
  journeyId: string;
  sealedOrder: string;
  sealedAnswer: string;
}

/** Redeems what the bank answered, if this browser and this person pressed Continue. A second call redeems nothing. */
export async function finishJourney(services: Services, given: Finishing): Promise<FinishedJourney> {
  const held = await services.db.transaction((tx) => holdJourney(tx, services, given));
  if (held.kind === 'failed') return held;
  const { connectionId } = held;
  const connection = await services.db.one(connectionById(connectionId));
  const { order, finished } = await redeem(services, held, given.handle);
  const { present = null } = given;
  const checked =
    finished.kind === 'authorised'
      ? await checkAccounts(services, { connection, grant: finished, present })
      : undefined;
  const grant = checked && (await sealGrant(services, connection, checked.grant));
  const presentSealed = present && (await sealPresent(services, connection, present));
  const startsOn = order.payments?.from ?? londonDateOf(await services.clock.now(services.db));
  const done = { ...held, finished, grant, refusal: checked?.refusal, startsOn, presentSealed };
  try {
    return await services.db.transaction(async (tx) =>
      store(tx, services, await lockConnection(tx, connectionId), done),
    );
  } catch (error) {
    // The consent itself is to end, so nothing of the transaction may stay.
    if (!(error instanceof DomainError) || error.code !== 'bank-consent-ended') throw error;
    return services.db.transaction(async (tx) =>
      fail(tx, services, await lockConnection(tx, connectionId), { ...done, why: 'over', reason: 'consent-ended' }),
    );
  }
}

async function redeem(
  services: Services,
  held: Held,
  handle: string,
): Promise<{ order: BeginOrder; finished: Finished }> {
  const { journeyId, bankId } = held;
  const { order, secret } = await openOrdered(services, { journey_id: journeyId, sealed: held.sealedOrder });
  const answer = await openAnswer(handle, held.sealedAnswer);
  try {
    const bank = services.banks.find(bankId);
    if (!bank) throw new BankError('configuration', 'BANKS_FILE no longer has this bank.');
    return { order, finished: await bank.port.finish({ order, answer, secret }) };
  } catch (error) {
    if (!(error instanceof BankError)) throw error;
    services.log.warn({ bank_id: bankId, kind: error.kind }, 'a journey could not be finished');
    return { order, finished: { kind: 'failed', reason: `${AWAY}${error.kind}` } };
  }
}

const AWAY = 'bank-';

interface Done extends Held {
  finished: Finished;
  grant: SealedGrant | undefined;
  refusal: Checked['refusal'];
  startsOn: string;
  presentSealed: string | null;
}

/** @throws DomainError `bank-consent-ended`. */
async function store(tx: Tx, services: Services, connection: LockedConnection, done: Done): Promise<FinishedJourney> {
  const { journeyId, finished, grant, refusal, startsOn, presentSealed } = done;
  const { outcome } = await tx.one(queries.lockJourney(journeyId));
  if (outcome !== null) return fail(tx, services, connection, { ...done, why: 'too-late', reason: 'over' });
  if (finished.kind === 'failed' || refusal !== undefined) {
    const reason = finished.kind === 'failed' ? finished.reason : refusal!;
    return fail(tx, services, connection, { ...done, why: whyOf(reason), reason });
  }
  if (isEnded(connection.status)) {
    return fail(tx, services, connection, { ...done, why: 'over', reason: 'connection-ended' });
  }
  const actor = connection.owner_id;
  const stored = grant
    ? await authoriseConnection(connection, services, { grant, startsOn, actor })
    : await rejectConnection(connection, services, { actor });
  if (grant && stored.kind === 'accounts') {
    const requestedBy = presentSealed === null ? 'request' : 'person';
    await requestSync(stored, services, { requestedBy, presentSealed, actor: null });
  }
  await tx.run(queries.endJourney(journeyId, { outcome: finished.kind, reason: null }));
  tx.afterCommit(() => services.metrics.bankJourneys.inc({ outcome: finished.kind }));
  await enqueue(tx, services, 'bank.journey-over', journeyId, { journey_id: journeyId });
  return { kind: finished.kind, row: stored, location: locationOf(stored) };
}

function whyOf(reason: string): FailureKind {
  if (reason === 'no-account-in-common') return reason;
  return reason.startsWith(AWAY) ? 'bank-away' : 'not-confirmed';
}

async function fail(
  tx: Tx,
  services: Services,
  connection: LockedConnection,
  { journeyId, grant, why, reason }: Done & { why: FailureKind; reason: string },
): Promise<FinishedJourney> {
  const { owner_id, bank_id, kind } = connection;
  await failJourney(tx, services, { connection, journeyId, reason });
  // Such a bank names the consent only now, and ends it only with the token, which the settlement does not have.
  if (grant && services.banks.find(bank_id)?.port.traits.reauthorise === 'new') {
    const { consentRef: consent_ref, secretSealed } = grant;
    await endUnusedConsent(tx, services, { owner_id, bank_id, kind, consent_ref, secretSealed });
  }
  return { kind: 'failed', why, connectionId: isEnded(connection.status) ? undefined : connection.connection_id };
}

type Refusal = { kind: 'failed'; why: FailureKind; connectionId: string | undefined };

/** Commits that this journey's answer is being redeemed, before it is. */
async function holdJourney(
  tx: Tx,
  services: Services,
  { handle, session, browser }: Finishing,
): Promise<(Held & { kind: 'held' }) | Refusal> {
  const kept = await takeKept(tx, services, handle);
  const found = kept && (await tx.maybe(queries.connectionOfJourney(kept.journeyId)));
  if (!kept || !found) return { kind: 'failed', why: 'used', connectionId: undefined };
  const connection = await lockConnection(tx, found.connection_id);
  const journey = await tx.one(queries.lockJourney(kept.journeyId));
  const { journey_id: journeyId } = journey;
  const connectionId = session?.userId === connection.owner_id ? connection.connection_id : undefined;
  const refusal = refusalOf(services, { journey, inTime: kept.inTime, session, browser });
  if (refusal !== undefined) {
    const [reason, why] = refusal;
    if (why === 'used') await auditJourney(tx, services, { connection, kind: FAILED, journeyId, reason });
    else await failJourney(tx, services, { connection, journeyId, reason });
    return { kind: 'failed', why, connectionId };
  }
  await tx.run(queries.beginFinishing(journeyId));
  const { sealed } = journey;
  return {
    kind: 'held',
    connectionId: connection.connection_id,
    bankId: connection.bank_id,
    journeyId,
    sealedOrder: sealed!,
    sealedAnswer: kept.sealed,
  };
}

const FAILED = 'connection.journey-failed';

interface Presented {
  journey: queries.TimedJourney;
  inTime: boolean;
  session: Session | undefined;
  browser: string;
}

function refusalOf(
  services: Pick<Services, 'keys'>,
  { journey, inTime, session, browser }: Presented,
): [reason: string, FailureKind] | undefined {
  if (journey.outcome !== null || journey.finishing_at !== null) return ['answered-before', 'used'];
  if (!inTime) return ['answer-kept-too-long', 'too-late'];
  if (!journey.in_time) return ['journey-too-long', 'too-late'];
  if (journey.sealed === null) return ['not-sent-yet', 'not-confirmed'];
  if (journey.browser_hash !== hashOf(services, browser)) return ['another-browser', 'elsewhere'];
  if (journey.user_id !== session?.userId) return ['another-person', 'elsewhere'];
  return undefined;
}

/** Where the application wants the person back. */
function locationOf({ return_url, connection_id, status }: LockedConnection): string | undefined {
  return return_url === null ? undefined : withParameters(return_url, { connection_id, status });
}
