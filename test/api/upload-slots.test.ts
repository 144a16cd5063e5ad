import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Response } from 'express';
import { createUploadSlots } from '../../api/http/request/uploads.ts';
import { legacyHandlers } from '../../api/legacy.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { withDatabase } from '../helpers/database.ts';
import { pdfOf } from '../helpers/reading.ts';
import { keyOf } from '../helpers/senders.ts';

const response = () => new EventEmitter() as unknown as Response;
const NO_SLOT = { code: 'dependency-unavailable', extra: { dependency: 'memory', retry_after: 5 } };

describe('slots for files', () => {
  test('a request without a free slot waits in order for the next one', async () => {
    const slots = createUploadSlots({ most: 1, waitMs: 60_000, apartMs: 0 });
    const [first, second] = [response(), response()];
    await slots.take(first);
    const waiting = slots.take(second);
    first.emit('close');
    await waiting;
    second.emit('close');
    await slots.take(response());
  });

  test('a request that waits too long, or finds a full queue, is told when to retry', async () => {
    const slots = createUploadSlots({ most: 1, waitMs: 20, apartMs: 0 });
    await slots.take(response());
    const waiting = slots.take(response());
    await expect(slots.take(response())).rejects.toMatchObject(NO_SLOT);
    await expect(waiting).rejects.toMatchObject(NO_SLOT);
  });

  test('a caller who disconnects while waiting takes no slot', async () => {
    const slots = createUploadSlots({ most: 1, waitMs: 60_000, apartMs: 0 });
    const [first, gone] = [response(), response()];
    await slots.take(first);
    const waiting = slots.take(gone);
    gone.emit('close');
    await expect(waiting).rejects.toMatchObject(NO_SLOT);
    first.emit('close');
    await slots.take(response());
  });

  test('a slot is released before the response is sent, and only once', async () => {
    const slots = createUploadSlots({ most: 1, waitMs: 60_000, apartMs: 0 });
    const first = response();
    const slot = await slots.take(first);
    slot.leave();
    slot.leave();
    first.emit('close');
    await slots.take(response());
    const last = response();
    const waiting = slots.take(last);
    await expect(Promise.race([waiting, sleep(20, 'waits')])).resolves.toBe('waits');
    last.emit('close');
    await expect(waiting).rejects.toMatchObject(NO_SLOT);
  });

  test('requests start in their order, even when one disconnects', async () => {
    const slots = createUploadSlots({ most: 4, waitMs: 60_000, apartMs: 0 });
    const responses = Array.from({ length: 4 }, response);
    const taken = await Promise.all(responses.map((one) => slots.take(one)));
    const order: number[] = [];
    const starts = taken.map((slot, index) => slot.start().then(() => order.push(index)));
    await starts[0];
    responses[1]!.emit('close');
    await sleep(20);
    expect(order).toEqual([0]);
    taken[0]!.leave();
    await starts[2];
    expect(order).toEqual([0, 1, 2]);
    taken[2]!.leave();
    await starts[3];
  });
});

describe('starts', () => {
  test('begin with a pause between them', async () => {
    const slots = createUploadSlots({ most: 3, waitMs: 60_000, apartMs: 60 });
    const taken = await Promise.all(Array.from({ length: 3 }, () => slots.take(response())));
    const asked = performance.now();
    const beganMs: number[] = [];
    for (const slot of taken) {
      await slot.start();
      beganMs.push(performance.now() - asked);
      slot.leave();
    }
    expect(beganMs[1]).toBeGreaterThan(55);
    expect(beganMs[2]).toBeGreaterThan(115);
  });

  test('do not wait for a single request', async () => {
    const slots = createUploadSlots({ most: 2, waitMs: 60_000, apartMs: 600_000 });
    const slot = await slots.take(response());
    await slot.start();
    slot.leave();
  });
});

describe('bodies', () => {
  test('begin with a pause between them', async () => {
    const slots = createUploadSlots({ most: 3, waitMs: 60_000, apartMs: 60 });
    const asked = performance.now();
    const beganMs: number[] = [];
    const began = () => beganMs.push(performance.now() - asked);
    await Promise.all(Array.from({ length: 3 }, () => slots.take(response()).then(began)));
    expect(beganMs[1]).toBeGreaterThan(55);
    expect(beganMs[2]).toBeGreaterThan(115);
  });

  test('do not wait for disconnected callers', async () => {
    const slots = createUploadSlots({ most: 3, waitMs: 60_000, apartMs: 600_000 });
    const first = response();
    const second = response();
    const takes = [first, second, response()].map((each) => slots.take(each));
    await takes[0];
    second.emit('close');
    first.emit('close');
    await Promise.all(takes);
  });
});

const services = withDatabase();

test('a request keeps no file in memory while its document waits to be read', async () => {
  const { uploadPayslip } = legacyHandlers(services);
  const stored = Promise.withResolvers<undefined>();
  const waiting = new AbortController();
  // The call must not keep the file itself, so no function in it names the bytes.
  const send = async () => {
    const bytes = await pdfOf();
    const file = new WeakRef(bytes);
    const call = {
      body: { user_id: 'emp-memory', file: { bytes, sha256: createHash('sha256').update(bytes).digest('hex') } },
      principal: keyOf('app-memory'),
      headers: {},
      signal: waiting.signal,
      async begin(work: (tx: Tx) => Promise<object>) {
        const begun = await services.db.transaction(work);
        stored.resolve(undefined);
        Reflect.deleteProperty(call, 'body');
        return begun;
      },
    };
    return { file, answer: uploadPayslip(call as never) };
  };
  const { file, answer } = await send();
  await stored.promise;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let tries = 0; tries < 50 && file.deref(); tries += 1) {
    await sleep(10);
    collect();
  }
  expect(file.deref()).toBeUndefined();
  waiting.abort();
  await answer;
});
