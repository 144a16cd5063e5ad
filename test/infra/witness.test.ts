import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dismissRestore } from '../../activities/restore/dismiss.ts';
import { serverIdentity } from '../../infra/db/queries/witness.ts';
import { requireFolder } from '../../infra/process/require-witness.ts';
import { readCounter, writeCounter } from '../../infra/witness/counter.ts';
import { openFolder } from '../../infra/witness/folder.ts';
import { startWitness, witnessOnce } from '../../infra/witness/loop.ts';
import { openRestoring, requireNotRestoring } from '../../infra/witness/restoring.ts';
import { readTakenAway, takenAwaySubject } from '../../infra/witness/taken-away.ts';
import { finish } from '../../programs/admin/restore.ts';
import { cloneDatabase, openTestServices, withDatabase } from '../helpers/database.ts';
import { ownerSql } from '../helpers/owner.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { administer, dropDatabase, TEMPLATE } from '../helpers/postgres.ts';
import { until } from '../helpers/until.ts';

const folder = openFolder(mkdtempSync(join(tmpdir(), 'witness-')));
const services = withDatabase({ env: { CHECKPOINTS: folder.path } });
const owner = (text: string, values: unknown[] = []) => ownerSql(services, text, values);

afterAll(() => rm(folder.path, { recursive: true }));

const minutesPass = () => owner(`update witness set raised_at = now() - interval '1 minute'`);
const counterOf = async () => (await readCounter(folder))?.counter;
const isRefused = { code: 'restoring', extra: { retry_after: 60 } };

const dismiss = () => dismissRestore({ ...services, operator: 'ada' }, { reason: 'a test', folder });

test('the counter rises each minute, in the database first, and two workers take turns', async () => {
  expect(await witnessOnce(services, folder)).toBe(true);
  expect(await counterOf()).toBe(1);
  await witnessOnce(services, folder);
  expect(await counterOf()).toBe(1);
  await minutesPass();
  const both = await Promise.all([witnessOnce(services, folder), witnessOnce(services, folder)]);
  expect(both).toContain(true);
  expect(await counterOf()).toBe(2);
});

test('a crash between database and folder does not look like a restore', async () => {
  await minutesPass();
  const full = { ...folder, replace: () => Promise.reject(new Error('the disk is full')) };
  await expect(witnessOnce(services, full)).rejects.toThrow('the disk is full');
  expect(await services.restoring.look()).toBeUndefined();
  await minutesPass();
  await witnessOnce(services, folder);
  expect(await counterOf()).toBe(4);
});

test('a database behind the folder is noticed once, nothing is witnessed, and a dismissal ends it', async () => {
  await owner('update witness set counter = 2');
  const another = openRestoring(services, services.config.witness);
  const [noticed, again] = await Promise.all([services.restoring.look(), another.look()]);
  expect(noticed).toMatchObject({
    state: 'noticed',
    found: 'the database is 2 of its minutes behind the folder CHECKPOINTS',
  });
  expect(again).toEqual(noticed);
  await expect(services.restoring.requireNone()).rejects.toMatchObject(isRefused);
  await expect(services.db.transaction(requireNotRestoring)).rejects.toMatchObject(isRefused);
  expect(await services.metrics.registry.metrics()).toContain('ringfence_restoring 1');

  await minutesPass();
  await witnessOnce(services, folder);
  expect(await counterOf()).toBe(4);

  const events = await owner('select kind, actor from audit_events where subject = $1', [noticed!.restore_id]);
  expect(events).toEqual([{ kind: 'restore.noticed', actor: 'witness' }]);
  expect(await dismiss()).toMatchObject({ restore_id: noticed!.restore_id });
  await expect(dismiss()).rejects.toMatchObject({ code: 'not-found' });
  expect(await services.restoring.look()).toBeUndefined();
  await minutesPass();
  await witnessOnce(services, folder);
  expect(await counterOf()).toBe(6);
});

test('another sign of a restore is noticed too, and given the time of the last dismissal', async () => {
  const asked: (string | null)[] = [];
  const another = openRestoring(services, services.config.witness);
  another.alsoBy(({ settledAt }) => Promise.resolve(asked.push(settledAt) > 0 ? 'a chain is behind' : undefined));
  expect(await another.look()).toMatchObject({ state: 'noticed', found: 'a chain is behind' });
  await dismiss();
  expect(asked).toEqual([expect.stringMatching(/^20/)]);
});

test('a running process hears of a restore that another one begins or ends', async () => {
  const watch = services.restoring.start();
  await until(() => services.restoring.isNone(), 'the first look');
  const by = `'begun', now(), now(), now()`;
  await owner(`insert into restores (restore_id, state, noticed_at, backup_at, begun_at) values ('rst_x', ${by})`);
  await until(() => services.restoring.now()?.state === 'begun', 'the restore to be heard of');
  await owner(`update restores set state = 'finished', ended_at = now() where restore_id = 'rst_x'`);
  await until(() => services.restoring.now() === undefined, 'its end to be heard of');
  await watch.stop();
});

test('what is taken away stands in the folder at once', async () => {
  const witness = startWitness(services, folder.path);
  const since = new Date();
  await owner(
    `insert into users (user_id, email_ref, email_index, password_hash, created_at) values ('usr_t', 'r', 'i', 'old', now())`,
  );
  await owner(`update users set password_hash = 'new', disabled_at = now() where user_id = 'usr_t'`);
  await owner(`update token_families set ended_at = now() where family_id = 'fam_test'`);
  const kinds = async () => {
    const found: string[] = [];
    for await (const { kind, subject } of (await readTakenAway(folder, { since })).lines) {
      const id = kind === 'grant' ? 'fam_test' : 'usr_t';
      expect(subject).toBe(takenAwaySubject(services.keys, id));
      found.push(kind);
    }
    return found.toSorted();
  };
  await until(async () => (await kinds()).length === 3, 'the lines');
  expect(await kinds()).toEqual(['grant', 'password', 'user']);
  await witness.stop();
});

test('a folder of another database, or none, is refused with a sentence', async () => {
  const counter = (await readCounter(folder))!;
  await writeCounter(folder, { ...counter, deployment: 'another' });
  await expect(finish({ ...services, operator: 'ada' })).rejects.toThrow('is of another database');
  await expect(services.restoring.look()).rejects.toThrow(/^The folder CHECKPOINTS, .* is of another database/);
  await writeCounter(folder, counter);
  const config = { ...services.config, witness: { folder: '/nowhere', keyFile: '' } };
  await expect(requireFolder({ config, log: services.log })).rejects.toThrow(
    'CHECKPOINTS names /nowhere, which cannot be read (ENOENT).',
  );
});

test('a backup restored into the same server while the service runs is noticed at the next connection', async () => {
  const database = await cloneDatabase();
  const path = mkdtempSync(join(tmpdir(), 'witness-'));
  const running = await openTestServices(database.url, { env: { CHECKPOINTS: path } });
  try {
    await witnessOnce(running, openFolder(path));
    expect(await running.restoring.isNone()).toBe(true);
    await restoreTemplate(database.url);
    await until(() => running.db.one(serverIdentity()).then(Boolean, () => false), 'a new connection');
    await expect(running.restoring.requireNone()).rejects.toMatchObject(isRefused);
  } finally {
    await running.close();
    await database.drop();
    await rm(path, { recursive: true });
  }
});

async function restoreTemplate(url: string): Promise<void> {
  const { databaseUrl } = testEnvironment();
  const name = new URL(url).pathname.slice(1);
  await dropDatabase(databaseUrl, name);
  await administer(databaseUrl, `create database ${name} template ${TEMPLATE}`);
}
