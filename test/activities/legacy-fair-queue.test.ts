import { setTimeout as sleep } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import type { Principal } from '../../domain/auth.ts';
import { MOST_IN_PROGRESS } from '../../domain/documents.ts';
import { claimNext } from '../../infra/db/queries/legacy.ts';
import { documentsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { pdfOf, read, scriptedReader } from '../helpers/reading.ts';
import { fresh, keyOf, many, personOf, senders } from '../helpers/senders.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

const reader = scriptedReader();
const services = withDatabase({
  reader,
  env: { LIMIT_OWNER_DOCUMENTS_PER_DAY: '30', LIMIT_APP_DOCUMENTS_PER_DAY: '45' },
});
const legacy = documentsOf(services);
const { run, send, upload, allRead } = senders(services);

beforeEach(async () => {
  reader.answer = async () => read();
  await run('update documents set received_at = null');
  await allRead();
});

describe('the fair queue of documents', () => {
  // Holds readings until the test releases them.
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
          await until(() => going.size > 0 || order.length >= count, 'the next reading', PATIENCE_MS, 2);
          for (const go of going.values()) go();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      },
    };
  }

  const claimAll = async (names: Map<string, string>) => {
    const order: string[] = [];
    while (names.size > 0) {
      const { doc_id } = await services.db.one(claimNext([...names.keys()], []));
      order.push(names.get(doc_id)!);
      names.delete(doc_id);
      // Turns are stored to the millisecond, and the order of equal times is undefined.
      await sleep(2);
    }
    return order;
  };

  test.each([
    ['one owner', (app: Principal) => ({ principal: app, owners: ['emp-all'] })],
    [
      'many owners of one key',
      (app: Principal) => ({ principal: app, owners: ['emp-a', 'emp-b', 'emp-c', 'emp-d', 'emp-e'] }),
    ],
  ])('documents of %s take one of two places, and the last person gets the other at once', async (_what, of) => {
    const { principal, owners } = of(keyOf(fresh('app')));
    const { send: sendNamed, going, letAllGo } = held();
    const hostile = await many(5, (place) =>
      sendNamed('hostile', principal, `${owners[place % owners.length]!}-${fresh('x')}`),
    );
    const worker = documentsOf(services);
    const readings = hostile.map((doc_id) => worker.readDocument({ doc_id }));
    await until(() => going.size === 1, 'the first reading', PATIENCE_MS, 2);
    const person = fresh('usr_person');
    const payslip = await sendNamed('payslip', personOf(person), person);
    const read = worker.readDocument({ doc_id: payslip });
    await until(() => going.has('payslip'), 'the reading of the payslip', PATIENCE_MS, 2);
    going.get('payslip')!();
    expect(await read).toEqual({ status: 'parsed' });
    await letAllGo(6);
    await Promise.all(readings);
  });

  test('applications alternate, and within one its owners', async () => {
    const [one, other] = [keyOf(fresh('app')), keyOf(fresh('app'))];
    const [a, b, c] = [fresh('emp'), fresh('emp'), fresh('emp')];
    const names = new Map<string, string>();
    for (const owner of [a, a, a, b]) names.set((await send(one, owner)).doc_id, owner);
    for (const owner of [c, c]) names.set((await send(other, owner)).doc_id, owner);
    const order = await claimAll(names);
    expect(order).toEqual([a, c, b, c, a, a]);
  });

  const uploadedBy = async (names: Map<string, string>, owner: string) => {
    names.set((await send(personOf(owner), owner)).doc_id, owner);
    await sleep(2);
  };
  const provenPerson = async () => {
    const person = fresh('usr_proven');
    await run(
      `insert into users (user_id, email_ref, email_index, password_hash, created_at, email_verified_at)
       values ($1, $1, $1, 'none', now(), now())`,
      [person],
    );
    return person;
  };

  test('a person with a proven address waits behind one document of a hundred new accounts', async () => {
    const person = await provenPerson();
    const names = new Map<string, string>();
    await uploadedBy(names, person);
    expect(await claimAll(names)).toEqual([person]);
    const accounts = Array.from({ length: 100 }, () => fresh('usr_new'));
    for (const account of accounts) await uploadedBy(names, account);
    await uploadedBy(names, person);
    expect((await claimAll(names)).indexOf(person)).toBeLessThanOrEqual(1);
  });

  test('one new account takes one of two readers, and another new account gets the other at once', async () => {
    const [hostile, other] = [fresh('usr_new'), fresh('usr_new')];
    const sent = await many(5, () => send(personOf(hostile), hostile));
    const ids = sent.map(({ doc_id }) => doc_id);
    const { party } = await services.db.one(claimNext(ids, []));
    const { doc_id } = await send(personOf(other), other);
    expect(await services.db.maybe(claimNext(ids, [party]))).toBeUndefined();
    expect(await services.db.maybe(claimNext([...ids, doc_id], [party]))).toMatchObject({ doc_id, party: other });
  });

  test('new accounts alternate by owner, and one that was read before waits for none that came later', async () => {
    const names = new Map<string, string>();
    const [read, late] = [fresh('usr_read'), Array.from({ length: 3 }, () => fresh('usr_late'))];
    await uploadedBy(names, read);
    await claimAll(names);
    await uploadedBy(names, read);
    for (const account of late) await uploadedBy(names, account);
    expect(await claimAll(names)).toEqual([read, ...late]);
  });

  test('somebody whose document was never read waits for nobody who uploaded later and was read since', async () => {
    const names = new Map<string, string>();
    const [first, second] = [await provenPerson(), await provenPerson()];
    for (const person of [first, second, first, second, first]) await uploadedBy(names, person);
    expect(await claimAll(names)).toEqual([first, second, first, second, first]);
  });

  test('two processes share the waiting documents, and neither reads the other’s', async () => {
    const { order, send: sendNamed, going, letAllGo } = held();
    const apps = Array.from({ length: 4 }, () => keyOf(fresh('app')));
    const sent = await Promise.all(apps.map((app, place) => sendNamed(`app ${place}`, app, fresh('emp'))));
    const workers = [documentsOf(services), documentsOf(services)];
    const readings = sent.map((doc_id, place) => workers[place % 2]!.readDocument({ doc_id }));
    await until(() => going.size === 4, 'four readings', PATIENCE_MS, 2);
    await letAllGo(4);
    await Promise.all(readings);
    expect([...order].sort()).toEqual(['app 0', 'app 1', 'app 2', 'app 3']);
  });

  test('a cancelled reading stops at once, and does not count as a failed attempt', async () => {
    const { send: sendNamed, going, letAllGo, order } = held();
    const [principal, owner] = [keyOf(fresh('app')), fresh('emp')];
    const [first, second] = [await sendNamed('first', principal, owner), await sendNamed('second', principal, owner)];
    const worker = documentsOf(services);
    const stop = new AbortController();
    const reading = worker.readDocument({ doc_id: first });
    await until(() => going.has('first'), 'the first reading', PATIENCE_MS, 2);
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

  test('a document that is erased while it waits takes no reader', async () => {
    const { send: sendNamed, going, letAllGo } = held();
    const person = fresh('usr_person');
    const [first, second] = [
      await sendNamed('first', personOf(person), person),
      await sendNamed('second', personOf(person), person),
    ];
    const worker = documentsOf(services);
    const reading = worker.readDocument({ doc_id: first });
    await until(() => going.has('first'), 'the first reading', PATIENCE_MS, 2);
    const waiting = worker.readDocument({ doc_id: second });
    await legacy.deletePayslip({ principal: personOf(person), doc_id: second });
    expect(await waiting).toEqual({ status: 'erased' });
    await letAllGo(1);
    await reading;
  });
});

/** Returns how many uploads were stored. Expects `too-many-documents` for the others. */
async function storedOf(sent: Promise<unknown>[]): Promise<number> {
  const settled = await Promise.allSettled(sent);
  const refused = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  for (const { reason } of refused)
    expect(reason).toMatchObject({ code: 'too-many-documents', extra: { retry_after: expect.any(Number) as number } });
  return settled.length - refused.length;
}

describe('the limits of uploads', () => {
  test('an owner has at most five documents in progress, even with forty simultaneous uploads', async () => {
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

  test('an application has at most twenty documents in progress over all its owners', async () => {
    const principal = keyOf(fresh('app'));
    const sent = Array.from({ length: 40 }, () => send(principal, fresh('emp')));
    expect(await storedOf(sent)).toBe(MOST_IN_PROGRESS.application);
    await expect(send(principal, fresh('emp'))).rejects.toMatchObject({ extra: { per: 'application-in-progress' } });
    expect(await storedOf([send(keyOf(fresh('app')), fresh('emp'))])).toBe(1);
  });

  test('a person has their own limit, whoever uploads their documents', async () => {
    const principal = keyOf(fresh('app'));
    await many(MOST_IN_PROGRESS.application, () => upload(principal, fresh('emp')));
    const person = fresh('usr_person');
    expect(await storedOf(Array.from({ length: 3 }, () => send(principal, person)))).toBe(3);
    expect(await storedOf(Array.from({ length: 9 }, () => send(personOf(person), person)))).toBe(2);
  });

  test('a day is 24 hours of real time, and a refusal says when uploads are possible again', async () => {
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
    // The limit ignores `uploaded_at`, which follows the business clock.
    await run(`update documents set uploaded_at = now() - interval '10 days' where owner_id = $1`, [owner]);
    await expect(send(principal, owner)).rejects.toMatchObject({ code: 'too-many-documents' });
    await run(`update documents set received_at = now() - interval '24 hours 1 second' where owner_id = $1`, [owner]);
    expect(await storedOf([send(principal, owner)])).toBe(1);
  });

  test('an application has a daily limit too, over all its owners', async () => {
    const principal = keyOf(fresh('app'));
    for (let round = 0; round < 3; round += 1) {
      await many(15, () => upload(principal, fresh('emp')));
      await allRead();
    }
    await expect(send(principal, fresh('emp'))).rejects.toMatchObject({ extra: { limit: 45, per: 'application-day' } });
  });

  test('erasing documents does not restore the daily limit', async () => {
    const person = fresh('usr_person');
    for (let round = 0; round < 30; round += 1)
      await legacy.deletePayslip({ principal: personOf(person), doc_id: await upload(personOf(person), person) });
    await expect(send(personOf(person), person)).rejects.toMatchObject({ extra: { per: 'owner-day' } });
  });

  test('uploading the same file again does not count, and works even at the limit', async () => {
    const [principal, owner, file] = [keyOf(fresh('app')), fresh('emp'), await pdfOf()];
    const first = await send(principal, owner, file);
    await many(4, () => upload(principal, owner));
    const again = await Promise.all(Array.from({ length: 10 }, () => send(principal, owner, file)));
    expect(again).toEqual(again.map(() => ({ doc_id: first.doc_id, known: true })));
  });
});
