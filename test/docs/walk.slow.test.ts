import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import { VAULTED } from '../../programs/demo/vault.ts';
import { curl as curlOf } from '../helpers/curl.ts';
import { blocks } from '../helpers/documents.ts';
import { differences, guidePages, readPage, runCurls, stepsOf, type GuideStack } from '../helpers/guide.ts';
import { operatorsCommands, runFlow, withFreeCallback } from '../helpers/guide-flow.ts';
import { approving } from '../helpers/guide-person.ts';
import { runPythonOf, runTypeScript } from '../helpers/guide-programs.ts';
import { findLeaks } from '../helpers/leaks.ts';
import { freePort } from '../helpers/ports.ts';

/* Follows the guide as a newcomer would, on a real stack with its own data and ports. `readme.slow.test.ts` follows the README. */

const ROOT = resolve(import.meta.dirname, '../..');
const daily = readFileSync(join(ROOT, 'docs/operate/daily.md'), 'utf8');
const NOT_INHERITED = ['DATABASE_URL', 'DATABASE_MIGRATION_URL', 'TEMPORAL_ADDRESS', 'npm_lifecycle_event'];
const STANDARD = {
  RINGFENCE_PORT_API: 8443,
  RINGFENCE_PORT_POSTGRES: 5443,
  RINGFENCE_PORT_TEMPORAL: 7233,
  RINGFENCE_PORT_TEMPORAL_UI: 8233,
  RINGFENCE_PORT_BANK: 8451,
  METRICS_PORT_API: 9464,
  METRICS_PORT_WORKER: 9484,
};

let data: string;
let env: Record<string, string>;
let ports: readonly (readonly [standard: number, own: number])[];
let stack: Run | undefined;
let demoOutput: string;
let apiKey: string;

interface Run {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
}

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'ringfence-walk-'));
  // PostgreSQL, which never runs as root, must be able to open the folder.
  chmodSync(data, 0o755);
  const taken = await Promise.all(
    Object.values(STANDARD).map(async (standard) => [standard, await freePort()] as const),
  );
  ports = taken;
  const settings = Object.keys(STANDARD).map((name, place) => [name, String(taken[place]![1])]);
  env = { RINGFENCE_DATA: data, ...(Object.fromEntries(settings) as Record<string, string>) };
});

afterAll(async () => {
  stack?.child.kill('SIGTERM');
  await stack?.ended;
  rmSync(data, { recursive: true, force: true });
});

function run(program: string, ...args: string[]): Run {
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.includes(name));
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  return { child, output: () => text, ended };
}

async function says(running: Run, words: string): Promise<void> {
  while (!running.output().includes(words) && running.child.exitCode === null)
    await new Promise((done) => setTimeout(done, 50));
  expect(running.output()).toContain(words);
}

function asHere(command: string): string {
  return ports
    .reduce((text, [port, own]) => text.replaceAll(`:${port}`, `:${own}`), command)
    .replaceAll('.data/', `${data}/`);
}

const curl = (command: string) => curlOf(command, { folder: ROOT });

async function admin(command: string): Promise<Record<string, unknown>> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  const running = run('programs/admin/main.ts', ...words.slice(words.indexOf('--') + 1));
  expect({ code: await running.ended, output: running.output() }).toMatchObject({ code: 0 });
  return JSON.parse(running.output()) as Record<string, unknown>;
}

async function clockHere(): Promise<number> {
  const { app_id } = await admin('npm run admin -- app create --name Clock');
  const { key } = await admin(`npm run admin -- key create --app ${String(app_id)} --scopes admin:audit`);
  const read = `curl --cacert .data/pki/ca.crt https://localhost:8443/api/v1/sandbox/clock -H 'Authorization: Bearer ${String(key)}'`;
  return Date.parse(String((await curl(asHere(read))).body.now));
}

test('npm start starts the stack', async () => {
  const starting = run('programs/local/main.ts');
  stack = starting;
  await says(starting, 'A first command to try:\n  curl');
});

test('the first printed command works unchanged', async () => {
  const command = stack!
    .output()
    .split('\n')
    .find((line) => line.includes('curl'))!;
  const absolute = command.replace(/--cacert \S+/, `--cacert ${join(data, 'pki', 'ca.crt')}`);
  expect(await curl(absolute)).toMatchObject({ status: 201, body: { email: 'ada@example.org' } });
});

test('npm run demo starts a stack of its own, and changes neither the clock nor the data of the running stack', async () => {
  const before = readFileSync(join(data, 'stack.json'), 'utf8');
  const demo = run('programs/demo/main.ts');
  expect({ code: await demo.ended, output: demo.output() }).toMatchObject({ code: 0 });
  expect(demo.output()).toContain('The demo starts a stack of its own');
  expect(demo.output()).toContain('Every step was right');
  expect(existsSync(join(data, 'demo', 'stack.json'))).toBe(false);
  expect(readFileSync(join(data, 'stack.json'), 'utf8')).toBe(before);
  expect(await admin('npm run admin -- app list')).toEqual({ items: [] });
  expect(Math.abs((await clockHere()) - Date.now())).toBeLessThan(60_000);
});

test('with --here the demo goes through on the running stack', async () => {
  const demo = run('programs/demo/main.ts', '--here');
  expect({ code: await demo.ended, output: demo.output() }).toMatchObject({ code: 0 });
  demoOutput = demo.output();
  expect(demoOutput).toContain('Every step was right');
});

test('the commands for watching show what the demo did', async () => {
  const [text] = blocks(daily, 'watch');
  const shown: string[] = [];
  for (const command of text!.split('\n')) {
    if (command.startsWith('npm ')) {
      expect(await admin(command)).toEqual({ payments: [] });
      continue;
    }
    const [, wanted = ''] = /\| grep (\S+)$/.exec(command) ?? [];
    for (const url of asHere(command).match(/http:\S+/g)!) {
      const lines = (await (await fetch(url)).text()).split('\n');
      shown.push(...lines.filter((line) => new RegExp(wanted).test(line)));
    }
  }
  expect(shown.filter((line) => line === 'ready')).toHaveLength(2);
  const told = shown.join('\n');
  expect(told).toMatch(/^ringfence_http_requests_total\{operation="executePayment",method="POST",status="201"\} \d+$/m);
  expect(told).toMatch(/^ringfence_payments_total\{event="completed"\} [1-9]/m);
});

describe('the API guide', () => {
  let here: GuideStack;
  let withCallback: (text: string) => string;
  /** Values that operator commands printed and that readers copy. */
  const typed: Record<string, unknown> = {};

  async function typeCommands(page: string): Promise<void> {
    for (const line of operatorsCommands(page)) {
      const [, name, begins] = /^export (\w+)=(\w+)\.\.\.$/.exec(line) ?? [];
      // Readers copy the value that the previous command printed.
      if (name !== undefined) expect(typed[name.toLowerCase()]).toMatch(new RegExp(`^${begins}`));
      else Object.assign(typed, await admin(withCallback(line).replace('APP_ID', String(typed.app_id))));
    }
  }

  beforeAll(async () => {
    withCallback = await withFreeCallback();
    await typeCommands('10-start.md');
    apiKey = String(typed.key);
    const variables = {
      RF: asHere('https://localhost:8443'),
      CA: join(data, 'pki', 'ca.crt'),
      KEY: apiKey,
    };
    here = { asHere, folder: join(data, 'guide'), variables };
  });

  test.each(guidePages())('%s: with the key of the first page, all code gives the printed responses', async (page) => {
    const steps = stepsOf(page);
    const person = approving(here, ['56-banks.md', '59-own-bank.md'].includes(page) ? ['grace', 'grace-ts'] : []);
    const results = {
      sh: await runCurls(page, here),
      ts: await runTypeScript(page, here),
      py: await runPythonOf(page, here),
    };
    await person.done();
    const told = steps.flatMap(({ answer, ...code }, place) =>
      (['sh', 'ts', 'py'] as const).flatMap((language) =>
        answer === undefined || code[language] === undefined
          ? []
          : differences(answer, results[language][place], `step ${place} in ${language}`),
      ),
    );
    expect(told).toEqual([]);
  });

  test('an application that an operator registers acts for a person, with the guide’s program', async () => {
    await typeCommands('20-applications.md');
    expect(typed).toMatchObject({ client_id: expect.any(String) as unknown, client_secret: null });
    const asCalled = { clientId: String(typed.client_id), asHere: withCallback };
    const profile = await runFlow('20-applications.md', asCalled, here);
    expect(profile).toMatchObject({ authenticated_by: 'user', email: 'hopper@example.org' });
  });

  test('operators’ commands appear only on the pages that were run above', () => {
    const pages = guidePages().filter((page) => operatorsCommands(page).length > 0);
    expect(pages).toEqual(['10-start.md', '20-applications.md']);
  });

  test('has no block of code that is not run', () => {
    const steered = /^(?:settings|operator|flow|client|person|module|reset|banks|runs|keep .+|until .+)$/;
    const marks = guidePages().flatMap((page) =>
      [...readPage(page).matchAll(/<!-- ([^\n]+?) -->/g)].map(([, mark]) => mark!),
    );
    expect(marks.filter((mark) => !steered.test(mark))).toEqual([]);
  });
});

test('after all these calls, no personal data or secret is in the clear in the database, in Temporal or in a log', async () => {
  const told = (pattern: RegExp) => pattern.exec(demoOutput)![1]!;
  const needles = {
    'the email address of the demo': told(/"email": "([^"]+)"/),
    'the password of the demo': told(/"password": "([^"]+)"/),
    'the email address of the first command': 'ada@example.org',
    'the password of the first command': 'correct horse battery',
    'the name in the vault': VAULTED.account_holder_name,
    'the account number in the vault': VAULTED.account_number,
    'the API key': apiKey,
    'the name of the vault command': 'Ada Lovelace',
    ...Object.fromEntries(
      SANDBOX_PAYEES.map(({ providerId, sortCode, accountNumber }) => [
        `the account of ${providerId}`,
        `${sortCode}${accountNumber}`,
      ]),
    ),
  };
  const port = (standard: number) => ports.find(([known]) => known === standard)![1];
  const everything = {
    databaseUrl: `postgresql://ringfence:ringfence@localhost:${port(STANDARD.RINGFENCE_PORT_POSTGRES)}/ringfence`,
    temporal: { address: `localhost:${port(STANDARD.RINGFENCE_PORT_TEMPORAL)}`, namespace: 'default' },
    folders: [join(data, 'logs'), join(data, 'temporal')],
  };
  expect((await findLeaks(everything, needles)).leaks).toEqual([]);
  // The search itself works: it finds a payment's id in tables, in workflows and in files.
  const paymentId = /pay_[0-9a-f-]{36}/.exec(demoOutput)![0];
  const { leaks } = await findLeaks(everything, { it: paymentId });
  expect(new Set(leaks.map((leak) => leak.split(' ')[2]))).toEqual(new Set(['table', 'workflow', 'file']));
});

test('afterwards the ledger balances and the audit log is intact', async () => {
  expect(await admin('npm run admin -- ledger verify')).toMatchObject({ ok: true });
  expect(await admin('npm run admin -- audit verify')).toMatchObject({ ok: true });
});

test('the guide’s reset gives an empty sandbox with today’s time', async () => {
  const [remove, start] = blocks(readPage('70-sandbox.md'), 'reset')[0]!.split('\n');
  expect(start).toBe('npm start');
  const before = readFileSync(join(data, 'pki', 'ca.crt'), 'utf8');
  stack!.child.kill('SIGTERM');
  await stack!.ended;
  execFileSync('sh', ['-c', remove!.replace('.data', data)]);
  stack = run('programs/local/main.ts');
  await says(stack, 'A first command to try:\n  curl');
  expect(readFileSync(join(data, 'pki', 'ca.crt'), 'utf8')).not.toBe(before);
  expect(await admin('npm run admin -- app list')).toEqual({ items: [] });
  expect(Math.abs((await clockHere()) - Date.now())).toBeLessThan(60_000);
});

test('the demo says in one sentence that another stack answered', async () => {
  env = { ...env, RINGFENCE_DATA: join(data, 'none') };
  const demo = run('programs/demo/main.ts', '--here');
  expect(await demo.ended).toBe(1);
  expect(demo.output()).toContain('The running stack might have been started with another RINGFENCE_DATA or TLS_CA.');
});
