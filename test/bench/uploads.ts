import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, FormData, request } from 'undici';
import { openServices } from '../../infra/services.ts';
import { makeDocument, SETS, type Form, type MadeDocument } from '../helpers/payslips/index.ts';
import { inOwnProcess } from './load.ts';
import type { Cast, RouteJob, RouteLoad } from './load-routes.ts';
import type { Part, Row } from './report.ts';
import { seedKey, seedTokens } from './seed.ts';
import { startStack, type BenchStack } from './stack.ts';
import { percentile } from './statistics.ts';

const AT_ONCE = 10;
const ONE_BY_ONE = 20;
const OTHERS_PER_SECOND = 40;
const SECONDS = 12;
const MOST_SLOWER = 2;
const TARGET_S: Partial<Record<Form, number>> = { text: 0.3, photo: 4 };

interface Bench {
  upload: (document: MadeDocument) => Promise<number>;
  others: () => Promise<RouteLoad>;
}

/** Documents through the whole service, from the upload to what was read of them, and what others notice of it meanwhile. */
export async function benchUploads(profileDir?: string): Promise<Part> {
  const stack = await startStack({ temporal: true, ...(profileDir !== undefined && { profileDir }) });
  try {
    return await measure(await prepare(stack));
  } finally {
    await stack.stop();
  }
}

async function prepare(stack: BenchStack): Promise<Bench> {
  const { config } = stack;
  const services = await openServices({ ...config, logLevel: 'silent' }, 'bench');
  const cast = join(config.dataDir, 'cast.json');
  const key = await seedKey(services);
  const nobody = { owners: [], bareTokens: [], vaultRefs: [], bareRefs: [], key };
  await writeFile(cast, JSON.stringify({ ...nobody, tokens: await seedTokens(services, 1) } satisfies Partial<Cast>));
  await services.close();
  await Promise.all([stack.start('api'), stack.start('worker'), stack.start('bank')]);
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
    async upload({ bytes }) {
      const started = performance.now();
      const body = new FormData();
      body.set('user_id', `bench-${crypto.randomUUID()}`);
      body.set('file', new File([new Uint8Array(bytes)], 'document'));
      const path = '/api/v1/legacy/payslip/upload';
      let answer = await request(`${url}${path}`, { method: 'POST', dispatcher, headers, body });
      let document = (await answer.body.json()) as { doc_id: string; status: string };
      while (document.status === 'processing') {
        const poll = { dispatcher, headers: { ...headers, prefer: 'wait=30' } };
        answer = await request(`${url}/api/v1/legacy/payslip/${document.doc_id}`, poll);
        document = (await answer.body.json()) as typeof document;
      }
      if (document.status !== 'parsed') throw new Error(`an upload ended as ${JSON.stringify(document)}`);
      return performance.now() - started;
    },
  };
}

async function measure({ upload, others }: Bench): Promise<Part> {
  const rows: Row[] = [];
  await upload(await documentOf('photo', 0));
  for (const form of ['text', 'photo'] as const) {
    const ms: number[] = [];
    const count = form === 'text' ? ONE_BY_ONE : ONE_BY_ONE / 4;
    for (let seed = 1; seed <= count; seed += 1) ms.push(await upload(await documentOf(form, seed)));
    const [p50Ms, p99Ms] = [percentile(ms, 50), percentile(ms, 99)];
    const target = `p50 <= ${TARGET_S[form]} s`;
    rows.push({ what: `${form}, uploaded to parsed`, p50Ms, p99Ms, target, met: p50Ms <= TARGET_S[form]! * 1_000 });
  }
  await others();
  const idle = await others();
  const photos = await Promise.all(Array.from({ length: AT_ONCE }, (_, seed) => documentOf('photo', 100 + seed)));
  const began = performance.now();
  const reading = Promise.all(photos.map(upload)).then(() => performance.now() - began);
  const busy = await others();
  const allRead = `all read after ${((await reading) / 1_000).toFixed(1)} s`;
  rows.push({ what: 'auth/me, with nothing else to do', ...idle });
  const ratio = busy.p99Ms / idle.p99Ms;
  const target = `p99 <= ${MOST_SLOWER} of idle`;
  const against = { ratio, against: 'its idle p99', target, met: ratio <= MOST_SLOWER, value: allRead };
  rows.push({ what: `auth/me, while ${AT_ONCE} photos are read`, ...busy, ...against });
  return {
    name: 'uploads',
    setting: `generated documents one by one, then ${AT_ONCE} photos at once beside ${OTHERS_PER_SECOND} requests a second of others for ${SECONDS} s.`,
    rows,
  };
}

async function documentOf(form: Form, seed: number): Promise<MadeDocument> {
  const payslips = SETS.development.filter(({ type }) => type === 'payslip');
  return makeDocument({ layout: payslips[seed % payslips.length]!.name, seed, form });
}
