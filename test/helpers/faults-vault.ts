import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { runCommand } from '../../programs/admin/run.ts';
import { readConfig } from '../../infra/config/index.ts';
import { openDatabase, type Database } from '../../infra/db/database.ts';
import { textQuery } from './text-query.ts';
import { openKeys, type Keys } from '../../infra/keys/index.ts';
import { MASTER_KEY_ROTATION } from '../../workflows/ids.ts';
import type { RotationResult } from '../../workflows/vault-keys.ts';
import type { FaultStack } from './faults.ts';

export interface VaultBeside {
  readonly keys: Keys;
  fill(count: number): Promise<void>;
  /** Counts records by master key version. Ignores records whose column and ciphertext name different versions. */
  versions(): Promise<Record<number, number>>;
  /** Decrypts the records that `fill` stored. @returns their number. @throws if one differs from what was stored. */
  expectAllOpen(): Promise<number>;
  /** Starts a rotation, or returns the running rotation. */
  rotate(): Promise<{ workflow_id: string; run_id: string; ui_url: string }>;
  rotated(): Promise<RotationResult>;
  close(): Promise<void>;
}

const PAGE = 250;
const insertAll = textQuery(
  'test.fillVault',
  `insert into vault_records (vault_ref, pii_type, owner_id, sealed, key_version, created_at)
   select ref, 'user_phone', 'usr_beside', sealed, version, now()
     from unnest($1::text[], $2::text[], $3::int[]) as r (ref, sealed, version)`,
);
const countEach = textQuery<{ version: number; count: number }>(
  'test.countVault',
  `select key_version as version, count(*) as count from vault_records
    where sealed like '{"key":{"version":' || key_version || ',%' group by 1`,
);
const allRecords = textQuery<{ vault_ref: string; sealed: string }>(
  'test.readVault',
  `select vault_ref, sealed from vault_records where owner_id = 'usr_beside'`,
);
const context = (ref: string) => ({ use: 'test', vault_ref: ref });

export async function openVaultBeside({ env }: FaultStack): Promise<VaultBeside> {
  const config = readConfig(env);
  const db: Database = await openDatabase(config.database);
  const keys = await openKeys(config.keys, 'production', db);
  return {
    keys,
    async fill(count) {
      for (let left = count; left > 0; left -= PAGE) {
        const length = Math.min(left, PAGE);
        const refs = Array.from({ length }, () => `vault:user_phone:${randomBytes(16).toString('hex')}`);
        const sealed = await Promise.all(refs.map((ref) => keys.seal(ref, context(ref))));
        const columns = [sealed.map((record) => record.sealed), sealed.map(({ keyVersion }) => keyVersion)];
        await db.run(insertAll(refs, ...columns));
      }
    },
    async versions() {
      const counts = await db.many(countEach());
      return Object.fromEntries(counts.map(({ version, count }) => [version, count]));
    },
    async expectAllOpen() {
      const records = await db.many(allRecords());
      for (const { vault_ref, sealed } of records) expect(await keys.open(sealed, context(vault_ref))).toBe(vault_ref);
      return records.length;
    },
    async rotate() {
      const { stdout, stderr } = await runCommand(['master-key', 'rotate'], env);
      expect(stderr).toBe('');
      return JSON.parse(stdout) as { workflow_id: string; run_id: string; ui_url: string };
    },
    async rotated() {
      const connection = await Connection.connect({ address: `localhost:${env.RINGFENCE_PORT_TEMPORAL}` });
      try {
        return (await new Client({ connection }).workflow.getHandle(MASTER_KEY_ROTATION).result()) as RotationResult;
      } finally {
        await connection.close();
      }
    },
    close: () => db.close(),
  };
}
