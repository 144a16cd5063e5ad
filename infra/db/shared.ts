import { AsyncResource, type AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { together } from './cork.ts';
import { asUnavailable } from './errors.ts';
import { relay, type Leg } from './relay.ts';
import { inRounds } from './rounds.ts';
import { Member, type Asked } from './shared-member.ts';
import type { Ask } from './sql.ts';
import { requireCommit, type Transaction } from './transaction.ts';

const LIMITS = { most: 16, patienceMs: 20 };
/** So long the others of a transaction wait for one that is busy with something else. */
const STEP_MS = 50;
/** So long somebody whose owner another one has tries again with others, before it waits for that alone. */
const BUSY_MS = 100;

/** What somebody wants done in a transaction, in the context of whoever asked for it. */
interface Work {
  shared(transaction: Transaction): Promise<unknown>;
  alone(): Promise<unknown>;
}

type Outcome =
  | { kind: 'done'; result: unknown; after: readonly (() => void)[] }
  | { kind: 'failed'; error: unknown }
  /** It is to be done once more, when `settled`: it may still be running. `busy`: somebody else had its owner. */
  | { kind: 'aside'; settled: Promise<void>; busy: boolean };

interface Parts {
  pool: Pool;
  ask: Ask;
  ambient: AsyncLocalStorage<Transaction>;
  /** Runs a work in a transaction of its own. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Transactions of about the same moment as one, where each asks only with statements that take lines: begun, asked and committed
 * together, it costs little more than one of them.
 *
 * Nobody is told an outcome before all is committed. Works that open the same owner come one after the other. Whoever cannot go
 * on with the others without waiting (somebody else has its owner, its key is not new, it asks something else) is put aside, having
 * written nothing, and is done alone afterwards; whose owner somebody else has only when that lasts, for else the more wait for
 * one owner alone, the more would find it locked. Where anything fails, nothing is kept, and each is done alone: so
 * what is done for many is what would be done for each.
 */
export function sharing(parts: Parts): <T>(work: () => Promise<T>) => Promise<T> {
  const { take } = relay(parts.pool);
  const inRound = inRounds<Work, Outcome>(
    async (works, mayBeFollowed) => {
      if (works.length > 1) return sharedBy({ take, ask: parts.ask }, works, mayBeFollowed);
      return [{ kind: 'done', result: await works[0]!.alone(), after: [] }];
    },
    () => false,
    LIMITS,
  );
  return async <T>(work: () => Promise<T>) => {
    // Not `bind`, which makes a class of objects for each function: what a request refers to would lie until the whole heap is gone through.
    const asker = new AsyncResource('shared transaction');
    const bound = {
      shared: (transaction: Transaction) => asker.runInAsyncScope(() => parts.ambient.run(transaction, work)),
      alone: () => asker.runInAsyncScope(() => parts.alone(work)),
    };
    const askedAt = performance.now();
    for (;;) {
      const outcome = await inRound(bound);
      if (outcome.kind === 'failed') throw outcome.error;
      if (outcome.kind === 'done') {
        for (const then of outcome.after) then();
        return outcome.result as T;
      }
      await outcome.settled;
      if (!outcome.busy || performance.now() - askedAt > BUSY_MS) return parts.alone(work);
    }
  };
}

async function sharedBy(
  { take, ask }: { take(): Promise<Leg>; ask: Ask },
  works: readonly Work[],
  mayBeFollowed: () => void,
): Promise<Outcome[]> {
  let leg: Leg;
  try {
    leg = await take();
  } catch (error) {
    return works.map(() => ({ kind: 'failed', error: asUnavailable(error) }));
  }
  const crowd = gatherOf(works);
  let sound = true;
  let ends = false;
  const onLast = () => {
    ends = true;
    leg.handOn();
    mayBeFollowed();
  };
  try {
    await doAll(crowd, leg.client, ask, onLast);
    return crowd.members.map(outcomeOf);
  } catch (fault) {
    for (const member of crowd.members) member.putAside();
    const error = asUnavailable(fault);
    // Where the commit was asked for, it ended the transaction either way, and another one may have begun on this connection.
    sound = ends ? error === fault : await undone(leg.client);
    // A database that is away is so for all; whatever else it was, a refusal too, may be of one of them.
    if (error !== fault) return works.map(() => ({ kind: 'failed', error }));
    return crowd.members.map(({ settled }) => ({ kind: 'aside', settled, busy: false }));
  } finally {
    leg.giveBack(sound);
  }
}

/** @returns whether it could be; else the connection must not be used any more. */
async function undone(client: PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

function outcomeOf({ aside, busy, settled, ended, after }: Member): Outcome {
  if (aside || ended === undefined) return { kind: 'aside', settled, busy };
  return 'error' in ended ? { kind: 'failed', error: ended.error } : { kind: 'done', result: ended.result, after };
}

interface Crowd {
  members: readonly Member[];
  /** Resolves once each of them waits for the database or is over; those that take too long are left behind. */
  quiet(): Promise<void>;
}

function gatherOf(works: readonly Work[]): Crowd {
  let busy = works.length;
  let reached = () => {};
  const claimed = new Set<string>();
  const turn = (change: 1 | -1) => {
    busy += change;
    if (busy === 0) reached();
  };
  const members = works.map((work) => new Member(work.shared, { claimed, turn }));
  return {
    members,
    async quiet() {
      if (busy === 0) return;
      const timer = setTimeout(() => {
        for (const member of members) member.leaveBehind();
      }, STEP_MS);
      await new Promise<void>((resolve) => (reached = resolve));
      clearTimeout(timer);
    },
  };
}

/** Message by message until nobody waits, and with the last one, after which `onLast` is called, the commit. */
async function doAll({ members, quiet }: Crowd, client: PoolClient, ask: Ask, onLast: () => void): Promise<void> {
  for (let first = true; ; first = false) {
    await quiet();
    for (const { fault } of members) if (fault !== undefined) throw fault;
    const message = messageOf(members);
    const { writes, openings, isLast } = message;
    const send = ({ statement, asked }: Group) =>
      ask(
        statement,
        statement.valuesOf(
          asked.map(({ line }) => line),
          false,
        ),
        client,
      );
    const sent = together(client, () => ({
      ahead: [...(first ? [client.query('begin')] : []), ...writes.map(send)],
      opened: openings.map(send),
      commit: isLast ? client.query('commit') : undefined,
    }));
    if (sent.commit) onLast();
    const all = [...sent.ahead, ...sent.opened, ...(sent.commit ? [sent.commit] : [])];
    await Promise.all(all).catch(async (error: unknown) => {
      await Promise.allSettled(all);
      throw error;
    });
    if (sent.commit) {
      requireCommit(await sent.commit);
      return;
    }
    for (const [index, { asked }] of openings.entries()) {
      const rows = new Map((await sent.opened[index]!).rows.map((row) => [Number(row.place), row]));
      asked.forEach((one, index) => one.opened(rows.get(index + 1), rows.has(-index - 1)));
    }
    if (openings.length === 0 && writes.length === 0) for (const member of members) member.putAsideIfWaiting();
  }
}

interface Group {
  statement: Asked['statement'];
  asked: readonly Asked[];
}

interface Message {
  writes: Group[];
  openings: Group[];
  isLast: boolean;
}

/**
 * What is to be sent next: what was written by those whose keys are claimed, then what is claimed, then what is opened by those
 * whose owner nobody has who is not over yet; at the end, what everybody stores last.
 */
function messageOf(members: readonly Member[]): Message {
  const writes = grouped(members.map((member) => member.takeWrites()));
  const claims = grouped(members.map((member) => member.takeClaims()));
  const waiting = members.filter((member) => member.waiting !== undefined);
  const held = new Set(members.flatMap((member) => (member.isOver ? [] : [...member.holds])));
  const opens = waiting.flatMap(({ waiting: asked, holds }) => {
    const owner = String(asked!.line[0]);
    if (held.has(owner) && !holds.has(owner)) return [];
    held.add(owner);
    return [asked!];
  });
  const isLast = claims.length === 0 && waiting.length === 0;
  if (isLast) writes.push(...grouped(members.map((member) => member.takeLasts())));
  return { writes, openings: [...claims, ...grouped(opens.map((asked) => [asked]))], isLast };
}

/** As few statements as leave each its own order. */
function grouped(queues: readonly (readonly Asked[])[]): Group[] {
  const groups: Group[] = [];
  let left = queues.filter((queue) => queue.length > 0);
  while (left.length > 0) {
    const { statement } = left[0]![0]!;
    const goes = (queue: readonly Asked[]) => queue[0]!.statement === statement;
    groups.push({ statement, asked: left.filter(goes).map(([asked]) => asked!) });
    left = left.map((queue) => (goes(queue) ? queue.slice(1) : queue)).filter((queue) => queue.length > 0);
  }
  return groups;
}
