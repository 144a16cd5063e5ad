import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { postgresUrl } from '../../programs/local/postgres.ts';
import { startPostgres } from '../helpers/embedded.ts';
import { freeStackPorts, stackFolder } from '../helpers/local-stacks.ts';
import { until } from '../helpers/until.ts';

/* `npm start`, with its real parts, on a data folder whose tables another state of the program made. */

const ROOT = resolve(import.meta.dirname, '../..');
const UNKNOWN = 'Migration20200101000000_of_another_state';
const START = ['programs/local/main.ts'];
// Gives the program a terminal. The program gets what is written to the standard input as typed.
const IN_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
const SENTENCE =
  /^The data folder .* belongs to another state of Ringfence, .*; nothing in it was changed, so move it aside \(mv .*\) and run npm start again\.\n$/;

let folder: string;
let data: string;
let env: Record<string, string | undefined>;

beforeEach(async () => {
  folder = stackFolder('earlier');
  data = join(folder, 'data');
  env = { PATH: process.env.PATH, HOME: process.env.HOME, ...(await freeStackPorts()), RINGFENCE_DATA: data };
  await inDatabase(
    `create table mikro_orm_migrations (id serial primary key, name text, executed_at timestamptz default now());
     insert into mikro_orm_migrations (name) values ('${UNKNOWN}');
     create table ledger_accounts (account_id bigserial primary key)`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function inDatabase(sql: string): Promise<unknown[]> {
  const port = Number(env.RINGFENCE_PORT_POSTGRES);
  const server = await startPostgres({ dir: join(data, 'postgres'), port });
  const client = new pg.Client(postgresUrl(port));
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
    await server.stop();
  }
}

function start(command: string, args: readonly string[]) {
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => (printed[stream] += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...printed }));
  return {
    ended,
    async says(words: string) {
      await until(() => printed.stdout.includes(words) || child.exitCode !== null, words, 90_000);
      expect(printed.stdout).toContain(words);
    },
    type: (text: string) => child.stdin.write(text),
  };
}

const inTerminal = () => start('python3', ['-c', IN_TERMINAL, process.execPath, ...START]);
const aside = () => readdirSync(folder).filter((name) => /^data\.old-\d{8}-\d{6}$/.test(name));

async function isUnchanged(): Promise<void> {
  expect(aside()).toEqual([]);
  expect(readdirSync(data).filter((name) => name !== 'logs' && !name.endsWith('.log'))).toEqual(['postgres']);
  expect(await inDatabase('select name from mikro_orm_migrations')).toEqual([{ name: UNKNOWN }]);
  expect(
    await inDatabase(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
    ),
  ).toEqual([{ relname: 'ledger_accounts' }, { relname: 'mikro_orm_migrations' }]);
}

test('without a terminal, says in one sentence which command moves the folder aside, and changes nothing', async () => {
  const { code, stderr } = await start(process.execPath, START).ended;
  expect(stderr).toMatch(SENTENCE);
  expect(code).toBe(1);
  await isUnchanged();
  const [, move] = /\((mv [^)]*)\)/.exec(stderr)!;
  expect((await start('sh', ['-c', move!]).ended).code).toBe(0);
  expect([aside().length, existsSync(data)]).toEqual([1, false]);
});

test('in a terminal, asks first, and changes nothing without a yes', async () => {
  const stack = inTerminal();
  await stack.says('(y/N)');
  stack.type('\n');
  const { code, stdout } = await stack.ended;
  expect(stdout).toContain('so move it aside (mv ');
  expect(code).toBe(1);
  await isUnchanged();
});

test('in a terminal, moves the folder aside after a yes, and starts with an empty one', async () => {
  const stack = inTerminal();
  await stack.says('(y/N)');
  stack.type('y\n');
  await stack.says('Ringfence is ready');
  const [moved] = aside();
  expect(readdirSync(join(folder, moved!))).toContain('postgres');
  expect(readdirSync(data)).toEqual(expect.arrayContaining(['keys', 'pki', 'postgres', 'stack.lock']));
  // Ctrl-C.
  stack.type('\u0003');
  expect((await stack.ended).code).toBe(0);
  const names = (await inDatabase('select name from mikro_orm_migrations')) as { name: string }[];
  expect(names.map(({ name }) => name)).not.toContain(UNKNOWN);
});
