import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, FormData, request, Response } from 'undici';
import { openServices } from '../../infra/services.ts';
import { makeDocument, SETS, type Form, type MadeDocument } from '../payslips/index.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { inOwnProcess } from './load.ts';
import { figuresOf } from './statistics.ts';
import type { RouteJob } from './load-routes.ts';
import type { RouteLoad } from './statistics.ts';
import { PACED_WARM_UP_S } from './paced.ts';
import { middle, progress, told, type Figures, type Part, type Row } from './report.ts';
import { seedKey, seedUsers } from './seed.ts';
import { largestChildMb, residentMb, withStack, type BenchStack } from './stack.ts';
import { median } from './statistics.ts';

const AT_ONCE = 10;
const TEXTS_AT_ONCE = 4;
const ONE_BY_ONE = { text: 40, photo: 5 } as const;
const WARM_UP = 5;
const ALONE_SECONDS = 4;
/** The report lists the layouts of PDFs with text that take longer. Most of them also need OCR. */
const LOOKED_AT_MS = 1_000;
const OTHERS_PER_SECOND = 40;
/** The seconds of the other requests in each round. */
const SECONDS = 30;
const ROUNDS = 5;
/** Milliseconds from the start of the sending process until its timing begins. */
const LOAD_STARTS_MS = 1_500 + PACED_WARM_UP_S * 1_000;
const MOST_SLOWER = 2;
const MOST_READER_MB = 1_300;
const TARGET_S = { text: 0.3, photo: 4 } as const;

// In production, the client's machine makes these bytes, so they are made before timing begins.
interface Upload {
  headers: Record<'content-type', string>;
  body: Buffer;
}

interface Bench {
  /** Waits at most `waitS` seconds until the document is `parsed`. @returns the time in milliseconds. */
  upload: (form: Upload, waitS?: number) => Promise<number>;
  uploadBare: (form: Upload) => Promise<number>;
  memoryMb: () => { api: number; worker: number; reader: number };
  others: () => Promise<RouteLoad>;
}

export async function benchUploads(profileDir?: string): Promise<Part> {
  return withStack({ temporal: true, profileDir }, async (stack) => measure(await prepare(stack)));
}

async function prepare(stack: BenchStack): Promise<Bench> {
  const { config } = stack;
  const services = await openServices({ ...config, logLevel: 'silent' }, 'bench');
  const key = await seedKey(services);
  const cast = await seedUsers(services, 1);
  await services.close();
  const bareUrl = `http://127.0.0.1:${await freePort()}`;
  const [api, worker] = await Promise.all([
    stack.start('api'),
    stack.start('worker'),
    stack.start('bank'),
    stack.start('bareServer', { BARE_PORT: new URL(bareUrl).port, BARE_DATABASE_URL: config.database.url }),
  ]);
  const { publicUrl: url, tls } = config.api;
  const pki = (file: string) => join(config.dataDir, 'pki', file);
  const client = { cert: pki('vault-client.crt'), key: pki('vault-client.key') };
  const others: RouteJob = {
    kind: 'route',
    route: 'auth/me of a user',
    url,
    ca: tls.ca,
    client,
    cast,
    seconds: SECONDS,
    rate: OTHERS_PER_SECOND,
  };
  const dispatcher = new Agent({ connect: { ca: readFileSync(tls.ca) } });
  const headers = { authorization: `Bearer ${key}` };
  return {
    others: () => inOwnProcess(others),
    async upload(form, waitS = 25) {
      const started = performance.now();
      const path = '/api/v1/legacy/payslip/upload';
      const sent = { ...headers, ...form.headers, prefer: `wait=${waitS}` };
      let answer = await request(`${url}${path}`, { method: 'POST', dispatcher, headers: sent, body: form.body });
      let document = (await answer.body.json()) as { doc_id: string; status: string };
      while (document.status === 'processing') {
        const poll = { dispatcher, headers: { ...headers, prefer: 'wait=30' } };
        answer = await request(`${url}/api/v1/legacy/payslip/${document.doc_id}`, poll);
        document = (await answer.body.json()) as typeof document;
      }
      if (document.status !== 'parsed') throw new Error(`an upload ended as ${JSON.stringify(document)}`);
      return performance.now() - started;
    },
    async uploadBare(form) {
      const started = performance.now();
      const { statusCode, body } = await request(`${bareUrl}/upload`, { method: 'POST', dispatcher, ...form });
      await body.dump();
      if (statusCode !== 202) throw new Error(`the bare server answered ${statusCode}`);
      return performance.now() - started;
    },
    memoryMb: () => ({ api: residentMb(api), worker: residentMb(worker), reader: largestChildMb(worker) }),
  };
}

async function formOf({ bytes }: MadeDocument): Promise<Upload> {
  const form = new FormData();
  form.set('user_id', `bench-${crypto.randomUUID()}`);
  form.set('file', new File([new Uint8Array(bytes)], 'document'));
  const sent = new Response(form);
  return {
    headers: { 'content-type': sent.headers.get('content-type')! },
    body: Buffer.from(await sent.arrayBuffer()),
  };
}

async function measure(bench: Bench): Promise<Part> {
  const { upload } = bench;
  // The first upload is slower than later ones.
  await upload(await formOf(await documentOf('photo', 0)), 0);
  const { rows, notes } = await textRows(bench);
  progress('texts are read');
  const photos = await Promise.all(seeds(1, ONE_BY_ONE.photo).map((seed) => documentOf('photo', seed)));
  rows.push(toParsed('photo', await oneByOne(photos, upload)));
  rows.push(...(await besideOthers(bench)));
  const { api, worker, reader } = bench.memoryMb();
  const memory = `API ${api.toFixed(0)} MB, worker ${worker.toFixed(0)} MB, reader ${reader.toFixed(0)} MB`;
  const most = { target: `reader <= ${MOST_READER_MB} MB`, met: reader <= MOST_READER_MB };
  rows.push({ what: 'memory after all that', value: memory, ...most });
  return {
    name: 'uploads',
    setting: `generated documents one by one, ${TEXTS_AT_ONCE} texts at a time, then ${AT_ONCE} photos at once beside ${OTHERS_PER_SECOND} requests a second of others for ${SECONDS} s, ${ROUNDS} times in turns with none, medians; bare = the same form to Express, and the same pages to pdfjs, alone.`,
    rows,
    notes,
  };
}

async function textRows({ upload, uploadBare, memoryMb }: Bench): Promise<Required<Pick<Part, 'rows' | 'notes'>>> {
  const wanted = seeds(1, ONE_BY_ONE.text);
  const texts = await Promise.all(wanted.map((seed) => documentOf('text', seed)));
  await oneByOne(texts.slice(0, WARM_UP), upload);
  await oneByOne(texts, uploadBare);
  const bare = await oneByOne(texts, uploadBare);
  const documents = wanted.map((seed) => ({ layout: layoutOf(seed), seed }));
  const reading = { kind: 'alone', what: 'text of a PDF', atOnce: 1, seconds: ALONE_SECONDS, documents } as const;
  const alone = await inOwnProcess(reading);
  const parsed = await oneByOne(texts, upload);
  const began = performance.now();
  const several = await Promise.all(
    seeds(0, TEXTS_AT_ONCE).map((first) => oneByOne(every(TEXTS_AT_ONCE, texts, first), upload)),
  );
  const together = figuresOf(
    several.flatMap(({ eachMs }) => eachMs),
    (performance.now() - began) / 1_000,
  );
  const { reader } = memoryMb();
  const rows: Row[] = [
    { what: 'text, its form to bare Express', ...told(bare) },
    { what: 'text, its first page by pdfjs alone', ...told(alone) },
    { ...toParsed('text', parsed), ratio: (bare.p50Ms + alone.p50Ms) / parsed.p50Ms, against: 'the p50 of both' },
    {
      what: `text, ${TEXTS_AT_ONCE} at a time`,
      ...told(together),
      value: `reader ${reader.toFixed(0)} MB`,
      ratio: together.perSecond / alone.perSecond,
      against: 'pdfjs alone',
    },
  ];
  const longer = documents.filter((_, place) => parsed.eachMs[place]! > LOOKED_AT_MS).map(({ layout }) => layout);
  const layouts = [...new Set(longer)].join(', ');
  return {
    rows,
    notes: [
      `Texts that took longer than ${LOOKED_AT_MS / 1_000} s: ${longer.length} of ${texts.length}; layouts: ${layouts}.`,
    ],
  };
}

function toParsed(form: keyof typeof TARGET_S, figures: Figures): Row {
  const most = TARGET_S[form];
  const target = { target: `p50 <= ${most} s`, met: figures.p50Ms <= most * 1_000 };
  return { what: `${form}, uploaded to parsed`, ...told(figures), ...target };
}

/** Rounds with uploads alternate with rounds without. */
async function besideOthers({ upload, others }: Bench): Promise<Row[]> {
  await others();
  const idle: Figures[] = [];
  const busy: Figures[] = [];
  const tookS: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const sent = seeds(100 * (round + 1), AT_ONCE);
    const photos = await Promise.all(sent.map(async (seed) => formOf(await documentOf('photo', seed))));
    idle.push(await others());
    const load = others();
    await sleep(LOAD_STARTS_MS);
    const began = performance.now();
    await Promise.all(photos.map((photo) => upload(photo)));
    tookS.push((performance.now() - began) / 1_000);
    busy.push(await load);
    progress(`idle p99 ${idle.at(-1)!.p99Ms.toFixed(0)} ms, busy p99 ${busy.at(-1)!.p99Ms.toFixed(0)} ms`);
  }
  const ratio = median(busy.map(({ p99Ms }, round) => p99Ms / idle[round]!.p99Ms));
  const target = `p99 <= ${MOST_SLOWER} of idle`;
  const allRead = `all read after ${median(tookS).toFixed(1)} s`;
  const against = { ratio, against: 'its idle p99', target, met: ratio <= MOST_SLOWER, value: allRead };
  return [
    { what: 'auth/me, with nothing else to do', ...middle(idle) },
    { what: `auth/me, while ${AT_ONCE} photos are read`, ...middle(busy), ...against },
  ];
}

async function oneByOne(
  documents: readonly MadeDocument[],
  send: (form: Upload) => Promise<number>,
): Promise<Figures & { eachMs: number[] }> {
  const eachMs: number[] = [];
  const began = performance.now();
  for (const document of documents) eachMs.push(await send(await formOf(document)));
  return { ...figuresOf(eachMs, (performance.now() - began) / 1_000), eachMs };
}

function seeds(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, place) => first + place);
}

function every<T>(step: number, items: readonly T[], first: number): T[] {
  return items.filter((_, place) => place % step === first);
}

function layoutOf(seed: number): string {
  const payslips = SETS.development.filter(({ type }) => type === 'payslip');
  return payslips[seed % payslips.length]!.name;
}

async function documentOf(form: Form, seed: number): Promise<MadeDocument> {
  return makeDocument({ layout: layoutOf(seed), seed, form });
}
