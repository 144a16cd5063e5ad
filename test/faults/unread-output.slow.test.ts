import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isOpen } from '../../programs/local/ports.ts';
import { freeStackPorts, stackFolder } from '../helpers/local-stacks.ts';

const ROOT = resolve(import.meta.dirname, '../..');
let folder: string;

beforeEach(() => {
  folder = stackFolder('unread');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(program: string, args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(ROOT, program), ...args], {
    env: { PATH: process.env.PATH, RINGFENCE_DATA: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
  return { child, ended };
}

/** Reads the first line only, as `| head -n 1` does. */
async function readFirstLine({ child }: ReturnType<typeof start>): Promise<string> {
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  child.stdout.destroy();
  return first.toString();
}

test('npm start stops the whole stack when its output is no longer read', async () => {
  const ports = await freeStackPorts();
  const stack = start('programs/local/main.ts', [], ports);
  await readFirstLine(stack);
  expect(await stack.ended).toEqual({ code: 0, stderr: '' });
  const open = await Promise.all(Object.values(ports).map((port) => isOpen('localhost', Number(port))));
  expect(open).not.toContain(true);
  expect(existsSync(join(folder, 'stack.lock'))).toBe(false);
});

test('the demo stops its stack when its output is no longer read, and does not call that a success', async () => {
  const demo = start('programs/demo/main.ts');
  expect(await readFirstLine(demo)).toMatch(/^The demo starts a stack of its own/);
  expect(await demo.ended).toEqual({ code: 1, stderr: '\nStopped before the end.\n' });
  expect(existsSync(join(folder, 'demo', 'stack.lock'))).toBe(false);
});

test('the demo explains its options, and refuses unknown ones before it starts anything', async () => {
  const help = start('programs/demo/main.ts', ['--help']);
  expect(await readFirstLine(help)).toMatch(/^Usage: npm run demo -- \[--here\]\n[^]*moves its clock/);
  expect(await help.ended).toEqual({ code: 0, stderr: '' });
  const wrong = start('programs/demo/main.ts', ['--elsewhere']);
  expect(await wrong.ended).toEqual({
    code: 2,
    stderr: "\nUnknown option '--elsewhere'. Usage: npm run demo -- [--here]\n",
  });
  expect(existsSync(join(folder, 'demo'))).toBe(false);
});

test('an operator command ends as usual when its output is not read', async () => {
  const help = start('programs/admin/main.ts', ['--help']);
  help.child.stdout.destroy();
  expect(await help.ended).toEqual({ code: 0, stderr: '' });
});
