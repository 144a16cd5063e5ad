import type { Queries } from '../../infra/db/connection.ts';
import { pageOfKeys } from '../../infra/db/queries/macs.ts';
import type { Row } from '../../infra/db/tables.ts';
import type { Services } from '../../infra/services.ts';
import { scanned, type MacedKind, type Scan, type Scanned } from '../macs.ts';

type KeyFacts = Omit<Row<'api_keys'>, 'revoked_at' | 'disabled_at' | 'name' | 'last_used_at' | 'mac' | 'mac_version'>;

/** Not `revoked_at`, which a trigger keeps, and not what is only shown. */
export const KEY_MACS: MacedKind<KeyFacts> = {
  what: 'api key',
  idOf: ({ key_id }) => key_id,
  fieldsOf: (key) => [
    ...[key.key_id, key.secret_hash, key.app_id, key.lineage, key.scopes],
    ...[key.income_per_owner, key.income_per_month, key.per_minute, key.environment],
    ...[key.created_at, key.expires_at].map((at) => at && new Date(at).toISOString()),
  ],
};

export async function findKeyTampering(db: Queries, keys: Services['keys'], scan: Scan): Promise<Scanned> {
  const rows = await db.many(pageOfKeys(scan.after ?? '', scan.limit));
  return scanned(keys, KEY_MACS, rows, scan);
}
