import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
const api = startApi();
const big = { monthly_budget: 50_000, strategy: 'snowball', debts: Array.from({ length: 50 }, (_, i) => ({ name: `Debt number ${i}`.padEnd(64, 'é'), balance: 1_200_000, rate: 0, minimum: 1_000 })) };
const code = `
const { workerData, parentPort } = require('node:worker_threads'); const https = require('node:https');
const { url, ca, token, body, n } = workerData;
const agent = new https.Agent({ ca });
const one = () => new Promise((resolve, reject) => { const t = performance.now(); const r = https.request(url, { agent, method: 'POST', headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' } }, (a) => { let size = 0; const f = performance.now()-t; a.on('data', (c) => size += c.length); a.on('end', () => resolve([a.statusCode, size, Math.round(f), Math.round(performance.now() - t)])); }); r.on('error', reject); r.end(body); });
Promise.all(Array.from({ length: n }, one)).then((r) => parentPort.postMessage(r));
`;
test('x', async () => {
  const key = await api.apiKey(SCOPES);
  const ca = await readFile(api.services.config.api.tls.ca, 'utf8');
  for (const n of [0, 1, 1, 1, 8, 8]) {
    let running = true;
    const w = new Worker(code, { eval: true, workerData: { url: `${api.url}/api/v1/engine/debt/simulate`, ca, token: key, body: JSON.stringify(big), n } });
    const done = new Promise<unknown>((r) => w.once('message', r)).then(async (r) => { if (n === 0) await new Promise((r) => setTimeout(r, 1000)); running = false; return r; });
    const h = monitorEventLoopDelay({ resolution: 2 }); h.enable();
    const times: number[] = [];
    while (running) { const t = performance.now(); await api.get('/livez'); times.push(performance.now() - t); await new Promise((r) => setTimeout(r, 10)); }
    times.sort((a, b) => a - b);
    h.disable();
    console.log(n, JSON.stringify(await done), 'livez', times.length, 'median', times[times.length >> 1]?.toFixed(1), 'p95', times[Math.floor(times.length*0.95)]?.toFixed(1), 'max', times.at(-1)?.toFixed(1), 'loop p99', (h.percentile(99) / 1e6).toFixed(1), 'max', (h.max / 1e6).toFixed(1));
    await w.terminate();
  }
}, 100_000);
