import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HTTPX, writePythonModule } from '../helpers/guide-programs.ts';
import { pythonWith } from '../helpers/python.ts';

type Reply = (response: ServerResponse) => void;

let folder: string;
let service: Server;
let replies: Reply[];
let requests: IncomingMessage[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-python-'));
  writePythonModule(folder);
  service = createServer((request, response) => {
    requests.push(request);
    request.resume().once('end', () => replies.shift()!(response));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

const json =
  (status: number, body: unknown, headers = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

async function run(program: string): Promise<string> {
  const { PYTHONPATH = '', ...env } = await pythonWith(HTTPX);
  const RF = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const child = spawn('python3', ['-c', program], {
    cwd: folder,
    env: { ...env, PYTHONPATH: `${folder}:${PYTHONPATH}`, RF, KEY: 'sk_test_1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return output.trim();
}

const keys = () => new Set(requests.map(({ headers }) => headers['idempotency-key']));

test('the guide’s Python retries a lost or postponed request with the same Idempotency-Key', async () => {
  replies = [
    (response) => response.destroy(),
    json(503, { code: 'dependency-unavailable' }, { 'retry-after': '1' }),
    json(429, { code: 'rate-limited' }, { 'retry-after': '0' }),
    json(201, { payment_id: 'pay_1' }),
  ];
  const startedAt = Date.now();
  expect(await run('from ringfence import send\nprint(send("POST", "/pay", json={})["payment_id"])')).toBe('pay_1');
  expect(Date.now() - startedAt).toBeGreaterThan(1_000);
  expect(requests).toHaveLength(4);
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer sk_test_1'));
  expect(keys().size).toBe(1);
});

test('the guide’s Python raises an error at once, with its code, and gives each call a new key', async () => {
  replies = [json(422, { code: 'insufficient-allocation', detail: 'Too little.' }), json(200, {})];
  const program = `
from ringfence import Problem, send
try:
    send("POST", "/pay", json={})
except Problem as error:
    print(error.code, error)
send("POST", "/pay", json={})
`;
  expect(await run(program)).toBe('insufficient-allocation insufficient-allocation: Too little.');
  expect(requests).toHaveLength(2);
  expect(keys().size).toBe(2);
});

test('the guide’s Python reads a list to its end', async () => {
  replies = [json(200, { items: [1, 2], next_cursor: 'c1' }), json(200, { items: [3], next_cursor: null })];
  expect(await run('from ringfence import items\nprint(list(items("/things", limit=2)))')).toBe('[1, 2, 3]');
  expect(requests.map(({ url }) => url)).toEqual(['/things?limit=2', '/things?limit=2&cursor=c1']);
});
