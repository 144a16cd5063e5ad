import { createTurns } from '../../infra/threads/turns.ts';

const begun: string[] = [];
const ends: (() => void)[] = [];
const refusals: string[] = [];
const turnsOf = (given: { atOnce?: number; waiting?: number; waitingOfCaller?: number } = {}) => {
  const turns = createTurns({
    ...{ atOnce: 1, waiting: 100, waitingOfCaller: 100, ...given },
    tooMany: () => new Error('too many'),
  });
  return (...names: string[]) => {
    for (const name of names) {
      const work = async () => {
        begun.push(name);
        await new Promise<void>((end) => ends.push(end));
      };
      turns.run(name[0]!, work).catch(() => refusals.push(name));
    }
  };
};
const settled = async () => new Promise((resolve) => setImmediate(resolve));
/** Ends what runs until nothing runs, and returns the order in which everything began. */
const order = async () => {
  await settled();
  for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
    end();
    await settled();
  }
  return begun.join(' ');
};

beforeEach(() => {
  for (const list of [begun, ends, refusals]) list.length = 0;
});

describe('turns', () => {
  test('the work of one caller runs in its order', async () => {
    turnsOf()('a1', 'a2', 'a3');
    expect(await order()).toBe('a1 a2 a3');
  });

  test.each([1, 2])('with %i at once, another caller is next, however much of one caller waits', async (atOnce) => {
    const run = turnsOf({ atOnce });
    run('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    await settled();
    run('b1', 'c1', 'b2');
    expect((await order()).split(' ').slice(atOnce)).toEqual(
      atOnce === 1 ? ['b1', 'c1', 'a2', 'b2', 'a3', 'a4', 'a5', 'a6'] : ['b1', 'c1', 'a3', 'b2', 'a4', 'a5', 'a6'],
    );
  });

  test('callers who always come back at once do not keep another waiting', async () => {
    const run = turnsOf();
    run('a1', 'a2', 'b1', 'c1');
    for (let n = 2; n < 6; n += 1) {
      await settled();
      ends.shift()!();
      run(`b${n}`, `c${n}`);
    }
    expect((await order()).split(' ').slice(0, 4)).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  test('a caller who was away does not catch up', async () => {
    const run = turnsOf();
    run('a1', 'a2', 'a3', 'a4', 'a5');
    for (let n = 0; n < 3; n += 1) {
      await settled();
      ends.shift()!();
    }
    run('b1', 'b2', 'b3');
    expect(await order()).toBe('a1 a2 a3 b1 a4 b2 a5 b3');
  });

  test('a flood fills only its own queue', async () => {
    const run = turnsOf({ waitingOfCaller: 2 });
    run('a1', 'a2', 'a3', 'a4', 'b1');
    expect(await order()).toBe('a1 b1 a2 a3');
    expect(refusals).toEqual(['a4']);
  });

  test('if the common queue is full, the newest work of whoever has the most gives way', async () => {
    const run = turnsOf({ waiting: 3 });
    run('a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'd1');
    expect(await order()).toBe('a1 b1 c1 a2');
    expect(refusals.toSorted()).toEqual(['a3', 'a4', 'd1']);
  });
});
