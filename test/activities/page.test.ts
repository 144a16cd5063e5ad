import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { listAuditEvents } from '../../activities/admin.ts';
import { pagesOf, type List } from '../../activities/page.ts';
import { allocationsOf, debtsOf, paychecksOf } from '../helpers/activities.ts';
import { openTestServices, withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { anyKey } from '../helpers/money.ts';

const FILE = join(testEnvironment().dir, 'keys', `pages-${randomBytes(4).toString('hex')}.json`);
const env = { MASTER_KEY_FILE: FILE, KEY_RELOAD_MS: '100' };
const services = withDatabase({ env });
const allocations = allocationsOf(services);
const paychecks = paychecksOf(services);
const debts = debtsOf(services);

const aList: List = { operation: 'listPayments', filter: { owner: 'emp-1', status: 'completed' } };
const rows = [{ seq: 4_711 }, { seq: 12 }];
const cursorOf = async (list: List, by = services) =>
  (await pagesOf(by, list).page(rows, 1, ({ seq }) => seq)).next_cursor!;
const refused = expect.objectContaining({
  code: 'invalid-request',
  extra: { errors: [expect.objectContaining({ pointer: '/query/cursor' })] },
}) as Error;

async function anOwner(user_id: string) {
  for (const pay_date of ['2026-01-31', '2026-02-28']) {
    const obligations = [{ type: 'Rent', amount: 1_000, category: 'FIXED' as const }];
    await paychecks.calculatePaycheck({
      principal: anyKey,
      employee_id: user_id,
      gross_pay: 300_000,
      obligations,
      pay_date,
    });
    const debt = { name: 'Card', balance: 1_000, rate: 0, minimum: 0 };
    await debts.createDebtPlan({ principal: anyKey, user_id, debts: [debt], monthly_budget: 1_000 });
  }
}

describe('a cursor', () => {
  test('continues its list after the previous page', async () => {
    expect(await pagesOf(services, aList).after(await cursorOf(aList))).toBe(4_711);
  });

  test('shows neither the position in the table, nor the owner, nor the filter', async () => {
    const cursor = await cursorOf(aList);
    const shown = Buffer.from(cursor, 'base64url').toString('latin1');
    const { ciphertext } = JSON.parse(shown) as { ciphertext: string };
    const sealed = Buffer.from(ciphertext, 'base64url').toString('latin1');
    for (const secret of ['4711', 'emp-1', 'completed', Buffer.from('4711').toString('base64url')]) {
      for (const text of [cursor, shown, sealed]) expect(text).not.toContain(secret);
    }
    expect(cursor).toMatch(/^[\w-]{1,512}$/);
    expect(await cursorOf(aList)).not.toBe(cursor);
  });

  test.each<[string, List]>([
    ['another operation', { ...aList, operation: 'listPaychecks' }],
    ['another owner', { ...aList, filter: { ...aList.filter, owner: 'emp-2' } }],
    ['another filter', { ...aList, filter: { ...aList.filter, status: 'failed' } }],
    ['a filter more', { ...aList, filter: { ...aList.filter, from: '2026-01-01' } }],
    ['a filter less', { ...aList, filter: { owner: 'emp-1' } }],
    ['a filter of the same text', { ...aList, filter: { owner: 'completed', status: 'emp-1' } }],
  ])('of a list is refused by a list of %s', async (_name, other) => {
    const cursor = await cursorOf(aList);
    await expect(pagesOf(services, other).after(cursor)).rejects.toThrow(refused);
  });

  test.each(['', 'x', Buffer.from('12').toString('base64url'), Buffer.from('{}').toString('base64url')])(
    'that is %j is refused, because anybody can make one',
    async (cursor) => {
      await expect(pagesOf(services, aList).after(cursor)).rejects.toThrow(refused);
    },
  );

  test('that was changed is refused', async () => {
    const cursor = await cursorOf(aList);
    for (let place = 0; place < cursor.length; place += 7) {
      const changed = cursor.slice(0, place) + (cursor[place] === 'A' ? 'B' : 'A') + cursor.slice(place + 1);
      await expect(pagesOf(services, aList).after(changed)).rejects.toThrow(refused);
    }
  });

  test('is valid in another process, and after the old master key was rotated and retired', async () => {
    const before = await cursorOf(aList);
    const { masterKeys } = services.keys;
    const { current } = await masterKeys.versions();
    await masterKeys.rotate(current);
    await masterKeys.retire(current);
    const other = await openTestServices(services.config.database.url, { env });
    try {
      for (const by of [services, other]) expect(await pagesOf(by, aList).after(before)).toBe(4_711);
      expect(await pagesOf(services, aList).after(await cursorOf(aList, other))).toBe(4_711);
    } finally {
      await other.close();
    }
  });
});

describe('lists', () => {
  beforeAll(async () => {
    await anOwner('emp-a');
    await anOwner('emp-b');
  });

  const listsOf = (user_id: string) => {
    const first = { limit: 1 };
    return {
      paychecks: (more: object) => paychecks.listPaychecks({ employee_id: user_id, ...first, ...more }),
      plans: (more: object) => debts.listDebtPlans({ user_id, ...first, ...more }),
      history: (more: object) => allocations.listAllocationHistory({ user_id, ...first, ...more }),
      audit: (more: object) => listAuditEvents(services, { principal: anyKey, ...first, ...more }),
    };
  };

  test('give no cursor that reveals how many rows the service has', async () => {
    for (const list of Object.values(listsOf('emp-a'))) {
      const { next_cursor } = await list({});
      expect(Buffer.from(next_cursor!, 'base64url').toString('latin1')).not.toMatch(/^\d+$/);
      expect((await list({ cursor: next_cursor })).items).toHaveLength(1);
    }
  });

  test('refuse the cursors of other lists and other owners', async () => {
    const [own, others] = [listsOf('emp-a'), listsOf('emp-b')];
    for (const [name, list] of Object.entries(own)) {
      const { next_cursor: cursor } = await list({});
      const strangers = Object.entries(own).filter(([other]) => other !== name);
      for (const [, stranger] of strangers) await expect(stranger({ cursor })).rejects.toEqual(refused);
      if (name !== 'audit') {
        await expect(others[name as keyof typeof others]({ cursor })).rejects.toEqual(refused);
      }
    }
  });
});
