import type { simulationText } from '../../activities/debt/calculations.ts';
import { DomainError } from '../../domain/errors.ts';
import { pence } from '../../domain/money.ts';
import { asCaller } from '../../infra/threads/caller.ts';
import { openThreads, type Threads } from '../../infra/threads/index.ts';
import { task, type Task } from '../../infra/threads/task.ts';

const code = `
  export const add = ({ a, b }) => a + b;
  export const later = (ms) => new Promise((resolve) => setTimeout(() => resolve(ms), ms));
  export const spin = (ms) => { const end = performance.now() + ms; while (performance.now() < end); return ms; };
  export const fail = () => { throw new TypeError('broken'); };
`;
const inCode = <Input, Output>(name: string): Task<Input, Output> => ({
  module: `data:text/javascript,${encodeURIComponent(code)}`,
  name,
});
const add = inCode<{ a: number; b: number }, number>('add');
const spin = inCode<number, number>('spin');
const later = inCode<number, number>('later');

const ONE = { count: 1, queued: 10, queuedOfCaller: 10 };

const open: Threads[] = [];
const threadsOf = (config: typeof ONE) => {
  const threads = openThreads(config);
  open.push(threads);
  return threads;
};
afterEach(async () => {
  for (const threads of open.splice(0)) await threads.close();
});

describe('threads', () => {
  test('calculate', async () => {
    const threads = threadsOf({ ...ONE, count: 2 });
    const sums = await Promise.all(Array.from({ length: 10 }, (_, n) => threads.run(add, { a: n, b: n })));
    expect(sums).toEqual(Array.from({ length: 10 }, (_, n) => 2 * n));
  });

  test('do not block other requests', async () => {
    const threads = threadsOf(ONE);
    await threads.run(add, { a: 1, b: 1 });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    await threads.run(spin, 500);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });

  test('pass on refusals with code, words and figures', async () => {
    const module = new URL('../../activities/debt/calculations.ts', import.meta.url).href;
    const debts = [{ name: 'A', balance: pence(100), rate: 0, minimum: pence(10) }];
    const repayment = { debts, monthlyBudget: pence(4), strategy: 'avalanche' } as const;
    const simulation = task<typeof simulationText>(module, 'simulationText');
    const refused = threadsOf(ONE).run(simulation, { repayment, startsOn: '2026-11-21', head: {} });
    await expect(refused).rejects.toBeInstanceOf(DomainError);
    await expect(refused).rejects.toMatchObject({
      code: 'budget-below-minimums',
      message: expect.stringContaining('10 pence a month') as unknown,
      extra: { required: 10, shortfall: 6 },
    });
  });

  test('pass on errors, and continue', async () => {
    const threads = threadsOf(ONE);
    await expect(threads.run(inCode('fail'), undefined)).rejects.toThrow('broken');
    await expect(threads.run(inCode('nothing'), undefined)).rejects.toThrow();
    expect(await threads.run(add, { a: 1, b: 2 })).toBe(3);
  });

  test('queue a limited number, and refuse the next', async () => {
    const threads = threadsOf({ ...ONE, queued: 2 });
    const started = [threads.run(later, 300), threads.run(later, 1), threads.run(later, 1)];
    await expect(threads.run(later, 1)).rejects.toMatchObject({
      code: 'dependency-unavailable',
      extra: { dependency: 'threads', retry_after: 2 },
    });
    expect(await Promise.all(started)).toEqual([300, 1, 1]);
    expect(await threads.run(later, 1)).toBe(1);
  });

  test('take turns by caller: another’s chart is next after what already runs', async () => {
    const threads = threadsOf({ count: 1, queued: 10, queuedOfCaller: 5 });
    const done: string[] = [];
    const run = (caller: string) =>
      asCaller(caller, () => threads.run(later, 1)).then(
        () => done.push(caller),
        (error: unknown) => done.push(`${caller}: ${(error as DomainError).code}`),
      );
    const flood = Array.from({ length: 7 }, () => run('many'));
    await Promise.all([...flood, run('one')]);
    expect(done).toEqual(['many: dependency-unavailable', 'many', 'one', 'many', 'many', 'many', 'many', 'many']);
  });

  test('that were never needed are never made, and can be closed', async () => {
    await threadsOf(ONE).close();
  });
});
