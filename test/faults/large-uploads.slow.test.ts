import { median } from '../../tools/bench/statistics.ts';
import { startApi } from '../helpers/api.ts';
import { runPython } from '../helpers/python.ts';

const api = startApi();

test('httpx: each of three uploads of 40 MB gets its 413, 20 times in a row, on one connection', async () => {
  const { token } = await api.registerUser();
  const printed = await runPython('upload_turns.py', {
    library: 'httpx',
    version: '0.28.1',
    args: [api.url, api.services.config.api.tls.ca, token, '20'],
  });
  const { calls, connections } = JSON.parse(printed) as {
    calls: { call: string; status: number; seconds: number }[];
    connections: number;
  };
  expect(calls.map(({ call, status }) => `${call} ${status}`)).toEqual(
    Array.from({ length: 20 }, () => ['upload 413', 'upload 413', 'upload 413', 'live 200']).flat(),
  );
  // On an idle machine each call takes much less than a second; these limits allow for other load.
  expect(calls.filter(({ seconds }) => seconds > 10)).toEqual([]);
  expect(median(calls.map(({ seconds }) => seconds))).toBeLessThan(1);
  expect(connections).toBe(1);
});
