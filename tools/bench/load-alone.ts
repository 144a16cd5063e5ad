import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Config } from '../../infra/config/index.ts';
import { createPasswords } from '../../infra/passwords/index.ts';
import { PASSWORD } from './accounts.ts';
import { figuresOf, type RouteLoad } from './statistics.ts';

/** Repeats the core of an operation, without HTTP or the rest of the service. */
export interface AloneJob {
  kind: 'alone';
  what: 'password hash' | 'pg insert' | 'pg select' | 'text of a PDF';
  atOnce: number;
  seconds: number;
  passwords?: Config['passwords'];
  databaseUrl?: string;
  noteId?: string;
  /** Documents by layout and seed, for jobs that read documents. */
  documents?: readonly { layout: string; seed: number }[];
}

interface Work {
  once: () => Promise<unknown>;
  end?: () => Promise<unknown>;
}

/** Runs `atOnce` repetitions at a time. A warm-up before the job takes a tenth of `seconds`. */
export async function loadAlone(job: AloneJob): Promise<RouteLoad> {
  const { once, end } = await WORK[job.what](job);
  const eachMs: number[] = [];
  const until = async (deadline: number, counts: boolean) => {
    while (performance.now() < deadline) {
      const before = performance.now();
      await once();
      if (counts) eachMs.push(performance.now() - before);
    }
  };
  const all = (seconds: number, counts: boolean) => {
    const deadline = performance.now() + seconds * 1_000;
    return Promise.all(Array.from({ length: job.atOnce }, () => until(deadline, counts)));
  };
  await all(job.seconds / 10, false);
  const began = performance.now();
  await all(job.seconds, true);
  const seconds = (performance.now() - began) / 1_000;
  await end?.();
  return { ...figuresOf(eachMs, seconds), refused: 0 };
}

const WORK: Readonly<Record<AloneJob['what'], (job: AloneJob) => Promise<Work>>> = {
  async 'password hash'(job) {
    const passwords = createPasswords(job.passwords!);
    const hashed = await passwords.hash(PASSWORD);
    return { once: () => passwords.verify(hashed, PASSWORD) };
  },
  'pg insert': (job) =>
    inPool(job, (pool) =>
      pool.query({
        name: 'insert',
        text: 'insert into notes (id, note) values ($1, $2)',
        values: [randomUUID(), 'a note of thirty characters ...'],
      }),
    ),
  'pg select': (job) =>
    inPool(job, (pool) =>
      pool.query({ name: 'note', text: 'select note from notes where id = $1', values: [job.noteId] }),
    ),
  async 'text of a PDF'({ documents }) {
    // Other jobs do not need these modules.
    const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
    const { makeDocument } = await import('../payslips/index.ts');
    const files = await Promise.all(documents!.map((wanted) => makeDocument({ ...wanted, form: 'text' })));
    let next = 0;
    const once = async () => {
      const { bytes } = files[next++ % files.length]!;
      const loading = getDocument({ data: new Uint8Array(bytes), verbosity: 0, useWorkerFetch: false });
      const page = await (await loading.promise).getPage(1);
      const { items } = await page.getTextContent();
      await loading.destroy();
      if (items.length === 0) throw new Error('the page has no text');
    };
    return { once };
  },
};

async function inPool(
  { databaseUrl, atOnce }: AloneJob,
  once: (pool: pg.Pool) => Promise<unknown>,
): Promise<Required<Work>> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: atOnce });
  await pool.query('select 1');
  return { once: () => once(pool), end: () => pool.end() };
}
