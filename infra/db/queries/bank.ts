import { sql } from 'kysely';
import type { ConnectionStatus } from '../../../domain/bank/connections.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type NewRow, type Row } from '../tables.ts';

/**
 * - `status`: at this moment.
 * - `overdue`: the time of the stored status is over, and no worker has stored that yet.
 * - `offered`: the person may go to the bank now.
 */
export type ConnectionRow = Row<'bank_connections'> & { overdue: boolean; offered: boolean };
export type ConsentRow = Row<'bank_consents'>;

const STATUS = sql<ConnectionStatus>`connection_status(status, authorise_until, valid_until)`;

const stored = columnsOf('bank_connections').filter((column) => column !== 'status');
const AT_THIS_MOMENT = [
  STATUS.as('status'),
  sql<boolean>`connection_status(status, authorise_until, valid_until) <> status`.as('overdue'),
  sql<boolean>`coalesce(authorise_until > now(), false)`.as('offered'),
] as const;
const connections = () => tables.selectFrom('bank_connections').select(stored).select(AT_THIS_MOMENT);

const inMinutes = (minutes: number) => sql<string>`now() + make_interval(mins => ${minutes})`;

/** The person may go to the bank for this many minutes. */
export const insertConnection = query(
  'bank.insertConnection',
  (connection: Omit<NewRow<'bank_connections'>, 'seq' | 'status' | 'version' | 'authorise_until'>, minutes: number) =>
    tables
      .insertInto('bank_connections')
      .values({ ...connection, status: 'awaiting_authorisation', authorise_until: inMinutes(minutes) })
      .returning('authorise_until'),
);

export const offerJourney = query('bank.offerJourney', (connectionId: string, minutes: number) =>
  tables
    .updateTable('bank_connections')
    .set({ authorise_until: inMinutes(minutes) })
    .where('connection_id', '=', connectionId)
    .returning('authorise_until'),
);

export const connectionById = query('bank.connectionById', (connectionId: string) =>
  connections().where('connection_id', '=', connectionId),
);

export const lockConnection = query('bank.lockConnection', (connectionId: string) =>
  connections().where('connection_id', '=', connectionId).forUpdate(),
);

interface ConnectionsWanted {
  owner: string;
  status: ConnectionStatus | undefined;
  before: number;
  most: number;
}

export const connectionsOf = query('bank.connectionsOf', ({ owner, status, before, most }: ConnectionsWanted) =>
  connections()
    .where('owner_id', '=', owner)
    .$if(status !== undefined, (found) => found.where(STATUS, '=', status!))
    .where('seq', '<', before)
    .orderBy('seq', 'desc')
    .limit(most),
);

type Changed = Partial<
  Omit<ConnectionRow, 'connection_id' | 'seq' | 'owner_id' | 'bank_id' | 'kind' | 'version' | 'overdue' | 'offered'>
>;

export const changeConnection = query('bank.changeConnection', (connectionId: string, changed: Changed) =>
  tables.updateTable('bank_connections').set(changed).where('connection_id', '=', connectionId),
);

const OPEN = sql<boolean>`status in ('awaiting_authorisation', 'authorised', 'reauthorisation_needed')`;

/** Those that have not ended, in the order in which every transaction locks them. */
export const openConnectionsOf = query('bank.openConnectionsOf', (ownerId: string) =>
  connections().where('owner_id', '=', ownerId).where(OPEN).orderBy('seq').forUpdate(),
);

export const openConnectionsTo = query('bank.openConnectionsTo', (providerId: string) =>
  connections().where('provider_id', '=', providerId).where(OPEN).orderBy('seq').forUpdate(),
);

/** Those whose time is over, but whose row does not say so yet. */
export const overdueConnections = query(
  'bank.overdueConnections',
  (most: number) => sql<{ connection_id: string }>`
    (select connection_id from bank_connections
      where status = 'awaiting_authorisation' and authorise_until <= now() limit ${most})
    union all
    (select connection_id from bank_connections
      where status in ('authorised', 'reauthorisation_needed') and valid_until is not null
        and valid_until < business_today() limit ${most})`,
);

/** Those that are read until `by` or earlier, and whose person has had fewer than two emails about it. */
export const connectionsToRemind = query(
  'bank.connectionsToRemind',
  ({ by, most }: { by: string; most: number }) => sql<Pick<ConnectionRow, 'connection_id'>>`
    select connection_id from bank_connections
     where status = 'authorised' and reconfirm_by is not null and reminders < 2
       and reconfirm_by between business_today() and ${by}::date
       and reminders < case when reconfirm_by <= business_today() + 3 then 2 else 1 end
     order by reconfirm_by limit ${most}`,
);

/** Whether the address is a redirect URI of a client of this application, or of this client's application. */
export const isRedirectUri = query(
  'bank.isRedirectUri',
  ({ url, ...caller }: { url: string } & ({ app_id: string } | { client_id: string })) =>
    tables
      .selectFrom('oauth_clients')
      .select('client_id')
      .where('removed_at', 'is', null)
      .where(sql<boolean>`${url} = any(redirect_uris)`)
      .where('app_id', '=', ({ selectFrom, val }) =>
        'app_id' in caller
          ? val(caller.app_id)
          : selectFrom('oauth_clients').select('app_id').where('client_id', '=', caller.client_id),
      )
      .limit(1),
);

type NewConsent = Pick<ConsentRow, 'consent_id' | 'owner_id' | 'bank_id' | 'consent_ref' | 'kind' | 'secret_sealed'>;

const consents = () => tables.selectFrom('bank_consents').select(columnsOf('bank_consents'));

const insertion = (consent: NewConsent) =>
  tables
    .insertInto('bank_consents')
    .values({ ...consent, created_at: sql<string>`now()`, looked_at: sql<string>`now()` });

/** A new secret of a known consent takes the place of the old one. Returns no row if the consent is to end. */
export const keepConsent = query('bank.keepConsent', (consent: NewConsent) =>
  insertion(consent)
    .onConflict((conflict) =>
      conflict
        .columns(['bank_id', 'consent_ref'])
        .doUpdateSet(({ ref }) => ({
          ...{ secret_sealed: ref('excluded.secret_sealed'), looked_at: ref('excluded.looked_at') },
          ...{ lease_id: null, lease_until: null },
        }))
        .where('bank_consents.end_requested_at', 'is', null)
        .whereRef('bank_consents.owner_id', '=', 'excluded.owner_id'),
    )
    .returning('consent_id'),
);

/** Inserts nothing if the service has used the consent, or is to end it already. */
export const insertConsentToEnd = query('bank.insertConsentToEnd', (consent: NewConsent) =>
  tables
    .insertInto('bank_consents')
    .values({ ...consent, created_at: sql<string>`now()`, end_requested_at: sql<string>`now()` })
    .onConflict((conflict) => conflict.columns(['bank_id', 'consent_ref']).doNothing()),
);

/** Changes nothing if that was requested before. */
export const requestConsentEnd = query('bank.requestConsentEnd', (consentId: string) =>
  tables
    .updateTable('bank_consents')
    .set({ end_requested_at: sql<string>`now()` })
    .where('consent_id', '=', consentId)
    .where('end_requested_at', 'is', null),
);

export const consentById = query('bank.consentById', (consentId: string) =>
  consents().where('consent_id', '=', consentId),
);

export const consentEnded = query('bank.consentEnded', (consentId: string) =>
  tables
    .updateTable('bank_consents')
    .set({ ended_at: sql<string>`now()`, secret_sealed: null, lease_id: null, lease_until: null })
    .where('consent_id', '=', consentId)
    .where('ended_at', 'is', null),
);

export const consentsToEnd = query('bank.consentsToEnd', (silentForS: number, most: number) =>
  tables
    .selectFrom('bank_consents')
    .select(['consent_id', 'owner_id'])
    .where('ended_at', 'is', null)
    .where('end_requested_at', '<', sql<string>`now() - make_interval(secs => ${silentForS})`)
    .orderBy('end_requested_at')
    .limit(most),
);

/** Returns no row while another process has the lease. */
export const takeLease = query('bank.takeLease', (consentId: string, leaseId: string, seconds: number) =>
  tables
    .updateTable('bank_consents')
    .set({ lease_id: leaseId, lease_until: sql<string>`now() + make_interval(secs => ${seconds})` })
    .where('consent_id', '=', consentId)
    .where(({ or, eb }) => or([eb('lease_until', 'is', null), eb('lease_until', '<=', sql<string>`now()`)]))
    .returning('secret_sealed'),
);

export const releaseLease = query('bank.releaseLease', (consentId: string, leaseId: string) =>
  tables
    .updateTable('bank_consents')
    .set({ lease_id: null, lease_until: null })
    .where('consent_id', '=', consentId)
    .where('lease_id', '=', leaseId),
);

interface Renewed {
  consentId: string;
  leaseId: string;
  /** The secret that was exchanged, as stored. */
  stale: string;
  sealed: string;
}

/** Without the lease, only if the exchanged secret is still there and nobody else is exchanging it. */
export const storeRenewed = query('bank.storeRenewed', ({ consentId, leaseId, stale, sealed }: Renewed) =>
  tables
    .updateTable('bank_consents')
    .set({ secret_sealed: sealed, lease_id: null, lease_until: null })
    .where('consent_id', '=', consentId)
    .where('ended_at', 'is', null)
    .where(({ or, and, eb }) =>
      or([
        eb('lease_id', '=', leaseId),
        and([
          eb('secret_sealed', '=', stale),
          or([eb('lease_until', 'is', null), eb('lease_until', '<=', sql<string>`now()`)]),
        ]),
      ]),
    ),
);
