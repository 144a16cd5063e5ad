import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeStackPorts, stackFolder, writeStubs } from '../helpers/local-stacks.ts';
import { runAs } from '../helpers/run-as.ts';
import { until } from '../helpers/until.ts';

/*
 * Two checkouts on one machine, with real PostgreSQL and Temporal and stubs for the service's own programs.
 * Commands run in separate processes that know only the folder, as in a second terminal.
 */
interface Checkout {
  data: string;
  ports: Record<string, string>;
  stack?: ReturnType<typeof runAs>;
}
interface StackFile {
  stackId: string;
  settings: Record<string, string>;
}

let folder: string;
let driver: string;
let one: Checkout;
let other: Checkout;

beforeAll(async () => {
  folder = stackFolder('two');
  driver = writeStubs(folder);
  one = await checkout('one');
  other = await checkout('other');
  await Promise.all([start(one), start(other)]);
});

afterAll(async () => {
  await Promise.all([stop(one), stop(other)]);
  rmSync(folder, { recursive: true, force: true });
});

async function checkout(name: string): Promise<Checkout> {
  const data = join(folder, name);
  mkdirSync(data);
  return { data, ports: await freeStackPorts() };
}

async function start(checked: Checkout): Promise<void> {
  const stack = runAs([driver], { RINGFENCE_DATA: checked.data, ...checked.ports });
  checked.stack = stack;
  await until(() => stack.output().includes('READY') || stack.hasEnded(), 'a stack');
  expect(stack.output()).toContain('READY');
}

async function stop({ stack }: Checkout, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  stack?.stop(signal);
  await stack?.ended;
}

const run = ({ data }: Checkout, program: string, args: string[] = [], env = {}) =>
  runAs([program, ...args], { RINGFENCE_DATA: data, ...env }).ended;
const admin = (stack: Checkout, ...args: string[]) => run(stack, 'programs/admin/main.ts', args);
const migrate = (stack: Checkout, env = {}) => run(stack, 'programs/admin/migrate.ts', [], env);
const demo = (stack: Checkout, env = {}) => run(stack, 'programs/demo/main.ts', ['--here'], env);

async function names(stack: Checkout): Promise<string[]> {
  const { code, stdout, stderr } = await admin(stack, 'app', 'list');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { items: { name: string }[] }).items.map(({ name }) => name);
}

const fileOf = ({ data }: Checkout) => join(data, 'stack.json');
const noted = (stack: Checkout) => JSON.parse(readFileSync(fileOf(stack), 'utf8')) as StackFile;

test('the commands of each folder reach the stack of that folder', async () => {
  for (const [stack, name] of [
    [one, 'Of one'],
    [other, 'Of the other'],
  ] as const) {
    expect(await admin(stack, 'app', 'create', '--name', name)).toMatchObject({ code: 0, stderr: '' });
  }
  expect(await names(one)).toEqual(['Of one']);
  expect(await names(other)).toEqual(['Of the other']);
  expect(noted(one).stackId).not.toBe(noted(other).stackId);
  expect(await migrate(one)).toEqual({
    code: 0,
    stdout: `The schema at localhost:${one.ports.RINGFENCE_PORT_POSTGRES} is up to date.\n`,
    stderr: '',
  });
});

test('the database of another stack is refused by admin, migrations and the demo', async () => {
  const { settings, ...rest } = noted(one);
  const wrong = { ...settings, RINGFENCE_PORT_POSTGRES: other.ports.RINGFENCE_PORT_POSTGRES };
  writeFileSync(fileOf(one), JSON.stringify({ ...rest, settings: wrong }));
  try {
    const sentence = new RegExp(
      `^The database at localhost:${wrong.RINGFENCE_PORT_POSTGRES} does not belong to the stack that runs on \\S+\\. Stop that stack and start it again with npm start, or set DATABASE_URL to the database that you mean\\.$`,
    );
    for (const [ended, code] of [
      [await admin(one, 'app', 'create', '--name', 'Lost'), 78],
      [await admin(one, 'master-key', 'rotate'), 78],
      [await migrate(one), 78],
      [await demo(one), 1],
    ] as const) {
      expect(ended).toEqual({ code, stdout: '', stderr: expect.any(String) as string });
      expect(ended.stderr.trim()).toMatch(sentence);
    }
  } finally {
    writeFileSync(fileOf(one), JSON.stringify({ settings, ...rest }));
  }
  expect(await names(other)).toEqual(['Of the other']);
});

test('commands of a stopped or killed stack say so, and the stack restarts with its id', async () => {
  const { stackId } = noted(one);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await stop(one, signal);
    expect(existsSync(fileOf(one))).toBe(signal === 'SIGKILL');
    for (const ended of [await admin(one, 'app', 'list'), await migrate(one)])
      expect(ended).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^No stack runs on [^\n]+\n$/) as string,
      });
    await start(one);
    expect(noted(one).stackId).toBe(stackId);
    expect(await names(one)).toEqual(['Of one']);
  }
});

test("the demo with --here does not use another folder's stack", async () => {
  const third = await checkout('third');
  const sentence = expect.stringMatching(/^\nNo stack runs on [^\n]+\n$/) as string;
  expect(await demo(third)).toEqual({ code: 1, stdout: '', stderr: sentence });
});
