import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Response } from 'express';
import { createUploadPlaces } from '../../api/http/request/uploads.ts';
import { legacyHandlers } from '../../api/legacy.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { withDatabase } from '../helpers/database.ts';
import { pdfOf } from '../helpers/reading.ts';
import { keyOf } from '../helpers/senders.ts';

const response = () => new EventEmitter() as unknown as Response;
const NO_PLACE = { code: 'dependency-unavailable', extra: { dependency: 'memory', retry_after: 5 } };

describe('memory places for files', () => {
  test('a request without a free place waits in turn for the next one', async () => {
    const places = createUploadPlaces({ most: 1, waitMs: 60_000, apartMs: 0 });
    const [first, second] = [response(), response()];
    await places.take(first);
    const waiting = places.take(second);
    first.emit('close');
    await waiting;
    second.emit('close');
    await places.take(response());
  });

  test('a request that waits too long, or finds a full queue, is told when to retry', async () => {
    const places = createUploadPlaces({ most: 1, waitMs: 20, apartMs: 0 });
    await places.take(response());
    const waiting = places.take(response());
    await expect(places.take(response())).rejects.toMatchObject(NO_PLACE);
    await expect(waiting).rejects.toMatchObject(NO_PLACE);
  });

  test('a caller who disconnects while waiting takes no place', async () => {
    const places = createUploadPlaces({ most: 1, waitMs: 60_000, apartMs: 0 });
    const [first, gone] = [response(), response()];
    await places.take(first);
    const waiting = places.take(gone);
    gone.emit('close');
    await expect(waiting).rejects.toMatchObject(NO_PLACE);
    first.emit('close');
    await places.take(response());
  });

  test('a place is released before the response is sent, and only once', async () => {
    const places = createUploadPlaces({ most: 1, waitMs: 60_000, apartMs: 0 });
    const first = response();
    const place = await places.take(first);
    place.leave();
    place.leave();
    first.emit('close');
    await places.take(response());
    const last = response();
    const waiting = places.take(last);
    await expect(Promise.race([waiting, sleep(20, 'waits')])).resolves.toBe('waits');
    last.emit('close');
    await expect(waiting).rejects.toMatchObject(NO_PLACE);
  });

  test('requests take turns in their order, even when one disconnects', async () => {
    const places = createUploadPlaces({ most: 4, waitMs: 60_000, apartMs: 0 });
    const responses = Array.from({ length: 4 }, response);
    const taken = await Promise.all(responses.map((one) => places.take(one)));
    const order: number[] = [];
    const turns = taken.map((place, index) => place.turn().then(() => order.push(index)));
    await turns[0];
    responses[1]!.emit('close');
    await sleep(20);
    expect(order).toEqual([0]);
    taken[0]!.leave();
    await turns[2];
    expect(order).toEqual([0, 1, 2]);
    taken[2]!.leave();
    await turns[3];
  });
});

describe('turns', () => {
  test('begin with a pause between them', async () => {
    const places = createUploadPlaces({ most: 3, waitMs: 60_000, apartMs: 60 });
    const taken = await Promise.all(Array.from({ length: 3 }, () => places.take(response())));
    const asked = performance.now();
    const beganMs: number[] = [];
    for (const place of taken) {
      await place.turn();
      beganMs.push(performance.now() - asked);
      place.leave();
    }
    expect(beganMs[1]).toBeGreaterThan(55);
    expect(beganMs[2]).toBeGreaterThan(115);
  });

  test('do not wait for a single request', async () => {
    const places = createUploadPlaces({ most: 2, waitMs: 60_000, apartMs: 600_000 });
    const place = await places.take(response());
    await place.turn();
    place.leave();
  });
});

describe('bodies', () => {
  test('begin with a pause between them', async () => {
    const places = createUploadPlaces({ most: 3, waitMs: 60_000, apartMs: 60 });
    const asked = performance.now();
    const beganMs: number[] = [];
    const began = () => beganMs.push(performance.now() - asked);
    await Promise.all(Array.from({ length: 3 }, () => places.take(response()).then(began)));
    expect(beganMs[1]).toBeGreaterThan(55);
    expect(beganMs[2]).toBeGreaterThan(115);
  });

  test('do not wait for disconnected callers', async () => {
    const places = createUploadPlaces({ most: 3, waitMs: 60_000, apartMs: 600_000 });
    const first = response();
    const second = response();
    const takes = [first, second, response()].map((each) => places.take(each));
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
