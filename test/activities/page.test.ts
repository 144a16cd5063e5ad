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

describe('a cursor', () => {
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

  test('is refused by the list of another operation, owner or filter', async () => {
    const cursor = await cursorOf(aList);
    const { filter } = aList;
    const others: List[] = [
      { ...aList, operation: 'listPaychecks' },
      { ...aList, filter: { ...filter, owner: 'emp-2' } },
      { ...aList, filter: { ...filter, status: 'failed' } },
      { ...aList, filter: { ...filter, from: '2026-01-01' } },
      { ...aList, filter: { owner: 'emp-1' } },
      { ...aList, filter: { owner: 'completed', status: 'emp-1' } },
    ];
    for (const other of others) await expect(pagesOf(services, other).after(cursor)).rejects.toThrow(refused);
  });

  test('that was changed or made by somebody is refused', async () => {
    const cursor = await cursorOf(aList);
    expect(await pagesOf(services, aList).after(cursor)).toBe(4_711);
    const others = ['', 'x', Buffer.from('12').toString('base64url'), Buffer.from('{}').toString('base64url')];
    for (let place = 0; place < cursor.length; place += 7)
      others.push(cursor.slice(0, place) + (cursor[place] === 'A' ? 'B' : 'A') + cursor.slice(place + 1));
    for (const other of others) await expect(pagesOf(services, aList).after(other)).rejects.toThrow(refused);
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
    for (const owner of ['emp-a', 'emp-b']) {
      for (const month of [1, 2]) {
        const pay = { employee_id: owner, gross_pay: 300_000, pay_date: `2026-0${month}-28` };
        const obligations = [{ type: 'Rent', amount: 1_000, category: 'FIXED' as const }];
        await paychecks.calculatePaycheck({ principal: anyKey, ...pay, obligations });
        const card = [{ name: 'Card', balance: 1_000, rate: 0, minimum: 0 }];
        await debts.createDebtPlan({ principal: anyKey, user_id: owner, debts: card, monthly_budget: 1_000 });
      }
    }
  });

  const listsOf = (user_id: string) => ({
    paychecks: (more: object) => paychecks.listPaychecks({ employee_id: user_id, limit: 1, ...more }),
    plans: (more: object) => debts.listDebtPlans({ user_id, limit: 1, ...more }),
    history: (more: object) => allocations.listAllocationHistory({ user_id, limit: 1, ...more }),
    audit: (more: object) => listAuditEvents(services, { principal: anyKey, limit: 1, ...more }),
  });

  test('give a cursor that reveals no number of rows, and refuse the cursors of other lists and owners', async () => {
    const [own, others] = [listsOf('emp-a'), listsOf('emp-b')];
    for (const [name, list] of Object.entries(own)) {
      const { next_cursor: cursor } = await list({});
      expect(Buffer.from(cursor!, 'base64url').toString('latin1')).not.toMatch(/^\d+$/);
      expect((await list({ cursor })).items).toHaveLength(1);
      const strangers = Object.entries(own).filter(([other]) => other !== name);
      for (const [, stranger] of strangers) await expect(stranger({ cursor })).rejects.toEqual(refused);
      if (name !== 'audit') await expect(others[name as keyof typeof others]({ cursor })).rejects.toEqual(refused);
    }
  });
});
