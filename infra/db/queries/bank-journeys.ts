import { sql } from 'kysely';
import type { JourneyOutcome } from '../entities/bank-journeys.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

/* All times are the database's own, because a person's way to the bank runs in real time. */

const NOW = sql<string>`now()`;
/** Whether the person can still come back. */
export const TIMED_JOURNEY = sql<boolean>`begun_at > now() - interval '15 minutes'`.as('in_time');
/** A process that redeems an answer at the last moment gets two minutes to store what it got. */
const OVER = sql`interval '17 minutes'`;

export type JourneyRow = Row<'bank_journeys'>;

export const insertJourney = query(
  'bank.insertJourney',
  (
    journey: { connection_id: string; user_id: string } & Pick<
      JourneyRow,
      'journey_id' | 'state_hash' | 'browser_hash'
    >,
  ) => tables.insertInto('bank_journeys').values({ ...journey, begun_at: NOW }),
);

/** Changes nothing in a journey that is over. */
export const storeOrder = query(
  'bank.storeOrder',
  (journeyId: string, ordered: Pick<JourneyRow, 'consent_ref' | 'sealed'>) =>
    tables.updateTable('bank_journeys').set(ordered).where('journey_id', '=', journeyId).where('outcome', 'is', null),
);

/** The connection's earlier journeys that are not over. One whose answer is being redeemed counts too. */
export const lockEarlierJourneys = query(
  'bank.lockEarlierJourneys',
  ({ connectionId, journeyId }: { connectionId: string; journeyId: string }) =>
    tables
      .selectFrom('bank_journeys')
      .select('journey_id')
      .where('connection_id', '=', connectionId)
      .where('outcome', 'is', null)
      .where(
        sql<boolean>`(begun_at, journey_id) < (select n.begun_at, n.journey_id from bank_journeys n
          where n.journey_id = ${journeyId})`,
      )
      .orderBy('journey_id')
      .forUpdate(),
);

/** Counts an answer to the journey with this state. Returns no row for an unknown state, or for a sixth answer. */
export const countAnswer = query('bank.countAnswer', (stateHash: string) =>
  tables
    .updateTable('bank_journeys')
    .set(({ eb }) => ({ answers: eb('answers', '+', 1) }))
    .where('state_hash', '=', stateHash)
    .where('answers', '<', 5)
    .returning('journey_id'),
);

export const insertAnswer = query(
  'bank.insertAnswer',
  (answer: Pick<Row<'bank_answers'>, 'handle_hash' | 'journey_id' | 'sealed'>) =>
    tables.insertInto('bank_answers').values({ ...answer, expires_at: sql<string>`now() + interval '1 minute'` }),
);

/** Deletes the answer, so that its handle works once. */
export const takeAnswer = query('bank.takeAnswer', (handleHash: string) =>
  tables
    .deleteFrom('bank_answers')
    .where('handle_hash', '=', handleHash)
    .returning(['journey_id', 'sealed'])
    .returning(sql<boolean>`expires_at > now()`.as('in_time')),
);

const journeys = () => tables.selectFrom('bank_journeys').select(columnsOf('bank_journeys')).select(TIMED_JOURNEY);

export type TimedJourney = JourneyRow & { in_time: boolean };

export const lockJourney = query('bank.lockJourney', (journeyId: string) =>
  journeys().where('journey_id', '=', journeyId).forUpdate(),
);

export const beginFinishing = query('bank.beginFinishing', (journeyId: string) =>
  tables.updateTable('bank_journeys').set({ finishing_at: NOW }).where('journey_id', '=', journeyId),
);

export const endJourney = query(
  'bank.endJourney',
  (journeyId: string, ended: { outcome: JourneyOutcome; reason: string | null }) =>
    tables
      .updateTable('bank_journeys')
      .set({ ...ended, over_at: NOW })
      .where('journey_id', '=', journeyId)
      .where('outcome', 'is', null),
);

/** The milliseconds until the journey can be settled: none once it has an outcome. */
export const msUntilOver = query(
  'bank.msUntilOver',
  (journeyId: string) => sql<{ ms: number }>`
    select case when outcome is not null then 0
           else greatest(0, ceil(extract(epoch from begun_at + ${OVER} - now()) * 1000))::int end as ms
      from bank_journeys where journey_id = ${journeyId}`,
);

/** Nobody needs the order and the secret any more. */
export const settleJourney = query('bank.settleJourney', (journeyId: string) =>
  tables
    .updateTable('bank_journeys')
    .set({ settled_at: NOW, sealed: null })
    .where('journey_id', '=', journeyId)
    .where('outcome', 'is not', null)
    .where('settled_at', 'is', null),
);

/** Journeys that should have been settled `silentS` seconds ago, oldest first. */
export const unsettledJourneys = query(
  'bank.unsettledJourneys',
  ({ silentS, most }: { silentS: number; most: number }) => sql<{ journey_id: string }>`
    select journey_id from bank_journeys
     where settled_at is null and connection_id is not null
       and begun_at < now() - ${OVER} - make_interval(secs => ${silentS})
     order by begun_at limit ${most}`,
);

/** The schemes of the addresses to which open journeys return, such as `https`. */
export const returnSchemes = query(
  'bank.returnSchemes',
  () => sql<{ scheme: string }>`
    select distinct split_part(c.return_url, ':', 1) as scheme
      from bank_journeys j join bank_connections c on c.connection_id = j.connection_id
     where j.settled_at is null and j.begun_at > now() - ${OVER} and c.return_url is not null`,
);

export const journeyById = query('bank.journeyById', (journeyId: string) =>
  journeys().where('journey_id', '=', journeyId),
);

/** Lock the connection before its journeys. Returns no row for a journey of the house account. */
export const connectionOfJourney = query('bank.connectionOfJourney', (journeyId: string) =>
  tables
    .selectFrom('bank_journeys')
    .select('connection_id')
    .where('journey_id', '=', journeyId)
    .where('connection_id', 'is not', null)
    .$narrowType<{ connection_id: string }>(),
);

export const consentRefById = query('bank.consentRefById', (consentId: string) =>
  tables.selectFrom('bank_consents').select('consent_ref').where('consent_id', '=', consentId),
);

/** Whether the service uses the consent, used it before, or is about to end it. */
export const isConsentKnown = query(
  'bank.isConsentKnown',
  ({ bank_id, consent_ref }: { bank_id: string; consent_ref: string }) => sql<{ known: boolean }>`
    select exists (select from bank_consents where bank_id = ${bank_id} and consent_ref = ${consent_ref}) as known`,
);
