import { startKeyUse } from '../../infra/background/key-use.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;
const services = withDatabase();
const auth = accountsOf(services);
const sql = sqlOf(services);

async function newKey() {
  const { app_id } = await auth.createApplication({ name: 'Test' });
  return auth.issueApiKey({ app_id, scopes: ['read:payments'] });
}
const usedAt = async (key_id: string) =>
  (await auth.listApiKeys({})).items.find((item) => item.key_id === key_id)!.last_used_at;
const thisHour = () => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString();

function counted() {
  const told = { writes: 0, away: false };
  const keyUse = new Set<string>();
  const db = {
    ...services.db,
    run: (query: Parameters<Services['db']['run']>[0]) => {
      if (told.away) return Promise.reject(new Error('the database is away'));
      told.writes += 1;
      return services.db.run(query);
    },
  };
  return { told, keyUse, parts: { db, keyUse, log: services.log } };
}

test('a key’s last use is stored by the hour, and a failed use is not stored', async () => {
  const [used, unused] = [await newKey(), await newKey()];
  const before = thisHour();
  await auth.authenticate({ token: used.key });
  await expect(auth.authenticate({ token: `${unused.key.slice(0, -1)}!` })).rejects.toMatchObject({
    code: 'invalid-token',
  });
  expect(await usedAt(used.key_id)).toBeNull();
  await startKeyUse(services).stop();
  expect([before, thisHour()]).toContain(await usedAt(used.key_id));
  expect(await usedAt(unused.key_id)).toBeNull();
});

test('a use that another process stored within the hour is not written again', async () => {
  const { key_id } = await newKey();
  const version = async () =>
    (await sql.many<{ xmin: string }>('select xmin::text from api_keys where key_id = $1', [key_id]))[0]!.xmin;
  const use = async () => {
    const { keyUse, parts } = counted();
    keyUse.add(key_id);
    await startKeyUse(parts).stop();
    return version();
  };
  const before = await version();
  const [first, hour] = [await use(), await usedAt(key_id)];
  expect(first).not.toBe(before);
  const second = await use();
  // The service stores the second use only if a new hour began after the first use.
  if ((await usedAt(key_id)) === hour) expect(second).toBe(first);
});

test('while the database is down requests continue, and the use is stored later', async () => {
  const { key_id } = await newKey();
  const { told, keyUse, parts } = counted();
  told.away = true;
  const task = startKeyUse(parts, 10);
  keyUse.add(key_id);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await usedAt(key_id)).toBeNull();
  told.away = false;
  await until(async () => (await usedAt(key_id)) !== null, 'the use of the key');
  await task.stop();
  expect(told.writes).toBe(1);
});
