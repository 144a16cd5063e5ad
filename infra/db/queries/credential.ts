import { sql } from 'kysely';
import { json } from '../lists.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type NewRow, type Row } from '../tables.ts';

export type CredentialRow = Row<'credentials'>;

export type ListPlace = Pick<CredentialRow, 'list_id' | 'list_index'>;

export const insertCredential = query('credential.insert', (credential: NewRow<'credentials'>) =>
  tables.insertInto('credentials').values({
    ...credential,
    score_breakdown: sql`${json(credential.score_breakdown)}`,
    months: sql`${json(credential.months)}`,
  }),
);

export const credentialById = query('credential.byId', (credentialId: string) =>
  tables.selectFrom('credentials').select(columnsOf('credentials')).where('credential_id', '=', credentialId),
);

/** Updates nothing if the credential is already signed. */
export const signCredential = query(
  'credential.sign',
  (credentialId: string, signed: { issued_at: string; expires_at: string; kid: string; sd_jwt: string }) =>
    tables
      .updateTable('credentials')
      .set(signed)
      .where('credential_id', '=', credentialId)
      .where('issued_at', 'is', null),
);

/** Updates nothing if the credential is unsigned or already revoked. */
export const revokeCredential = query('credential.revoke', (credentialId: string, at: Date) =>
  tables
    .updateTable('credentials')
    .set({ revoked_at: at.toISOString() })
    .where('credential_id', '=', credentialId)
    .where('issued_at', 'is not', null)
    .where('revoked_at', 'is', null),
);

export const keptPdf = query('credential.keptPdf', (credentialId: string, madeFrom: string) =>
  tables
    .selectFrom('credential_pdfs')
    .select('pdf')
    .where('credential_id', '=', credentialId)
    .where('made_from', '=', madeFrom),
);

/** Inserts nothing for a revoked credential, or if `most` PDFs of the owner were kept in the last day. */
export const keepPdf = query(
  'credential.keepPdf',
  ({ credential_id, owner_id, made_from, pdf }: Omit<NewRow<'credential_pdfs'>, 'kept_at'>, most: number) => sql`
    insert into credential_pdfs (credential_id, owner_id, made_from, pdf, kept_at)
    select ${credential_id}, ${owner_id}, ${made_from}, ${pdf}, now()
     where (select count(*) from credential_pdfs
             where owner_id = ${owner_id} and kept_at > now() - interval '1 day') < ${most}
       and exists (select from credentials where credential_id = ${credential_id} and revoked_at is null)
    on conflict (credential_id) do update
       set made_from = excluded.made_from, pdf = excluded.pdf, kept_at = excluded.kept_at`,
);

export const dropPdf = query('credential.dropPdf', (credentialId: string) =>
  tables.deleteFrom('credential_pdfs').where('credential_id', '=', credentialId),
);

export const unsignedSince = query('credential.unsignedSince', (since: Date, most: number) =>
  tables
    .selectFrom('credentials')
    .select(['credential_id', 'owner_id'])
    .where('issued_at', 'is', null)
    .where('created_at', '<', since.toISOString())
    .orderBy('created_at')
    .limit(most),
);

declare const LOCKED: unique symbol;

/** Nobody else takes an index of the list until the transaction ends. Only `lockLatestList` makes this type. */
interface LockedList {
  list_id: number;
  used: number;
  readonly [LOCKED]: true;
}

export const lockLatestList = query('credential.lockLatestList', () =>
  tables
    .selectFrom('credential_status_lists')
    .select(['list_id', 'used'])
    .orderBy('list_id', 'desc')
    .limit(1)
    .forNoKeyUpdate()
    .$castTo<LockedList>(),
);

/** Inserts nothing if a list with this id exists. */
export const insertList = query('credential.insertList', (list_id: number, at: Date) =>
  tables
    .insertInto('credential_status_lists')
    .values({ list_id, created_at: at.toISOString() })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Returns the first wanted index that is free. */
export const freeIndex = query(
  'credential.freeIndex',
  ({ list_id }: LockedList, wanted: readonly number[]) => sql<{ list_index: number }>`
    select wanted.list_index from unnest(${wanted}::int[]) with ordinality as wanted (list_index, ordinal)
     where not exists (select from credentials c where c.list_id = ${list_id} and c.list_index = wanted.list_index)
     order by ordinal limit 1`,
);

export const countUsed = query('credential.countUsed', ({ list_id }: LockedList) =>
  tables
    .updateTable('credential_status_lists')
    .set(({ eb }) => ({ used: eb('used', '+', 1) }))
    .where('list_id', '=', list_id),
);

export const nextVersion = query('credential.nextVersion', (listId: number) =>
  tables
    .updateTable('credential_status_lists')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('list_id', '=', listId),
);

export const listVersion = query('credential.listVersion', (listId: number) =>
  tables.selectFrom('credential_status_lists').select('version').where('list_id', '=', listId),
);

export const revokedOfList = query('credential.revokedOfList', (listId: number) =>
  tables
    .selectFrom('credentials')
    .select('list_index')
    .where('list_id', '=', listId)
    .where('revoked_at', 'is not', null),
);

export const currentKey = query('credential.currentKey', () =>
  tables
    .selectFrom('credential_keys as k')
    .innerJoin('sealed_secrets as s', (join) => join.on(sql<boolean>`s.name = 'credential key ' || k.kid`))
    .select(['k.kid', 's.sealed'])
    .where('k.retired_at', 'is', null),
);

export const currentKid = query('credential.currentKid', () =>
  tables.selectFrom('credential_keys').select('kid').where('retired_at', 'is', null),
);

/** Inserts nothing if another key is current. */
export const insertKey = query(
  'credential.insertKey',
  ({ kid, public_jwk }: Pick<Row<'credential_keys'>, 'kid' | 'public_jwk'>, sealed: string, at: Date) => sql`
    with made as (
      insert into credential_keys (kid, public_jwk, created_at) values (${kid}, ${json(public_jwk)}, ${at})
      on conflict do nothing returning kid)
    insert into sealed_secrets (name, sealed, created_at) select 'credential key ' || kid, ${sealed}, ${at} from made`,
);

export const lockKeys = query(
  'credential.lockKeys',
  () => sql`select pg_advisory_xact_lock(hashtextextended('credential-key', 0))`,
);

/** Deletes the private key too. */
export const retireKey = query(
  'credential.retireKey',
  (at: Date) => sql<{ kid: string }>`
    with retired as (
      update credential_keys set retired_at = ${at} where retired_at is null returning kid
    ), dropped as (
      delete from sealed_secrets where name in (select 'credential key ' || kid from retired))
    select kid from retired`,
);

export const keyByKid = query('credential.keyByKid', (kid: string) =>
  tables.selectFrom('credential_keys').select('public_jwk').where('kid', '=', kid),
);

/** The current key, keys retired since `signedListsSince`, and keys of unexpired credentials. */
export const keysInUse = query('credential.keysInUse', (at: Date, signedListsSince: Date) =>
  tables
    .selectFrom('credential_keys as k')
    .select(['k.kid', 'k.public_jwk', 'k.created_at', 'k.retired_at'])
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('k.retired_at', 'is', null),
        eb('k.retired_at', '>', signedListsSince.toISOString()),
        exists(
          selectFrom('credentials as c')
            .select('c.kid')
            .whereRef('c.kid', '=', 'k.kid')
            .where('c.expires_at', '>', at.toISOString()),
        ),
      ]),
    )
    .orderBy('k.created_at', 'desc')
    .orderBy('k.kid'),
);

export const allKeys = query('credential.allKeys', (at: Date) =>
  tables
    .selectFrom('credential_keys as k')
    .select([
      'k.kid',
      'k.created_at',
      'k.retired_at',
      sql<number>`(select count(*) from credentials c where c.kid = k.kid and c.expires_at > ${at})`.as(
        'unexpired_credentials',
      ),
    ])
    .orderBy('k.created_at', 'desc')
    .orderBy('k.kid'),
);
