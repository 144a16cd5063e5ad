import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { legacyHandlers } from '../../api/legacy.ts';
import { vaultKeyActivities } from '../../activities/vault-keys.ts';
import type { Principal } from '../../domain/auth.ts';
import { MOST_READS } from '../../domain/documents.ts';
import { DomainError } from '../../domain/errors.ts';
import type { ReadOutcome } from '../../domain/legacy/reading.ts';
import { documentsOf, vaultOf } from '../helpers/activities.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { pdfOf, read, scriptedReader } from '../helpers/reading.ts';
import { fresh, keyOf, personOf, senders } from '../helpers/senders.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';
import { ownerSql } from '../helpers/owner.ts';

const FILE = join(testEnvironment().dir, 'keys', `documents-${randomBytes(4).toString('hex')}.json`);
const reader = scriptedReader();
const services = withDatabase({ reader, env: { MASTER_KEY_FILE: FILE, KEY_RELOAD_MS: '100' } });
const legacy = documentsOf(services);

const KEY = keyOf('app_1');
const { run, rows: many, upload, send } = senders(services);
const otherProcess = () => documentsOf(services);

const newOwner = () => fresh('emp');
const uploaded = (owner = newOwner()) => upload(KEY, owner);

const view = async (doc_id: string) => (await legacy.getPayslip({ principal: KEY, doc_id })).document;
const niNumbers = (owner: string) =>
  many<{ vault_ref: string; sealed: string | null }>(
    `select vault_ref, sealed from vault_records where owner_id = $1 and pii_type = 'user_national_insurance'`,
    [owner],
  );
const kindsOf = async (doc_id: string) =>
  (await many<{ kind: string }>('select kind from audit_events where subject = $1 order by seq', [doc_id])).map(
    ({ kind }) => kind,
  );
const rowOf = async (doc_id: string) =>
  (
    await many<{ status: string; key_sealed: string | null; fingerprint: string | null; key_version: number }>(
      'select status, key_sealed, fingerprint, key_version from documents where doc_id = $1',
      [doc_id],
    )
  )[0]!;

const withParts = (parts: Partial<Services>): Services =>
  new Proxy(services, { get: (all, name: keyof Services) => parts[name] ?? all[name] });

beforeEach(() => {
  reader.answer = async () => read();
  reader.seen.length = 0;
});

describe('readDocument', () => {
  test('gives the reader the uploaded bytes, and stores the result', async () => {
    const owner = newOwner();
    const file = await pdfOf(['one', 'two']);
    const { doc_id } = await send(KEY, owner, file);
    expect(await legacy.readDocument({ doc_id })).toEqual({ status: 'parsed' });
    expect(reader.seen.map((seen) => seen.equals(file))).toEqual([true]);
    expect((await view(doc_id)).extracted).toMatchObject({ net_pay: 236_364 });
    expect(await kindsOf(doc_id)).toEqual(['document.uploaded', 'document.parsed', 'document.accessed']);
  });

  test('that runs again reads nothing twice, and two at once store one outcome', async () => {
    const owner = newOwner();
    const doc_id = await uploaded(owner);
    const both = await Promise.all([legacy.readDocument({ doc_id }), legacy.readDocument({ doc_id })]);
    expect(both).toEqual([{ status: 'parsed' }, { status: 'parsed' }]);
    const reads = reader.seen.length;
    expect(await legacy.readDocument({ doc_id })).toEqual({ status: 'parsed' });
    expect(reader.seen).toHaveLength(reads);
    expect(await niNumbers(owner)).toHaveLength(1);
    expect((await kindsOf(doc_id)).filter((kind) => kind === 'document.parsed')).toHaveLength(1);
  });

  test('that crashed is completed by the next attempt', async () => {
    const doc_id = await uploaded();
    const dead = Promise.withResolvers<ReadOutcome>();
    reader.answer = () => dead.promise;
    const died = legacy.readDocument({ doc_id });
    await until(() => reader.seen.length === 1, 'the reading to begin', PATIENCE_MS, 5);
    reader.answer = async () => read({ tax_code: null });
    expect(await otherProcess().readDocument({ doc_id })).toEqual({ status: 'parsed' });
    dead.resolve({ kind: 'failed', code: 'unreadable', detail: 'too late' });
    expect(await died).toEqual({ status: 'parsed' });
    expect(await view(doc_id)).toMatchObject({ status: 'parsed', tax_code: null });
  });

  test('a document that crashes the reader each time is abandoned', async () => {
    const doc_id = await uploaded();
    reader.answer = () => Promise.reject(new Error('gone'));
    for (let tries = 0; tries < MOST_READS; tries += 1)
      await expect(legacy.readDocument({ doc_id })).rejects.toThrow('gone');
    expect(await legacy.readDocument({ doc_id })).toEqual({ status: 'failed', failure_code: 'unreadable' });
    expect(reader.seen).toHaveLength(MOST_READS);
    expect(await view(doc_id)).toMatchObject({ status: 'failed', failure: { code: 'unreadable' }, extracted: null });
  });

  test('a busy reader is retried without limit', async () => {
    const doc_id = await uploaded();
    reader.answer = () => Promise.reject(new DomainError('dependency-unavailable', 'Too many wait.'));
    for (let tries = 0; tries < 2 * MOST_READS; tries += 1)
      await expect(legacy.readDocument({ doc_id })).rejects.toMatchObject({ code: 'dependency-unavailable' });
    reader.answer = async () => read();
    expect(await legacy.readDocument({ doc_id })).toEqual({ status: 'parsed' });
  });

  test('while the keys are unavailable the reading is retried, and does not count as a failed attempt', async () => {
    const doc_id = await uploaded();
    const away = () => Promise.reject(new DomainError('dependency-unavailable', 'The keys are away.'));
    const parts = withParts({ keys: { open: away } as unknown as Services['keys'] });
    for (let tries = 0; tries < 2 * MOST_READS; tries += 1)
      await expect(documentsOf(parts).readDocument({ doc_id })).rejects.toMatchObject({
        code: 'dependency-unavailable',
      });
    expect(reader.seen).toHaveLength(0);
    expect(await legacy.readDocument({ doc_id })).toEqual({ status: 'parsed' });
  });

  test('a replaced file is not read, and that is audited', async () => {
    const [doc_id, other] = [await uploaded(), await uploaded()];
    await ownerSql(
      services,
      'update document_originals set sealed = (select sealed from document_originals where doc_id = $2) where doc_id = $1',
      [doc_id, other],
    );
    expect(await legacy.readDocument({ doc_id })).toEqual({ status: 'failed', failure_code: 'unreadable' });
    expect(reader.seen).toHaveLength(0);
    expect(await kindsOf(doc_id)).toContain('document.tampering-detected');
  });

  test('a replaced reading is not returned', async () => {
    const [doc_id, other] = [await uploaded(), await uploaded()];
    for (const id of [doc_id, other]) await legacy.readDocument({ doc_id: id });
    await run(
      'update documents set reading_sealed = (select reading_sealed from documents where doc_id = $2) where doc_id = $1',
      [doc_id, other],
    );
    await expect(view(doc_id)).rejects.toMatchObject({ code: 'pii-damaged' });
  });

  test('abandoning a document that was read changes nothing', async () => {
    const doc_id = await uploaded();
    await legacy.readDocument({ doc_id });
    expect(await legacy.giveUpDocument({ doc_id })).toEqual({ status: 'parsed' });
    const late = await uploaded();
    await run(`update documents set uploaded_at = uploaded_at - interval '6 hours' where doc_id = $1`, [late]);
    expect(await legacy.giveUpDocument({ doc_id: late })).toEqual({ status: 'failed', failure_code: 'unreadable' });
  });
});

describe('deletePayslip', () => {
  test('destroys the file, the reading, the NI number and the keys, but not the record that it existed', async () => {
    const owner = newOwner();
    const doc_id = await uploaded(owner);
    await legacy.readDocument({ doc_id });
    const [before] = await niNumbers(owner);
    expect(before!.sealed).not.toBeNull();
    await legacy.deletePayslip({ principal: personOf(owner), doc_id });
    expect(await rowOf(doc_id)).toMatchObject({ status: 'erased', key_sealed: null, fingerprint: null });
    expect(await many('select from document_originals where doc_id = $1', [doc_id])).toEqual([]);
    expect((await niNumbers(owner))[0]!.sealed).toBeNull();
    expect(await kindsOf(before!.vault_ref)).toEqual(['vault.stored', 'vault.erased']);
    expect((await kindsOf(doc_id)).at(-1)).toBe('document.erased');
    await expect(view(doc_id)).rejects.toMatchObject({ code: 'document-erased' });
  });

  test('works even if the NI number was already erased in the vault', async () => {
    const owner = newOwner();
    const doc_id = await uploaded(owner);
    await legacy.readDocument({ doc_id });
    const { vault_ref } = (await niNumbers(owner))[0]!;
    // The service itself stored the record, so no application owns it. Only `admin:owners` allows a key to erase it.
    const principal: Principal = { ...KEY, scopes: ['admin:owners'] };
    await vaultOf(services).eraseVaultRecord({ principal, vault_ref });
    await legacy.deletePayslip({ principal: KEY, doc_id });
    expect((await rowOf(doc_id)).status).toBe('erased');
  });

  test('before the reading leaves nothing to read', async () => {
    const doc_id = await uploaded();
    await legacy.deletePayslip({ principal: KEY, doc_id });
    expect(await legacy.readDocument({ doc_id })).toEqual({ status: 'erased' });
    expect(reader.seen).toHaveLength(0);
  });

  test('during the reading prevents the storage of any data, even an NI number', async () => {
    const owner = newOwner();
    const doc_id = await uploaded(owner);
    reader.answer = async () => {
      await legacy.deletePayslip({ principal: KEY, doc_id });
      return read();
    };
    expect(await legacy.readDocument({ doc_id })).toEqual({ status: 'erased' });
    expect(await niNumbers(owner)).toEqual([]);
    expect(await rowOf(doc_id)).toMatchObject({ status: 'erased', key_sealed: null });
  });

  test('no activity restores an erased document', async () => {
    const doc_id = await uploaded();
    await legacy.deletePayslip({ principal: KEY, doc_id });
    const back = run(
      `update documents set status = 'processing', key_sealed = 'x', fingerprint = 'x', erased_at = null
                       where doc_id = $1`,
      [doc_id],
    );
    await expect(back).rejects.toThrow('cannot go from erased');
  });
});

test('a stalled document is started again, but one in progress or already read is not', async () => {
  const restarted = () => legacy.restartStalledDocuments({ silent_for_s: 180, limit: 10 });
  const [silent, waiting, done] = [await uploaded(), await uploaded(), await uploaded()];
  await legacy.readDocument({ doc_id: done });
  await run(`update documents set updated_at = now() - interval '4 minutes' where doc_id in ($1, $2)`, [silent, done]);
  await run('delete from outbox_messages');
  expect(await restarted()).toBe(1);
  const messages = await many<{ kind: string; payload: object }>('select kind, payload from outbox_messages');
  expect(messages).toEqual([{ kind: 'document.read', payload: { doc_id: silent, owner_id: expect.any(String) } }]);
  expect(waiting).not.toBe(silent);
});

test('documents decrypt after the master key was rotated and everything was rewrapped', async () => {
  const [read_, unread, erased] = [await uploaded(), await uploaded(), await uploaded()];
  await legacy.readDocument({ doc_id: read_ });
  await legacy.deletePayslip({ principal: KEY, doc_id: erased });
  const rotation = vaultKeyActivities(services);
  const { version: from } = await rotation.readMasterKey();
  const { version } = await rotation.makeMasterKey({ from_version: from });
  const before = await view(read_);
  const { rewrapped, unreadable } = await rotation.rewrapPage({ table: 'documents', version, after: null });
  expect([rewrapped >= 2, unreadable]).toEqual([true, 0]);
  expect((await rotation.countUnderOlderKeys({ version })).find(({ table }) => table === 'documents')?.records).toBe(0);
  expect([(await rowOf(read_)).key_version, (await rowOf(unread)).key_version]).toEqual([version, version]);
  expect(await view(read_)).toEqual(before);
  expect(await legacy.readDocument({ doc_id: unread })).toEqual({ status: 'parsed' });
});

test('a request keeps no file in memory while its document waits to be read', async () => {
  const { uploadPayslip } = legacyHandlers(services);
  const stored = Promise.withResolvers<undefined>();
  const waiting = new AbortController();
  // The call must not keep the file itself, so no function in it names the bytes.
  const send = async () => {
    const bytes = await pdfOf();
    const file = new WeakRef(bytes);
    const call = {
      body: { user_id: 'emp-memory', file: { bytes, sha256: createHash('sha256').update(bytes).digest('hex') } },
      principal: keyOf('app-memory'),
      headers: {},
      signal: waiting.signal,
      async begin(work: (tx: Tx) => Promise<object>) {
        const begun = await services.db.transaction(work);
        stored.resolve(undefined);
        Reflect.deleteProperty(call, 'body');
        return begun;
      },
    };
    return { file, answer: uploadPayslip(call as never) };
  };
  const { file, answer } = await send();
  await stored.promise;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let tries = 0; tries < 50 && file.deref(); tries += 1) {
    await sleep(10);
    collect();
  }
  expect(file.deref()).toBeUndefined();
  waiting.abort();
  await answer;
});
