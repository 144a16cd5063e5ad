import { sql } from 'kysely';
import { json } from '../lists.ts';
import type { MailKind } from '../entities/mail.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export type MailRow = Omit<Row<'mail_messages'>, 'available_at'>;

/** `user_id` is null if nobody has the requested email address. */
export const insertMail = query('mail.insert', (kind: MailKind, user_id: string | null, data: object) =>
  tables.insertInto('mail_messages').values({
    kind,
    user_id,
    data: sql`${json(data)}`,
    available_at: sql`now()`,
    created_at: sql`now()`,
  }),
);

/** If the process dies, another process claims the emails after `holdS` seconds. */
export const claimMail = query(
  'mail.claim',
  ({ most, holdS }: { most: number; holdS: number }) => sql<MailRow>`
    update mail_messages set attempts = attempts + 1, available_at = now() + make_interval(secs => ${holdS})
     where mail_id in (
       select mail_id from mail_messages where available_at <= now()::timestamptz(3)
        order by available_at limit ${most} for update skip locked)
    returning mail_id, kind, user_id, data, attempts, created_at`,
);

export const deleteMail = query('mail.delete', (mailId: number) =>
  tables.deleteFrom('mail_messages').where('mail_id', '=', mailId),
);

export const postponeMail = query('mail.postpone', (mailId: number, seconds: number) =>
  tables
    .updateTable('mail_messages')
    .set({ available_at: sql`now() + make_interval(secs => ${seconds})` })
    .where('mail_id', '=', mailId),
);
