import { ServiceError } from '@temporalio/client';
import { untilTemporalServes } from '../../infra/temporal/away.ts';

const saying = (code: number) => Object.assign(new Error('Not enough hosts to serve the request'), { code });
const warned: string[] = [];
const log = { warn: (_what: object, message: string) => void warned.push(message) };

test('a worker waits for a Temporal that is not ready yet, for each kind of error', async () => {
  const refusals = [
    Object.assign(new Error('tcp connect error'), { name: 'TransportError' }),
    new ServiceError('Failed to describe schedule', { cause: saying(14) }),
    saying(14),
    saying(4),
  ];
  await untilTemporalServes(log, () => (refusals.length > 0 ? Promise.reject(refusals.pop()!) : Promise.resolve()), 1);
  expect(refusals).toEqual([]);
  expect(warned).toHaveLength(4);
});

test('a worker does not wait after other errors', async () => {
  const refused = new ServiceError('Failed to create schedule', { cause: saying(3) });
  await expect(untilTemporalServes(log, () => Promise.reject(refused), 1)).rejects.toBe(refused);
});
