import { confirmWage, prepareWage } from '../../activities/bank/confirm-wage.ts';
import { openTexts } from '../../activities/bank/accounts.ts';
import { accountNumberHash } from '../../activities/bank/identities.ts';
import { callerOf, type Principal } from '../../domain/auth.ts';
import type { BankRow } from '../../infra/bank/interface.ts';
import { playedAccount, playedRow, withReaders } from '../helpers/bank-books.ts';
import { anyKey } from '../helpers/money.ts';
import { storePaydaySplit } from '../helpers/paydays.ts';
import type { PlayedAccount } from '../helpers/played-banks.ts';

const { banks, bank, services, sql, syncs, at, person: newPerson } = withReaders();

const OFFICE = { sortCode: '200000', accountNumber: '11112222' };
const SAVINGS = { sortCode: '401276', accountNumber: '99999999' };
const pay = (amount: number, bookedOn: string, more: Partial<BankRow> = {}) =>
  playedRow({ amount, bookedOn, counterparty: 'NORTHWIND  Ltd', payer: 'Northwind Ltd', reference: 'NOV', ...more });

/** Whose accounts a played bank shows. The first is read at once. */
async function employee(rows: BankRow[] = [], bank_id: 'played-local' | 'played-journey' = 'played-local') {
  const person = await newPerson();
  const main = playedAccount({ rows });
  const savings = playedAccount({ ...SAVINGS, kind: 'savings', name: 'Savings' });
  const port = banks.all.find(({ bankId }) => bankId === bank_id)!.port;
  const shows = (...accounts: PlayedAccount[]) => Object.assign(port, { accountList: accounts });
  shows(main, savings);
  const connection_id = await person.connect(bank_id);
  const read = (id = connection_id) => syncs.sync(id);
  await read();
  const list = async (more = {}) =>
    (await bank.listWages({ principal: person.principal, limit: 50, ...more })).items.map(
      ({ status, matched_by, amount, received_on }) => `${received_on} ${amount} ${status} ${matched_by}`,
    );
  const idOf = async (amount: number) => (await person.rows()).findLast((row) => row.amount === amount)!.transaction_id;
  const confirm = async (transaction_id: string, principal: Principal = person.principal) => {
    const prepared = await prepareWage(services, { transaction_id });
    return services.db.transaction((tx) => confirmWage(tx, services, { principal, prepared }));
  };
  const events = async () => {
    const found = await sql.many<{ event: string }>(
      `select kind || ' ' || actor || ' ' || data as event from audit_events e join bank_wages w on w.wage_id = e.subject
        where w.owner_id = $1 order by e.seq`,
      [person.user_id],
    );
    return found.map(({ event }) => event);
  };
  return { ...person, connection_id, main, savings, shows, read, list, idOf, confirm, events };
}

const refused = (code: string, extra: object = {}) =>
  expect.objectContaining({ code, extra: expect.objectContaining(extra) as object }) as Error;

describe.each(['played-local', 'played-journey'] as const)('at %s', (bankId) => {
  test('a payer whom the person named is known: usual amounts are wages from then on, and what came before is suggested', async () => {
    const history = [pay(200_000, '2026-09-28'), pay(201_000, '2026-10-28'), playedRow({ amount: -200 })];
    const { main, read, list, idOf, confirm, events, rows, principal } = await employee(history, bankId);
    expect(await list()).toEqual([]);
    main.rows.push(pay(199_000, '2026-11-28'));
    await read();
    expect(await list()).toEqual(['2026-11-28 199000 suggested pattern']);
    const { wage, isNew } = await confirm(await idOf(199_000));
    expect([wage.payer, wage.status, wage.matched_by, isNew]).toEqual(['Northwind Ltd', 'confirmed', 'person', true]);
    expect((await confirm(wage.transaction_id)).isNew).toBe(false);
    await at('2026-12-28T12:00:00Z');
    main.rows.push(pay(205_000, '2026-12-27'), pay(1, '2026-12-26'), pay(500_000, '2026-12-28', { payer: null }));
    await read();
    expect(await list()).toEqual([
      '2026-12-28 500000 suggested payer',
      '2026-12-27 205000 confirmed payer',
      '2026-12-26 1 suggested payer',
      '2026-11-28 199000 confirmed person',
      '2026-10-28 201000 suggested payer',
      '2026-09-28 200000 suggested payer',
    ]);
    const before = [await list(), await events()];
    await Promise.all([read(), syncs.findWages({ connection_id: (await connectionOf(wage.wage_id))! })]);
    expect([await list(), await events()]).toEqual(before);
    expect(before[1]).toEqual([
      `wage.confirmed ${callerOf(principal)} {"matched_by": "person"}`,
      'wage.confirmed service {"matched_by": "payer"}',
    ]);
    const matched = (await bank.listTransactions({ principal, limit: 50 })).items.filter((row) => row.matched !== null);
    expect(matched.map(({ amount }) => amount)).toEqual([205_000, 199_000]);
    const stored = await sql.many('select w, p from bank_wages w join bank_payers p using (owner_id)', []);
    expect(JSON.stringify(stored)).not.toMatch(/northwind/i);
    expect(await rows()).toHaveLength(7);
  });
});

test('the confirmation of a wage starts its payday once, if there is a standing split at that time', async () => {
  const { main, read, idOf, confirm, user_id } = await employee([pay(199_000, '2026-11-28'), pay(1, '2026-11-28')]);
  const started = async () =>
    (
      await sql.many<{ amount: number }>(
        `select w.amount::int from outbox_messages o join bank_wages w on w.wage_id = o.workflow_id
          where o.kind = 'payday.start' and w.owner_id = $1 order by message_id`,
        [user_id],
      )
    ).map(({ amount }) => amount);
  await confirm(await idOf(199_000));
  await storePaydaySplit(services, user_id, []);
  await confirm(await idOf(199_000));
  expect(await started()).toEqual([]);
  await at('2026-12-28T12:00:00Z');
  main.rows.push(pay(205_000, '2026-12-27'), pay(500_000, '2026-12-28'));
  await read();
  expect(await started()).toEqual([205_000]);
  await confirm(await idOf(500_000));
  await confirm(await idOf(205_000));
  await read();
  expect(await started()).toEqual([205_000, 500_000]);
});

async function connectionOf(wageId: string): Promise<string | undefined> {
  const [row] = await sql.many<{ connection_id: string }>(
    'select connection_id from bank_account_links l join bank_wages w using (account_id) where wage_id = $1',
    [wageId],
  );
  return row?.connection_id;
}

describe('who may name a wage', () => {
  const client = (principal: Principal) => ({ ...principal, clientId: 'client_app' }) as Principal;

  test.each([
    ['a key', () => anyKey],
    ['a client of the person', client],
  ])('%s names no payer, and only repeats what the person has said', async (_who, callerFrom) => {
    const { main, read, list, idOf, confirm, principal } = await employee([pay(200_000, '2026-11-28')]);
    const [wage, caller] = [await idOf(200_000), callerFrom(principal)];
    const confirm_url = `${services.config.api.publicUrl}/api/v1/bank/transactions/${wage}/wage`;
    await expect(confirm(wage, caller)).rejects.toEqual(refused('own-sign-in-required', { confirm_url }));
    expect([await list(), await payers(principal)]).toEqual([[], 0]);
    await confirm(wage);
    main.rows.push(pay(400_000, '2026-11-27'), pay(400_001, '2026-11-27'), pay(1, '2026-11-27', { payer: null }));
    await read();
    for (const amount of [400_001, 1]) {
      await expect(confirm(await idOf(amount), caller)).rejects.toEqual(refused('own-sign-in-required'));
    }
    expect((await confirm(await idOf(400_000), caller)).isNew).toBe(true);
    const credit = await idOf(400_000);
    const ownOf = () => sql.many('select own_sign_in from bank_wages where transaction_id = $1', [credit]);
    expect(await ownOf()).toEqual([{ own_sign_in: false }]);
    expect((await confirm(credit)).isNew).toBe(false);
    expect(await ownOf()).toEqual([{ own_sign_in: true }]);
  });

  const payers = async (principal: Principal) =>
    (await sql.many('select from bank_payers where owner_id = $1', [callerOf(principal)])).length;

  test('a grant without write:paycheck names none', async () => {
    const { idOf, confirm, principal } = await employee([pay(200_000, '2026-11-28')]);
    const caller = { ...principal, scopes: ['write:bank'] } as Principal;
    await expect(confirm(await idOf(200_000), caller)).rejects.toEqual(refused('insufficient-scope'));
  });

  test('forty at once name it once', async () => {
    const { list, idOf, confirm, events } = await employee([pay(200_000, '2026-11-28')]);
    const wage = await idOf(200_000);
    const all = await Promise.all(Array.from({ length: 40 }, () => confirm(wage)));
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect([(await list()).length, (await events()).length]).toEqual([1, 1]);
  });
});

describe('what is no wage', () => {
  test.each<[string, string, Partial<BankRow>, (savings: PlayedAccount) => unknown]>([
    ['money that left', 'not-a-credit', { amount: -200_000 }, () => undefined],
    ['money from an own number', 'credit-from-own-account', { debtorAccount: SAVINGS }, () => undefined],
    [
      'money that left another account the day after',
      'credit-from-own-account',
      {},
      ({ rows }) => rows.push(playedRow({ amount: -200_000, bookedOn: '2026-11-28', counterparty: null })),
    ],
    [
      'money that went back to its payer',
      'wage-reversed',
      {},
      ({ rows }) => rows.push(playedRow({ amount: -200_000, bookedOn: '2026-11-29', counterparty: 'northwind ltd' })),
    ],
  ])('%s: %s', async (_what, code, row, play) => {
    const { main, savings, read, list, idOf, confirm, user_id } = await employee();
    main.rows.push(pay(200_000, '2026-11-27', row));
    play(savings);
    await sql.run('insert into own_account_numbers values ($1, $2) on conflict do nothing', [
      user_id,
      accountNumberHash(services, SAVINGS),
    ]);
    await read();
    await expect(confirm(await idOf(row.amount ?? 200_000))).rejects.toEqual(refused(code));
    expect(await list()).toEqual([]);
  });

  test('of two equal wages of a day, one that goes back is reversed, and stays so', async () => {
    const { main, read, list, idOf, confirm, events } = await employee([pay(200_000, '2026-11-25')]);
    await confirm(await idOf(200_000));
    main.rows.push(pay(210_000, '2026-11-27'), pay(210_000, '2026-11-27'));
    await read();
    main.rows.push(pay(-210_000, '2026-11-29'));
    for (let round = 0; round < 2; round += 1) await read();
    const [person, ...twins] = (await list()).toReversed();
    expect(person).toBe('2026-11-25 200000 confirmed person');
    expect(twins.toSorted()).toEqual(['2026-11-27 210000 confirmed payer', '2026-11-27 210000 reversed payer']);
    expect((await events()).at(-1)).toBe('wage.reversed service {}');
    await expect(sql.run(`update bank_wages set status = 'confirmed' where status = 'reversed'`)).rejects.toThrow(
      'cannot go from reversed',
    );
  });
});

test('a history that is read again after its rows were deleted confirms and calculates nothing twice', async () => {
  const { main, list, idOf, confirm, read, connect, shows, user_id, principal } = await employee([
    pay(200_000, '2026-11-25'),
  ]);
  await confirm(await idOf(200_000));
  main.rows.push(pay(210_000, '2026-11-28'));
  await read();
  const before = await bank.listWages({ principal, limit: 50 });
  const links = 'bank_account_links where account_id in (select account_id from bank_accounts where owner_id = $1)';
  for (const those of ['bank_transactions where owner_id = $1', links, 'bank_accounts where owner_id = $1'])
    await sql.run(`delete from ${those}`, [user_id]);
  expect((await bank.listWages({ principal, limit: 50 })).items.map(({ payer }) => payer)).toEqual([null, null]);
  shows(main);
  await syncs.sync(await connect());
  expect((await confirm(await idOf(200_000))).isNew).toBe(false);
  expect(await list()).toEqual(['2026-11-28 210000 confirmed payer', '2026-11-25 200000 confirmed person']);
  const after = await bank.listWages({ principal, limit: 50 });
  const sameIds = ({ items }: typeof after) => items.map(({ wage_id, payer }) => [wage_id, payer]);
  expect(sameIds(after)).toEqual(sameIds(before));
});

test('a payer that only another bank names is known, and stays without a name', async () => {
  const { main, read, idOf, confirm, connect, accounts, rows } = await employee([
    pay(200_000, '2026-11-27', { payer: null, stableId: null }),
  ]);
  const other = { ...main, rows: [pay(200_000, '2026-11-27', { debtorAccount: OFFICE })] };
  banks.journey.accountList = [other];
  const second = await connect('played-journey');
  await sql.run('update bank_account_links set gone_at = now() where connection_id <> $1', [second]);
  await read(second);
  const [row] = await rows();
  expect([row!.payer_hash, row!.debtor_hash]).not.toContain(null);
  expect(await openTexts(services, (await accounts())[0]!, [row!])).toMatchObject([{ payer: null }]);
  expect((await confirm(await idOf(200_000))).wage.payer).toBeNull();
});
