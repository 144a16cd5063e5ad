import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../helpers/embedded.ts';
import { OF_LIBRARIES, OF_SYSTEM } from '../helpers/environments.ts';
import { freeStackPorts, stackFolder } from '../helpers/local-stacks.ts';
import { freePort } from '../helpers/ports.ts';
import { runAs, type Ended } from '../helpers/run-as.ts';
import { until } from '../helpers/until.ts';

/* The real local stack starts in each environment, or says at once and in one sentence what to do. */

const folder = stackFolder('environments');
const inside = (name: string) => join(folder, name);
const closing: (() => unknown)[] = [];
let ports: Record<string, string>;

beforeAll(async () => {
  ports = await freeStackPorts();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

type Variables = Readonly<Record<string, string>>;

const AT_ONCE_MS = 15_000;
const NO_NAME = 54_321;
const START = 'programs/local/main.ts';
const MIGRATE = 'programs/admin/migrate.ts';
const DEMO = 'programs/demo/main.ts';
const ADMIN = ['programs/admin/main.ts', 'app', 'list'] as const;

const run = (program: readonly string[], env: Variables = {}, how: Parameters<typeof runAs>[2] = {}) =>
  runAs(program, { RINGFENCE_DATA: inside('data'), ...ports, ...env }, how);

function needsRoot(): void {
  if (process.getuid?.() !== 0) throw new Error('This test needs root, because it changes users and mounts a file.');
}

/** One sentence or two on one line, soon, without a trace. */
async function says(sentence: RegExp, started: ReturnType<typeof run>): Promise<void> {
  const began = performance.now();
  const { code, stderr } = await started.ended;
  expect({ code, stderr }).toEqual({
    code: expect.any(Number) as number,
    stderr: expect.stringMatching(sentence) as string,
  });
  expect(code).not.toBe(0);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(performance.now() - began).toBeLessThan(AT_ONCE_MS);
}

async function starts(
  started: ReturnType<typeof run>,
  meanwhile: () => Promise<void> = async () => {},
): Promise<Ended> {
  try {
    await until(() => started.output().includes('is ready after') || started.hasEnded(), 'the stack', 120_000);
    expect(started.output()).toContain('is ready after');
    await meanwhile();
  } finally {
    started.stop();
  }
  return started.ended;
}

describe('a stack starts', () => {
  test('with every variable of libraries, and its commands work with them too', async () => {
    const strange = { ...OF_SYSTEM, ...OF_LIBRARIES };
    const ended = await starts(run([START], strange), async () => {
      const env = { ...strange, RINGFENCE_DATA: inside('data') };
      expect(await runAs(ADMIN, env).ended).toMatchObject({ code: 0, stdout: '{"items":[]}\n' });
      expect(await runAs([MIGRATE], env).ended).toMatchObject({ code: 0 });
      expect(await runAs(['programs/admin/main.ts', 'accrue'], env).ended).toMatchObject({ code: 0 });
    });
    expect(ended.code).toBe(0);
  });

  test('without any variable except PATH, for a user without a home', async () => {
    needsRoot();
    mkdirSync(inside('of-nobody'));
    const nobody = idsOf('nobody');
    chownSync(inside('of-nobody'), nobody.uid, nobody.gid);
    const env = { RINGFENCE_DATA: inside('of-nobody/data') };
    expect((await starts(run([START], env, nobody))).code).toBe(0);
  });
});

function idsOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

describe('one sentence says at once', () => {
  test.each<[string, Variables, RegExp]>([
    [
      'that the local Temporal has no TLS',
      { TEMPORAL_TLS: 'true' },
      /^TEMPORAL_TLS is "true", but the local Temporal has no TLS\. Unset/,
    ],
    [
      'which setting of TLS belongs to TEMPORAL_TLS',
      { TEMPORAL_TLS_CA: '/ca.crt' },
      /^TEMPORAL_TLS_CA is set, but TEMPORAL_TLS is "false"/,
    ],
    ['that a setting is wrong', { RINGFENCE_PORT_API: 'https' }, /^RINGFENCE_PORT_API is "https", but must be/],
  ])('%s', (_what, env, sentence) => says(sentence, run([START], env)));

  test.each([[[START]], [[MIGRATE]], [ADMIN], [[DEMO, '--here']]])(
    'that nothing listens at DATABASE_URL: %j',
    async (program) => {
      const DATABASE_URL = `postgresql://a:b@localhost:${await freePort()}/c`;
      await says(/nothing (?:responds|listens) at .*DATABASE_URL/i, run(program, { DATABASE_URL }));
    },
  );

  test('that nothing listens at DATABASE_URL, even if an API runs: the demo', async () => {
    const api = await listening(createServer());
    const env = { DATABASE_URL: `postgresql://a:b@localhost:${await freePort()}/c`, RINGFENCE_PORT_API: api };
    await says(
      /^\nNothing responds at localhost:\d+, the address in DATABASE_URL\. Start PostgreSQL/,
      run([DEMO, '--here'], env),
    );
  });

  test.each([[[START]], [[MIGRATE]], [ADMIN]])('that the database does not respond: %j', async (program) => {
    const silent = await listening(createServer(() => undefined));
    const env = { DATABASE_URL: `postgresql://a:b@localhost:${silent}/c`, RINGFENCE_ENV: 'sandbox' };
    await says(/^The database c at localhost:\d+ cannot be used: it does not respond; check the/, run(program, env));
  });

  async function listening(server: Pick<Server, 'listen' | 'close' | 'listening' | 'address'>): Promise<string> {
    server.listen(0, '127.0.0.1');
    closing.push(() => server.close());
    await until(() => server.listening, 'the server');
    return String((server.address() as AddressInfo).port);
  }

  test.each([[[START]], [[MIGRATE]]])(
    'that the database belongs to another program, and creates nothing',
    async (program) => {
      const postgres = await foreign();
      const env = { DATABASE_URL: postgres.url, RINGFENCE_ENV: 'sandbox' };
      await says(
        /^The database ringfence at localhost:\d+ belongs to another program: it has tables \(a, b, c and 1 more\)/,
        run(program, env),
      );
      const client = new pg.Client(postgres.url);
      await client.connect();
      const { rows } = await client.query(
        'select count(*)::int as tables from pg_class where relnamespace = $1::regnamespace and relkind = $2',
        ['public', 'r'],
      );
      await client.end();
      expect(rows).toEqual([{ tables: 4 }]);
    },
  );

  let made: Awaited<ReturnType<typeof startPostgres>> | undefined;
  async function foreign() {
    if (made !== undefined) return made;
    made = await startPostgres({ dir: inside('foreign'), port: await freePort() });
    closing.push(() => made!.stop());
    const client = new pg.Client(made.url);
    await client.connect();
    for (const name of ['a', 'b', 'c', 'd']) await client.query(`create table ${name} (n int)`);
    await client.end();
    return made;
  }

  test('that a file is in the place of the data folder', async () => {
    writeFileSync(inside('file'), '');
    for (const RINGFENCE_DATA of [inside('file'), inside('file/below')])
      await says(/^The data folder \S+ cannot be used: a file is in /, run([START], { RINGFENCE_DATA }));
  });

  test('that another user owns the data folder, or something in it', async () => {
    needsRoot();
    mkdirSync(inside('of-root'));
    const env = { RINGFENCE_DATA: inside('of-root') };
    await says(/^The data folder \S+ cannot be used: this user has no permission/, run([START], env, idsOf('nobody')));
    const { uid, gid } = idsOf('nobody');
    mkdirSync(inside('mixed/keys'), { recursive: true });
    writeFileSync(inside('mixed/keys/master.json'), '{}');
    for (const path of ['mixed', 'mixed/keys']) chownSync(inside(path), uid, gid);
    const mixed = { RINGFENCE_DATA: inside('mixed') };
    await says(
      /another user \(id 0\) owns \S+master\.json; run the command as that user/,
      run([START], mixed, { uid, gid }),
    );
  });

  test('that PostgreSQL needs a user with a name', async () => {
    needsRoot();
    mkdirSync(inside('nameless'));
    chownSync(inside('nameless'), NO_NAME, NO_NAME);
    const env = { RINGFENCE_DATA: inside('nameless/data') };
    await says(
      /^PostgreSQL needs a user with a name, and the user id 54321 has none/,
      run([START], env, { uid: NO_NAME, gid: NO_NAME }),
    );
  });

  test('that localhost is not 127.0.0.1', async () => {
    needsRoot();
    writeFileSync(inside('hosts'), '::1 localhost\n');
    await says(
      /^On this machine localhost is only ::1, but the stack listens at 127\.0\.0\.1\. Add the line/,
      run([START], {}, { hosts: inside('hosts') }),
    );
  });
});
