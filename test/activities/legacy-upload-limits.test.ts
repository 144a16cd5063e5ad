import { MOST_IN_PROGRESS } from '../../domain/documents.ts';
import { documentsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { pdfOf, scriptedReader } from '../helpers/reading.ts';
import { fresh, keyOf, many, personOf, senders } from '../helpers/senders.ts';

const services = withDatabase({
  reader: scriptedReader(),
  env: { LIMIT_OWNER_DOCUMENTS_PER_DAY: '30', LIMIT_APP_DOCUMENTS_PER_DAY: '45' },
});
const legacy = documentsOf(services);
const { run, send, upload, allRead } = senders(services);

/** Returns how many uploads were stored. Expects `too-many-documents` for the others. */
async function storedOf(sent: Promise<unknown>[]): Promise<number> {
  const settled = await Promise.allSettled(sent);
  const refused = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  for (const { reason } of refused)
    expect(reason).toMatchObject({ code: 'too-many-documents', extra: { retry_after: expect.any(Number) as number } });
  return settled.length - refused.length;
}

beforeEach(async () => {
  await run('update documents set received_at = null');
  await allRead();
});

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
