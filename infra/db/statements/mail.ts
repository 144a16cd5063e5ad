import { query } from '../sql.ts';

/** Why a letter is sent. */
export type MailKind =
  'password-reset' | 'password-changed' | 'sign-in-linked' | 'email-verification' | 'provider-link';

export interface MailRow {
  mail_id: number;
  kind: MailKind;
  /** Null where somebody asked for an address that nobody has. */
  user_id: string | null;
  data: Record<string, string>;
  attempts: number;
  created_at: string;
}

/** Kind, user or null, data. */
export const insertMail = query(
  'mail.insert',
  `insert into mail_messages (kind, user_id, data, available_at, created_at) values ($1, $2, $3::jsonb, now(), now())`,
);

/** Takes up to $1 messages that are due by the millisecond, as instants are kept, and holds them for $2 seconds: whoever dies with them leaves them to the next. */
export const claimMail = query<MailRow>(
  'mail.claim',
  `update mail_messages set attempts = attempts + 1, available_at = now() + make_interval(secs => $2)
    where mail_id in (select mail_id from mail_messages where available_at <= now()::timestamptz(3)
                       order by available_at limit $1 for update skip locked)
   returning mail_id, kind, user_id, data, attempts, created_at`,
);

export const deleteMail = query('mail.delete', 'delete from mail_messages where mail_id = $1');

/** Puts a message off: id, seconds from now. */
export const postponeMail = query(
  'mail.postpone',
  'update mail_messages set available_at = now() + make_interval(secs => $2) where mail_id = $1',
);
