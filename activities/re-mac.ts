import { DomainError } from '../domain/errors.ts';
import { MACED_TABLES, type MacedTableName, type Remaced } from '../infra/db/queries/macs.ts';
import type { PageWanted, VersionCount } from '../infra/db/queries/vault-keys.ts';
import type { Query } from '../infra/db/query.ts';
import type { Services } from '../infra/services.ts';
import { KEY_MACS } from './auth/key-macs.ts';
import { isGenuine, macColumns, type Maced, type MacedKind } from './macs.ts';
import { INCOME_MACS } from './paycheck/income-macs.ts';
import { OUTCOME_MACS } from './payments/outcome-macs.ts';
import { PAYEE_MACS } from './payments/payee-macs.ts';

interface Page {
  rows: number;
  found: number;
  renewed: number;
  /** Rows that something other than the service wrote. They stay as they are. */
  refused: number;
  last: { version: number; id: string } | undefined;
}

interface MacedTable {
  countOlder(version: number): Query<{ count: number }>;
  countEach(): Query<VersionCount>;
  renew(services: Services, wanted: PageWanted): Promise<Page>;
}

/** Rotation gives the rows of these tables MACs under the newest secret. */
export const TABLES_WITH_MACS: Readonly<Record<MacedTableName, MacedTable>> = {
  api_keys: macedTable(MACED_TABLES.api_keys, KEY_MACS),
  calculations: macedTable(MACED_TABLES.calculations, INCOME_MACS),
  payees: macedTable(MACED_TABLES.payees, PAYEE_MACS),
  payment_outcomes: macedTable(MACED_TABLES.payment_outcomes, OUTCOME_MACS),
};

function notYet(): DomainError {
  return new DomainError('dependency-unavailable', 'This process does not have the new secret for MACs yet.', {
    dependency: 'key service',
  });
}

interface Queries<Row> extends Pick<MacedTable, 'countOlder' | 'countEach'> {
  pageOlder(wanted: PageWanted): Query<Row & { mac: string | null; mac_version: number | null }>;
  replace(fresh: readonly Remaced[]): Query;
}

function macedTable<Row>(
  { countOlder, countEach, pageOlder, replace }: Queries<Row>,
  kind: MacedKind<Row>,
): MacedTable {
  return {
    countOlder,
    countEach,
    async renew(services, wanted) {
      // Only rows with a MAC have a version.
      const rows = (await services.db.many(pageOlder(wanted))) as (Row & Maced)[];
      const readAt = performance.now();
      const fresh: Remaced[] = [];
      for (const row of rows) {
        if (!(await isGenuine(services, kind, row, readAt))) continue;
        const renewed = await macColumns(services.keys, kind, row);
        if (renewed.mac_version < wanted.olderThan) throw notYet();
        fresh.push({ id: kind.idOf(row), stale: row.mac, ...renewed });
      }
      const renewed = await services.db.transaction((tx) => tx.run(replace(fresh)));
      const last = rows.at(-1);
      return {
        rows: rows.length,
        found: fresh.length,
        renewed,
        refused: rows.length - fresh.length,
        last: last && { version: last.mac_version, id: kind.idOf(last) },
      };
    },
  };
}
