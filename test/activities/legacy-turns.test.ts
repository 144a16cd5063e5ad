import { createHash } from 'node:crypto';
import { legacyActivities } from '../../activities/legacy/index.ts';
import { readingActivities } from '../../activities/legacy/reading.ts';
import { openTurns } from '../../activities/legacy/turns.ts';
import type { Principal } from '../../domain/auth.ts';
import { MOST_IN_PROGRESS } from '../../domain/documents.ts';
import { query } from '../../infra/db/sql.ts';
import { withDatabase } from '../helpers/database.ts';
import { pdfOf, read, scriptedReader } from '../helpers/reading.ts';
import { until } from '../helpers/until.ts';

const reader = scriptedReader();
const services = withDatabase({
  reader,
  env: { LIMIT_OWNER_DOCUMENTS_PER_DAY: '30', LIMIT_APP_DOCUMENTS_PER_DAY: '45' },
});
const legacy = legacyActivities(services);

const keyOf = (
  appId: string,
  scopes: Extract<Principal, { kind: 'api_key' }>['scopes'] = ['write:documents'],
): Principal => ({
  kind: 'api_key',
  keyId: `key_${appId}`,
  appId,
  lineage: `key_${appId}`,
  environment: 'sandbox',
  scopes,
});
const personOf = (userId: string): Principal => ({
  kind: 'user',
  userId,
  familyId: 'fam_1',
  scopes: ['write:documents'],
});

const statement = (text: string) => query(`test.${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text);
const run = (text: string, values: unknown[] = []) => services.db.run(statement(text), values);

let made = 0;
const fresh = (what: string) => `${what}-${(made += 1)}`;

async function send(principal: Principal, owner: string, file?: Buffer): Promise<{ doc_id: string; known: boolean }> {
  const bytes = file ?? (await pdfOf());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const given = { principal, user_id: owner, file: { bytes, sha256 } };
  return legacy.uploadPayslip(given, await legacy.prepareUpload(given));
}
const upload = async (principal: Principal, owner: string) => (await send(principal, owner)).doc_id;
const many = (count: number, work: (place: number) => Promise<string>) =>
  Promise.all(Array.from({ length: count }, (_, place) => work(place)));
/** How many were stored; the others were refused, each with the code and the seconds to wait. */
async function storedOf(sent: Promise<unknown>[]): Promise<number> {
  const settled = await Promise.allSettled(sent);
  const refused = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  for (const { reason } of refused)
    expect(reason).toMatchObject({ code: 'too-many-documents', extra: { retry_after: expect.any(Number) as number } });
  return settled.length - refused.length;
}
/** Everything that was sent so far has been read. */
const allRead = () => run(`update documents set status = 'failed', failure = '{}' where status = 'processing'`);

beforeEach(async () => {
  reader.answer = async () => read();
  await run(`update documents set received_at = null`);
  await allRead();
});

describe('the limits of uploads', () => {
  test('an owner has five documents in progress, also when forty come at once', async () => {
    const [principal, owner] = [keyOf(fresh('app')), fresh('emp')];
    expect(await storedOf(Array.from({ length: 40 }, () => send(principal, owner)))).toBe(MOST_IN_PROGRESS.owner);
    const refusal = await send(principal, owner).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'too-many-documents',
      extra: { limit: 5, per: 'owner-in-progress', retry_after: 5 },
    });
    await allRead();
    expect(await storedOf([send(principal, owner)])).toBe(1);
  });

  test('an application has twenty in progress, however many owners it names at once', async () => {
    const principal = keyOf(fresh('app'));
    const sent = Array.from({ length: 40 }, () => send(principal, fresh('emp')));
    expect(await storedOf(sent)).toBe(MOST_IN_PROGRESS.application);
    await expect(send(principal, fresh('emp'))).rejects.toMatchObject({ extra: { per: 'application-in-progress' } });
    expect(await storedOf([send(keyOf(fresh('app')), fresh('emp'))])).toBe(1);
  });

  test('a person counts by itself, whoever sends its documents', async () => {
    const principal = keyOf(fresh('app'));
    await many(MOST_IN_PROGRESS.application, () => upload(principal, fresh('emp')));
    const person = fresh('usr_person');
    expect(await storedOf(Array.from({ length: 3 }, () => send(principal, person)))).toBe(3);
    expect(await storedOf(Array.from({ length: 9 }, () => send(personOf(person), person)))).toBe(2);
  });

  test('a day is 24 hours by the real clock, and tells when there is room again', async () => {
    const [principal, owner] = [keyOf(fresh('app')), fresh('emp')];
    for (let round = 0; round < 6; round += 1) {
      await many(5, () => upload(principal, owner));
      await allRead();
    }
    await run(`update documents set received_at = now() - interval '23 hours' where owner_id = $1`, [owner]);
    const { extra } = (await send(principal, owner).catch((error: unknown) => error)) as {
      extra: { retry_after: number };
    };
    expect(extra).toMatchObject({ limit: 30, per: 'owner-day' });
    expect(extra.retry_after).toBeGreaterThan(3_500);
    expect(extra.retry_after).toBeLessThanOrEqual(3_600);
    // What the business clock says makes no difference.
    await run(`update documents set uploaded_at = now() - interval '10 days' where owner_id = $1`, [owner]);
    await expect(send(principal, owner)).rejects.toMatchObject({ code: 'too-many-documents' });
    await run(`update documents set received_at = now() - interval '24 hours 1 second' where owner_id = $1`, [owner]);
    expect(await storedOf([send(principal, owner)])).toBe(1);
  });

  test('an application has its day, too, whatever the owners', async () => {
    const principal = keyOf(fresh('app'));
    for (let round = 0; round < 3; round += 1) {
      await many(15, () => upload(principal, fresh('emp')));
      await allRead();
    }
    await expect(send(principal, fresh('emp'))).rejects.toMatchObject({ extra: { limit: 45, per: 'application-day' } });
  });

  test('erasing what was sent makes no room in the day', async () => {
    const person = fresh('usr_person');
    for (let round = 0; round < 30; round += 1)
      await legacy.deletePayslip({ principal: personOf(person), doc_id: await upload(personOf(person), person) });
    await expect(send(personOf(person), person)).rejects.toMatchObject({ extra: { per: 'owner-day' } });
  });

  test('the same file again does not count, and is taken where there is no room', async () => {
    const [principal, owner, file] = [keyOf(fresh('app')), fresh('emp'), await pdfOf()];
    const first = await send(principal, owner, file);
    await many(4, () => upload(principal, owner));
    const again = await Promise.all(Array.from({ length: 10 }, () => send(principal, owner, file)));
    expect(again).toEqual(again.map(() => ({ doc_id: first.doc_id, known: true })));
  });
});

describe('turns to be read', () => {
  /** Reads that go on until they are let go, by what they read; the order in which they began. */
  function held() {
    const order: string[] = [];
    const going = new Map<string, () => void>();
    const files = new Map<string, string>();
    reader.answer = async ({ bytes }) => {
      const doc = files.get(createHash('sha256').update(bytes).digest('hex'))!;
      order.push(doc);
      await new Promise<void>((resolve) => going.set(doc, resolve));
      going.delete(doc);
      return read();
    };
    return {
      order,
      going,
      async send(name: string, principal: Principal, owner: string) {
        const file = await pdfOf();
        files.set(createHash('sha256').update(file).digest('hex'), name);
        return (await send(principal, owner, file)).doc_id;
      },
      async letAllGo(count: number) {
        while (order.length < count || going.size > 0) {
          await until(() => going.size > 0 || order.length >= count, 'the next reading', 10_000, 2);
          for (const go of going.values()) go();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      },
    };
  }

  test.each([
    ['one owner', (app: Principal) => ({ principal: app, owners: ['emp-all'] })],
    [
      'many owners of one key',
      (app: Principal) => ({ principal: app, owners: ['emp-a', 'emp-b', 'emp-c', 'emp-d', 'emp-e'] }),
    ],
  ])('documents of %s take one of two places, and a person who comes last has the other at once', async (_what, of) => {
    const { principal, owners } = of(keyOf(fresh('app')));
    const { send: sendNamed, going, letAllGo } = held();
    const hostile = await many(5, (place) =>
      sendNamed('hostile', principal, `${owners[place % owners.length]!}-${made}`),
    );
    const worker = legacyActivities(services);
    const readings = hostile.map((doc_id) => worker.readDocument({ doc_id }));
    await until(() => going.size === 1, 'the first reading', 10_000, 2);
    const person = fresh('usr_person');
    const payslip = await sendNamed('payslip', personOf(person), person);
    const read = worker.readDocument({ doc_id: payslip });
    await until(() => going.has('payslip'), 'the reading of the payslip', 10_000, 2);
    going.get('payslip')!();
    expect(await read).toEqual({ status: 'parsed' });
    await letAllGo(6);
    await Promise.all(readings);
  });

  test('applications take turns, and within one its owners', async () => {
    const { order, send: sendNamed, letAllGo } = held();
    const [one, other] = [keyOf(fresh('app')), keyOf(fresh('app'))];
    const [a, b, c] = [fresh('emp'), fresh('emp'), fresh('emp')];
    const sent = [
      await sendNamed('one a', one, a),
      await sendNamed('one a', one, a),
      await sendNamed('one a', one, a),
      await sendNamed('one b', one, b),
      await sendNamed('other c', other, c),
      await sendNamed('other c', other, c),
    ];
    // One place alone, so that the order is plain.
    const worker = readingActivities(services, openTurns(services, 1));
    const readings = sent.map((doc_id) => worker.readDocument({ doc_id }));
    await letAllGo(6);
    await Promise.all(readings);
    expect(order).toEqual(['one a', 'other c', 'one b', 'other c', 'one a', 'one a']);
  });

  test('two processes share what waits, and none reads what the other reads', async () => {
    const { order, send: sendNamed, going, letAllGo } = held();
    const apps = Array.from({ length: 4 }, () => keyOf(fresh('app')));
    const sent = await Promise.all(apps.map((app, place) => sendNamed(`app ${place}`, app, fresh('emp'))));
    const workers = [legacyActivities(services), legacyActivities(services)];
    const readings = sent.map((doc_id, place) => workers[place % 2]!.readDocument({ doc_id }));
    await until(() => going.size === 4, 'four readings', 10_000, 2);
    await letAllGo(4);
    await Promise.all(readings);
    expect([...order].sort()).toEqual(['app 0', 'app 1', 'app 2', 'app 3']);
  });

  test('one that is cancelled while it waits or is read goes at once, and counts nothing against the document', async () => {
    const { send: sendNamed, going, letAllGo, order } = held();
    const [principal, owner] = [keyOf(fresh('app')), fresh('emp')];
    const [first, second] = [await sendNamed('first', principal, owner), await sendNamed('second', principal, owner)];
    const worker = legacyActivities(services);
    const stop = new AbortController();
    const reading = worker.readDocument({ doc_id: first });
    await until(() => going.has('first'), 'the first reading', 10_000, 2);
    const waiting = worker.readDocument({ doc_id: second }, stop.signal);
    stop.abort(new Error('the worker ends'));
    await expect(waiting).rejects.toThrow('the worker ends');
    await letAllGo(1);
    await reading;
    expect(order).toEqual(['first']);
    const next = worker.readDocument({ doc_id: second });
    await letAllGo(2);
    expect(await next).toEqual({ status: 'parsed' });
  });

  test('one that is erased while it waits takes no place', async () => {
    const { send: sendNamed, going, letAllGo } = held();
    const person = fresh('usr_person');
    const [first, second] = [
      await sendNamed('first', personOf(person), person),
      await sendNamed('second', personOf(person), person),
    ];
    const worker = legacyActivities(services);
    const reading = worker.readDocument({ doc_id: first });
    await until(() => going.has('first'), 'the first reading', 10_000, 2);
    const waiting = worker.readDocument({ doc_id: second });
    await legacy.deletePayslip({ principal: personOf(person), doc_id: second });
    expect(await waiting).toEqual({ status: 'erased' });
    await letAllGo(1);
    await reading;
  });
});
