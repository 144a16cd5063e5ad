import { sql } from 'kysely';
import { relationOf } from '../lists.ts';
import { batchQuery, query, type Numbered } from '../query.ts';
import { tables, type Row, type Table } from '../tables.ts';
import type { MacedKey } from './macs.ts';

/** `new`: the id is unused. `reserved`: the id is unused, but prefixes forbid this application to use the id. */
export type Reach = 'within' | 'beyond' | 'new' | 'reserved';

interface Caller {
  /** Null if the caller is not limited to an application. */
  app_id: string | null;
  /** Separated by commas. A person's grant must include one of these scopes, or any scope if the text is empty. */
  scopes: string | null;
}

const CALLER_TYPES = { app_id: 'text', scopes: 'text' } as const;

export const ownerReach = batchQuery(
  'reach.owner',
  (requested: readonly (Caller & { owner_id: string })[]) => sql<Numbered & { reach: Reach }>`
    select ordinal, owner_reach(owner_id, app_id, string_to_array(scopes, ',')) as reach
      from ${relationOf('requested', requested, { owner_id: 'text', ...CALLER_TYPES })}`,
);

/** `reach` is null if the caller is not limited to an application. */
export interface ResourceRow extends Numbered {
  owner_id: string;
  reach: Reach | null;
}

const ofResource = (kind: string, table: Table, id: string) =>
  batchQuery(
    `reach.${kind}`,
    (requested: readonly (Caller & { id: string })[]) => sql<ResourceRow>`
      select requested.ordinal, r.owner_id, owner_reach(r.owner_id, requested.app_id, string_to_array(requested.scopes, ',')) as reach
        from ${relationOf('requested', requested, { id: 'text', ...CALLER_TYPES })} join ${sql.table(table)} r on r.${sql.ref(id)} = requested.id`,
  );

export const resourceReach = {
  calculation: ofResource('calculation', 'calculations', 'calculation_id'),
  vault: ofResource('vault', 'vaults', 'vault_id'),
  allocation: ofResource('allocation', 'allocations', 'allocation_id'),
  payment: ofResource('payment', 'payments', 'payment_id'),
  plan: ofResource('plan', 'debt_plans', 'plan_id'),
  credential: ofResource('credential', 'credentials', 'credential_id'),
  connection: ofResource('connection', 'bank_connections', 'connection_id'),
  transaction: ofResource('transaction', 'bank_transactions', 'transaction_id'),
  document: ofResource('document', 'documents', 'doc_id'),
};

/** Binds the owner to the application, unless the owner is already bound to one. Returns the bound application. */
export const bindOwner = query(
  'reach.bind',
  (ownerId: string, appId: string | null) => sql<{ app_id: string | null }>`
    select owner_bind(${ownerId}, ${appId}) as app_id`,
);

/** Whether the caller may pay for the owner now: the person, perhaps through a client, or a key. One of `keys` must be genuine. */
export interface MayPay {
  within: boolean;
  keys: MacedKey[];
}

const mayPay = (owner: string, caller: string, client: string) => sql`
    coalesce(${sql.ref(caller)} = ${sql.ref(owner)} and (${sql.ref(client)} is null or exists (
            select from token_families f
             where f.user_id = ${sql.ref(owner)} and f.client_id = ${sql.ref(client)} and 'write:payments' = any(f.scopes)
               and f.ended_at is null and f.expires_at > now())), false) as within,
    case when ${sql.ref(caller)} = ${sql.ref(owner)}
          then '[]' else coalesce((
            select jsonb_agg(to_jsonb(k)) from api_keys k
             where k.lineage = ${sql.ref(caller)} and k.revoked_at is null and k.disabled_at is null and (k.expires_at is null or k.expires_at > now())
               and ('admin:owners' = any(k.scopes) or owner_reach(${sql.ref(owner)}, k.app_id, '{write:payments}') = 'within')), '[]')
          end as keys`;

/** Whether the caller who ordered the attempt can still act for the owner. */
export const attemptInReach = query(
  'reach.attempt',
  (paymentId: string, attempt: number) => sql<MayPay>`
    select ${mayPay('p.owner_id', 'a.requested_by', 'a.client_id')}
     from payments p join payment_attempts a using (payment_id)
    where p.payment_id = ${paymentId} and a.attempt = ${attempt}`,
);

/** Whether the person, client or key that set the entry of a standing split can still act for the owner. */
export const entryInReach = query(
  'reach.entry',
  (entryId: string) => sql<MayPay>`
    select ${mayPay('e.owner_id', 'e.set_by', 'e.client_id')}
      from standing_entries e where e.entry_id = ${entryId}`,
);

/** Returns no row if the owner was never bound. */
export const ownerApplication = query('owners.application', (ownerId: string) =>
  tables.selectFrom('owner_applications').select(['app_id', 'bound_at']).where('owner_id', '=', ownerId),
);

export const applicationNameOf = query('owners.applicationName', (ownerId: string) =>
  tables
    .selectFrom('owner_applications')
    .innerJoin('applications', 'applications.app_id', 'owner_applications.app_id')
    .select('name')
    .where('owner_id', '=', ownerId),
);

interface OwnerListed {
  owner_id: string;
  app_id: string | null;
  created_at: string;
  safe_to_spend: number;
  in_vaults: number;
  in_flight: number;
}

/** An owner can have a row of `owners`, an application, or both. */
export const listOwners = query(
  'owners.list',
  ({ appId, unassigned, most }: { appId: string | null; unassigned: boolean; most: number }) => sql<OwnerListed>`
    with listed as (
      select owner_id, a.app_id, coalesce(o.created_at, a.bound_at) as created_at
        from owners o full join owner_applications a using (owner_id)
       where (${appId}::text is null or a.app_id = ${appId})
         and (not ${unassigned}::boolean or (a.app_id is null and not starts_with(owner_id, 'usr_')))
       order by created_at desc, owner_id desc limit ${most})
    select l.owner_id, l.app_id, l.created_at, owner_balance(l.owner_id, 'safe_to_spend') as safe_to_spend,
           coalesce((select sum(v.balance) from ledger_accounts v where v.owner_id = l.owner_id and v.kind = 'vault'), 0)::bigint
             as in_vaults,
           owner_balance(l.owner_id, 'in_flight') as in_flight
      from listed l order by l.created_at desc, l.owner_id desc`,
);

export const assignOwner = query('owners.assign', (assignment: Row<'owner_applications'>) =>
  tables
    .insertInto('owner_applications')
    .values(assignment)
    .onConflict((conflict) =>
      conflict
        .column('owner_id')
        .doUpdateSet(({ ref }) => ({ app_id: ref('excluded.app_id'), bound_at: ref('excluded.bound_at') })),
    ),
);
