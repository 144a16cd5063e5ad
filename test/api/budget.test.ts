import fc from 'fast-check';
import { createBudget } from '../../api/http/server/budget.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  CONNECTION_BYTES,
  firstOf,
  sizeOf,
  SMALL,
  type Connection,
  type Exchange,
} from '../../api/http/server/holdings.ts';
import { refusalOf } from '../helpers/refusal.ts';

const MB = 1_048_576;
const LIMITS = { processBytes: 16 * MB, callerBytes: 4 * MB };

function scene(limits = LIMITS) {
  let ms = 0;
  const closed: string[] = [];
  const budget = createBudget(limits, { now: () => ms, closed: () => undefined });
  const moved = new Map<string, number>();
  const connect = (name: string, address: string | undefined = name) => {
    const line = { moved: () => moved.get(name) ?? 0, close: () => void closed.push(name) };
    return budget.connect(line, address)!;
  };
  const begin = (name: string, caller?: string) => {
    const exchange = budget.begin(connect(name), name);
    if (caller !== undefined) budget.belongsTo(exchange, caller);
    return exchange;
  };
  const pass = (more: number) => (ms += more);
  const move = (name: string, bytes: number) => moved.set(name, (moved.get(name) ?? 0) + bytes);
  return { budget, closed, connect, begin, pass, move };
}

describe('over a budget', () => {
  test('the slowest connections without a credential are closed first, then those of callers over their share', () => {
    const { budget, closed, begin, pass, move } = scene();
    for (const [name, caller, bytes] of [
      ['person', 'ada', 4],
      ['slow stranger', undefined, 3],
      ['fast stranger', undefined, 3],
    ] as const) {
      budget.received(begin(name, caller), bytes * MB);
      move(name, name.startsWith('fast') ? 50 * MB : MB);
    }
    for (const name of ['large', 'second']) budget.received(begin(name, 'key'), MB);
    pass(10_000);
    const last = begin('last', 'bob');
    budget.received(last, 4 * MB);
    expect(closed).toEqual(['slow stranger']);
    budget.reserve(last, 3 * MB);
    expect(closed).toEqual(['slow stranger', 'fast stranger']);
    budget.reserve(last, 4 * MB);
    expect(closed).toEqual(['slow stranger', 'fast stranger', 'second']);
  });

  test('somebody without a credential closes nobody who has one, and gets 503', () => {
    const { budget, closed, begin } = scene();
    for (const caller of ['a', 'b', 'c']) budget.received(begin(caller, caller), 4 * MB);
    const stranger = begin('stranger');
    expect(refusalOf(() => budget.received(stranger, 2 * MB)).code).toBe('dependency-unavailable');
    budget.received(stranger, SMALL);
    expect(closed).toEqual([]);
  });

  test('nobody is closed in vain', () => {
    const { budget, closed, begin } = scene();
    for (const caller of ['a', 'b', 'c']) budget.received(begin(caller, caller), 4 * MB);
    for (const name of ['x', 'y']) budget.received(begin(name), SMALL);
    expect(refusalOf(() => budget.received(begin('d', 'd'), 3 * MB)).code).toBe('dependency-unavailable');
    expect(closed).toEqual([]);
  });

  test('a new connection takes the place of the slowest, of its own address if that has half of all', () => {
    const { closed, connect, pass } = scene();
    const perAddress = Math.floor(LIMITS.processBytes / 2 / CONNECTION_BYTES);
    const name = (address: string, index: number) => `${address} ${index}`;
    for (let index = 0; index < perAddress + 2; index += 1) {
      connect(name('flood', index), 'flood');
      pass(10);
    }
    expect(closed).toEqual([name('flood', 0), name('flood', 1)]);
    const most = Math.floor(LIMITS.processBytes / CONNECTION_BYTES);
    for (let index = 0; index < most - perAddress; index += 1) connect(name('other', index), `other ${index}`);
    expect(closed).toHaveLength(2);
    connect('new', 'new');
    expect(closed.slice(2)).toEqual([name('flood', 2)]);
  });
});

describe('in a process full of connections', () => {
  const MOST = Math.floor(LIMITS.processBytes / CONNECTION_BYTES);
  const everybody = Array.from({ length: MOST }, (_, index) => `person ${index}`);
  const IN_SHARE = Math.floor(LIMITS.callerBytes / CONNECTION_BYTES);
  /** Each connection has had one request of the caller, which may still wait for its answer. */
  const fill = (
    { budget, begin, connect, pass }: ReturnType<typeof scene>,
    { callers = everybody, busy = false, most = MOST - 1 },
  ) => {
    for (let index = 0; index < most; index += 1) {
      const exchange = begin(`line ${index}`, callers[index % callers.length]);
      if (!busy) budget.over(exchange);
      pass(10);
    }
    connect('newcomer');
    pass(1_000);
  };

  test('whoever is about to sign in stays, and the connection that was idle for longest gives way', () => {
    const at = scene();
    fill(at, {});
    for (let index = 0; index < 5; index += 1) at.budget.received(at.begin(`next ${index}`), SMALL);
    expect(at.closed).toEqual(Array.from({ length: 6 }, (_, index) => `line ${index}`));
  });

  test.each([true, false])('one key with all of them (busy: %s) makes nobody else wait', (busy) => {
    const at = scene();
    fill(at, { callers: ['key'], busy });
    for (let index = 0; index < 5; index += 1) at.budget.received(at.begin(`next ${index}`), SMALL);
    expect(at.closed).toEqual(Array.from({ length: 6 }, (_, index) => `line ${index}`));
  });

  test('requests of callers within their share stay, and so does an idle connection of a proxy', () => {
    const at = scene();
    at.budget.connect({ moved: () => 0, close: () => at.closed.push('proxy') }, undefined);
    fill(at, { busy: true, most: MOST - 2 });
    expect(at.closed).toEqual([]);
    at.connect('next');
    expect(at.closed).toEqual(['newcomer']);
  });

  test('a key with all connections of its share loses none to strangers who came long ago', () => {
    const at = scene();
    for (let index = 0; index < IN_SHARE + 1; index += 1) at.budget.over(at.begin(`own ${index}`, 'key'));
    for (let index = 0; index < MOST - IN_SHARE - 1; index += 1) at.connect(`stranger ${index}`);
    at.pass(6_000);
    for (let index = 0; index < 5; index += 1) at.connect(`next ${index}`);
    expect(at.closed.filter((name) => !name.startsWith('stranger'))).toEqual([]);
  });
});

describe('a share', () => {
  test('holds one large exchange of a person or key, whatever its size, and no second', () => {
    const { budget, begin } = scene();
    budget.received(begin('first', 'ada'), 5 * MB);
    const second = begin('second');
    expect(refusalOf(() => budget.belongsTo(second, 'ada')).code).toBe('too-many-bytes');
    const stranger = begin('stranger');
    expect(refusalOf(() => budget.received(stranger, 5 * MB)).code).toBe('too-many-bytes');
  });

  test('counts an answer once, whether it was reserved or not, until the exchange is over', () => {
    const { budget, begin } = scene();
    const exchange = begin('a', 'ada');
    budget.reserve(exchange, MB);
    budget.reserve(exchange, MB);
    budget.sent(exchange, MB + 5);
    expect(budget.holdings.held()).toBe(MB + 5 + CONNECTION_BYTES);
    budget.received(exchange, MB);
    budget.handled(exchange);
    budget.over(exchange);
    budget.over(exchange);
    expect(budget.holdings.held()).toBe(CONNECTION_BYTES);
  });
});

const number = (max: number) => fc.nat({ max });
const step = fc.record({
  what: fc.constantFrom('connect', 'end', 'begin', 'over', 'belongsTo', 'received', 'handled', 'reserve', 'sent'),
  ...{ which: number(50), who: number(4), bytes: fc.oneof(number(20_000), number(3 * MB)), ms: number(5_000) },
});

test('in any order of events, no sum is wrong, the limits hold, and nobody loses a first large exchange', () => {
  const play = (steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) => {
    const { budget, closed, connect, pass, move } = scene();
    const { holdings } = budget;
    const names = new Map<Connection, string>();
    const exchanges = () => [...holdings.connections].flatMap((one) => [...one.exchanges]);
    for (const [index, { what, which, who, bytes, ms }] of steps.entries()) {
      const connection = [...holdings.connections][which % holdings.connections.size];
      const exchange = exchanges()[which % exchanges().length];
      const isFirst = (one: Exchange) => firstOf(one.caller) === one;
      const firsts = exchanges().filter((one) => isFirst(one) && !(what === 'end' && one.connection === connection));
      pass(ms);
      if (connection !== undefined) move(names.get(connection)!, bytes);
      const before = exchange && sizeOf(exchange);
      const name = String(index);
      try {
        if (what === 'connect') names.set(connect(name, who === 0 ? undefined : `10.0.0.${who}`), name);
        else if (what === 'end' && connection) budget.disconnect(connection);
        else if (what === 'begin' && connection) budget.begin(connection, `10.0.0.${who}`);
        else if (what === 'over' && exchange) budget.over(exchange);
        else if (what === 'belongsTo' && exchange) budget.belongsTo(exchange, `usr_${who}`);
        else if (what === 'handled' && exchange) budget.handled(exchange);
        else if (what === 'sent' && exchange) budget.sent(exchange, exchange.answer + Math.min(bytes, SMALL));
        else if ((what === 'received' || what === 'reserve') && exchange) {
          budget[what](exchange, bytes);
          const size = sizeOf(exchange);
          if (size > before!) expect(holdings.held()).toBeLessThanOrEqual(LIMITS.processBytes);
          if (size > before! && size > SMALL && !isFirst(exchange))
            expect(exchange.caller.bytes).toBeLessThanOrEqual(LIMITS.callerBytes);
        }
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
      const sum = exchanges().reduce((total, one) => total + sizeOf(one), 0);
      expect(holdings.held()).toBe(sum + holdings.connections.size * CONNECTION_BYTES);
      for (const { body, answer, caller } of exchanges())
        expect(Math.min(body, answer, caller.bytes, caller.lines)).toBeGreaterThanOrEqual(0);
      for (const { connection: line } of firsts) expect(closed).not.toContain(names.get(line));
    }
    for (const connection of holdings.connections) budget.disconnect(connection);
    expect([holdings.held(), holdings.callers()]).toEqual([0, 0]);
  };
  fc.assert(fc.property(fc.array(step, { maxLength: 150 }), play), { numRuns: 200 });
});
