import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOpen } from '../../programs/local/ports.ts';
import { freeStackPorts, stackFolder } from '../helpers/local-stacks.ts';
import { runAs } from '../helpers/run-as.ts';

let folder: string;

beforeEach(() => {
  folder = stackFolder('unread');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (program: string, args: string[] = [], env: Record<string, string> = {}) =>
  runAs([program, ...args], { RINGFENCE_DATA: folder, ...env });
const endOf = async ({ ended }: ReturnType<typeof start>) => {
  const { code, stderr } = await ended;
  return { code, stderr };
};

/** Reads the first line only, as `| head -n 1` does. */
async function readFirstLine({ process: child }: ReturnType<typeof start>): Promise<string> {
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  child.stdout.destroy();
  return first.toString();
}

test('npm start stops the whole stack when its output is no longer read', async () => {
  const ports = await freeStackPorts();
  const stack = start('programs/local/main.ts', [], ports);
  await readFirstLine(stack);
  expect(await endOf(stack)).toEqual({ code: 0, stderr: '' });
  const open = await Promise.all(Object.values(ports).map((port) => isOpen('localhost', Number(port))));
  expect(open).not.toContain(true);
  expect(existsSync(join(folder, 'stack.lock'))).toBe(false);
});

test('the demo stops its stack when its output is no longer read, and does not call that a success', async () => {
  const demo = start('programs/demo/main.ts');
  expect(await readFirstLine(demo)).toMatch(/^The demo starts a stack of its own/);
  expect(await endOf(demo)).toEqual({ code: 1, stderr: '\nStopped before the end.\n' });
  expect(existsSync(join(folder, 'demo', 'stack.lock'))).toBe(false);
});

test('the demo explains its options, and refuses unknown ones before it starts anything', async () => {
  const help = start('programs/demo/main.ts', ['--help']);
  expect(await readFirstLine(help)).toMatch(/^Usage: npm run demo -- \[--here\]\n[^]*moves its clock/);
  expect(await endOf(help)).toEqual({ code: 0, stderr: '' });
  const wrong = start('programs/demo/main.ts', ['--elsewhere']);
  expect(await endOf(wrong)).toEqual({
    code: 2,
    stderr: "\nUnknown option '--elsewhere'. Usage: npm run demo -- [--here]\n",
  });
  expect(existsSync(join(folder, 'demo'))).toBe(false);
});

test('an operator command ends as usual when its output is not read', async () => {
  const help = start('programs/admin/main.ts', ['--help']);
  help.process.stdout.destroy();
  expect(await endOf(help)).toEqual({ code: 0, stderr: '' });
});
