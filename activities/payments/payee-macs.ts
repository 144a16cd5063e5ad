import { DomainError } from '../../domain/errors.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { payeesToVerify, type MacedPayee } from '../../infra/db/queries/payees.ts';
import type { MacFields } from '../../infra/keys/macs.ts';
import type { Services } from '../../infra/services.ts';
import type { Authentic } from '../reach.ts';
import { foundTampering, reportTampering, type Scan, type Scanned } from '../tampering.ts';

type PayeeFacts = Omit<MacedPayee, 'mac' | 'mac_version'>;

export const PAYEE = 'payee';

/** Whose payee it is, which account it has, and what an application or operator said of it. A trigger keeps the rest. */
function fieldsOf(payee: PayeeFacts): MacFields {
  const { provider_id, held_by, bank_ref, account_fingerprint, vouched_by, own_account_of } = payee;
  return [provider_id, held_by, bank_ref, account_fingerprint, vouched_by, own_account_of];
}

/** The columns of the MAC of a row that is to say this. */
export async function macOfPayee({ keys }: Pick<Services, 'keys'>, payee: PayeeFacts) {
  const { mac, version: mac_version } = await keys.mac(PAYEE, fieldsOf(payee));
  return { mac, mac_version };
}

async function fitsPayee({ keys }: Pick<Services, 'keys'>, payee: MacedPayee): Promise<boolean> {
  return keys.verifyMac(PAYEE, fieldsOf(payee), { mac: payee.mac, version: payee.mac_version });
}

/** False if something other than the service wrote the row. */
export async function isGenuine(services: Authentic, payee: MacedPayee): Promise<boolean> {
  if (await fitsPayee(services, payee)) return true;
  reportTampering(services, PAYEE, payee.provider_id);
  return false;
}

/** @throws DomainError `pii-damaged` if something other than the service wrote the row. */
export async function requireGenuine<Row extends MacedPayee>(services: Authentic, payee: Row): Promise<Row> {
  if (await isGenuine(services, payee)) return payee;
  throw new DomainError('pii-damaged', 'The stored payee was changed outside the service.');
}

/** Reads the payees after `after`, including removed ones. */
export async function findPayeeTampering(db: Queries, keys: Services['keys'], scan: Scan): Promise<Scanned> {
  const rows = await db.many(payeesToVerify(scan.after ?? '', scan.limit));
  return foundTampering(rows, scan.limit, {
    what: PAYEE,
    idOf: ({ provider_id }) => provider_id,
    fits: (row) => fitsPayee({ keys }, row),
  });
}
