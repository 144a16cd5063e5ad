import { LockedOwner, lockMany, lockOne, manyForAll, MoneyQuery, OwnerLock } from '../../infra/db/locked-owner.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import type { InTransaction, Tx } from '../../infra/db/transaction.ts';
import { withDatabase } from '../helpers/database.ts';
import { textQuery } from '../helpers/text-query.ts';

const { db } = withDatabase();
const AT = new Date();

const rateOf = textQuery<{ buffer_rate: string | null }>(
  'test.rateOf',
  'select buffer_rate from owners where owner_id = $1',
);
const setRates = textQuery<{ set: boolean }>(
  'test.setRates',
  'update owners set buffer_rate = $2 where owner_id = any($1) returning true as set',
);
const lockAll = textQuery<{ owner_id: string }>(
  'test.lockAll',
  'select owner_id from owners where owner_id = any($1) order by owner_id for update',
);

const another: InTransaction = (work) => db.transaction(work);

const money = (owners: string | readonly string[], rate: string) =>
  new MoneyQuery(owners, setRates(typeof owners === 'string' ? [owners] : owners, rate));
const lock = async (tx: Tx, id: string) => (await lockOne(tx, lockOwner(id, AT))).owner;
const rates = (...ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await db.maybe(rateOf(id)))?.buffer_rate));

test('a locked owner moves its money, awaited or not', async () => {
  await db.transaction(async (tx) => {
    const ada = await lock(tx, 'ada');
    expect([ada.id, ada.tx === tx]).toEqual(['ada', true]);
    expect(await ada.one(money('ada', '0.1'))).toEqual({ set: true });
    void ada.run(money('ada', '0.2'));
  });
  expect(await rates('ada')).toEqual(['0.2']);
});
test('the end of its transaction ends the lock: every use throws', async () => {
  const committed = await db.transaction((tx) => lock(tx, 'cyd'));
  let undone: LockedOwner | undefined;
  await db
    .transaction(async (tx) => {
      undone = await lock(tx, 'dot');
      throw new Error('undone');
    })
    .catch(() => undefined);
  for (const owner of [committed, undone!]) {
    const ended = 'was sent after its transaction ended';
    expect(() => owner.tx).toThrow(ended);
    expect(() => owner.run(money(owner.id, '0.9'))).toThrow(ended);
    expect(() => owner.one(money(owner.id, '0.9'))).toThrow(ended);
    expect(() => manyForAll([owner], money(owner.id, '0.9'))).toThrow(ended);
  }
  expect(await rates('cyd')).toEqual([null]);
});

test('a locked owner runs no query about the money of another', async () => {
  await db.transaction(async (tx) => {
    const [eva, fay] = [await lock(tx, 'eva'), await lock(tx, 'fay')];
    const refused = 'test.setRates is for an owner who is not locked';
    expect(() => eva.run(money('fay', '0.9'))).toThrow(refused);
    expect(() => eva.one(money('fay', '0.9'))).toThrow(refused);
    expect(() => eva.run(money(['eva', 'fay'], '0.9'))).toThrow(refused);
    expect(() => manyForAll([eva, fay], money(['eva', 'fay', 'ada'], '0.9'))).toThrow(refused);
    expect(await manyForAll([eva, fay], money(['eva', 'fay'], '0.3'))).toHaveLength(2);
  });
  expect(await rates('eva', 'fay')).toEqual(['0.3', '0.3']);
});

test('owners whom different transactions have locked share no query', async () => {
  await db.transaction(async (tx) => {
    const gia = await lock(tx, 'gia');
    await another(async (other) => {
      const owners = [gia, await lock(other, 'hal')] as const;
      expect(() => manyForAll(owners, money(['gia', 'hal'], '0.9'))).toThrow('different transactions');
    });
  });
  expect(await rates('gia', 'hal')).toEqual([null, null]);
});

test('a lock of several rows gives each row its own owner', async () => {
  await db.transaction(async (tx) => {
    const rows = await lockMany(tx, new OwnerLock(lockAll(['eva', 'fay']), ({ owner_id }) => owner_id));
    expect(rows.map(({ owner_id, owner }) => [owner_id, owner.id])).toEqual([
      ['eva', 'eva'],
      ['fay', 'fay'],
    ]);
  });
});

test('nothing but a lock makes a locked owner', async () => {
  await db.transaction(async (tx) => {
    const Any = LockedOwner as unknown as new (...given: unknown[]) => LockedOwner;
    expect(() => new Any('bea', tx)).toThrow(TypeError);
    expect(() => new Any('bea', tx, Symbol('made here'))).toThrow(TypeError);
    const forged = Object.setPrototypeOf({ id: 'bea' }, LockedOwner.prototype) as LockedOwner;
    expect(() => forged.run(money('bea', '0.9'))).toThrow(TypeError);
  });
  expect(await rates('bea')).toEqual([undefined]);
});
