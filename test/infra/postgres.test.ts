import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../helpers/embedded.ts';
import { freePort } from '../helpers/ports.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringfence-cluster-'));
  await chmod(folder, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function asked(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const WHO =
  'select current_user::text as who, rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = current_user';
const SERVICE = { who: 'ringfence_service', rolsuper: false, rolcreatedb: false, rolcreaterole: false };

test("a cluster from before the service's role gets the role at its next start, and keeps its data", async () => {
  const dir = join(folder, 'postgres');
  const options = { dir, port: await freePort(), settings: { fsync: 'off' } };
  const first = await startPostgres(options);
  expect(await asked(first.serviceUrl, WHO)).toEqual([SERVICE]);
  await asked(first.url, 'create table kept as select 7 as n');
  // Nobody knows the superuser's password.
  const access = await readFile(join(dir, 'pg_hba.conf'), 'utf8');
  await writeFile(
    join(dir, 'pg_hba.conf'),
    `host all postgres 127.0.0.1/32 trust\nhost all postgres ::1/128 trust\n${access}`,
  );
  process.kill(first.pid, 'SIGHUP');
  const superuser = new URL(first.url);
  [superuser.username, superuser.pathname] = ['postgres', '/postgres'];
  await asked(superuser.href, 'drop role ringfence_service');
  await first.stop();
  await rm(join(dir, 'ringfence-service-role'));

  for (const _time of [1, 2]) {
    const again = await startPostgres(options);
    expect(await asked(again.serviceUrl, WHO)).toEqual([SERVICE]);
    expect(await asked(again.url, 'select n from kept')).toEqual([{ n: 7 }]);
    await again.stop();
  }
});
