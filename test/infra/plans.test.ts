import pg from 'pg';
import { BY_INDEX } from '../../infra/db/orm.ts';
import { cloneDatabase, type TestDatabase } from '../helpers/database.ts';
import { declaredIn, MODULES } from '../helpers/declared-queries.ts';

/** Operators ask for these, or their tables stay small, or whole reads are their purpose. */
const READ_WHOLE_TABLES = [
  ...['accounts.list', 'admin.queueDepths', 'auth.ownerPrefixes', 'credential.allKeys', 'credential.keysInUse'],
  ...['deployment.read', 'deployment.recordStack', 'deployment.schemaState', 'deployment.stack'],
  ...['identityProviders.list', 'oauth.knownOrigin', 'payday.insert', 'payments.allPayees'],
  ...['restore.disableKeys', 'restore.doubtPayees', 'restore.endAccess', 'restore.lastBegun', 'restore.pauseSplits'],
  ...['retention.leftAccounts', 'retention.leftTransactions'],
  ...['verify.constraints', 'verify.countEntries', 'verify.endedRestores', 'verify.strange'],
  ...['witness.listRestores', 'witness.raisedAt', 'witness.witnessed'],
];

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await cloneDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl, options: BY_INDEX });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** They hash few rows: what the caller or the query named, or the payments that are open. */
const HASHED = ['admin.auditEvents', 'bankAccounts.unlinkOthers', 'vault.eraseRecord'];

// A plan that suits every value uses a partial index only if the text of the query implies the index's condition. And an `exists`
// among the columns can become a hash of the whole other table.
test('a query reads no whole table that grows, whatever its values', async () => {
  const whole: string[] = [];
  for (const { statement } of (await Promise.all(MODULES.map((file) => declaredIn(file)))).flat()) {
    const { name, text } = statement;
    if (!/^\s*(select|with|insert|update|delete)\b/i.test(text)) continue;
    const { rows } = await owner.query<{ 'QUERY PLAN': string }>(`explain (generic_plan, verbose, costs off) ${text}`);
    if (rows.some((row) => /Seq Scan on|hashed SubPlan/.test(row['QUERY PLAN']))) whole.push(name);
  }
  expect(whole.toSorted()).toEqual([...READ_WHOLE_TABLES, ...HASHED].toSorted());
});
