import { tables } from './tables.ts';

/* The first three updates select no user or session. Callers must add a condition. */

export const endingSessions = (at: Date) =>
  tables.updateTable('sessions').set({ ended_at: at.toISOString() }).where('ended_at', 'is', null);

export const endingFamilies = (at: Date, ended_reason: string) =>
  tables.updateTable('token_families').set({ ended_at: at.toISOString(), ended_reason }).where('ended_at', 'is', null);

/** Expires unused codes, and waits for codes that are being redeemed. */
export const endingCodes = (at: Date) =>
  tables
    .updateTable('authorization_codes')
    .set({ expires_at: at.toISOString() })
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString());

type LinkTable = 'password_resets' | 'email_verifications';

/** Updates nothing if the link is used or has expired. */
export const usingLink = (table: LinkTable, tokenHash: string, at: Date) =>
  tables
    .updateTable(table)
    .set({ used_at: at.toISOString() })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString());

export const usingLinksOf = (table: LinkTable, userId: string, at: Date) =>
  tables
    .updateTable(table)
    .set({ used_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null);
