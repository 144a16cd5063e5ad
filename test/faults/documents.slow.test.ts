import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { FormData } from 'undici';
import { adminProcess } from '../helpers/admin-process.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { caOf } from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { drawPayslip, pdfOf } from '../helpers/ocr.ts';
import { manyTexts } from '../helpers/raw-pdf.ts';
import { until } from '../helpers/until.ts';

// The stack's own worker reads no documents. The test can kill the workers that it starts to read them.
const stack = startFaultStack({ WORKER_QUEUES: 'payments,bank,upkeep,batch' });
const UPLOAD = '/api/v1/legacy/payslip/upload';
const WITHIN_MS = 10_000;
const HOSTILE = 8;

interface Document {
  doc_id: string;
  status: 'processing' | 'parsed' | 'failed';
  failure: { code: string } | null;
}

let client: FaultClient;
let reads: ChildProcess;

const readsDocuments = () => stack.another('worker', { WORKER_QUEUES: 'documents', WORKER_LOOPS: 'none' });

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  reads = await readsDocuments();
});
afterAll(() => client.close());

async function keyOfApp(): Promise<string> {
  const run = async (...args: string[]) =>
    JSON.parse((await adminProcess(args, stack.env)).stdout) as { app_id: string; key: string };
  const { app_id } = await run('app', 'create', '--name', 'Payroll');
  return (await run('key', 'create', '--app', app_id, '--scopes', 'write:documents')).key;
}

let people = 0;
async function person(): Promise<{ token: string; userId: string }> {
  const body = { email: `person-${(people += 1)}@example.test`, password: 'a long enough passphrase' };
  const { body: made } = await client.call('POST', '/api/v1/auth/register', { body });
  const { body: signedIn } = await client.call('POST', '/api/v1/auth/login', { body });
  return {
    token: (signedIn as { access_token: string }).access_token,
    userId: (made as { user_id: string }).user_id,
  };
}

async function send(token: string, owner: string, file: Buffer, waitS = 0) {
  const form = new FormData();
  form.set('user_id', owner);
  form.set('file', new File([new Uint8Array(file)], 'payslip.pdf'));
  const prefer = waitS === 0 ? 'respond-async' : `wait=${waitS}`;
  return client.call('POST', UPLOAD, { token, body: form, headers: { prefer } });
}

const WORDS = ['Gross', 'Net', 'Tax', 'Pay', 'NI'];
// More than six seconds of processor time, within every other limit.
const hostile = () => manyTexts(9_900, (place) => `${WORDS[place % WORDS.length]!} ${place % 10}`);
let made = 0;
const payslip = () => pdfOf((pdf) => drawPayslip(pdf, [{ label: 'Reference', amount: `${(made += 1)}.00` }]));
const stored = async (token: string, id: string) =>
  (await client.call('GET', `/api/v1/legacy/payslip/${id}`, { token })).body as Document;

async function allRead(token: string, ids: readonly string[]): Promise<void> {
  const isRead = async (id: string) => (await stored(token, id)).status !== 'processing';
  await until(async () => (await Promise.all(ids.map(isRead))).every(Boolean), 'all to be read', 200_000, 500);
}

async function waitOfSomebodyElse(): Promise<number> {
  const { token, userId } = await person();
  const file = await payslip();
  const startedAt = performance.now();
  const { status, body } = await send(token, userId, file, 25);
  const tookMs = performance.now() - startedAt;
  expect({ status, read: (body as Document).status }).toEqual({ status: 201, read: 'parsed' });
  return tookMs;
}

const childrenOf = (pid: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
      } catch {
        return false;
      }
    });

describe('while hostile files wait for the reader', () => {
  test('of one person, another person’s payslip is read within ten seconds', async () => {
    const { token, userId } = await person();
    const answers = await Promise.all(Array.from({ length: HOSTILE }, () => send(token, userId, hostile())));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([
      ...Array.from({ length: 5 }, () => 202),
      ...Array.from({ length: HOSTILE - 5 }, () => 429),
    ]);
    for (const { headers, body } of answers.filter(({ status }) => status === 429)) {
      expect(body).toMatchObject({ code: 'too-many-documents' });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    const waited = [await waitOfSomebodyElse(), await waitOfSomebodyElse()];
    expect(Math.max(...waited)).toBeLessThan(WITHIN_MS);
    const taken = answers.filter(({ status }) => status === 202).map(({ body }) => (body as Document).doc_id);
    await allRead(token, taken);
  });

  test('of many owners of one key, another key’s payslip is read within ten seconds', async () => {
    const token = await keyOfApp();
    const sent = await Promise.all(
      Array.from({ length: HOSTILE }, (_, place) => send(token, `emp-${place}`, hostile())),
    );
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([202]));
    const waited = [await waitOfSomebodyElse(), await waitOfSomebodyElse()];
    expect(Math.max(...waited)).toBeLessThan(WITHIN_MS);
    expect(childrenOf(reads.pid!)).toHaveLength(2);
    const first = (sent[0]!.body as Document).doc_id;
    await until(async () => (await stored(token, first)).status === 'failed', 'the end of the first', 60_000, 250);
    expect((await stored(token, first)).failure?.code).toBe('document-too-complex');
  });

  test('another worker reads the documents of a killed worker, and no process is left', async () => {
    const token = await keyOfApp();
    const sent = await Promise.all([
      send(token, 'emp-killed', hostile()),
      ...Array.from({ length: 3 }, async (_, place) => send(token, `emp-killed-${place}`, await payslip())),
    ]);
    const ids = sent.map(({ body }) => (body as Document).doc_id);
    const left = childrenOf(reads.pid!);
    reads.kill('SIGKILL');
    const other = await readsDocuments();
    await until(() => left.every((pid) => !isThere(pid)), 'the end of the readers', 30_000, 100);
    await until(
      async () =>
        (await Promise.all(ids.map((id) => stored(token, id)))).every(({ status }) => status !== 'processing'),
      'all to be read',
      150_000,
      500,
    );
    const ended = await Promise.all(ids.map((id) => stored(token, id)));
    expect(ended.map(({ status }) => status)).toEqual(['failed', 'parsed', 'parsed', 'parsed']);
    reads = other;
  });

  test('a stopping worker leaves its waiting and current documents to another worker', async () => {
    const token = await keyOfApp();
    const sent = await Promise.all(Array.from({ length: 4 }, () => send(token, `emp-ended-${(made += 1)}`, hostile())));
    const ids = sent.map(({ body }) => (body as Document).doc_id);
    await until(() => childrenOf(reads.pid!).length > 0, 'a reader', 30_000, 100);
    const ended = once(reads, 'exit');
    reads.kill('SIGTERM');
    const next = await readsDocuments();
    expect((await ended)[0]).toBe(0);
    await allRead(token, ids);
    const all = await Promise.all(ids.map((id) => stored(token, id)));
    expect(all.map(({ failure }) => failure?.code)).toEqual(ids.map(() => 'document-too-complex'));
    reads = next;
  });
});

function isThere(pid: string): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
