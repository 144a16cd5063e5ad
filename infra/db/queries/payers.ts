import { sql } from 'kysely';
import type { ConnectionStatus } from '../../../domain/bank/connections.ts';
import type { CalendarDate } from '../../../domain/dates.ts';
import { relationOf } from '../lists.ts';
import { query } from '../query.ts';
import type { Row } from '../tables.ts';

/** A connection that can pay. `status` is at this moment. */
export type PayingConnection = Pick<
  Row<'bank_connections'>,
  'connection_id' | 'bank_id' | 'per_payment' | 'per_month' | 'starts_on' | 'authorised_at'
> & { status: ConnectionStatus };

/**
 * The person's newest authorised connection to a payee, else the newest that ever was, else the newest.
 * It cannot end before the transaction does. Returns no row if the person made none.
 */
export const firstChoice = query(
  'payers.firstChoice',
  ({ ownerId, providerId }: { ownerId: string; providerId: string }) => sql<PayingConnection>`
    select connection_id, bank_id, per_payment, per_month, starts_on, authorised_at,
           connection_status(status, authorise_until, valid_until) as status
      from bank_connections
     where owner_id = ${ownerId} and kind = 'payments' and provider_id = ${providerId}
     order by connection_status(status, authorise_until, valid_until) = 'authorised' desc, authorised_at is null, seq desc
     limit 1 for key share`,
);

/** Whether the person ever authorised a connection that pays, to any payee. */
export const everPaysByConnection = query(
  'payers.everByConnection',
  (ownerId: string) => sql<{ ever: boolean }>`
    select exists (select from bank_connections
                    where owner_id = ${ownerId} and kind = 'payments' and authorised_at is not null) as ever`,
);

/** The month of a consent, both days inclusive. */
interface UsedMonth {
  connection_id: string;
  first: CalendarDate;
  last: CalendarDate;
}

/** In pence: what payments of each connection use of its month. Leaves out rejected and blocked ones, and `except`. */
export const usedInMonths = query(
  'payers.usedInMonths',
  (months: readonly UsedMonth[], except: string | null) => sql<{ connection_id: string; used: number }>`
    select m.connection_id, coalesce(sum(p.amount), 0)::bigint as used
      from ${relationOf('m', months, { connection_id: 'text', first: 'date', last: 'date' })}
      left join payments p
        on p.connection_id = m.connection_id and p.counts_on between m.first and m.last
       and p.status in ('pending', 'processing', 'completed', 'returned')
       and p.bank_status is distinct from 'BLCK' and p.payment_id is distinct from ${except}
     group by m.connection_id`,
);
