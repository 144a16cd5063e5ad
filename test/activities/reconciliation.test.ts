import { openAccountSecret } from '../../activities/bank/accounts.ts';
import { acknowledgePayment, listPaymentsNeedingAttention, showPayment } from '../../activities/payments/attention.ts';
import { changePayment, lockPayment, markPayment } from '../../activities/payments/record.ts';
import { reconcileOwner } from '../../activities/reconciliation/reconcile.ts';
import { beginRestore } from '../../activities/restore/begin.ts';
import { compareRestore } from '../../activities/restore/compare.ts';
import { finishRestore } from '../../activities/restore/finish.ts';
import { settleDoubt } from '../../activities/restore/settle.ts';
import { reconcileByHand } from '../../programs/admin/reconcile.ts';
import type { PaymentStatus } from '../../domain/payments.ts';
import type { BankRow } from '../../infra/bank/interface.ts';
import { standing } from '../../infra/db/queries/watch.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { playedAccount, playedRow, withReaders } from '../helpers/bank-books.ts';
import { authorise } from '../helpers/connections.ts';
import { expectSoundLedger, fund } from '../helpers/money.ts';
import { storeTransactions } from '../helpers/read-accounts.ts';

afterEach(() => expectSoundLedger(services));
const { banks, bank, services, sql, syncs, at, local, person: newPerson } = withReaders();
const payments = paymentsOf(services);

/** The account that pays at played banks. */
const PAYING = { sortCode: '207106', accountNumber: '44417021' };
const AMOUNT = 40_000;
const TODAY = '2026-11-29';
const OVER = '2026-12-05T12:00:00Z';
const ENERGY = { counterparty: 'Energy', payer: null };

const booked = (more: Partial<BankRow> = {}) =>
  playedRow({ amount: -AMOUNT, bookedOn: TODAY, ...ENERGY, reference: 'FLAT 2  rent', ...more });
const back = (more: Partial<BankRow> = {}) => booked({ amount: AMOUNT, ...more });

/** A person who pays from the account that the other connection reads. */
async function payer(rows: BankRow[] = [], shown: object = PAYING) {
  const person = await newPerson();
  const { user_id, principal } = person;
  await sql.run('update users set email_verified_at = now() where user_id = $1', [user_id]);
  const account = { name: 'Energy', category: 'UTILITIES', sort_code: '401276', account_number: '12345678' } as const;
  const { provider_id } = await payments.addProvider({ principal, ...account });
  const { allocationId: vault_allocation_id } = await fund(services, user_id, 10 * AMOUNT);
  const limits = { per_payment: AMOUNT, per_month: 10 * AMOUNT };
  const wanted = { user_id, bank_id: 'played-local', kind: 'payments', provider_id, limits, principal } as const;
  const paying = (await bank.connectBank(wanted)).connection_id;
  await authorise(services, banks, paying);
  const main = playedAccount({ ...shown, rows });
  local.accountList = [main];
  const reading = await person.connect();
  const become = async (payment_id: string, ...steps: PaymentStatus[]) =>
    services.db.transaction(async (tx) => {
      const by = { detail: 'played', actor: 'bank', at: await services.clock.now(tx) };
      let payment = await lockPayment(tx, payment_id, by.at);
      for (const to of steps) payment = await changePayment(payment, services, { to, ...by });
    });
  const pay = async (reference: string | undefined = 'Flat 2 Rent', ...steps: PaymentStatus[]) => {
    const order = { principal, vault_allocation_id, amount: AMOUNT, currency: 'GBP', provider_id } as const;
    const { payment_id } = await payments.executePayment({ ...order, ...(reference && { reference }) });
    await become(payment_id, ...(steps.length > 0 ? steps : (['completed'] as const)));
    return payment_id;
  };
  const read = async (payment_id: string) => (await payments.getPayment({ payment_id })).payment;
  const stands = async (payment_id: string) => {
    const { attention, reconciliation } = await read(payment_id);
    const { payments: listed } = await listPaymentsNeedingAttention(services);
    const reason = listed.find((one) => one.payment_id === payment_id)?.reason;
    expect(reason !== undefined).toBe(attention);
    return reason === undefined ? reconciliation.status : `${reconciliation.status}, ${reason}`;
  };
  const matches = async () =>
    (await bank.listTransactions({ principal, limit: 50 })).items.map(({ matched }) => matched?.id);
  const audited = (payment_id: string) =>
    sql.many(`${AUDITED} and kind ~ 'attention|reconciled' order by seq`, [payment_id]);
  const stored = () => sql.many('select * from reconciliations where owner_id = $1 order by payment_id', [user_id]);
  const sync = () => syncs.sync(reading);
  const reconcile = () => reconcileOwner(services, user_id);
  return { ...person, main, reading, paying, become, pay, read, stands, matches, audited, stored, sync, reconcile };
}

const AUDITED = 'select kind, actor, data from audit_events where subject = $1';
const acknowledge = (payment_id: string) =>
  acknowledgePayment(services, { payment_id, reason: 'seen', actor: 'operator' });

test('a payment is found by its reference, in other case and spacing, and the same again changes nothing', async () => {
  const { pay, sync, read, stands, matches, audited, stored, reconcile } = await payer([booked(), playedRow()]);
  const payment_id = await pay();
  expect(await stands(payment_id)).toBe('not-applicable');
  await sync();
  const { reconciliation } = await read(payment_id);
  expect(reconciliation).toMatchObject({ status: 'matched', matched_at: '2026-11-29T12:00:00.000Z' });
  expect(await matches()).toEqual([payment_id, undefined]);
  expect(await showPayment(services, { payment_id })).toMatchObject({ reconciliation });
  const before = await stored();
  await at('2026-11-30T12:00:00Z');
  await sync();
  expect(await Promise.all([reconcile(), reconcile()])).toEqual(
    [1, 2].map(() => ({ checked: 1, matched: 1, missing: 0, unexplained_returns: 0 })),
  );
  expect([await stored(), await audited(payment_id), await stands(payment_id)]).toEqual([before, [], 'matched']);
  expect(JSON.stringify(before)).not.toMatch(/rent|energy/i);
});

test('a payment is missing only once the account was read after its days; found late, it needs nobody any more', async () => {
  const { main, pay, sync, stands, audited, reconcile } = await payer();
  const payment_id = await pay();
  await sync();
  await at(OVER);
  await reconcile();
  expect(await stands(payment_id)).toBe('pending');
  await sync();
  expect(await stands(payment_id)).toBe('missing, missing');
  expect((await services.db.one(standing(new Date()))).payments_missing).toBe(1);
  await acknowledge(payment_id);
  await sync();
  expect([await stands(payment_id), await reconcile()]).toMatchObject(['missing', { checked: 1, missing: 1 }]);
  const second = await pay();
  await at('2026-12-12T12:00:00Z');
  await sync();
  main.rows.push(booked({ bookedOn: '2026-12-09' }));
  await sync();
  expect([await stands(payment_id), await stands(second)]).toEqual(['missing', 'matched']);
  expect(await audited(second)).toMatchObject([
    { kind: 'payment.attention', actor: 'service', data: { problem: 'missing' } },
    { kind: 'payment.reconciled', actor: 'service', data: { problem: 'missing' } },
  ]);
});

test('two debits for one payment need an operator, and so does a second debit after the match', async () => {
  const { main, pay, sync, stands, matches } = await payer([booked(), booked()]);
  const one = await pay();
  await sync();
  expect([await stands(one), await matches()]).toEqual(['pending, ambiguous', [undefined, undefined]]);
  const two = await pay();
  await sync();
  expect([await stands(one), await stands(two)]).toEqual(['matched', 'matched']);
  main.rows.push(booked());
  await sync();
  expect([await stands(one), await stands(two)]).toEqual(['matched, ambiguous', 'matched, ambiguous']);
});

test('what the bank contradicts stays for an operator, whatever is found in its books', async () => {
  const { main, pay, sync, stands, become, audited } = await payer();
  const payment_id = await pay();
  await at(OVER);
  await sync();
  await services.db.transaction(async (tx) => {
    const now = await services.clock.now(tx);
    const marked = { attention: true, bankStatus: null, at: now, contradicted: 1 };
    await markPayment(await lockPayment(tx, payment_id, now), services, marked);
  });
  expect(await stands(payment_id)).toBe('missing, bank-contradicts');
  main.rows.push(booked({ bookedOn: '2026-12-02' }));
  await sync();
  expect([await stands(payment_id), await audited(payment_id)]).toMatchObject(['matched, bank-contradicts', [{}]]);
  await become(payment_id, 'returned');
});

test('a returned payment is matched with its credit too; without one, and if only the credit shows it, an operator is needed', async () => {
  const { main, pay, become, sync, stands, matches, reconcile } = await payer([booked(), back()]);
  const payment_id = await pay();
  await sync();
  expect(await stands(payment_id)).toBe('matched, unexplained-return');
  expect(await reconcile()).toEqual({ checked: 1, matched: 1, missing: 0, unexplained_returns: 1 });
  await become(payment_id, 'returned');
  await sync();
  expect([await stands(payment_id), await matches()]).toEqual(['matched', [payment_id, payment_id]]);
  main.rows.push(booked());
  const lost = await pay(undefined, 'completed', 'returned');
  await at(OVER);
  await sync();
  expect(await stands(lost)).toBe('matched, return-missing');
});

test('money that left another account of the person is no return', async () => {
  const { pay, sync, stands } = await payer([booked(), back()]);
  local.accountList.push(playedAccount({ kind: 'savings', rows: [booked()] }));
  const payment_id = await pay();
  await sync();
  expect(await stands(payment_id)).toBe('matched');
});

test('an account, or a debit, that comes back under another id costs no match and doubles none', async () => {
  const { main, pay, sync, stands, matches, paying, user_id } = await payer([booked()]);
  const payment_id = await pay();
  await sync();
  await sql.run('delete from bank_transactions where owner_id = $1', [user_id]);
  await sql.run('update bank_accounts set read_through = null where owner_id = $1', [user_id]);
  await sync();
  expect([await stands(payment_id), await matches()]).toEqual(['matched', [payment_id]]);
  const next = await pay();
  await sync();
  // The person pays from another account from now on.
  await sql.run(`update bank_connections set paying_number_hash = 'other' where connection_id = $1`, [paying]);
  main.rows.push(booked());
  await sync();
  expect(await stands(next)).toBe('matched');
});

test('only an account of the person that is read now is looked into, and only for a payment that moved money', async () => {
  const shown = async (...steps: PaymentStatus[]) => {
    const one = await payer([booked()]);
    const payment_id = await one.pay(undefined, ...steps);
    return { ...one, payment_id, status: () => one.stands(payment_id) };
  };
  const failed = await shown('failed');
  const gone = await shown();
  const read = await shown();
  for (const { sync } of [failed, read]) await sync();
  await bank.disconnectBank({ connection_id: gone.reading, principal: gone.principal });
  await gone.reconcile();
  const other = await payer([booked()], { sortCode: '401276', accountNumber: '10101010' });
  const elsewhere = await other.pay();
  await other.sync();
  expect([await failed.status(), await gone.status()]).toEqual(['not-applicable', 'not-applicable']);
  expect([await other.stands(elsewhere), await other.stored()]).toEqual(['not-applicable', []]);
  await bank.disconnectBank({ connection_id: read.reading, principal: read.principal });
  expect(await read.status()).toBe('matched');
});

test('operators run it at once for all owners, and the run is on record', async () => {
  const run = async () => Object.values(await reconcileByHand(services));
  const before = await run();
  for (const rows of [[booked()], []]) {
    const { pay, sync } = await payer(rows);
    await pay();
    await at(OVER);
    await sync();
    await at('2026-11-29T12:00:00Z');
  }
  const [checked, matched, missing, unexplained] = before as number[];
  expect(await run()).toEqual([checked! + 2, matched! + 1, missing! + 1, unexplained]);
  const { reconciliation_last_success_timestamp_seconds: last } = await services.db.one(standing(new Date()));
  expect(Date.now() / 1_000 - last!).toBeLessThan(60);
});

test('ten thousand debits of the amount are opened in parts, and the right one is found', async () => {
  const { pay, sync, accounts, reconcile, stands, stored, user_id: owner_id } = await payer();
  const payment_id = await pay();
  await sync();
  const [account] = await accounts();
  const { account_id } = account!;
  const secret = await openAccountSecret(services, account!);
  const texts = (n: number) => ({ ...ENERGY, reference: n === 5_000 ? 'FLAT 2 RENT' : `FLAT ${n} HEAT` });
  const rows = Array.from({ length: 10_000 }, (_, n) => [TODAY, -AMOUNT, texts(n)] as const);
  const ids = await storeTransactions(services, { account_id, owner_id, secret }, rows);
  let [turns, isOver] = [0, false];
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await reconcile();
  isOver = true;
  expect(await stands(payment_id)).toBe('matched');
  expect(await stored()).toMatchObject([{ transaction_id: ids[5_000] }]);
  // Other work ran between any two parts of 200.
  expect(turns).toBeGreaterThan(50);
});

test('after a restore, a payment in doubt is found in the account that pays, which is read anew, and only once', async () => {
  const { main, pay, sync, read } = await payer();
  const [found, other] = [await pay('Flat 2 Rent', 'pending'), await pay('Flat 2 Gas', 'pending')];
  await sync();
  const operated = { ...services, operator: 'operator:test' };
  await beginRestore(operated, { backupAt: new Date('2020-01-01T00:00:00Z') });
  main.rows.push(booked(), booked({ reference: 'WATER' }));
  await at('2026-11-30T12:00:00Z');
  const compared = await compareRestore(operated, []);
  expect(compared.completed).toEqual([{ payment_id: found, by: 'the account that pays' }]);
  expect([(await read(found)).status, (await read(other)).status]).toEqual(['completed', 'pending']);
  await settleDoubt(operated, { payment_id: other, as: 'sent', reason: 'x', actor: 'operator:test' });
  await finishRestore(operated, { readList: async () => null, witnessed: async () => undefined });
});
