import { BankError, type Bank, type ConsentState } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/bank-journeys.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { enqueue, type Silent } from '../outbox.ts';
import { failJourney } from './journeys.ts';
import { endUnusedConsent, lockConnection } from './record.ts';

interface JourneyRef {
  journey_id: string;
}

/** States in which a person can still grant the consent, or has granted it. */
const LIVE: readonly ConsentState[] = ['awaiting', 'authorised', 'reauthorise'];

/** The milliseconds until `settleJourney` can do its work. */
export async function msUntilJourneyOver({ db }: Pick<Services, 'db'>, { journey_id }: JourneyRef): Promise<number> {
  return (await db.maybe(queries.msUntilOver(journey_id)))?.ms ?? 0;
}

/**
 * Leaves no live consent behind a journey that is over. Several calls do no more than one.
 * @throws BankError while the bank is away.
 */
export async function settleJourney(services: Services, { journey_id: journeyId }: JourneyRef): Promise<void> {
  const { db } = services;
  if ((await msUntilJourneyOver(services, { journey_id: journeyId })) > 0) return;
  const found = await db.maybe(queries.connectionOfJourney(journeyId));
  if (!found) return;
  const connectionId = found.connection_id;
  // A process was killed, or the person never came back. No token of this journey can be stored from here on.
  await db.transaction(async (tx) => {
    const connection = await lockConnection(tx, connectionId);
    await failJourney(tx, services, { connection, journeyId, reason: 'not-finished' });
  });
  const { consent_ref, settled_at } = await db.one(queries.journeyById(journeyId));
  if (settled_at !== null) return;
  const { bank_id, kind, owner_id } = await db.one(connectionById(connectionId));
  const isLive =
    consent_ref !== null &&
    !(await db.one(queries.isConsentKnown({ bank_id, consent_ref }))).known &&
    LIVE.includes(
      await portOf(services, bank_id).look({
        kind,
        consentRef: consent_ref,
        secret: null,
        present: null,
      }),
    );
  await db.transaction(async (tx) => {
    if (isLive) await endUnusedConsent(tx, services, { owner_id, bank_id, consent_ref, kind, secretSealed: null });
    await tx.run(queries.settleJourney(journeyId));
  });
}

/** Tried again until an operator has put the bank back. */
function portOf({ banks }: Pick<Services, 'banks'>, bankId: string): Bank {
  const bank = banks.find(bankId);
  if (bank) return bank.port;
  throw new BankError('configuration', 'BANKS_FILE no longer has the bank of a journey.');
}

export const bankJourneyActivities = (services: Services) =>
  bind(services, { msUntilJourneyOver, settleJourney, restartUnsettledJourneys });

export type BankJourneyActivities = ReturnType<typeof bankJourneyActivities>;

/** Restarts what a worker or Temporal lost. Returns the number of journeys. */
export async function restartUnsettledJourneys(services: Services, { silent_for_s, limit }: Silent): Promise<number> {
  const found = await services.db.many(queries.unsettledJourneys({ silentS: silent_for_s, most: limit }));
  await services.db.transaction(async (tx) => {
    for (const journey of found) await enqueue(tx, services, 'bank.journey-over', journey.journey_id, journey);
  });
  return found.length;
}
