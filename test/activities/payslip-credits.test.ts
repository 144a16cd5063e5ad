import { nameHash } from '../../activities/bank/identities.ts';
import { londonDateOf } from '../../domain/dates.ts';
import type { Reading } from '../../domain/legacy/reading.ts';
import { documentById } from '../../infra/db/queries/legacy.ts';
import { insertion } from '../../infra/db/query.ts';
import { documentsOf, paychecksOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { storeAccount, storeTransactions } from '../helpers/read-accounts.ts';
import { read, scriptedReader } from '../helpers/reading.ts';
import { fresh, keyOf, senders } from '../helpers/senders.ts';

/* The payslip of the scripted reader: £2,363.64 net on 20 November from Thistledown Bakery Ltd. */

const NET = 236_364;
const EMPLOYER = '  thistledown BAKERY  ltd';
const reader = scriptedReader();
const services = withDatabase({ reader });
const legacy = documentsOf(services);
const { run, rows, upload } = senders(services);
const KEY = keyOf('app_1');
const insertTransaction = insertion('test.insertTransaction', 'bank_transactions');
const insertOwnNumber = insertion('test.insertOwnNumber', 'own_account_numbers');

interface Booked {
  on?: string;
  amount?: number;
  payer?: string;
  account?: string;
  debtor?: string;
  owner?: string;
}

async function bookedFor(owner_id: string, { on = '20', amount = NET, payer, account, debtor, owner }: Booked) {
  const transaction_id = services.newId('txn');
  const identity = { bank_id: 'played-local', fingerprint: transaction_id, ordinal: 0, texts_sealed: '' };
  const payer_hash = nameHash(services, owner_id, payer ?? null);
  await services.db.run(
    insertTransaction({
      ...{ transaction_id, account_id: account ?? 'acct_1', owner_id: owner ?? owner_id, amount, ...identity },
      ...{ booked_on: `2026-11-${on}`, payer_hash, debtor_hash: debtor ?? null, created_at: new Date().toISOString() },
    }),
  );
  return transaction_id;
}

async function payslipOf(owner: string, changes: Partial<Reading> = {}): Promise<string> {
  reader.answer = async () => read(changes);
  const doc_id = await upload(KEY, owner);
  await legacy.readDocument({ doc_id });
  return doc_id;
}
const viewOf = async (doc_id: string) => legacy.getPayslip({ principal: KEY, doc_id });

test.each<[string, Booked[], number | null, Partial<Reading>?]>([
  ['five days before the pay date', [{ on: '15' }], 0],
  ['five days after it', [{ on: '25' }], 0],
  ['six days before it: none', [{ on: '14' }], null],
  ['six days after it: none', [{ on: '26' }], null],
  ['of a penny more or less: none', [{ amount: NET - 1 }, { amount: NET + 1 }], null],
  ['that is a debit: none', [{ amount: -NET }], null],
  ['of somebody else: none', [{ owner: 'usr_else' }], null],
  ['from the employer, before a nearer one', [{}, { on: '25', payer: EMPLOYER }], 1],
  ['of the nearer day, before one of another payer', [{ on: '17', payer: 'Others plc' }, { on: '22' }], 1],
  ['of the earlier day, if two are as near', [{ on: '22' }, { on: '18' }], 1],
  ['from an own account: none', [{ debtor: 'own' }], null],
  ['from another account', [{ debtor: 'other' }], 0],
  ['that left another account the day before: none', [{ amount: -NET, account: 'acct_2', on: '19' }, {}], null],
  ['that left another account two days before', [{ amount: -NET, account: 'acct_2', on: '18' }, {}], 1],
  ['whose amount left the same account that day', [{ amount: -NET }, {}], 1],
  ['of a P60: none', [{}], null, { document_type: 'p60' }],
  ['of a payslip without a pay date: none', [{}], null, { pay_date: null }],
])('the net pay is seen in a credit %s', async (_name, booked, found, changes = {}) => {
  const owner = fresh('usr_paid');
  await services.db.run(insertOwnNumber({ owner_id: owner, number_hash: 'own' }));
  const doc_id = await payslipOf(owner, changes);
  const before = await viewOf(doc_id);
  expect(before.document.net_pay_seen).toBeNull();
  const ids: string[] = [];
  for (const row of booked) ids.push(await bookedFor(owner, row));
  const after = await viewOf(doc_id);
  const payer_is_employer = found !== null && booked[found]!.payer === EMPLOYER;
  const net_pay_seen = found === null ? null : { transaction_id: ids[found], payer_is_employer };
  // No confidence, review, check or figure changes.
  expect(after.document).toEqual({ ...before.document, net_pay_seen });
  expect(after.etag === before.etag).toBe(found === null);
});

test('a payslip, forged or not, suggests that its net pay is a wage, and nothing runs on it', async () => {
  const owner = fresh('usr_paid');
  const today = londonDateOf(new Date());
  const account = await storeAccount(services, { ownerId: owner, connections: [] });
  await storeTransactions(services, account, [[today, NET, { counterparty: 'Aunt May' }]]);
  const wages = () =>
    rows<{ wage_id: string }>(
      'select wage_id, matched_by, status, confirmed_at, calculation_id from bank_wages where owner_id = $1',
      [owner],
    );
  const doc_id = await payslipOf(owner, { pay_date: { value: today, confidence: 0.99, page: 1 } });
  const suggested = { matched_by: 'payslip', status: 'suggested', confirmed_at: null, calculation_id: null };
  expect(await wages()).toMatchObject([suggested]);
  const income = { principal: KEY, employee_id: owner, obligations: [], wage_id: (await wages())[0]!.wage_id };
  const calculated = paychecksOf(services).calculatePaycheck(income);
  await expect(calculated).rejects.toMatchObject({ code: 'wage-not-confirmed', extra: { wage_status: 'suggested' } });
  // A try that stopped after the reading was stored.
  await run('delete from bank_wages where owner_id = $1', [owner]);
  for (const _ of [1, 2]) await legacy.readDocument({ doc_id });
  expect(await wages()).toMatchObject([suggested]);
  expect(await rows("select kind from outbox_messages where kind <> 'document.read'")).toEqual([]);
});

test('a credit that is no longer kept is not seen, and an erased payslip keeps no amount', async () => {
  const owner = fresh('usr_paid');
  const transaction_id = await bookedFor(owner, {});
  const doc_id = await payslipOf(owner);
  expect((await viewOf(doc_id)).document.net_pay_seen).toEqual({ transaction_id, payer_is_employer: false });
  await run('delete from bank_transactions where transaction_id = $1', [transaction_id]);
  expect((await viewOf(doc_id)).document.net_pay_seen).toBeNull();
  const paid = async () => {
    const { net_pay, pay_date } = await services.db.one(documentById(doc_id));
    return { net_pay, pay_date };
  };
  expect(await paid()).toEqual({ net_pay: NET, pay_date: '2026-11-20' });
  await legacy.deletePayslip({ principal: KEY, doc_id });
  expect(await paid()).toEqual({ net_pay: null, pay_date: null });
});
