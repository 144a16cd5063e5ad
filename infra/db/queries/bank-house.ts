import { sql } from 'kysely';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import { TIMED_JOURNEY, type JourneyRow } from './bank-journeys.ts';

/* The operator's own consent at a bank. Links and journeys run in real time. */

const NOW = sql<string>`now()`;

type NewLink = Pick<Row<'bank_house_links'>, 'token_hash' | 'bank_id' | 'made_by'>;

export const insertHouseLink = query('bankHouse.insertLink', (link: NewLink) =>
  tables
    .insertInto('bank_house_links')
    .values({ ...link, expires_at: sql<string>`now() + interval '30 minutes'` })
    .returning('expires_at'),
);

export const liveHouseLink = query('bankHouse.liveLink', (tokenHash: string) =>
  tables
    .selectFrom('bank_house_links')
    .select(['bank_id', 'made_by'])
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', NOW),
);

/** Deletes the link, so that it works once. */
export const takeHouseLink = query('bankHouse.takeLink', (tokenHash: string) =>
  tables
    .deleteFrom('bank_house_links')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', NOW)
    .returning(['bank_id', 'made_by']),
);

export const insertHouseJourney = query(
  'bankHouse.insertJourney',
  (journey: Pick<JourneyRow, 'journey_id' | 'state_hash' | 'house_bank_id' | 'house_by' | 'browser_hash'>) =>
    tables.insertInto('bank_journeys').values({ ...journey, begun_at: NOW }),
);

/** The journey of the house account to which a handle belongs. */
export const houseJourneyOfHandle = query('bankHouse.journeyOfHandle', (handleHash: string) =>
  tables
    .selectFrom('bank_answers as a')
    .innerJoin('bank_journeys as j', 'j.journey_id', 'a.journey_id')
    .select('j.journey_id')
    .where('a.handle_hash', '=', handleHash)
    .where('j.house_bank_id', 'is not', null),
);

export const lockHouseJourney = query('bankHouse.lockJourney', (journeyId: string) =>
  tables
    .selectFrom('bank_journeys')
    .select(columnsOf('bank_journeys'))
    .select(TIMED_JOURNEY)
    .where('journey_id', '=', journeyId)
    .forUpdate(),
);

/** The consent of the house account, if an operator has granted it by a journey. */
export const houseConsent = query(
  'bankHouse.consent',
  ({ bankId, consentRef, owner }: { bankId: string; consentRef: string; owner: string }) =>
    tables
      .selectFrom('bank_consents')
      .select(['consent_id', 'bank_id', 'consent_ref', 'secret_sealed'])
      .where('bank_id', '=', bankId)
      .where('consent_ref', '=', consentRef)
      .where('owner_id', '=', owner),
);
