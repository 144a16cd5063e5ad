import { cp, chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres, type RunningPostgres } from '../helpers/embedded.ts';
import { expectNoWorkflows, expectOnceEach } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { bodyFor, bodyOf, caOf, fundOwners, ordersFor, settled } from '../helpers/faults-load.ts';
import type { Paid, Payment } from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';

const place: Record<string, string> = {};
let folder: string;
let postgres: RunningPostgres;

const at = (name: string) => join(folder, name);
const ARCHIVING = { wal_level: 'replica', archive_mode: 'on' };
// The archive command of compose.yaml, with this test's paths in place of the container's.
const archived = () => `sh ${at('archive.sh')} %p %f ${at('archive')}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringfence-backup-'));
  await chmod(folder, 0o777);
  await mkdir(at('archive'));
  await cp(join(import.meta.dirname, '../../infra/deploy/postgres-archive.sh'), at('archive.sh'));
  await chmod(at('archive'), 0o777);
  const settings = { ...ARCHIVING, archive_command: archived() };
  postgres = await startPostgres({ dir: at('postgres'), port: await freePort(), settings });
  // Nobody knows the superuser's password.
  const access = await readFile(at('postgres/pg_hba.conf'), 'utf8');
  const trust = ['127.0.0.1/32', '::1/128'].map((from) => `host all postgres ${from} trust\n`).join('');
  await writeFile(at('postgres/pg_hba.conf'), `${trust}${access}`);
  process.kill(postgres.pid, 'SIGHUP');
  Object.assign(place, {
    DATABASE_URL: postgres.serviceUrl,
    DATABASE_MIGRATION_URL: postgres.url,
    MASTER_KEY_FILE: at('keys/master.json'),
  });
});

// This line must come after the `beforeAll` above, which makes files that the stack's own `beforeAll` reads.
const stack = startFaultStack(place);
const clients: FaultClient[] = [];
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

function newClient(): FaultClient {
  const client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  clients.push(client);
  return client;
}

// By default only a superuser can take a backup.
async function asSuperuser<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(postgres.url);
  url.username = 'postgres';
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

// PostgreSQL's low-level API allows writes while the files are copied.
async function baseBackup(): Promise<void> {
  await asSuperuser(async (client) => {
    await client.query(`select pg_backup_start('nightly', true)`);
    await cp(at('postgres'), at('base'), {
      recursive: true,
      filter: (path) => !/\/pg_wal\/.+|\/postmaster\.(?:pid|opts)$/.test(path),
    });
    const { rows } = await client.query<{ labelfile: string; spcmapfile: string }>(
      'select labelfile, spcmapfile from pg_backup_stop(true)',
    );
    await writeFile(at('base/backup_label'), rows[0]!.labelfile);
    if (rows[0]!.spcmapfile !== '') await writeFile(at('base/tablespace_map'), rows[0]!.spcmapfile);
  });
}

async function destroyAndRestore(): Promise<void> {
  await asSuperuser(async (client) => {
    const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
    const last = rows[0]!.name;
    await until(async () => (await readdir(at('archive'))).includes(`${last}.gz`), `${last} in the archive`);
  });
  const { uid, gid } = await stat(at('postgres'));
  const port = Number(new URL(postgres.url).port);
  await postgres.stop();
  await rm(at('postgres'), { recursive: true });
  await cp(at('base'), at('postgres'), { recursive: true });
  await writeFile(at('postgres/recovery.signal'), '');
  await owned(at('postgres'), uid, gid);
  await chmod(at('postgres'), 0o700);
  const settings = {
    ...ARCHIVING,
    archive_command: archived(),
    restore_command: `gunzip < ${at('archive')}/%f.gz > %p`,
  };
  postgres = await startPostgres({ dir: at('postgres'), port, settings });
  await until(
    () =>
      asSuperuser(async (client) => {
        const { rows } = await client.query<{ recovering: boolean }>('select pg_is_in_recovery() as recovering');
        return !rows[0]!.recovering;
      }).catch(() => false),
    'the end of the recovery',
    60_000,
  );
}

async function owned(path: string, uid: number, gid: number): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await chown(path, uid, gid);
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid);
}

async function pay(client: FaultClient, orders: ReturnType<typeof ordersFor>, more: object = {}): Promise<Paid[]> {
  return Promise.all(
    orders.map(async (order) => {
      const body = { ...bodyOf(order), ...more };
      const asked = { token: order.owner.token, key: order.key, body };
      const taken = client.call('POST', '/api/v1/payments/execute', asked);
      return { ...order, paymentId: (await bodyFor<Payment>(201, taken)).payment_id };
    }),
  );
}

describe('a database that is lost', () => {
  it('comes back with all that was archived: money, audit, sealed records, and payments that were under way', async () => {
    const client = newClient();
    const owners = await fundOwners(client, 3);
    const paid = await pay(client, ordersFor(owners, 6, ['prov_sandbox_instant']));
    await settled(client, owners);

    await baseBackup();
    // Only the archive has payments made after the base backup. Temporal loses their workflows.
    const underWay = await pay(client, ordersFor(owners, 4, ['prov_sandbox_slow']));
    const late = await fundOwners(client, 1);
    expect(await stack.end()).toBe(0);
    await destroyAndRestore();
    await rm(join(stack.env.RINGFENCE_DATA!, 'temporal'), { recursive: true });

    await stack.start();
    const after = newClient();
    await settled(after, [...owners, ...late], 270_000);
    await expectOnceEach(stack, { client: after, owners: [...owners, ...late], paid: [...paid, ...underWay] });
    await expectNoWorkflows(stack);

    // No backup of the database contains the master keys that encrypt this email address.
    const [{ token, userId }] = owners as [(typeof owners)[number]];
    const profile = after.call('GET', '/api/v1/auth/me', { token });
    expect(await bodyFor<object>(200, profile)).toMatchObject({ user_id: userId });
    expect(await stack.end()).toBe(0);
    await rename(at('keys'), at('keys.elsewhere'));
    await stack.start();
    expect((await newClient().once('GET', '/api/v1/auth/me', { token })).status).not.toBe(200);
  });
});
