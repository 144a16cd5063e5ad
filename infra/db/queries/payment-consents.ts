import { sql } from 'kysely';
import type { VrpType } from '../../../domain/bank/payments.ts';
import { query } from '../query.ts';
import type { Row } from '../tables.ts';
import type { PayingConnection } from './payers.ts';

/** What a bank needs to take a payment over a person's connection. */
export type ConsentToPay = Pick<Row<'bank_consents'>, 'consent_id' | 'bank_id' | 'consent_ref' | 'secret_sealed'> & {
  connection_id: string;
  vrp_type: VrpType;
  payee_sealed: string;
};

/** Returns no row unless the connection, and its consent, are at this bank. */
export const consentToPay = query(
  'paymentConsents.toPay',
  ({ connection_id, bank_id }: { connection_id: string; bank_id: string }) => sql<ConsentToPay>`
    select c.connection_id, c.vrp_type, c.payee_sealed, s.consent_id, s.bank_id, s.consent_ref, s.secret_sealed
      from bank_connections c join bank_consents s on s.consent_id = c.consent_id and s.owner_id = c.owner_id
     where c.connection_id = ${connection_id} and c.kind = 'payments' and c.payee_sealed is not null
       and c.bank_id = ${bank_id} and s.bank_id = ${bank_id}`,
);

/** The connection of a payment, with its status at this moment. It cannot end before the transaction does. */
export const connectionOfPayment = query(
  'paymentConsents.connectionOfPayment',
  (paymentId: string) => sql<PayingConnection>`
    select c.connection_id, c.bank_id, c.per_payment, c.per_month, c.starts_on, c.authorised_at,
           connection_status(c.status, c.authorise_until, c.valid_until) as status
      from payments p join bank_connections c on c.connection_id = p.connection_id and c.owner_id = p.owner_id
     where p.payment_id = ${paymentId} for key share of c`,
);
