import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { openReader, type DocumentReader } from '../../infra/documents/index.ts';
import type { ReaderConfig } from '../../infra/config/index.ts';
import { openRemoteReader } from '../../infra/documents/remote.ts';
import { TOO_MUCH_MEMORY } from '../../infra/documents/messages.ts';
import { drawPayslip, pdfOf } from '../helpers/ocr.ts';
import { onePage, rawPdf } from '../helpers/raw-pdf.ts';
import { until } from '../helpers/until.ts';
import { READER_PROGRAM } from '../helpers/reader-program.ts';

const CONFIG: ReaderConfig = {
  memoryMb: 1_200,
  timeoutMs: 100_000,
  textCpuMs: 6_000,
  pictureCpuMs: 60_000,
  idleMs: 60_000,
};
const open: DocumentReader[] = [];
const readerOf = (config: Partial<ReaderConfig> = {}, onFault?: Parameters<typeof openReader>[2]) => {
  const reader = openReader({ ...CONFIG, ...config }, READER_PROGRAM, onFault);
  open.push(reader);
  return reader;
};
afterAll(async () => {
  for (const reader of open) await reader.close();
});

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !(existsSync(`/proc/${pid}/stat`) && readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
  } catch {
    return false;
  }
};
const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const payslip = await pdfOf((pdf) => drawPayslip(pdf));
// Many marks take a long time to read.
const picture = async () => {
  const noise = Buffer.alloc(1_800 * 2_600, 255);
  for (let index = 0; index < noise.length; index += 1)
    if ((index * 2_654_435_761) % 4_294_967_296 < 2_000_000_000 && Math.floor(index / 1_800) % 40 < 20)
      noise[index] = 0;
  return sharp(noise, { raw: { width: 1_800, height: 2_600, channels: 1 } })
    .png()
    .toBuffer();
};
const READ = {
  kind: 'read',
  by: 'text',
  reading: { gross_pay: { value: 336_484 }, net_pay: { value: 256_075 } },
};

/** In place of `programs/reader.ts`. First answers what no reader does, then what it could do. */
const HOSTILE = `
  import { spawnSync } from 'node:child_process';
  import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
  const codeOf = (attempt) => { try { attempt(); return 'done'; } catch ({ code }) { return code; } };
  const tried = () => ({
    key: codeOf(() => readFileSync('KEY')),
    parent: codeOf(() => readFileSync('/proc/' + process.ppid + '/environ')),
    listing: codeOf(() => readdirSync('/')),
    write: codeOf(() => writeFileSync('KEY', '')),
    spawn: codeOf(() => spawnSync('true')),
    inspector: codeOf(() => process.binding('inspector')),
    environment: Object.keys(process.env).join(' '),
  });
  let asked = 0;
  process.on('message', () => process.send(asked++ === 0 ? 1 : { fault: { name: 'Tried', at: JSON.stringify(tried()) } }));
`;

describe('the reader', () => {
  test('reads ten documents at once, one after another, in one process', async () => {
    const reader = readerOf();
    expect(reader.pid).toBeUndefined();
    const pids = new Set<number | undefined>();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const outcome = await reader.read({ bytes: payslip });
        pids.add(reader.pid);
        return outcome;
      }),
    );
    for (const outcome of outcomes) expect(outcome).toMatchObject(READ);
    expect(pids.size).toBe(1);
    await reader.close();
    expect([...pids].map((pid) => isAlive(pid!))).toEqual([false]);
    await expect(reader.read({ bytes: payslip })).rejects.toThrow('closed');
  });

  test('that a file took over knows no secret, reads and writes no file, starts no program, and crashes nobody by what it sends', async () => {
    process.env.READER_TEST_SECRET = 'hunter2';
    const folder = mkdtempSync(join(tmpdir(), 'ringfence-hostile-'));
    const key = join(folder, 'master.json');
    writeFileSync(key, 'secret');
    const program = join(folder, 'hostile.mjs');
    writeFileSync(program, HOSTILE.replace('KEY', key));
    const faults: object[] = [];
    const reader = openReader(CONFIG, pathToFileURL(program), (fault) => faults.push(fault));
    expect(await reader.read({ bytes: payslip })).toMatchObject({ kind: 'failed', code: 'unreadable' });
    expect(faults).toEqual([{ name: 'BadReply', at: '' }]);
    expect(await reader.read({ bytes: payslip })).toMatchObject({ kind: 'failed' });
    delete process.env.READER_TEST_SECRET;
    const { environment, ...tried } = JSON.parse((faults[1] as { at: string }).at) as Record<string, string>;
    expect(tried).toEqual({
      ...{ key: 'ERR_ACCESS_DENIED', parent: 'ERR_ACCESS_DENIED', listing: 'ERR_ACCESS_DENIED' },
      ...{ write: 'ERR_ACCESS_DENIED', spawn: 'ERR_ACCESS_DENIED', inspector: 'ERR_ACCESS_DENIED' },
    });
    expect(environment).toMatch(
      /^(?:(?:LANG|LD_LIBRARY_PATH|TZ|MALLOC_ARENA_MAX|GLIBC_TUNABLES|HOME|UV_THREADPOOL_SIZE|NODE_\w+) ?)+$/,
    );
    expect(environment).not.toContain('SECRET');
    await reader.close();
    rmSync(folder, { recursive: true });
  });

  test('stops an idle process, and starts another for the next document', async () => {
    const reader = readerOf({ idleMs: 200 });
    await reader.read({ bytes: payslip });
    await until(() => reader.pid === undefined, 'the end of the process');
    expect(await reader.read({ bytes: payslip })).toMatchObject(READ);
  });

  test('retries documents that its crashed process had not started', async () => {
    const reader = readerOf();
    await reader.read({ bytes: payslip });
    const pid = reader.pid!;
    process.kill(pid, 'SIGKILL');
    expect(await reader.read({ bytes: payslip })).toMatchObject(READ);
    expect(reader.pid).not.toBe(pid);
  });

  test('fails a document if its process is killed, reports the death, and reads the next document in another process', async () => {
    const faults: object[] = [];
    const reader = readerOf({}, (fault) => faults.push(fault));
    await reader.read({ bytes: payslip });
    const pid = reader.pid!;
    const before = residentMb(pid);
    const reading = reader.read({ bytes: await picture() });
    const next = reader.read({ bytes: payslip });
    await until(() => !isAlive(pid) || residentMb(pid) > before + 40, 'the reading of a picture', 60_000, 5);
    process.kill(pid, 'SIGKILL');
    expect(await reading).toMatchObject({
      kind: 'failed',
      code: 'unreadable',
      detail: expect.stringContaining('crashed') as unknown,
    });
    expect(await next).toMatchObject(READ);
    expect(reader.pid).not.toBe(pid);
    expect(faults).toEqual([{ name: 'ReaderDied', at: 'unknown' }]);
  });

  test('retries a document that failed in a process with a queue', async () => {
    const reader = readerOf();
    await reader.read({ bytes: payslip });
    const pid = reader.pid!;
    const before = residentMb(pid);
    const reading = reader.read({ bytes: await picture() });
    await until(() => !isAlive(pid) || residentMb(pid) > before + 40, 'the reading of a picture', 60_000, 5);
    process.kill(pid, TOO_MUCH_MEMORY);
    const outcome = await reading;
    expect(reader.pid).not.toBe(pid);
    expect(outcome).toEqual(await readerOf().read({ bytes: await picture() }));
  });

  test('ends a process that holds too much memory, and reads on', async () => {
    const reader = readerOf({ memoryMb: 330 });
    expect(await reader.read({ bytes: await picture() })).toMatchObject({
      kind: 'failed',
      code: 'unreadable',
      detail: expect.stringContaining('330 MB') as unknown,
    });
    expect(await reader.read({ bytes: payslip })).toMatchObject(READ);
  });

  test('stops a reading that takes too long', async () => {
    const reader = readerOf({ timeoutMs: 300 });
    expect(await reader.read({ bytes: await picture() })).toMatchObject({
      kind: 'failed',
      code: 'unreadable',
      detail: expect.stringContaining('0.3 seconds') as unknown,
    });
    expect(reader.pid).toBeUndefined();
  });

  test('drops a cancelled document, waiting or being read', async () => {
    const reader = readerOf();
    const both = [new AbortController(), new AbortController()];
    const bytes = await picture();
    const readings = both.map(({ signal }) => reader.read({ bytes, signal }));
    const third = reader.read({ bytes: payslip });
    await until(() => reader.pid !== undefined, 'the process');
    for (const each of both) each.abort(new Error('not wanted'));
    for (const reading of readings) await expect(reading).rejects.toThrow('not wanted');
    expect(await third).toMatchObject(READ);
  });

  test('leaves no process when it is closed during a reading', async () => {
    const reader = readerOf();
    const readings = [reader.read({ bytes: await picture() }), reader.read({ bytes: payslip })];
    const failures = readings.map((reading) => expect(reading).rejects.toThrow('closed'));
    await until(() => reader.pid !== undefined, 'the process');
    const pid = reader.pid!;
    await reader.close();
    expect(isAlive(pid)).toBe(false);
    await Promise.all(failures);
  });

  test('stops its process when the parent is killed, even during a reading', async () => {
    const bytes = (await picture()).toString('base64');
    const index = new URL('../../infra/documents/index.ts', import.meta.url).href;
    const script = `
      import { openReader } from ${JSON.stringify(index)};
      const reader = openReader(${JSON.stringify(CONFIG)}, new URL(${JSON.stringify(READER_PROGRAM)}));
      process.stdin.setEncoding('utf8');
      let text = '';
      for await (const part of process.stdin) text += part;
      void reader.read({ bytes: Buffer.from(text, 'base64') });
      while (reader.pid === undefined) await new Promise((done) => setTimeout(done, 10));
      console.log(reader.pid);
    `;
    const user = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
    user.stdin.end(bytes);
    const [line] = (await once(user.stdout, 'data')) as [Buffer];
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    user.kill('SIGKILL');
    await until(() => !isAlive(pid), 'the end of the reading process');
  });
});

describe('readers in another container', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-reading-'));
  const remote = (faults: object[] = []) => openRemoteReader({ ...CONFIG, folder }, (fault) => faults.push(fault));
  let service: ChildProcess;
  beforeAll(async () => {
    const env = { DOCUMENT_READERS: folder, RINGFENCE_ENV: 'production' };
    const program = join(import.meta.dirname, '../../programs/readers.ts');
    // What a killed one leaves behind.
    writeFileSync(join(folder, 'killed.sock'), '');
    service = spawn(process.execPath, [program], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(service, 'message');
  });
  afterAll(async () => {
    if (service.exitCode === null) service.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  test('read what a worker sends, two at once, and stop what nobody waits for', async () => {
    const stop = new AbortController();
    const dropped = remote().read({ bytes: await picture(), signal: stop.signal });
    const refused = expect(dropped).rejects.toThrow('not wanted');
    expect(await remote().read({ bytes: payslip })).toMatchObject(READ);
    stop.abort(new Error('not wanted'));
    await refused;
    expect(await Promise.all([1, 2, 3].map(() => remote().read({ bytes: payslip })))).toMatchObject([READ, READ, READ]);
    expect(await remote().read({ bytes: Buffer.from('x'), hint: 'p60' })).toMatchObject({ kind: 'failed' });
  });

  test('pass the health check of the image, and leave no socket behind when they stop', async () => {
    const cmdline = join(folder, 'cmdline');
    writeFileSync(cmdline, 'node\0programs/readers.ts');
    const health = join(import.meta.dirname, '../../infra/deploy/health.js');
    const checked = () => spawnSync(process.execPath, [health, cmdline], { env: { DOCUMENT_READERS: folder } }).status;
    expect(checked()).toBe(0);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
    expect(readdirSync(folder)).toEqual(['cmdline', 'killed.sock']);
    expect(checked()).toBe(1);
    await expect(remote().read({ bytes: payslip })).rejects.toMatchObject({ code: 'dependency-unavailable' });
  });

  test('that were taken over give no reading but one of the right form', async () => {
    const faults: object[] = [];
    const replies = [
      { outcome: { kind: 'read', reading: {} }, faults: [] },
      { outcome: { kind: 'failed', code: 'unreadable', detail: 'x' }, faults: [{ name: 'ReaderDied', at: '' }] },
    ];
    const hostile = createServer((request, response) =>
      request.resume().once('end', () => response.end(JSON.stringify(replies.shift()))),
    );
    hostile.listen(join(folder, 'hostile.sock'));
    await once(hostile, 'listening');
    await expect(remote(faults).read({ bytes: payslip })).rejects.toMatchObject({ code: 'dependency-unavailable' });
    expect(await remote(faults).read({ bytes: payslip })).toMatchObject({ kind: 'failed', detail: 'x' });
    expect(faults).toEqual([{ name: 'ReaderDied', at: '' }]);
    hostile.close();
  });
});

describe('a malicious file', () => {
  const reader = readerOf({ memoryMb: 1_200 });
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const crc32 = (bytes: Buffer) => {
    let crc = 0xffffffff;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return (crc ^ 0xffffffff) >>> 0;
  };
  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pngOf = (side: number, depth: number, colour: number) => {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(side, 0);
    head.writeUInt32BE(side, 4);
    head.set([depth, colour, 0, 0, 0], 8);
    const pixels = deflateSync(Buffer.alloc(4_000_000), { level: 9 });
    return Buffer.concat([PNG, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
  };
  const noise = (bytes: number) => {
    const result = Buffer.alloc(bytes);
    let state = 7;
    for (let index = 0; index < bytes; index += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      result[index] = state >>> 24;
    }
    return result;
  };
  const jpeg = () =>
    sharp(Buffer.alloc(300 * 400, 240), { raw: { width: 300, height: 400, channels: 1 } })
      .jpeg()
      .toBuffer();

  const noisy = (before: Buffer | string, after = '') =>
    Buffer.concat([Buffer.from(before as string), noise(5_000_000), Buffer.from(after)]);
  const plain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
  const pictureAsJpeg = async () =>
    sharp(await picture())
      .jpeg()
      .toBuffer();
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox';
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const circle = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Pages /Kids [2 0 R] /Count 1 /Parent 2 0 R >>',
  ];
  const PASSWORDS = { userPassword: 'letmein', ownerPassword: 'owner' };
  const thousandPages = (pdf: Parameters<typeof drawPayslip>[0]) => {
    for (let number = 2; number <= 1_000; number += 1) {
      pdf
        .fontSize(9)
        .text(`This is page ${number} of a long report, and of nothing that anybody was ever paid.`, 50, 50);
      pdf.addPage();
    }
  };

  type Hostile = [what: string, make: () => Buffer | Promise<Buffer>, detail?: RegExp, code?: string];
  const HOSTILE: Hostile[] = [
    ['of no bytes', () => Buffer.alloc(0), /empty/],
    ['of another kind', () => Buffer.from('GIF89a and so on'), /not a PDF, PNG or JPEG/],
    ['that is a PDF cut off', () => payslip.subarray(0, payslip.length - 700), /incomplete/],
    ['that is half a PDF', () => payslip.subarray(0, payslip.length >> 1), /incomplete/],
    ['that is a PNG cut off', async () => (await picture()).subarray(0, 20_000), /damaged/],
    ['that is a JPEG cut off', async () => (await pictureAsJpeg()).subarray(0, 90_000), /damaged/],
    ['that is a PNG of 60,000 by 60,000 pixels', () => pngOf(60_000, 1, 0), /million pixels/],
    ['that is a PNG whose pixels are missing', () => pngOf(8_000, 16, 6), /damaged/],
    ['that is noise after the start of a PDF', () => noisy('%PDF-1.7\n')],
    ['that is noise inside a PDF', () => noisy('%PDF-1.7\n', '\nstartxref\n9\n%%EOF\n')],
    ['that is noise after the start of a PNG', () => noisy(PNG)],
    ['that is noise after the start of a JPEG', async () => noisy((await jpeg()).subarray(0, 200))],
    ['that is a PDF behind a password', () => pdfOf((pdf) => drawPayslip(pdf), PASSWORDS), /password/, 'encrypted-pdf'],
    ['that is a PDF nested ten thousand deep', () => onePage(`${page} [0 0 595 842] /Deep ${deep} >>`)],
    ['that is a PDF whose pages are each other’s', () => rawPdf(circle)],
    ['that is a PDF whose page is a mile long', () => onePage(`${page} [0 0 5000000 5000000] >>`), /size/],
    ['that is a PDF of a thousand pages', () => pdfOf(thousandPages), /./, 'no-payslip-found'],
    ['that is an empty sheet', () => plain(900, 1_200), /./, 'no-payslip-found'],
    ['that is a dot', () => plain(1, 1)],
  ];

  test.each(HOSTILE)('%s gets its refusal', async (_what, make, detail = /./, code = 'unreadable') => {
    const outcome = await reader.read({ bytes: await make() });
    expect(outcome).toMatchObject({ kind: 'failed', code });
    if (outcome.kind !== 'failed') return;
    expect(outcome.detail).toMatch(/^[A-Z].*\.$/);
    expect(outcome.detail).toMatch(detail);
  });

  test('of two types at once is read by its first bytes', async () => {
    const sheet = await jpeg();
    const jpegFirst = Buffer.concat([sheet, payslip]);
    expect(await reader.read({ bytes: jpegFirst })).toMatchObject({ code: 'no-payslip-found' });
    const pdfInside = Buffer.concat([payslip, sheet]);
    expect(await reader.read({ bytes: pdfInside })).toMatchObject(READ);
  });

  test('with a script and an attachment is read without using either', async () => {
    const bytes = await pdfOf((pdf) => {
      const script = pdf.ref({ S: 'JavaScript', JS: new String('app.alert("x"); while (true) {}') });
      (script as unknown as { end(): void }).end();
      (pdf as unknown as { _root: { data: Record<string, unknown> } })._root.data.OpenAction = script;
      pdf.file(Buffer.from('MZ nothing good'), { name: 'invoice.exe' });
      drawPayslip(pdf);
    });
    expect(await reader.read({ bytes })).toMatchObject(READ);
  });

  test('leaves the reader as it was', async () => {
    expect(await reader.read({ bytes: payslip })).toMatchObject(READ);
    expect(residentMb(reader.pid!)).toBeLessThan(1_200);
  });
});
