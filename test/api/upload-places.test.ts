import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createUploadPlaces } from '../../api/http/uploads.ts';

const response = () => new EventEmitter() as unknown as ServerResponse;
const NO_PLACE = { code: 'dependency-unavailable', extra: { dependency: 'memory', retry_after: 5 } };

describe('places for files in memory', () => {
  test('who finds none free waits for the next that is given back, in turn', async () => {
    const places = createUploadPlaces({ most: 1, waitMs: 60_000 });
    const [first, second] = [response(), response()];
    await places.take(first);
    const waiting = places.take(second);
    first.emit('close');
    await waiting;
    second.emit('close');
    await places.take(response());
  });

  test('who waits too long is told when to come again, and so is who finds too many waiting', async () => {
    const places = createUploadPlaces({ most: 1, waitMs: 20 });
    await places.take(response());
    const waiting = places.take(response());
    await expect(places.take(response())).rejects.toMatchObject(NO_PLACE);
    await expect(waiting).rejects.toMatchObject(NO_PLACE);
  });

  test('who goes away while waiting takes no place', async () => {
    const places = createUploadPlaces({ most: 1, waitMs: 60_000 });
    const [first, gone] = [response(), response()];
    await places.take(first);
    const waiting = places.take(gone);
    gone.emit('close');
    await expect(waiting).rejects.toMatchObject(NO_PLACE);
    first.emit('close');
    await places.take(response());
  });
});
