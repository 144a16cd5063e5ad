import { sql } from 'kysely';
import type { CalendarDate } from '../../../domain/dates.ts';
import type { PaymentCountKind } from '../../../domain/payments.ts';
import { MoneyQuery } from '../locked-owner.ts';
import { query } from '../query.ts';

interface Counted {
  ownerId: string;
  day: CalendarDate;
  /** A client or an API key ordered the payment of a person. */
  isDelegated: boolean;
  requestedBy: string;
  most: Record<PaymentCountKind, number>;
}

/** `exceeded` is null if the payment is within all limits. If not, the transaction must be rolled back. */
export const countPayment = (counted: Counted) => new MoneyQuery(counted.ownerId, count(counted));

const count = query(
  'paymentCounts.count',
  ({ ownerId, day, isDelegated, requestedBy, most }: Counted) => sql<
    { exceeded: PaymentCountKind; used: number } | { exceeded: null; used: null }
  >`
    select c.exceeded, c.used
      from (select) one left join payment_count(${ownerId}, ${day}, ${isDelegated}, ${requestedBy}, ${most['owner-count']},
        ${most['delegated-count']}, ${most['application-count']}) c on true`,
);
