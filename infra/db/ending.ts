import { tables } from './tables.ts';

/*
 * Each of these functions ends sessions, token families, authorization codes or emailed links at a given time. Callers
 * of `endingSessions`, `endingFamilies` and `endingCodes` add the condition that selects rows.
 */

export const endingSessions = (at: Date) =>
  tables.updateTable('sessions').set({ ended_at: at.toISOString() }).where('ended_at', 'is', null);

export const endingFamilies = (at: Date, ended_reason: string) =>
  tables.updateTable('token_families').set({ ended_at: at.toISOString(), ended_reason }).where('ended_at', 'is', null);

/** Expires unused authorization codes. Waits for codes that are being redeemed. */
export const endingCodes = (at: Date) =>
  tables
    .updateTable('authorization_codes')
    .set({ expires_at: at.toISOString() })
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString());

type LinkTable = 'password_resets' | 'email_verifications';

/** Marks an emailed link as used. Updates nothing if the link was already used or has expired. */
export const usingLink = (table: LinkTable, tokenHash: string, at: Date) =>
  tables
    .updateTable(table)
    .set({ used_at: at.toISOString() })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString());

/** Marks a user's remaining links as used. */
export const usingLinksOf = (table: LinkTable, userId: string, at: Date) =>
  tables
    .updateTable(table)
    .set({ used_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null);
