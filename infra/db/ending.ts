import type { ExpressionOrFactory, SqlBool } from 'kysely';
import { tables, type Table, type Tables } from './tables.ts';

type Which<T extends Table> = ExpressionOrFactory<Tables, T, SqlBool>;

export const endingSessions = (at: Date, which: Which<'sessions'>) =>
  tables.updateTable('sessions').set({ ended_at: at.toISOString() }).where('ended_at', 'is', null).where(which);

export const endingFamilies = (at: Date, ended_reason: string, which: Which<'token_families'>) =>
  tables
    .updateTable('token_families')
    .set({ ended_at: at.toISOString(), ended_reason })
    .where('ended_at', 'is', null)
    .where(which);

/** Expires unused codes, and waits for codes that are being redeemed. */
export const endingCodes = (at: Date, which: Which<'authorization_codes'>) =>
  tables
    .updateTable('authorization_codes')
    .set({ expires_at: at.toISOString() })
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString())
    .where(which);

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
