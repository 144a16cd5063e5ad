import { randomUUID } from 'node:crypto';
import type { BankClock } from '../clock.ts';
import type { Database } from '../database.ts';

export interface TrueLayerConsent {
  /** The API calls it `credentials_id`. */
  id: string;
  ownerId: string;
  accountIds: readonly string[];
  /** The API's account ids are derived from this text. */
  idsFrom: string;
  providerId: string;
  /** In real time: when the customer was at the bank. */
  authorizedMs: number;
  createdAt: string;
  expiresAt: string;
  isOver: boolean;
}

export type NewConsent = Pick<TrueLayerConsent, 'ownerId' | 'accountIds' | 'providerId'> & {
  grantId: string;
  ownIds: boolean;
};

interface Row extends Omit<TrueLayerConsent, 'accountIds' | 'isOver'> {
  accountIds: string;
  endedAt: string | null;
}

const DAY_MS = 86_400_000;
const LIVES_DAYS = 90;
const ALWAYS_SAME = 'every consent';

export type TrueLayerConsents = ReturnType<typeof openTrueLayerConsents>;

export function openTrueLayerConsents({ sql }: Database, clock: BankClock) {
  const add = sql.prepare(`INSERT INTO truelayer_consents
    (id, owner_id, grant_id, account_ids, ids_from, provider_id, authorized_ms, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const select = `SELECT id, owner_id AS ownerId, account_ids AS accountIds, ids_from AS idsFrom,
    provider_id AS providerId, authorized_ms AS authorizedMs, created_at AS createdAt, expires_at AS expiresAt,
    ended_at AS endedAt FROM truelayer_consents`;
  const byGrant = sql.prepare(`${select} WHERE grant_id = ?`);
  const listed = sql.prepare(`${select} WHERE ended_at IS NULL AND redeemed = 1
    AND (?1 IS NULL OR owner_id = ?1) ORDER BY seq DESC`);
  const redeem = sql.prepare('UPDATE truelayer_consents SET redeemed = 1 WHERE grant_id = ?');
  const end = sql.prepare('UPDATE truelayer_consents SET ended_at = ? WHERE id = ? AND ended_at IS NULL');

  const consentOf = ({ accountIds, endedAt, ...row }: Row): TrueLayerConsent => ({
    ...row,
    accountIds: JSON.parse(accountIds) as string[],
    isOver: endedAt !== null || row.expiresAt <= clock.now().toISOString(),
  });

  return {
    /** It is listed once its code is redeemed: before, the client can do nothing with it. */
    add({ ownerId, grantId, accountIds, providerId, ownIds }: NewConsent): void {
      const id = randomUUID();
      const now = clock.now();
      const until = new Date(now.getTime() + LIVES_DAYS * DAY_MS);
      const given = [id, ownerId, grantId, JSON.stringify(accountIds), ownIds ? id : ALWAYS_SAME, providerId] as const;
      add.run(...given, Date.now(), now.toISOString(), until.toISOString());
    },
    redeemed: (grantId: string) => void redeem.run(grantId),
    /** Also one that is over. */
    ofGrant(grantId: string): TrueLayerConsent | undefined {
      const row = byGrant.get(grantId);
      return row === undefined ? undefined : consentOf(row as unknown as Row);
    },
    /** Newest first, without those that were ended. */
    list: (ownerId: string | null) => (listed.all(ownerId) as unknown as Row[]).map(consentOf),
    /** Returns false if there is no such consent, or it was ended before. */
    end: (id: string): boolean => end.run(clock.now().toISOString(), id).changes > 0,
  };
}
