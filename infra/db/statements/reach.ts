import { query } from '../sql.ts';

/** How an owner stands to an application; `reserved`: there is no record of it, and the prefixes of owner ids keep it for others. */
export type Reach = 'within' | 'beyond' | 'new' | 'reserved';

/** Owner, application, the scopes of which a person's grant must have one (empty: any grant). */
export const ownerReach = query<{ reach: Reach }>('reach.owner', 'select owner_reach($1, $2, $3) as reach');

/** Whose something is, and how that owner stands to an application: null where none was named. */
export interface ResourceRow {
  owner_id: string;
  reach: Reach | null;
}

/** Id, application or null, scopes or null as above. */
const ofResource = (kind: string, table: string, id: string) =>
  query<ResourceRow>(
    `reach.${kind}`,
    `select owner_id, owner_reach(owner_id, $2::text, $3::text[]) as reach from ${table} where ${id} = $1`,
  );

export const resourceReach = {
  calculation: ofResource('calculation', 'calculations', 'calculation_id'),
  vault: ofResource('vault', 'vaults', 'vault_id'),
  allocation: ofResource('allocation', 'allocations', 'allocation_id'),
  payment: ofResource('payment', 'payments', 'payment_id'),
  plan: ofResource('plan', 'debt_plans', 'plan_id'),
  credential: ofResource('credential', 'credentials', 'credential_id'),
  document: ofResource('document', 'documents', 'doc_id'),
};

/**
 * Binds an owner to an application, or to none where that is null, and gives whose the owner is then: owner, application. Where
 * somebody else is just binding the owner, it waits for the end of that.
 */
export const bindOwner = query<{ app_id: string | null }>('reach.bind', 'select owner_bind($1, $2) as app_id');

/**
 * Whether whoever asked for an attempt at a payment may still act for its owner: payment, attempt. The first event of the attempt
 * in the audit log says who that was.
 */
export const attemptInReach = query<{ within: boolean }>(
  'reach.attempt',
  `select asked.actor = p.owner_id
          or exists (
            select from api_keys k
             where k.key_id = asked.actor
               and ('admin:owners' = any(k.scopes) or owner_reach(p.owner_id, k.app_id, '{write:payments}') = 'within')
          ) as within
     from payments p
     cross join lateral (
       select e.actor from audit_events e
        where e.subject = p.payment_id and e.kind in ('payment.pending', 'payment.processing')
          and (e.data ->> 'attempt')::int = $2
        order by e.subject_seq limit 1) asked
    where p.payment_id = $1`,
);
