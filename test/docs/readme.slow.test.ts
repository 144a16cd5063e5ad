import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { blocks } from '../helpers/documents.ts';
import { freePorts } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';

/* Pastes the README's commands, unchanged, into two terminals in a new checkout. Only the ports are free ones. */

const ROOT = resolve(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const PORTS = {
  RINGFENCE_PORT_API: 8443,
  RINGFENCE_PORT_POSTGRES: 5443,
  RINGFENCE_PORT_TEMPORAL: 7233,
  RINGFENCE_PORT_TEMPORAL_UI: 8233,
  RINGFENCE_PORT_BANK: 8451,
};
const [start, ...calls] = [...readme.matchAll(/```sh\n([^]*?)\n```/g)].map(([, commands]) => commands!);
/** Settings of the test run must not reach the commands. */
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:RINGFENCE|DATABASE|METRICS|npm)_|^(?:TEMPORAL_ADDRESS|NODE_OPTIONS)$/.test(name),
  ),
);

let folder: string;
let ports: Record<string, number>;
let service: Terminal | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-readme-'));
  // PostgreSQL, which never runs as root, must be able to open the folder.
  chmodSync(folder, 0o755);
  const left = ['.git', '.data', 'node_modules', '.cache'].map((name) => join(ROOT, name));
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !left.includes(path) });
  for (const name of ['node_modules', '.cache']) symlinkSync(join(ROOT, name), join(folder, name));
  const free = await freePorts(Object.keys(PORTS).length);
  ports = Object.fromEntries(Object.keys(PORTS).map((name, place) => [name, free[place]!]));
});
afterAll(async () => {
  service?.child.kill('SIGTERM');
  await service?.ended;
  rmSync(folder, { recursive: true, force: true });
});

interface Terminal {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
}

function paste(commands: string, env: Record<string, string> = {}): Terminal {
  const child = spawn('sh', ['-eu', '-c', commands], {
    cwd: folder,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return { child, output: () => text, ended };
}

function withStandardPorts(output: string): string {
  const standard = Object.entries(PORTS).reduce(
    (text, [name, port]) => text.replaceAll(`:${ports[name]}`, `:${port}`),
    output,
  );
  return standard.replace(/after [\d.]+ s/, 'after 21.4 s');
}

test('npm start prints the lines that the README shows', async () => {
  const settings = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
  const running = paste(`exec ${start!}`, settings);
  service = running;
  await until(
    () => running.output().includes('A first command to try') || running.child.exitCode !== null,
    'the stack',
  );
  const printed = withStandardPorts(running.output()).split('\n');
  const shown = blocks(readme, 'start-output')[0]!.split('\n');
  expect(shown.filter((line) => !printed.includes(line))).toEqual([]);
});

test('all commands of the README work as they stand, from top to bottom, and print what it says', async () => {
  const commands = calls.map((block, place) => `${block}\necho; echo 'block ${place} ends'`);
  const running = paste(commands.join('\n'));
  expect({ code: await running.ended, output: running.output() }).toMatchObject({ code: 0 });
  const printed = running.output().split(/block \d+ ends\n/);
  expect(printed).toHaveLength(calls.length + 1);
  const [, split, payment, payslip, vault, demo] = printed;
  for (const field of ['"locked_for_bills":95000', '"locked_buffer":28474', '"clean_safe_to_spend":161261'])
    expect(split).toContain(field);
  expect(payment).toContain('"status":"completed"');
  expect(payslip).toContain('"net_pay":284735');
  expect(payslip).toContain('"tax_years":[{"tax_year":"2026-27","gross_pay":375553');
  expect(vault).toContain('"sort_code":"**-**-56"');
  expect(demo).toContain('Every step was right');
  const lines = demo!.split('\n');
  const places = blocks(readme, 'demo-output')[0]!
    .split('\n')
    .map((line) => [line, lines.indexOf(line)] as const);
  expect(places.filter(([, place]) => place < 0)).toEqual([]);
  expect(places).toEqual(places.toSorted(([, one], [, other]) => one - other));
});
