import { DomainError } from '../../domain/errors.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { MACED_TABLES, type MacedPayee } from '../../infra/db/queries/macs.ts';
import type { Services } from '../../infra/services.ts';
import { isGenuine, scanned, type Authentic, type MacedKind, type Scan, type Scanned } from '../macs.ts';

type PayeeFacts = Omit<MacedPayee, 'mac' | 'mac_version'>;

/** Whose payee it is, which account it has, and what an application or operator said of it. Triggers keep the rest. */
export const PAYEE_MACS: MacedKind<PayeeFacts> = {
  what: 'payee',
  idOf: ({ provider_id }) => provider_id,
  fieldsOf: (payee) => [
    ...[payee.provider_id, payee.held_by, payee.bank_ref, payee.account_fingerprint],
    ...[payee.vouched_by, payee.own_account_of],
  ],
};

/** @throws DomainError `pii-damaged` if something other than the service wrote the row. */
export async function requireGenuine<Row extends MacedPayee>(services: Authentic, payee: Row): Promise<Row> {
  if (await isGenuine(services, PAYEE_MACS, payee)) return payee;
  throw new DomainError('pii-damaged', 'The stored payee was changed outside the service.');
}

/** Removed payees are compared too. */
export async function findPayeeTampering(db: Queries, keys: Services['keys'], scan: Scan): Promise<Scanned> {
  return scanned(keys, PAYEE_MACS, await db.many(MACED_TABLES.payees.page(scan.after ?? '', scan.limit)), scan);
}
