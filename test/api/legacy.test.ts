import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent, type AgentOptions } from 'node:https';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import sharp from 'sharp';
import { DOCUMENT_PROBLEMS } from '../../api/http/reply/problems/documents.ts';
import { pence } from '../../domain/money.ts';
import { textQuery } from '../helpers/text-query.ts';
import { openReader } from '../../infra/documents/index.ts';
import { documentWorkflowId } from '../../workflows/ids.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { findLeaks } from '../helpers/leaks.ts';
import { animated } from '../helpers/ocr.ts';
import { makeDocument } from '../../tools/payslips/index.ts';
import {
  formOf,
  pdfOf,
  read,
  readingOf,
  scriptedReader,
  startReadingDocuments,
  type ReadingDocuments,
} from '../helpers/reading.ts';
import { temporalAddress } from '../helpers/temporal.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';
import { READER_PROGRAM } from '../helpers/reader-program.ts';

const UPLOAD = '/api/v1/legacy/payslip/upload';
const LIMIT = 5_242_880;
const reader = scriptedReader();
const said: string[] = [];
const log = pino(
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      said.push(chunk.toString());
      done();
    },
  }),
);
// The worker must stop before the API stops.
afterAll(() => reading.stop());
const api = startApi({ reader, log });
let reading: ReadingDocuments;
let user: { userId: string; token: string };
let key: string;

beforeAll(async () => {
  reading = await startReadingDocuments(api.services);
  user = await api.registerUser();
  key = await api.apiKey(['write:documents', 'write:paycheck', 'read:allocations']);
});
beforeEach(() => {
  reader.answer = async () => read();
});

interface Sending {
  token?: string;
  owner?: string;
  headers?: Record<string, string>;
  more?: readonly (readonly [string, string | Uint8Array])[];
}

async function upload(file: Uint8Array, sending: Sending = {}): Promise<TestAnswer> {
  const { token = user.token, owner = user.userId, headers = {}, more = [] } = sending;
  const form = await formOf([['file', file], ['user_id', owner], ...more]);
  return api.post(UPLOAD, { token, body: form.body, headers: { ...form.headers, ...headers } });
}

const uploadRaw = (body: string | Buffer, type = 'multipart/form-data; boundary=b') =>
  api.post(UPLOAD, { token: user.token, body, headers: { 'content-type': type } });

const textPart = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const UNSENT = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';
/** Sends the beginning of an upload. */
async function beginUpload(given: { agent?: AgentOptions; headers?: Record<string, string> } = {}) {
  const agent = new Agent({ ca: await readFile(api.services.config.api.tls.ca), ...given.agent });
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'multipart/form-data; boundary=b' };
  const request = httpsRequest(`${api.url}${UPLOAD}`, {
    method: 'POST',
    agent,
    headers: { ...headers, ...given.headers },
  });
  request.write(UNSENT);
  return { agent, request };
}

/** Runs `use` while the real reader reads. */
async function withRealReader<T>(use: () => Promise<T>): Promise<T> {
  const real = openReader(api.services.config.reader, READER_PROGRAM);
  reader.answer = (document) => real.read(document);
  try {
    return await use();
  } finally {
    await real.close();
  }
}

const get = (id: string, headers: Record<string, string> = {}, token = user.token) =>
  api.get(`/api/v1/legacy/payslip/${id}`, { token, headers });

const erase = (id: string, token = user.token) => api.request('DELETE', `/api/v1/legacy/payslip/${id}`, { token });

const pointers = ({ body }: TestAnswer) => body.errors.map(({ pointer }: { pointer: string }) => pointer);

function heldReader() {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
  reader.answer = async () => {
    begin(undefined);
    await promise;
    return read();
  };
  return { letGo: () => resolve(undefined), begun };
}

const resultOf = (id: string) => reading.client.workflow.getHandle(documentWorkflowId(id)).result();

describe('uploadPayslip', () => {
  describe('201', () => {
    test('with the reading and its Location', async () => {
      const { status, body, headers } = await upload(await pdfOf(), { more: [['document_type', 'payslip']] });
      expect(status).toBe(201);
      expect(headers.location).toBe(`/api/v1/legacy/payslip/${body.doc_id}`);
      expect(body).toEqual({
        doc_id: expect.stringMatching(/^doc_/),
        user_id: user.userId,
        status: 'parsed',
        document_type: 'payslip',
        extracted: {
          employer_name: 'Thistledown Bakery Ltd',
          pay_period: 'November 2026',
          gross_pay: 300_000,
          net_pay: 236_364,
          tax_deducted: 33_020,
          ni_deducted: 15_616,
          pension_deducted: 15_000,
        },
        confidence: 0.99,
        fields: expect.objectContaining({ gross_pay: { confidence: 0.99, page: 1 } }),
        checks: [{ name: 'net-is-gross-less-deductions', holds: true }],
        needs_review: false,
        review_reasons: [],
        pay_date: '2026-11-20',
        tax_year: '2026-27',
        tax_code: '1257L',
        paye_reference: '123/AB456',
        net_pay_seen: null,
        failure: null,
        uploaded_at: expect.any(String),
        parsed_at: expect.any(String),
      });
    });

    test('missing fields are null, and a confidence below 0.90 asks for a check by a person', async () => {
      reader.answer = async () => read({ net_pay: null, employer_name: null, confidence: 0 });
      const { body } = await upload(await pdfOf());
      expect(body.extracted).toMatchObject({ net_pay: null, employer_name: null });
      expect(body.fields).toMatchObject({ net_pay: null, employer_name: null });
      expect([body.confidence, body.needs_review, body.review_reasons]).toEqual([0, true, ['low-confidence']]);
    });

    test('with the status failed and the reason, if the file cannot be read', async () => {
      const failure = { code: 'encrypted-pdf' as const, detail: 'The PDF asks for a password.' };
      reader.answer = async () => ({ kind: 'failed', ...failure });
      const { status, body } = await upload(await pdfOf());
      expect([status, body.status, body.failure, body.extracted]).toEqual([201, 'failed', failure, null]);
    });

    test('for any order of the parts, any file name and type, and any owner that an API key names', async () => {
      const form = await formOf([
        ['user_id', 'emp-1042'],
        ['file', await pdfOf(), 'holiday.exe', 'text/plain'],
      ]);
      const { status, body } = await api.post(UPLOAD, { token: key, ...form });
      expect([status, body.user_id]).toEqual([201, 'emp-1042']);
    });

    test('of a real payslip, which the real reader reads', async () => {
      const { bytes, truth } = await makeDocument({ layout: 'brightpay', seed: 7, form: 'text' });
      const { status, body } = await withRealReader(() => upload(bytes));
      expect([status, body.status, body.document_type]).toEqual([201, 'parsed', 'payslip']);
      expect(body.extracted).toMatchObject({ gross_pay: truth.gross_pay, net_pay: truth.net_pay });
      expect(body.needs_review).toBe(false);
    });

    test('of a file of exactly the maximum size', async () => {
      const file = Buffer.concat([await pdfOf(), Buffer.alloc(LIMIT)]).subarray(0, LIMIT);
      expect((await upload(file)).status).toBe(201);
      expect(reader.seen.at(-1)!.equals(file)).toBe(true);
    });
  });

  describe('200', () => {
    test('the same file of the same owner is the same document, and is read once', async () => {
      const file = await pdfOf();
      const first = await upload(file);
      const reads = reader.seen.length;
      const second = await upload(file);
      expect([first.status, second.status]).toEqual([201, 200]);
      expect(second.body).toEqual(first.body);
      expect(reader.seen).toHaveLength(reads);
      const other = await upload(file, { token: key, owner: 'emp-2' });
      expect([other.status, other.body.doc_id === first.body.doc_id]).toEqual([201, false]);
    });

    test('eight simultaneous uploads make one document', async () => {
      const file = await pdfOf();
      const answers = await Promise.all(Array.from({ length: 8 }, () => upload(file)));
      expect(new Set(answers.map(({ body }) => body.doc_id)).size).toBe(1);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    });
  });

  describe('202', () => {
    test('at once with Prefer: respond-async, during the reading', async () => {
      const held = heldReader();
      const { status, body, headers } = await upload(await pdfOf(), { headers: { prefer: 'respond-async' } });
      expect([status, body.status, body.extracted, body.document_type]).toEqual([202, 'processing', null, null]);
      expect(headers).toMatchObject({
        'preference-applied': 'respond-async',
        'retry-after': '1',
        location: `/api/v1/legacy/payslip/${body.doc_id}`,
      });
      held.letGo();
      expect((await get(body.doc_id, { prefer: 'wait=30' })).body.status).toBe('parsed');
    });

    test('after the caller’s waiting time', async () => {
      const held = heldReader();
      const { status, headers } = await upload(await pdfOf(), { headers: { prefer: 'respond-async, wait=1' } });
      expect([status, headers['preference-applied']]).toEqual([202, 'wait=1']);
      held.letGo();
    });

    test('while Temporal is down; it is read when Temporal is back', async () => {
      await reading.stop();
      const { status, body } = await upload(await pdfOf(), { headers: { prefer: 'wait=1' } });
      expect([status, body.status]).toEqual([202, 'processing']);
      reading = await startReadingDocuments(api.services);
      await until(async () => (await get(body.doc_id)).body.status === 'parsed', 'the document is read');
    });
  });

  describe('with an Idempotency-Key', () => {
    const headers = { 'idempotency-key': 'payslip-of-november' };

    test('the same request again gets the same document, and a different one is refused', async () => {
      const file = await pdfOf();
      const first = await upload(file, { headers });
      const again = await upload(file, { headers });
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
      expect(again.body).toEqual(first.body);
      expect((await upload(await pdfOf(), { headers })).body.code).toBe('idempotency-key-reused');
    });

    test('a stored response shows nothing of an erased document', async () => {
      const file = await pdfOf();
      const more = { 'idempotency-key': 'to-be-erased' };
      const { body } = await upload(file, { headers: more });
      await erase(body.doc_id);
      expect((await upload(file, { headers: more })).body).toMatchObject({ status: 410, code: 'document-erased' });
    });
  });

  describe('400', () => {
    test('all missing parts are named', async () => {
      const answer = await uploadRaw(`${textPart('document_type', 'payslip')}--b--\r\n`);
      expect([answer.status, pointers(answer).toSorted()]).toEqual([400, ['/file', '/user_id']]);
    });

    test.each<[string, string, readonly (readonly [string, string | Uint8Array])[]]>([
      ['a part that nobody asked for', '/surprise', [['surprise', 'x']]],
      ['a second file that nobody asked for', '/other', [['other', new Uint8Array(100_000)]]],
      ['a file twice', '/file', [['file', new Uint8Array(10)]]],
      ['an owner twice', '/user_id', [['user_id', 'emp-1']]],
      ['a type that is none', '/document_type', [['document_type', 'passport']]],
      ['a name that means something to JavaScript', '/__proto__', [['__proto__', 'x']]],
      ['a field as long as a book', '/document_type', [['document_type', 'x'.repeat(10_000)]]],
    ])('%s', async (_what, pointer, more) => {
      const answer = await upload(await pdfOf(), { more });
      expect([answer.status, answer.body.code, pointers(answer)]).toEqual([400, 'invalid-request', [pointer]]);
    });

    test.each([
      ['text that is not UTF-8', `${textPart('user_id', '\xff\xfe')}--b--\r\n`, '/user_id'],
      ['a control character', `${textPart('user_id', 'emp\x07')}--b--\r\n`, '/user_id'],
      ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n', ''],
      ['more parts than anybody needs', `${textPart('user_id', 'x').repeat(30)}--b--\r\n`, ''],
      ['nothing but boundaries', '--b\r\n'.repeat(1_000), ''],
    ])('%s', async (_what, body, pointer) => {
      const answer = await uploadRaw(Buffer.from(body, 'latin1'));
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid-request']);
      expect(pointers(answer)).toContain(pointer);
    });

    test.each([
      ['breaks off in a part', textPart('user_id', 'emp-1')],
      ['breaks off in the heading of a part', '--b\r\nContent-Disposition: form-da'],
      ['has another boundary', textPart('user_id', 'emp-1').replaceAll('--b', '--c')],
      ['is no form at all', 'hello'],
    ])('a body that %s', async (_what, body) => {
      expect((await uploadRaw(body)).body).toMatchObject({ status: 400, code: 'malformed-multipart' });
    });

    test.each([
      'multipart/form-data',
      'multipart/form-data; boundary=""',
      `multipart/form-data; boundary=${'x'.repeat(400)}`,
    ])('the boundary of %s', async (type) => {
      const { status } = await uploadRaw(`${textPart('user_id', 'emp-1')}--b--\r\n`, type);
      expect(status).toBe(400);
    });

    test('a body without a length or bytes', async () => {
      const answer = await api.post(UPLOAD, { token: user.token });
      expect([answer.status, pointers(answer)]).toEqual([400, ['']]);
    });
  });

  describe('413', () => {
    test('one byte too many, with the limit', async () => {
      const { status, body } = await upload(Buffer.concat([await pdfOf(), Buffer.alloc(LIMIT)]).subarray(0, LIMIT + 1));
      expect([status, body.code, body.limit]).toEqual([413, 'file-too-large', LIMIT]);
    });

    test('is answered while the client still sends, and the connection stays open', async () => {
      const { agent, request } = await beginUpload({ agent: { keepAlive: true, maxSockets: 1 } });
      const answered = once(request, 'response');
      for (let sent = 0; sent <= LIMIT; sent += 1_048_576) request.write(Buffer.alloc(1_048_576));
      const [response] = (await answered) as [IncomingMessage];
      expect(response.statusCode).toBe(413);
      response.resume();
      request.end('\r\n--b--\r\n');
      await once(request, 'close');
      const next = httpsRequest(`${api.url}/livez`, { agent });
      next.end();
      const [live] = (await once(next, 'response')) as [IncomingMessage];
      expect([live.statusCode, next.reusedSocket]).toEqual([200, true]);
      live.resume();
      agent.destroy();
    });

    test('the rest of the form is limited too', async () => {
      const body = Buffer.concat([Buffer.alloc(LIMIT + 70_000, 'x'), Buffer.from('\r\n--b--\r\n')]);
      expect((await uploadRaw(body)).body).toMatchObject({
        status: 413,
        code: 'body-too-large',
        limit: LIMIT + 65_536,
      });
    });
  });

  test('415 for a file of another type, whatever its name, and for a body that is not a form', async () => {
    for (const content of ['Dear Sir or Madam', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'PK\x03\x04zip', 'GIF89a'])
      expect((await upload(Buffer.from(content))).body).toMatchObject({
        status: 415,
        code: 'unsupported-document-type',
      });
    const json = await api.post(UPLOAD, { token: user.token, body: { file: 'x', user_id: user.userId } });
    expect(json.body).toMatchObject({ status: 415, code: 'unsupported-media-type' });
  });

  test('an animated PNG is accepted like any other PNG', async () => {
    const png = await sharp({ create: { width: 60, height: 80, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    expect(await upload(animated(png))).toMatchObject({ status: 201, body: { status: 'parsed' } });
  });

  test('a PDF after at most 1,024 other bytes and a JPEG after a line end are accepted', async () => {
    const jpeg = await sharp({ create: { width: 60, height: 80, channels: 3, background: '#fff' } })
      .jpeg()
      .toBuffer();
    const after = (bytes: Uint8Array, file: Uint8Array) => upload(Buffer.concat([bytes, file]));
    const answers = [
      await after(Buffer.alloc(1_024, 'x'), await pdfOf()),
      await after(Buffer.from('\r\n'), jpeg),
      await after(Buffer.alloc(1_025, 'x'), await pdfOf()),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 415]);
  });

  // A HEIF file starts with the size of its first box, `ftyp`, the main brand, its version and the compatible brands.
  const heif = (brand: string, ...compatible: string[]) => {
    const box = Buffer.from(`ftyp${brand}\0\0\0\0${compatible.join('')}`, 'latin1');
    const size = Buffer.alloc(4);
    size.writeUInt32BE(box.length + 4);
    return Buffer.concat([size, box, Buffer.alloc(2_000)]);
  };
  test.each([
    ['a photo of an iPhone', heif('heic', 'mif1', 'MiHB', 'MiHE', 'MiPr', 'miaf', 'heic', 'tmap')],
    ['a HEIF photo', heif('mif1', 'mif1', 'heic', 'hevc')],
    ['a series of HEIC photos', heif('hevc', 'msf1', 'hevc', 'mif1', 'heic')],
    ['a HEIC photo of ten bits', heif('heix', 'mif1', 'heix', 'miaf')],
  ])('415 for %s says how to convert it, also if it has the name of a JPEG', async (_what, photo) => {
    const form = await formOf([
      ['user_id', user.userId],
      ['file', photo, 'payslip.jpg', 'image/jpeg'],
    ]);
    expect((await api.post(UPLOAD, { token: user.token, ...form })).body).toMatchObject({
      status: 415,
      code: 'unsupported-document-type',
      detail: expect.stringMatching(/HEIC.*as JPEG.*Settings, Camera, Formats, Most Compatible/),
    });
  });

  const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  test('a file that was cut off after its signature fails as unreadable', async () => {
    const stubs = [
      PNG,
      [...PNG, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52],
      [0xff, 0xd8, 0xff],
      [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46],
      [...Buffer.from('%PDF')],
      [...Buffer.from('%PDF-1.7')],
    ];
    const answers = await withRealReader(() =>
      Promise.all(stubs.map((stub) => upload(Uint8Array.from(stub), { token: key, owner: `emp-${stub.join('')}` }))),
    );
    for (const { body } of answers) expect(body).toMatchObject({ status: 'failed', failure: { code: 'unreadable' } });
  });

  test('429 beyond the limit of documents in progress, not stored for the Idempotency-Key; the same file again is accepted', async () => {
    const held = heldReader();
    const async = { prefer: 'respond-async' };
    const owner = 'emp-in-progress';
    const files = await Promise.all(Array.from({ length: 6 }, () => pdfOf()));
    for (const file of files.slice(0, 5))
      expect((await upload(file, { token: key, owner, headers: async })).status).toBe(202);
    const last = { token: key, owner, headers: { ...async, 'idempotency-key': 'one-too-many' } };
    const refused = await upload(files[5]!, last);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(refused.body).toMatchObject({ code: 'too-many-documents', limit: 5, per: 'owner-in-progress' });
    expect((await upload(files[0]!, { token: key, owner, headers: async })).status).toBe(202);
    held.letGo();
    await until(async () => (await upload(files[5]!, last)).status !== 429, 'room for one more', PATIENCE_MS, 100);
  });

  test('422 for an empty file', async () => {
    expect((await upload(new Uint8Array())).body).toMatchObject({ status: 422, code: 'empty-file' });
  });

  test('a caller that disconnects in the middle of a file has no effect', async () => {
    const { agent, request } = await beginUpload({ headers: { 'content-length': '100000' } });
    request.on('error', () => undefined);
    await new Promise<void>((resolve) => request.write('%PDF-1.7', () => resolve()));
    request.destroy();
    agent.destroy();
    expect((await upload(await pdfOf())).status).toBe(201);
  });

  test('ten simultaneous uploads make ten documents, and other requests are answered meanwhile', async () => {
    const held = heldReader();
    const owners = Array.from({ length: 10 }, (_, place) => `emp-at-once-${place}`);
    const uploads = owners.map(async (owner) =>
      upload(Buffer.concat([await pdfOf(), Buffer.alloc(300_000)]), { token: key, owner }),
    );
    await held.begun;
    const others = await Promise.all(
      Array.from({ length: 20 }, () => api.get('/api/v1/auth/me', { token: user.token })),
    );
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    held.letGo();
    const answers = await Promise.all(uploads);
    // On a busy machine, a response might not wait for the reading to end.
    for (const { status } of answers) expect([201, 202]).toContain(status);
    const ids = answers.map(({ body }) => body.doc_id as string);
    expect(new Set(ids).size).toBe(10);
    const read = await Promise.all(ids.map((id) => get(id, { prefer: 'wait=30' }, key)));
    expect(read.map(({ body }) => body.status)).toEqual(Array.from({ length: 10 }, () => 'parsed'));
  });
});

describe('getPayslip', () => {
  test('304 while nothing changed, Retry-After during the reading, and another ETag afterwards', async () => {
    const held = heldReader();
    const { body } = await upload(await pdfOf(), { headers: { prefer: 'respond-async' } });
    const first = await get(body.doc_id);
    expect([first.status, first.headers['retry-after']]).toEqual([200, '1']);
    const etag = String(first.headers.etag);
    const same = await get(body.doc_id, { 'if-none-match': etag });
    expect([same.status, same.text]).toEqual([304, '']);
    const waiting = get(body.doc_id, { 'if-none-match': etag, prefer: 'wait=30' });
    held.letGo();
    const read = await waiting;
    expect([read.status, read.body.status, read.headers['retry-after']]).toEqual([200, 'parsed', undefined]);
    expect(read.headers.etag).not.toBe(etag);
  });

  test('access by a key is audited, but access by the owner is not', async () => {
    const { body } = await upload(await pdfOf());
    await get(body.doc_id);
    await get(body.doc_id, {}, key);
    const admin = await api.apiKey(['admin:audit', 'admin:owners']);
    const { body: events } = await api.get(`/api/v1/admin/audit-events?subject=${body.doc_id}`, { token: admin });
    expect(events.items.map(({ kind }: { kind: string }) => kind)).toEqual([
      'document.accessed',
      'document.parsed',
      'document.uploaded',
    ]);
  });
});

describe('deletePayslip', () => {
  test('204, then 410, and the same file is a new document', async () => {
    const file = await pdfOf();
    const { body } = await upload(file);
    expect((await erase(body.doc_id)).status).toBe(204);
    expect((await get(body.doc_id)).body).toMatchObject({ status: 410, code: 'document-erased' });
    expect((await erase(body.doc_id)).status).toBe(410);
    const again = await upload(file);
    expect([again.status, again.body.doc_id === body.doc_id]).toEqual([201, false]);
  });

  test('during the reading ends the reading without an error, and nothing is stored', async () => {
    const held = heldReader();
    const { body } = await upload(await pdfOf(), { headers: { prefer: 'respond-async' } });
    await held.begun;
    const waiting = get(body.doc_id, { prefer: 'wait=30' });
    expect((await erase(body.doc_id)).status).toBe(204);
    expect((await waiting).status).toBe(410);
    held.letGo();
    expect(await resultOf(body.doc_id)).toEqual({ status: 'erased' });
    expect((await get(body.doc_id)).status).toBe(410);
  });
});

describe('getTaxHistory', () => {
  test('sums up the owner’s documents, without erased ones', async () => {
    const owner = 'emp-tax';
    const sent: string[] = [];
    for (const month of ['10', '11']) {
      reader.answer = async () => read({ pay_date: { value: `2026-${month}-20`, confidence: 0.99, page: 1 } });
      sent.push((await upload(await pdfOf(), { token: key, owner })).body.doc_id);
    }
    const history = () => api.get(`/api/v1/legacy/tax-history/${owner}`, { token: key });
    const { status, body } = await history();
    expect([status, body]).toEqual([
      200,
      {
        user_id: owner,
        tax_years: [
          {
            tax_year: '2026-27',
            gross_pay: 600_000,
            tax_deducted: 66_040,
            ni_deducted: 31_232,
            pension_deducted: 30_000,
            net_pay: 472_728,
            sources: sent.map((doc_id) => ({ doc_id, document_type: 'payslip', missing: [] })),
          },
        ],
      },
    ]);
    await erase(sent[0]!, key);
    expect((await history()).body.tax_years[0].gross_pay).toBe(300_000);
  });

  test('200: an owner without documents has no tax years', async () => {
    const { body } = await api.get('/api/v1/legacy/tax-history/emp-nobody', { token: key });
    expect(body).toEqual({ user_id: 'emp-nobody', tax_years: [] });
  });
});

describe('a paycheck from a document', () => {
  const obligations = [{ type: 'Rent', amount: 100_000, category: 'FIXED' }];
  const calculate = (more: Record<string, unknown>, { token = key, how = 'calculate' } = {}) =>
    api.post(`/api/v1/engine/paycheck/${how}`, { token, body: { employee_id: 'emp-pay', obligations, ...more } });
  const documentOf = async (owner = 'emp-pay'): Promise<string> => {
    const { status, body } = await upload(await pdfOf(), { token: key, owner });
    // On a busy machine the reading takes longer than the upload waits.
    if (status === 202) await get(body.doc_id, { prefer: 'wait=30' }, key);
    return body.doc_id;
  };

  test('splits its net pay, and names the document', async () => {
    const payslip_doc_id = await documentOf();
    const simulated = await calculate({ payslip_doc_id }, { how: 'simulate' });
    expect(simulated.body).toMatchObject({ gross_income: 236_364, payslip_doc_id });
    const { status, body } = await calculate({ payslip_doc_id });
    expect([status, body.gross_income, body.payslip_doc_id]).toEqual([201, 236_364, payslip_doc_id]);
    const { body: explained } = await api.get(`/api/v1/engine/paycheck/${body.id}/breakdown`, { token: key });
    expect(explained.calculation.payslip_doc_id).toBe(payslip_doc_id);
    const { body: other } = await calculate({ gross_pay: 200_000, pay_date: '2026-11-20' });
    expect(other).not.toHaveProperty('payslip_doc_id');
  });

  test('is evidence for one pay date in its period, also when simulated, and only a statement for any other', async () => {
    const payslip_doc_id = await documentOf('emp-once');
    const evidence = async (pay_date: string, how = 'calculate') =>
      (await calculate({ employee_id: 'emp-once', payslip_doc_id, pay_date }, { how })).body.income_evidence;
    expect(await evidence('2026-10-31')).toBe('stated');
    expect(await evidence('2026-11-20', 'simulate')).toBe('payslip');
    expect(await evidence('2026-11-20')).toBe('payslip');
    expect(await evidence('2026-11-21', 'simulate')).toBe('stated');
    expect(await evidence('2026-11-20')).toBe('payslip');
  });

  test('counts for one of two simultaneous pay dates', async () => {
    const payslip_doc_id = await documentOf('emp-twice');
    const answers = await Promise.all(
      ['2026-11-20', '2026-11-21'].map((pay_date) => calculate({ employee_id: 'emp-twice', payslip_doc_id, pay_date })),
    );
    expect(answers.map(({ body }) => body.income_evidence as string).sort()).toEqual(['payslip', 'stated']);
  });

  test("404 for another owner's document, 403 without the scope to read documents", async () => {
    const payslip_doc_id = await documentOf('emp-other');
    expect((await calculate({ payslip_doc_id })).status).toBe(404);
    const token = await api.apiKey(['write:paycheck']);
    expect((await calculate({ payslip_doc_id }, { token })).body).toMatchObject({
      code: 'insufficient-scope',
      scope: 'read:documents',
    });
  });

  test('409 before the reading and if it failed, 410 after erasure', async () => {
    const held = heldReader();
    const headers = { prefer: 'respond-async' };
    const { body } = await upload(await pdfOf(), { token: key, owner: 'emp-pay', headers });
    const asked = await calculate({ payslip_doc_id: body.doc_id });
    expect(asked.body).toMatchObject({ status: 409, code: 'document-not-parsed', document_status: 'processing' });
    expect(DOCUMENT_PROBLEMS['document-not-parsed'].explanation).toContain('The field "document_status"');
    held.letGo();
    await get(body.doc_id, { prefer: 'wait=30' }, key);
    expect((await calculate({ payslip_doc_id: body.doc_id }, { how: 'simulate' })).status).toBe(200);
    await erase(body.doc_id, key);
    expect((await calculate({ payslip_doc_id: body.doc_id })).body.code).toBe('document-erased');
    reader.answer = async () => ({ kind: 'failed', code: 'unreadable', detail: 'Too dark.' });
    expect((await calculate({ payslip_doc_id: await documentOf() })).body).toMatchObject({ document_status: 'failed' });
  });

  test('422 with its figures where the document was not read surely, or has no net pay; 0.80 is enough', async () => {
    const refused = { status: 422, code: 'document-confidence-too-low', required: 0.8 };
    const asked = async (more: Parameters<typeof read>[0]) => {
      reader.answer = async () => read(more);
      return calculate({ payslip_doc_id: await documentOf() }, { how: 'simulate' });
    };
    expect((await asked({ confidence: 0.79 })).body).toMatchObject({ ...refused, confidence: 0.79, net_pay: 236_364 });
    const unsure = { value: pence(100), confidence: 0.5, page: 1 };
    expect((await asked({ net_pay: unsure })).body).toMatchObject({ ...refused, confidence: 0.5, net_pay: 100 });
    expect((await asked({ net_pay: null })).body).toMatchObject({ ...refused, confidence: 0, net_pay: null });
    expect((await asked({ confidence: 0.8 })).status).toBe(200);
  });
});

test('nothing of a payslip is in the database, in a workflow or in the log in the clear', async () => {
  const { body } = await upload(await pdfOf(['Thistledown Bakery Ltd', 'NI number AB123456C']), {
    headers: { 'idempotency-key': 'leaks' },
  });
  expect(body.status).toBe('parsed');
  const stored = textQuery<{ refs: number }>(
    'test.niRefs',
    'select count(*) as refs from documents where doc_id = $1 and ni_number_ref is not null',
  );
  expect((await api.services.db.one(stored(body.doc_id))).refs).toBe(1);
  const folder = join(testEnvironment().dir, `legacy-log-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'log'), said.join(''));
  const { employer_name, ni_number, paye_reference, pay_period } = readingOf();
  const haystacks = {
    databaseUrl: api.services.config.database.url,
    temporal: { address: await temporalAddress(), namespace: api.services.config.temporal.namespace },
    folders: [folder],
  };
  const { leaks } = await findLeaks(haystacks, {
    'the employer': employer_name!.value,
    'the NI number': ni_number!.value,
    'the PAYE reference': paye_reference!.value,
    'the pay period': pay_period!.value,
  });
  expect(leaks).toEqual([]);
  // The search itself works: it finds the document's id, which is stored unencrypted.
  const { leaks: ids } = await findLeaks(haystacks, { it: body.doc_id });
  expect(ids).toEqual(
    expect.arrayContaining(['it in table public.documents', `it in workflow ${documentWorkflowId(body.doc_id)}`]),
  );
  await rm(folder, { recursive: true });
});
