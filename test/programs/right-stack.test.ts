import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimDatabase, settingsHere } from '../../programs/admin/right-stack.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { readConfig } from '../../infra/config/index.ts';
import { assertPortsFree } from '../../programs/local/ports.ts';
import { forgetStack, noteStack, runningStack } from '../../programs/local/stack-file.ts';
import { withDatabase } from '../helpers/database.ts';
import { freePorts } from '../helpers/ports.ts';
import { urlOf } from '../helpers/postgres.ts';
import { ownerSql } from '../helpers/owner.ts';
import { testEnvironment } from '../helpers/environment.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-right-'));
  file = join(folder, 'stack.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const OWN = { postgres: true, temporal: true, bank: true, certificates: true };
const PORTS = {
  RINGFENCE_PORT_API: '18443',
  RINGFENCE_PORT_POSTGRES: '15443',
  RINGFENCE_PORT_TEMPORAL: '17233',
  RINGFENCE_PORT_TEMPORAL_UI: '18233',
  RINGFENCE_PORT_BANK: '18451',
};
const configOf = (env: Record<string, string> = {}) => readConfig({ ...PORTS, RINGFENCE_DATA: folder, ...env });
const here = (env: Record<string, string> = {}) => ({ RINGFENCE_DATA: folder, ...env });

const rewrite = (change: object) =>
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...change }));

describe('the file of a running stack', () => {
  test('has its addresses and its id, readable only by its user, until the stack stops', () => {
    writeFileSync(file, 'of one that was killed');
    chmodSync(file, 0o644);
    noteStack(configOf(), OWN, 'the-id');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(runningStack(folder)).toEqual({
      stackId: 'the-id',
      folder,
      process: { pid: process.pid, startedAt: expect.any(String) as string },
      settings: {
        ...PORTS,
        CHECKPOINTS: `${folder}-checkpoints`,
        RINGFENCE_PUBLIC_URL: 'https://localhost:18443',
        TEMPORAL_UI_URL: 'http://localhost:18233',
        TEMPORAL_NAMESPACE: 'default',
      },
      elsewhere: [],
    });
    forgetStack(folder);
    expect(existsSync(file)).toBe(false);
    expect(runningStack(folder)).toBeUndefined();
  });

  test('is ignored if its process has ended, in a copied folder, or if it is unreadable', () => {
    noteStack(configOf(), OWN, 'the-id');
    const copy = `${folder}-copy`;
    cpSync(folder, copy, { recursive: true });
    expect(runningStack(copy)).toBeUndefined();
    rmSync(copy, { recursive: true });
    rewrite({ process: { pid: process.pid, startedAt: '1' } });
    expect(runningStack(folder)).toBeUndefined();
    writeFileSync(file, '{"pid": 1}');
    expect(runningStack(folder)).toBeUndefined();
    writeFileSync(file, 'half');
    expect(runningStack(folder)).toBeUndefined();
  });

  test('of another user stops a command, because that stack may run', () => {
    noteStack(configOf(), OWN, 'the-id');
    const root = process.geteuid!() === 0;
    if (!root) chmodSync(file, 0);
    if (root) process.seteuid!(65_534);
    try {
      expect(() => runningStack(folder)).toThrow('EACCES');
    } finally {
      if (root) process.seteuid!(0);
    }
  });

  test('contains no external addresses, because they may have passwords', () => {
    const elsewhere = { DATABASE_URL: 'postgresql://someone:secret-word@db.example/ringfence' };
    noteStack(configOf(elsewhere), { ...OWN, postgres: false }, undefined);
    expect(readFileSync(file, 'utf8')).not.toMatch(/secret-word|db\.example/);
    expect(runningStack(folder)).toMatchObject({ elsewhere: ['DATABASE_URL'] });
  });
});

describe('a command without database settings', () => {
  test.each([
    [['app', 'list']],
    [['ledger', 'verify']],
    [['accrue']],
    [['master-key', 'rotate']],
    [['release', 'list']],
  ])('says in one sentence that no stack runs here: %s', async (args) => {
    const { exitCode, stdout, stderr } = await runCommand(args, here());
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^No stack runs on \S+\. Start the stack with npm start, or set RINGFENCE_DATA .*\n$/);
  });

  test('uses the addresses of the stack that runs here, except those in its settings', async () => {
    noteStack(configOf({ RINGFENCE_PUBLIC_URL: 'https://ringfence.example' }), OWN, undefined);
    const uses = ['database', 'temporal', 'temporalUi', 'site'] as const;
    const config = readConfig(await settingsHere(here(), uses), uses);
    expect(config.database.url).toContain('localhost:15443');
    expect(config.temporal).toMatchObject({ address: 'localhost:17233', uiUrl: 'http://localhost:18233' });
    expect(config.api.publicUrl).toBe('https://ringfence.example');
    const given = { RINGFENCE_PORT_API: '9', RINGFENCE_PORT_TEMPORAL: '10', TEMPORAL_UI_URL: 'http://ui.example' };
    const changed = readConfig(await settingsHere(here(given), uses), uses);
    expect(changed.api.publicUrl).toBe('https://localhost:9');
    expect(changed.temporal).toMatchObject({ address: 'localhost:10', uiUrl: 'http://ui.example' });
  });

  test("with only the port of this stack uses the stack's other addresses too", async () => {
    noteStack(configOf(), OWN, 'the-id');
    const uses = ['database', 'temporal'] as const;
    const temporalOf = async (env: Record<string, string>) =>
      readConfig(await settingsHere(here(env), uses), uses).temporal.address;
    expect(await temporalOf({ RINGFENCE_PORT_POSTGRES: '15443' })).toBe('localhost:17233');
    expect(await temporalOf({ RINGFENCE_PORT_POSTGRES: '15444' })).toBe('localhost:7233');
    const url = { DATABASE_URL: 'postgresql://a:b@db.example/c' };
    expect(await temporalOf({ RINGFENCE_PORT_POSTGRES: '15443', ...url })).toBe('localhost:7233');
  });

  test('asks for the settings of external parts', async () => {
    noteStack(configOf(), { ...OWN, postgres: false, temporal: false }, undefined);
    const { exitCode, stderr } = await runCommand(['accrue'], here());
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The stack on \S+ was started with DATABASE_URL and TEMPORAL_ADDRESS\. Set the same values for this command, and run the command again\.\n$/,
    );
  });

  test('does not look for a stack if it needs none, has settings, or runs in production', async () => {
    expect(await settingsHere(here(), ['keys'])).toEqual(here());
    for (const env of [
      { DATABASE_URL: 'postgresql://a:b@localhost:1/c' },
      { RINGFENCE_PORT_POSTGRES: '1' },
      { RINGFENCE_ENV: 'production' },
    ] as Record<string, string>[])
      expect(await settingsHere(here(env), ['database'])).toEqual(here(env));
    const temporal = here({ TEMPORAL_ADDRESS: 'localhost:1' });
    expect(await settingsHere(temporal, ['temporal'])).toEqual(temporal);
    await expect(settingsHere(temporal, ['database', 'temporal'])).rejects.toThrow('No stack runs on');
    const owner = here({ DATABASE_MIGRATION_URL: 'postgresql://a:b@localhost:1/c' });
    expect(await settingsHere(owner, ['database', 'migration'])).toEqual(owner);
    await expect(settingsHere(owner, ['database'])).rejects.toThrow('No stack runs on');
  });
});

describe('the id of a stack in its database', () => {
  const services = withDatabase();

  test('is written once, and then stays', async () => {
    const owner = urlOf(testEnvironment().databaseUrl, new URL(services.config.database.url).pathname.slice(1));
    const database = { url: services.config.database.url, migrationUrl: owner };
    const claim = () => claimDatabase({ database: { ...services.config.database, ...database } });
    const id = await claim();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await claim()).toBe(id);
    expect(await ownerSql(services, 'select stack_id from deployment')).toEqual([{ stack_id: id }]);
  });
});

const NAMES = ['API', 'POSTGRES', 'TEMPORAL', 'TEMPORAL_UI', 'BANK'].map((name) => `RINGFENCE_PORT_${name}`);
const SPACED = '/tmp/a folder';

describe('busy ports', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
  });
  const listen = (port: string) =>
    new Promise<void>((done) => {
      servers.push(createServer().listen(Number(port), '127.0.0.1', done));
    });
  const refusal = (env: Record<string, string>, command?: string) => {
    const config = readConfig({ RINGFENCE_DATA: SPACED, ...env });
    return assertPortsFree(config, OWN, command).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
  };

  test('are all named together, with a working line of settings for other ports', async () => {
    const free = (await freePorts(5)).map(String);
    const env = Object.fromEntries(NAMES.map((name, place) => [name, free[place]!]));
    expect(await refusal(env)).toBe('');
    await listen(free[0]!);
    await listen(free[3]!);
    const lines = (await refusal(env)).split('\n');
    expect(lines.slice(0, 2)).toEqual([
      `In use by other programs, perhaps by the stack of a different checkout, or closed to this user: port ${free[0]} (the API), ${free[3]} (Temporal's Web UI).`,
      'Stop those programs, or move this stack to free ports:',
    ]);
    expect(lines[2]).toMatch(/^ {2}RINGFENCE_DATA='\/tmp\/a folder' RINGFENCE_PORT_API=.* npm start$/);
    const words = [...lines[2]!.matchAll(/(RINGFENCE_PORT_\w+)=(\d+)/g)];
    const moved = Object.fromEntries(words.map(([, name, port]) => [name!, port!]));
    expect(moved).toEqual({
      ...env,
      RINGFENCE_PORT_API: expect.any(String) as string,
      RINGFENCE_PORT_TEMPORAL_UI: expect.any(String) as string,
    });
    expect(await refusal(moved)).toBe('');
  });

  test('get different new ports, and the demo starts with its own line of settings', async () => {
    const [api, ...others] = await freePorts(4);
    await listen(String(api));
    const placed = NAMES.slice(1, 4).map((name, place) => [name, String(others[place])] as const);
    const env = {
      ...Object.fromEntries(placed),
      RINGFENCE_PORT_API: String(api),
      RINGFENCE_PORT_BANK: String(api! + 100),
    };
    const message = await refusal(env, 'npm run demo');
    expect(message).toMatch(/ npm run demo$/);
    expect(message).not.toContain(`RINGFENCE_PORT_API=${api! + 100}`);
  });
});
