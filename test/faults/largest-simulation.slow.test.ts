import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { startApi } from '../helpers/api.ts';

const api = startApi();
let key = '';
beforeAll(async () => {
  key = await api.apiKey(['read:debt', 'write:debt']);
});

const DEBT = '/api/v1/engine/debt';
const SVG = 'image/svg+xml';
/** 60,000 entries, 10 MB. */
const largest = {
  debts: Array.from({ length: 50 }, (_, index) => ({
    name: `Debt ${index} `.padEnd(64, 'é'),
    balance: 1_200_000,
    rate: 0,
    minimum: 1_000,
  })),
  monthly_budget: 50_000,
  strategy: 'snowball',
};
const simulate = (body: unknown, headers: Record<string, string> = {}) =>
  api.post(`${DEBT}/simulate`, { token: key, body, headers });
const problem = (status: number, code: string) => ({ status, body: { status, code, type: `/problems/${code}` } });

describe('the largest simulation', () => {
  // In another thread, because reading the responses would block this one.
  async function sendLargest(times: number): Promise<{ status: number; bytes: number }[]> {
    const workerData = {
      url: `${api.url}${DEBT}/simulate`,
      ca: await readFile(api.services.config.api.tls.ca, 'utf8'),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(largest),
      times,
    };
    const sender = new Worker(SENDER, { eval: true, workerData });
    try {
      return await new Promise((resolve, reject) => {
        sender.once('message', resolve);
        sender.once('error', reject);
      });
    } finally {
      await sender.terminate();
    }
  }

  /** @returns the durations of the calls, shortest first */
  async function livezWhile(work: Promise<unknown>): Promise<number[]> {
    let going = true;
    const end = () => (going = false);
    work.then(end, end);
    const waits: number[] = [];
    while (going) {
      const startedAt = performance.now();
      expect((await api.get('/livez')).status).toBe(200);
      waits.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return waits.sort((a, b) => a - b);
  }

  const median = (waits: readonly number[]) => waits[Math.floor(waits.length / 2)]!;

  test.each([1, 2])('%i at once do not delay other requests', async (times) => {
    await simulate(largest);
    const idle = await livezWhile(new Promise((resolve) => setTimeout(resolve, 500)));
    const answers = sendLargest(times);
    const waits = await livezWhile(answers);
    for (const { status, bytes } of await answers) {
      expect(status).toBe(200);
      expect(bytes).toBeGreaterThan(10_000_000);
    }
    // If the main thread ran the simulations, /livez could not respond until the end.
    expect(waits.length).toBeGreaterThan(3 * times);
    expect(median(waits)).toBeLessThan(median(idle) * 10 + 50);
  });

  test('is refused while a caller leaves many responses unread, and works again when it is gone', async () => {
    const other = await api.apiKey(['read:debt', 'write:debt']);
    const sockets: TLSSocket[] = [];
    try {
      const ca = await readFile(api.services.config.api.tls.ca, 'utf8');
      const statuses: string[] = [];
      for (let turn = 0; turn < 8; turn += 1) statuses.push(await sendAndReadNothing(ca, sockets));
      expect([...new Set(statuses)].toSorted()).toEqual(['200', '429']);
      // 24 MiB have space for two of them, besides what the kernel takes.
      expect(statuses.filter((status) => status === '200').length).toBeLessThan(6);
      const refused = await simulate(largest);
      expect(refused).toMatchObject(problem(429, 'too-many-bytes'));
      expect(refused.headers['retry-after']).toBe('5');
      expect((await api.post(`${DEBT}/simulate`, { token: other, body: largest })).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    let again = await simulate(largest);
    for (let turn = 0; turn < 50 && again.status === 429; turn += 1) again = await simulate(largest);
    expect(again.status).toBe(200);
  });

  async function sendAndReadNothing(ca: string, sockets: TLSSocket[]): Promise<string> {
    const body = JSON.stringify(largest);
    const headers = {
      host: 'localhost',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect({ host: 'localhost', port: Number(new URL(api.url).port), ca, servername: 'localhost' });
    sockets.push(socket);
    await once(socket, 'secureConnect');
    socket.write(`POST ${DEBT}/simulate HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    return head.toString('latin1').split(' ', 2)[1]!;
  }

  test('as a chart has at most eight layers', async () => {
    const { status, text } = await simulate(largest, { accept: SVG });
    expect(status).toBe(200);
    expect(text).toContain('43 other debts');
    expect(text.length).toBeLessThan(300_000);
  });
});

const SENDER = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { Agent, request } = require('node:https');
  const { url, ca, headers, body, times } = workerData;
  const agent = new Agent({ ca });
  const send = () => new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST', headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk) => { bytes += chunk.length; });
      answer.on('end', () => resolve({ status: answer.statusCode, bytes }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
  Promise.all(Array.from({ length: times }, send)).then((answers) => parentPort.postMessage(answers));
`;
