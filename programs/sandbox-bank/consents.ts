import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { BankClock } from './clock.ts';
import type { Database } from './database.ts';
import type { EventStore } from './event-store.ts';
import { grantsIn } from './oidc-adapter.ts';

export type ConsentKind = 'accounts' | 'payments';
export type ConsentStatus = 'AWAU' | 'AUTH' | 'RJCT' | 'EXPD';

export interface Consent {
  id: string;
  kind: ConsentKind;
  clientId: string;
  /** The JSON of `{Data, Risk}`, which responses repeat. */
  request: string;
  status: ConsentStatus;
  /** Null, until a customer has decided. */
  ownerId: string | null;
  grantId: string | null;
  accountIds: readonly string[];
  createdAt: string;
  changedAt: string;
}

/** What the standard calls the two kinds. */
export const RESOURCE_OF = { accounts: 'account-access-consent', payments: 'domestic-vrp-consent' } as const;

interface Row extends Omit<Consent, 'accountIds'> {
  accountIds: string;
  validTo: string | null;
}

/** A consent that is authorised can be renewed by its own customer. */
export function isOpenTo({ status, ownerId }: Consent, customer: string): boolean {
  return status === 'AWAU' || (status === 'AUTH' && (ownerId === null || ownerId === customer));
}

export type Consents = ReturnType<typeof openConsents>;

/** A consent that has ended is unknown from then on. */
export function openConsents(db: Database, clock: BankClock, events: EventStore) {
  const { sql } = db;
  const grants = grantsIn(db);
  const { add, addHouse, one, byGrant, listed, decide, end } = statementsIn(sql);

  const consentOf = ({ accountIds, validTo, ...row }: Row): Consent => {
    const isOver = validTo !== null && validTo < clock.now().toISOString() && row.status !== 'RJCT';
    return {
      ...row,
      accountIds: JSON.parse(accountIds) as string[],
      ...(isOver && { status: 'EXPD', changedAt: validTo }),
    };
  };
  const optional = (row: unknown) => (row === undefined ? undefined : consentOf(row as Row));

  return {
    add(kind: ConsentKind, order: { clientId: string; request: object; validTo: string | null }): Consent {
      const id = `${kind === 'accounts' ? 'aac' : 'vrc'}-${randomUUID()}`;
      const at = clock.now().toISOString();
      const validTo = order.validTo === null ? null : new Date(order.validTo).toISOString();
      add.run(id, kind, order.clientId, JSON.stringify(order.request), validTo, at, at);
      return optional(one.get(id))!;
    },
    /** The consent of the house account is authorised from the start, and belongs to no customer. */
    ensureHouse(id: string, order: { clientId: string; request: object }): void {
      const at = clock.now().toISOString();
      addHouse.run(id, order.clientId, JSON.stringify(order.request), at, at);
    },
    find: (id: string) => optional(one.get(id)),
    ofGrant: (grantId: string) => optional(byGrant.get(grantId)),
    /** Newest first. */
    list: (ownerId: string | null) => (listed.all(ownerId) as unknown as Row[]).map(consentOf),
    /**
     * Also ends the tokens of an earlier authorisation. Returns false if the consent has ended, was refused, or belongs to
     * another customer by now.
     */
    approve(id: string, by: { ownerId: string; grantId: string; accountIds: readonly string[] }): boolean {
      return db.atomically(() => {
        const now = optional(one.get(id));
        if (now === undefined || !isOpenTo(now, by.ownerId)) return false;
        if (now.grantId !== null) grants.end(now.grantId);
        decide.run('AUTH', by.ownerId, by.grantId, JSON.stringify(by.accountIds), clock.now().toISOString(), id);
        return true;
      });
    },
    /** A customer who does not renew an authorised consent keeps it. */
    refuse({ id, status }: Consent, ownerId: string): void {
      if (status === 'AWAU') decide.run('RJCT', ownerId, null, '[]', clock.now().toISOString(), id);
    },
    end({ id, grantId }: Consent): void {
      db.atomically(() => {
        end.run(clock.now().toISOString(), id);
        if (grantId !== null) grants.end(grantId);
      });
    },
    /** Reports that an account no longer belongs to the consents that were given for it. */
    reportAccount(accountId: string): void {
      const open = (listed.all(null) as unknown as Row[]).map(consentOf);
      for (const { id, kind, status, accountIds } of open) {
        const resource = RESOURCE_OF[kind];
        if (status === 'AUTH' && accountIds.includes(accountId))
          events.add(`${resource}-linked-account-update`, resource, id);
      }
    },
    /** The customer ends the consent at the bank, so that the bank reports an event. */
    revoke(consent: Consent): void {
      db.atomically(() => {
        this.end(consent);
        events.add('consent-authorization-revoked', RESOURCE_OF[consent.kind], consent.id);
      });
    },
  };
}

function statementsIn(sql: DatabaseSync) {
  const add = sql.prepare(`INSERT INTO consents (id, kind, client_id, request, status, valid_to, created_at, changed_at)
    VALUES (?, ?, ?, ?, 'AWAU', ?, ?, ?)`);
  const addHouse = sql.prepare(`INSERT INTO consents (id, kind, client_id, request, status, created_at, changed_at)
    VALUES (?, 'payments', ?, ?, 'AUTH', ?, ?) ON CONFLICT DO UPDATE SET client_id = excluded.client_id`);
  const select = `SELECT id, kind, client_id AS clientId, request, status, owner_id AS ownerId, grant_id AS grantId,
    account_ids AS accountIds, valid_to AS validTo, created_at AS createdAt, changed_at AS changedAt
    FROM consents WHERE ended_at IS NULL`;
  const one = sql.prepare(`${select} AND id = ?`);
  const byGrant = sql.prepare(`${select} AND grant_id = ?`);
  const listed = sql.prepare(`${select} AND (?1 IS NULL OR owner_id = ?1) ORDER BY seq DESC`);
  const decide =
    sql.prepare(`UPDATE consents SET status = ?, owner_id = ?, grant_id = ?, account_ids = ?, changed_at = ?
    WHERE id = ?`);
  const end = sql.prepare('UPDATE consents SET ended_at = ?, grant_id = NULL WHERE id = ? AND ended_at IS NULL');
  return { add, addHouse, one, byGrant, listed, decide, end };
}
