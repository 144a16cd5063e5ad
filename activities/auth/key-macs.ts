import type { Queries } from '../../infra/db/connection.ts';
import { keysToVerify, type MacedKey } from '../../infra/db/queries/auth.ts';
import type { MacFields } from '../../infra/keys/macs.ts';
import type { Services } from '../../infra/services.ts';
import { foundTampering, reportTampering, type Reports, type Scan, type Scanned } from '../tampering.ts';

type KeyFacts = Omit<MacedKey, 'mac' | 'mac_version'>;

export const API_KEY = 'api key';

/** `revoked_at` is not part of it: a trigger keeps it. The name is only shown. */
function fieldsOf(key: KeyFacts): MacFields {
  const { key_id, secret_hash, app_id, lineage, scopes, income_per_owner, income_per_month, per_minute } = key;
  const limits = [income_per_owner, income_per_month, per_minute];
  const instants = [key.created_at, key.expires_at].map((at) => at && new Date(at).toISOString());
  return [key_id, secret_hash, app_id, lineage, scopes, ...limits, key.environment, ...instants];
}

/** The columns of the MAC of a row that is to say this. */
export async function macOfKey({ keys }: Pick<Services, 'keys'>, key: KeyFacts) {
  const { mac, version: mac_version } = await keys.mac(API_KEY, fieldsOf(key));
  return { mac, mac_version };
}

export async function fitsKey({ keys }: Pick<Services, 'keys'>, key: MacedKey): Promise<boolean> {
  return keys.verifyMac(API_KEY, fieldsOf(key), { mac: key.mac, version: key.mac_version });
}

/** False if something other than the service wrote the row. Treat the key as unknown. */
export async function isGenuine(services: Pick<Services, 'keys'> & Reports, key: MacedKey): Promise<boolean> {
  if (await fitsKey(services, key)) return true;
  reportTampering(services, API_KEY, key.key_id);
  return false;
}

/** Reads the API keys after `after`. */
export async function findKeyTampering(db: Queries, keys: Services['keys'], scan: Scan): Promise<Scanned> {
  const rows = await db.many(keysToVerify(scan.after ?? '', scan.limit));
  return foundTampering(rows, scan.limit, {
    what: API_KEY,
    idOf: ({ key_id }) => key_id,
    fits: (row) => fitsKey({ keys }, row),
  });
}
