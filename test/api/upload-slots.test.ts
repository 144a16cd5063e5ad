import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import type { Principal } from '../../domain/auth.ts';
import { CallerGone } from '../../api/http/request/caller-gone.ts';
import { createUploadSlots } from '../../api/http/request/uploads.ts';

const response = () => new EventEmitter() as unknown as Response;
const NO_SLOT = { code: 'dependency-unavailable', extra: { dependency: 'memory', retry_after: 5 } };
const request = { complete: false, socket: { bytesRead: 0 } };
const person = (userId: string) => ({ kind: 'user', userId }) as Principal;
const slotsOf = (most: number, { waitMs = 60_000, apartMs = 0, ofPerson = most } = {}) => {
  const slots = createUploadSlots({ most, waitMs, apartMs, ofPerson, ofApplication: most });
  return { take: (given: Response, userId = 'usr_1') => slots.take(person(userId), request, given) };
};
/** Calls `begin` for each number below `count`, and returns when each call was complete, in milliseconds. */
async function timesOf(count: number, begin: (place: number) => Promise<unknown>): Promise<number[]> {
  const asked = performance.now();
  const began = async (place: number) => begin(place).then(() => performance.now() - asked);
  return Promise.all(Array.from({ length: count }, (_, place) => began(place)));
}

describe('slots for files', () => {
  test('a request without a free slot waits in order for the next one', async () => {
    const slots = slotsOf(1);
    const [first, second] = [response(), response()];
    await slots.take(first);
    const waiting = slots.take(second);
    first.emit('close');
    await waiting;
    second.emit('close');
    await slots.take(response());
  });

  test('a request that waits too long, or finds a full queue, is told when to retry', async () => {
    const slots = slotsOf(1, { waitMs: 20 });
    await slots.take(response());
    const waiting = slots.take(response());
    await expect(slots.take(response())).rejects.toMatchObject(NO_SLOT);
    await expect(waiting).rejects.toMatchObject(NO_SLOT);
  });

  test('half-sent uploads of one person fill only its share, and its waiting ones only its own queue', async () => {
    const slots = slotsOf(4, { ofPerson: 2, waitMs: 20 });
    const half = Promise.allSettled(Array.from({ length: 8 }, () => slots.take(response())));
    await slots.take(response(), 'usr_2');
    expect((await half).map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      true,
      ...Array.from({ length: 6 }, () => false),
    ]);
  });

  test('a caller who disconnects while waiting takes no slot', async () => {
    const slots = slotsOf(1);
    const [first, gone] = [response(), response()];
    await slots.take(first);
    const waiting = slots.take(gone);
    gone.emit('close');
    await expect(waiting).rejects.toMatchObject(NO_SLOT);
    first.emit('close');
    await slots.take(response());
  });

  test('a slot is released before the response is sent, and only once', async () => {
    const slots = slotsOf(1);
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

  test('requests start in their order, without those who have disconnected, whose files leave the memory at once', async () => {
    const slots = slotsOf(4);
    const responses = Array.from({ length: 4 }, response);
    const taken = await Promise.all(responses.map((one) => slots.take(one)));
    const order: number[] = [];
    const starts = taken.map((slot, index) => slot.start().then(() => order.push(index)));
    await starts[0];
    responses[1]!.emit('close');
    await expect(starts[1]).rejects.toThrow(CallerGone);
    expect(order).toEqual([0]);
    taken[0]!.leave();
    await starts[2];
    expect(order).toEqual([0, 2]);
    taken[2]!.leave();
    await starts[3];
  });

  test('bodies, and then starts, have a pause between them', async () => {
    const slots = slotsOf(3, { apartMs: 60 });
    const taken: Awaited<ReturnType<typeof slots.take>>[] = [];
    const bodies = await timesOf(3, async (place) => (taken[place] = await slots.take(response())));
    const starts = await timesOf(3, async (place) => {
      await taken[place]!.start();
      taken[place]!.leave();
    });
    for (const times of [bodies, starts]) expect([times[1]! > 55, times[2]! > 115]).toEqual([true, true]);
  });

  test('a single start waits for nothing, and neither does a body after disconnected callers', async () => {
    const alone = slotsOf(2, { apartMs: 600_000 });
    const slot = await alone.take(response());
    await slot.start();
    slot.leave();
    const [first, second] = [response(), response()];
    const slots = slotsOf(3, { apartMs: 600_000 });
    const takes = [first, second, response()].map((each) => slots.take(each));
    await takes[0];
    second.emit('close');
    first.emit('close');
    await Promise.all(takes);
  });
});
