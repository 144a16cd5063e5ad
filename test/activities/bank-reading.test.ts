import { openDetails, openTexts } from '../../activities/bank/accounts.ts';
import { readAccount } from '../../activities/bank/read-account.ts';
import type { Step } from '../../activities/bank/reading.ts';
import { BankError, type BankErrorKind } from '../../infra/bank/interface.ts';
import { playedAccount, playedRow, withReaders } from '../helpers/bank-books.ts';
import { authorise } from '../helpers/connections.ts';

const { banks, local, services, sql, syncs, at, rowOf, person } = withReaders();

const lastSync = async (connection_id: string) => {
  const { sync_outcome, sync_reason, sync_rows_new, sync_rows_refused } = await rowOf(connection_id);
  return [sync_outcome, sync_reason, sync_rows_new, sync_rows_refused];
};
const asked = () => local.calls.flatMap((call) => /^transactions \S+ (.*)/.exec(call)?.[1] ?? []);
const fail = (kind: BankErrorKind, until?: Date) => {
  throw new BankError(kind, 'played', until ? { until } : {});
};

test('a first sync stores the accounts and a year, later ones what is new, and all texts are sealed', async () => {
  const { connect, accounts, rows } = await person();
  const [euro, card] = [{ currency: 'EUR', iban: 'GB29NWBK60161331926819' }, { kind: 'card' as const }];
  const nothing = { sortCode: null, accountNumber: null };
  const owed = { ...card, ...nothing, balance: { current: -12_345, available: null, creditLine: 100_000 } };
  const main = playedAccount({ rows: [playedRow({ reference: 'Salary of November' })] });
  local.accountList = [main, playedAccount({ ...euro, ...nothing }), playedAccount(owed)];
  const connection_id = await connect();
  await syncs.sync(connection_id);
  expect(await lastSync(connection_id)).toEqual(['complete', null, 1, 0]);
  main.rows.push(playedRow({ amount: -500 }));
  await at('2026-12-01T12:00:00Z');
  await syncs.sync(connection_id);
  expect(await lastSync(connection_id)).toEqual(['complete', null, 1, 0]);
  expect(local.calls.filter((call) => call === 'accounts')).toHaveLength(1);
  expect(asked()).toEqual(['2025-10-29 2026-11-29', '2026-11-26 2026-12-01']);
  const [current, , owing] = await accounts();
  expect(await openDetails(services, current!)).toEqual({
    ...{ name: 'Main account', sortCode: '401276', accountNumber: main.accountNumber },
    ...{ iban: null, last4: main.last4 },
  });
  expect(current).toMatchObject({ balance: 100_000, available: 150_000, credit_line: 50_000 });
  expect(owing).toMatchObject({ balance: -12_345, read_through: null });
  const [salary] = await openTexts(services, current!, await rows());
  expect(salary).toMatchObject({ counterparty: 'Employer', payer: 'Employer', reference: 'Salary of November' });
  const stored = JSON.stringify([await accounts(), await rows()]);
  expect(stored).not.toMatch(/Employer|Salary|Main account|401276|NWBK/);
  expect(stored).not.toContain(main.accountNumber);
});

test('a connection that the database gave the consent of another person reads nothing', async () => {
  const [victim, thief] = [await person(), await person()];
  const [theirs, connection_id] = [await victim.connect(), await thief.connect()];
  const point = `update bank_connections set consent_id = (select consent_id from bank_connections where connection_id = $2)
                  where connection_id = $1`;
  await sql.run(point, [connection_id, theirs]);
  local.calls.length = 0;
  expect((await syncs.sync(connection_id)).at(-1)).toEqual({ kind: 'stopped', reason: 'configuration' });
  expect([await thief.accounts(), local.calls]).toEqual([[], []]);
});

describe('pages that do not end well', () => {
  const CUT: Step = { kind: 'failed', reason: 'rows-cut' };
  const many = (count: number) => Array.from({ length: count }, (_, index) => playedRow({ amount: index + 1 }));
  const later = (kind: BankErrorKind) => () => {
    local.onRead = ({ wanted }) => (wanted?.cursor === '200' ? fail(kind) : undefined);
  };

  const WAIT = expect.objectContaining({ kind: 'wait' }) as Step;
  test.each<[string, number, () => void, Step, number]>([
    ['a cursor that comes again', 300, () => (local.turnPage = (page) => ({ ...page, cursor: '100' })), CUT, 200],
    ['a cursor that is refused', 300, later('away'), CUT, 200],
    ['a later page for which the bank wants time', 300, later('wait'), WAIT, 200],
    ['more than 10,000 rows', 10_050, () => (local.pageSize = 4_000), CUT, 10_000],
    ['pages without rows that never end', 0, () => endless(), CUT, 0],
    ['a page that lacks something', 50, () => (local.turnPage = (page) => ({ ...page, complete: false })), CUT, 50],
  ])('%s: what came stays, and the next sync begins at the same day', async (_what, count, play, step, stored) => {
    const { connect, rows } = await person();
    local.accountList = [playedAccount({ rows: many(count) })];
    const connection_id = await connect();
    play();
    expect((await syncs.sync(connection_id)).at(-1)).toEqual(step);
    expect((await lastSync(connection_id))[0]).toBe('partial');
    expect(await rows()).toHaveLength(stored);
    Object.assign(local, { onRead: () => undefined, turnPage: (page: never) => page, pageSize: 9_000 });
    await sql.run('update bank_connections set read_wait_until = null where connection_id = $1', [connection_id]);
    await syncs.sync(connection_id);
    expect(new Set(asked()).size).toBe(1);
    expect(await rows()).toHaveLength(Math.min(count, 10_000));
  });

  function endless() {
    let page = 0;
    local.turnPage = (empty) => ({ ...empty, cursor: `more-${(page += 1)}` });
  }
});

describe('what the bank says about one account', () => {
  test.each<[BankErrorKind, string, unknown[]]>([
    ['range', 'failed', ['partial', 'account-error', 1, 0]],
    ['configuration', 'stopped', ['failed', 'configuration', 0, 0]],
    ['not-final', 'not-final', ['partial', 'not-final', 1, 0]],
  ])('%s leaves its figures as they were, and ends the others only if they cannot go on', async (kind, step, end) => {
    const { connect, accounts } = await person();
    const [bad, good] = [playedAccount(), playedAccount({ rows: [playedRow()] })];
    local.accountList = [bad, good];
    const connection_id = await connect();
    local.onRead = ({ ref, call }) => (ref === bad.ref && call === 'balance' ? fail(kind) : undefined);
    const steps = await syncs.sync(connection_id);
    expect(steps[1]!.kind).toBe(step);
    expect(await lastSync(connection_id)).toEqual(end);
    expect((await accounts())[0]).toMatchObject({ balance: null, as_of: null, read_through: null });
  });

  test('an account that is closed, or is listed no more, stays with its history and without figures, until it is back', async () => {
    const { connect, accounts, rows } = await person();
    const [first, second] = [playedAccount({ rows: [playedRow()] }), playedAccount({ rows: [playedRow()] })];
    const gone = { balance: null, available: null, credit_line: null, as_of: null };
    const there = { balance: 100_000, gone_at: null };
    local.accountList = [first, second];
    const connection_id = await connect();
    await syncs.sync(connection_id);
    local.onRead = ({ ref }) => (ref === first.ref ? fail('account-gone') : undefined);
    await syncs.sync(connection_id);
    expect(await accounts()).toMatchObject([gone, there]);
    // The next sync, which is requested at once, asks for the list.
    for (const shown of [[second], [first]]) {
      Object.assign(local, { accountList: shown, onRead: () => undefined });
      await syncs.run(connection_id);
      expect(await accounts()).toMatchObject(shown[0] === first ? [there, gone] : [gone, there]);
      await authorise(services, banks, connection_id, { consentRef: 'consent-again' });
      await syncs.request(connection_id);
    }
    expect([(await accounts()).length, (await rows()).length]).toEqual([2, 2]);
  });
});

test('a bank that wants time is not asked before, and whoever asks learns when', async () => {
  const { connect } = await person();
  local.accountList = [playedAccount(), playedAccount()];
  const connection_id = await connect();
  await syncs.sync(connection_id);
  const until = new Date('2026-11-29T15:00:00Z');
  local.onRead = () => fail('wait', until);
  const before = local.calls.length;
  await syncs.sync(connection_id);
  expect(local.calls).toHaveLength(before + 1);
  expect(await lastSync(connection_id)).toEqual(['failed', 'bank-wait', 0, 0]);
  expect(await syncs.request(connection_id)).toEqual({ kind: 'limited', retryAt: until });
  await at('2026-11-29T15:00:01Z');
  expect(await syncs.request(connection_id)).toEqual({ kind: 'requested' });
});

describe('the limits of a day', () => {
  const limited = { kind: 'limited', retryAt: expect.any(Date) as Date };
  const connectionWithOne = async () => {
    local.traits = { ...local.traits, unattendedPerDay: 4 };
    local.accountList = [playedAccount()];
    return (await person()).connect();
  };

  test('leave half of the reads to the schedule, and do not count those of the person', async () => {
    const connection_id = await connectionWithOne();
    const present: unknown[] = [];
    local.onRead = ({ access }) => void present.push(access.present?.ip);
    for (const requestedBy of ['request', 'schedule', 'person'] as const) {
      await syncs.sync(connection_id, { requestedBy });
      await syncs.sync(connection_id, { requestedBy });
      if (requestedBy !== 'person') expect(await syncs.request(connection_id, { requestedBy })).toEqual(limited);
    }
    expect(present.filter(Boolean)).toEqual(Array.from({ length: 4 }, () => '203.0.113.9'));
    await sql.run(`update bank_reads set read_at = read_at - interval '1 day'`);
    expect(await syncs.request(connection_id)).toEqual({ kind: 'requested' });
  });

  test('let a person be there twenty times, and after that count them like anybody', async () => {
    const connection_id = await connectionWithOne();
    for (let round = 0; round < 22; round += 1) await syncs.sync(connection_id, { requestedBy: 'person' });
    expect(await syncs.request(connection_id, { requestedBy: 'person' })).toEqual(limited);
    const counted = await sql.many(
      `select requested_by, count(*)::int from bank_reads r join bank_account_links l using (account_id)
        where l.connection_id = $1 group by 1 order by 1`,
      [connection_id],
    );
    expect(counted).toEqual([
      { requested_by: 'person', count: 20 },
      { requested_by: 'request', count: 2 },
    ]);
  });

  test('tell the bank nothing of a person who may have left', async () => {
    const connection_id = await connectionWithOne();
    const present: unknown[] = [];
    local.onRead = ({ access }) => void present.push(access.present);
    await syncs.request(connection_id, { requestedBy: 'person' });
    await sql.run(`update bank_syncs set requested_at = now() - interval '6 minutes'`);
    await syncs.run(connection_id);
    expect(new Set(present)).toEqual(new Set([null]));
  });

  test('hold against forty requests at once, which make one sync', async () => {
    const connection_id = await connectionWithOne();
    const results = await Promise.all(Array.from({ length: 40 }, () => syncs.request(connection_id)));
    expect(results.filter(({ kind }) => kind === 'requested')).toHaveLength(1);
    const messages = `select kind from outbox_messages where workflow_id = $1 and kind = 'bank.sync'`;
    expect(await sql.many(messages, [connection_id])).toHaveLength(1);
  });
});

test.each([
  ['2026-03-28T23:59:59Z', '2026-03-28'],
  ['2026-03-29T23:00:00Z', '2026-03-30'],
  ['2026-10-26T00:00:00Z', '2026-10-26'],
])('at %s a read goes up to %s, the day in London', async (instant, today) => {
  const { connect } = await person();
  local.accountList = [playedAccount()];
  const connection_id = await connect();
  await at(instant);
  await sql.run(`update bank_connections set reconfirm_by = '2099-01-01' where connection_id = $1`, [connection_id]);
  await syncs.sync(connection_id);
  expect(asked()[0]!.split(' ')[1]).toBe(today);
});

test('a sync that is killed in any step, and begins anew, stores and counts everything once', async () => {
  const { connect, rows } = await person();
  const account = playedAccount({ rows: Array.from({ length: 5 }, (_, index) => playedRow({ amount: index + 1 })) });
  local.accountList = [account, playedAccount({ rows: [playedRow()] })];
  local.pageSize = 2;
  const connection_id = await connect();
  await syncs.request(connection_id);
  // The list; the list and figures; then three pages, and figures and one page.
  for (const call of [1, 2, 2, 3, 4, 5, 6]) {
    let left = call;
    local.onRead = () => {
      if ((left -= 1) === 0) throw new Error('killed');
    };
    await expect(syncs.run(connection_id)).rejects.toThrow('killed');
  }
  local.onRead = () => undefined;
  const { sync_id } = (await syncs.openSync({ connection_id }))!;
  const ref = { connection_id, sync_id };
  for (const account_id of await syncs.accountsToRead(ref)) {
    // The worker dies after the commit, so the step comes again.
    await readAccount(services, { ...ref, account_id });
    await readAccount(services, { ...ref, account_id });
  }
  const end = { ...ref, lists: false, reasons: [], wait_until: null };
  await syncs.finishSync(end);
  await syncs.finishSync({ ...end, reasons: ['bank-away'] });
  expect(await lastSync(connection_id)).toEqual(['complete', null, 6, 0]);
  expect(await rows()).toHaveLength(6);
  const reads = await sql.many('select * from bank_reads where sync_id = $1', [sync_id]);
  expect(reads).toHaveLength(2);
});

test.each([
  ['bank_transactions', ['amount = amount + 1', 'booked_on = booked_on + 1', `owner_id = ''`, `account_id = ''`]],
  ['bank_accounts', [`owner_id = ''`, `currency = 'EUR'`, `kind = 'card'`]],
])('the database refuses that %s change what they say', async (table, changes) => {
  const { connect } = await person();
  local.accountList = [playedAccount({ rows: [playedRow()] })];
  await syncs.sync(await connect());
  for (const change of changes) await expect(sql.run(`update ${table} set ${change}`)).rejects.toThrow('cannot change');
});
