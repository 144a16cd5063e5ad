import { setTimeout as sleep } from 'node:timers/promises';
import { confirmPayee } from '../../activities/payments/confirm-payee.ts';
import { getBacking } from '../../activities/bank/backing.ts';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { peopleOf, withSandboxBanks, type BankId, type Call } from '../helpers/bank-people.ts';
import { codeOf } from '../helpers/paying.ts';

/* The adapters, the steps of the journey and the steps of the sync, against the process of the sandbox bank. */

const at = withSandboxBanks();
const services = withDatabase({ banks: at.banks });
const newPerson = peopleOf(services, at);

const BASE = [-700, 300, 300, 900, 2_500];

/** Two credits are equal. */
async function customer() {
  const person = await newPerson();
  for (const amount of [2_500, 300, 300]) await person.credit(amount);
  await person.credit(-700, { reference: 'SHOP' });
  await person.credit(900, { account: 'savings' });
  return person;
}
const amounts = (rows: readonly { amount: number }[]) => rows.map(({ amount }) => amount).toSorted((a, b) => a - b);
const with_ = (...added: number[]) => [...BASE, ...added].toSorted((a, b) => a - b);

type Sync = [outcome: string, reason: string | null, refused: number];
const COMPLETE: Sync = ['complete', null, 0];
const refusing = (count: number): Sync => ['complete', null, count];

describe.each(['before the first read', 'after the first read'])('a switch that goes on %s', (when) => {
  test.each<[string, number[], Sync, Sync]>([
    ['no_stable_id', [], COMPLETE, COMPLETE],
    ['late_stable_id', [1_111], COMPLETE, COMPLETE],
    ['shuffle', [], COMPLETE, COMPLETE],
    ['same_twice', BASE, COMPLETE, COMPLETE],
    ['changed_row', [1_111], COMPLETE, refusing(1)],
    ['no_day', [], refusing(1), refusing(1)],
    ['exponent', [123_450, 123_450], COMPLETE, COMPLETE],
    ['float_trap', [], refusing(2), refusing(2)],
    ['credit_negative', [], refusing(1), refusing(1)],
    ['foreign_row', [], refusing(1), refusing(1)],
    ['positive_debit', [], COMPLETE, COMPLETE],
    ['failed_status', [], ['failed', 'not-final', 0], ['failed', 'not-final', 0]],
    ['account_error', [], ['partial', 'bank-away', 0], ['partial', 'bank-away', 0]],
    ['lost_refresh', [], COMPLETE, COMPLETE],
    ['pending_twin', [1_111], COMPLETE, COMPLETE],
    ['query_answer', [], COMPLETE, COMPLETE],
  ])('%s: each row is stored once, and each other is counted', async (name, added, first, second) => {
    const person = await customer();
    const { rows, sync, switchOn } = person;
    const on = { [name]: name === 'lost_refresh' ? 1 : true };
    if (when.startsWith('before')) await switchOn(on);
    const connection_id = await person.connect('sandbox-truelayer');
    if (when.startsWith('after')) {
      expect(await sync(connection_id)).toEqual(['complete', null, BASE.length, 0]);
      await switchOn(on);
    }
    const ids: string[][] = [];
    const told: unknown[] = [];
    for (const round of ['on', 'on', 'off', 'off']) {
      if (round === 'off') await switchOn({});
      const [outcome, reason, , refused] = await sync(connection_id);
      told.push([outcome, reason, refused]);
      ids.push((await rows()).map(({ transaction_id }) => transaction_id));
    }
    expect(told).toEqual([first, second, COMPLETE, COMPLETE]);
    expect(amounts(await rows())).toEqual(with_(...added));
    for (const before of ids) expect(ids.at(-1)!.slice(0, before.length)).toEqual(before);
    const [current] = await person.accounts(connection_id);
    expect(current).toMatchObject({ balance: 102_400, available: 152_400, credit_line: 50_000 });
  });
});

describe('what goes wrong on the way to the bank', () => {
  test('an error that belongs to no journey ends nothing, and the person begins again', async () => {
    const person = await customer();
    await person.switchOn({ error_without_state: true });
    const connection_id = await person.begin('sandbox-truelayer');
    await expect(person.authorise(connection_id)).rejects.toMatchObject({ code: 'unknown-bank-answer' });
    expect(await person.status(connection_id)).toBe('awaiting_authorisation');
    await person.switchOn({});
    await person.authorise(connection_id);
    await person.sync(connection_id);
    await person.switchOn({ error_without_state: true });
    await expect(person.reauthorise(connection_id)).rejects.toMatchObject({ code: 'unknown-bank-answer' });
    expect(await person.sync(connection_id)).toEqual(['complete', null, 0, 0]);
    expect([await person.status(connection_id), amounts(await person.rows())]).toEqual(['authorised', BASE]);
  });

  test.each<[string, object, 'complete' | 'bank-away' | 'reauthorisation-needed']>([
    ['a lost reply to a refresh', { lost_refresh: 1 }, 'complete'],
    ['two lost replies', { lost_refresh: 2 }, 'bank-away'],
    ['a consent that was revoked', {}, 'reauthorisation-needed'],
    ['a revoked consent that looks good', { stale_me: true }, 'bank-away'],
  ])('%s costs at most a new journey, and no row', async (what, switches, told) => {
    const person = await customer();
    const connection_id = await person.connect('sandbox-truelayer');
    await person.sync(connection_id);
    await person.switchOn(switches);
    const [consent] = await person.consentsAt();
    if (what.includes('consent')) await at.sandbox('POST', `consents/${consent.consent_id}/revoke`);
    await person.credit(77);
    const isGood = told === 'complete';
    expect(await person.sync(connection_id)).toEqual(isGood ? [told, null, 1, 0] : ['failed', told, 0, 0]);
    if (!isGood) {
      await person.lookAsAsked(connection_id);
      expect(await person.status(connection_id)).toBe('reauthorisation_needed');
      await person.reauthorise(connection_id);
      expect(await person.sync(connection_id)).toEqual(['complete', null, 1, 0]);
    }
    expect(amounts(await person.rows())).toEqual(with_(77));
  });

  test('a bank that goes back 90 days is read for 90 days', async () => {
    const person = await customer();
    const today = londonDateOf(new Date());
    for (const days of [80, 200]) await person.credit(days, { booked_on: addDays(today, -days) });
    await person.switchOn({ sca: true });
    const connection_id = await person.connect('sandbox-truelayer');
    expect(await person.sync(connection_id)).toEqual(['complete', null, BASE.length + 1, 0]);
    expect(amounts(await person.rows())).toEqual(with_(80));
  });
});

describe('accounts that the bank calls something else', () => {
  const [shared_number, masked_number, new_ids] = [true, true, true];
  test.each<[string, object[], object, boolean]>([
    ['new_ids', [{}], { new_ids }, true],
    ['shared_number, which ends', [{ shared_number }], {}, true],
    ['shared_number, which begins', [{}], { shared_number }, true],
    ['masked_number, which ends', [{ masked_number }], {}, true],
    ['masked_number, which begins', [{}], { masked_number }, true],
    ['shared_number with new_ids', [{ shared_number }], { shared_number, new_ids }, true],
    ['shared_number for a while, then new_ids', [{}, { shared_number }], { new_ids }, true],
    ['masked_number for a while, then new_ids', [{}, { masked_number }], { new_ids }, true],
    ['masked_number with new_ids', [{ masked_number }], { masked_number, new_ids }, false],
    ["another customer's accounts", [{}], {}, false],
  ])('%s: a new consent keeps their ids and history, or changes nothing', async (name, [first, more], then, isSame) => {
    const person = await customer();
    const other = name.includes('customer') ? await customer() : person;
    await person.switchOn(first!);
    const connection_id = await person.connect('sandbox-truelayer');
    await person.sync(connection_id);
    if (more) {
      await person.switchOn(more);
      await person.reauthorise(connection_id);
      await person.sync(connection_id);
    }
    const idsOf = async () => (await person.accounts(connection_id)).map(({ account_id }) => account_id);
    const [ids, rows] = [await idsOf(), await person.rows()];
    const [kept] = await person.consentsAt();
    await person.switchOn(then);
    await person.credit(77);
    const done = await person.reauthorise(connection_id, other.user_id);
    expect(done).toMatchObject(isSame ? { kind: 'authorised' } : { kind: 'failed', why: 'no-account-in-common' });
    await person.endConsents();
    const left = [...new Set([...(await person.consentsAt()), ...(await other.consentsAt())].map(consentId))];
    expect([left.length, left.includes(kept.consent_id)]).toEqual([1, !isSame]);
    expect(await person.sync(connection_id)).toEqual(['complete', null, 1, 0]);
    expect([ids.length, await idsOf()]).toEqual([4, ids]);
    expect((await person.rows()).slice(0, rows.length)).toEqual(rows);
    const isMasked = 'masked_number' in (isSame ? then : first!);
    const [current] = await person.accounts(connection_id);
    expect([current!.sort_code_masked === null, current!.account_number_masked === null]).toEqual([isMasked, isMasked]);
  });
});

test.each<[string, object, [own: boolean, confirmed: string]]>([
  ['no switch', {}, [true, 'payee-may-be-own']],
  ['shared_number', { shared_number: true }, [false, 'payee-may-be-own']],
  ['masked_number', { masked_number: true }, [false, 'done']],
])('with %s, a payee is own if the bank proves it, and what may be own gets nobody’s word', async (_name, on, then) => {
  const person = await customer();
  await person.switchOn(on);
  await person.sync(await person.connect('sandbox-truelayer'));
  const account = (await person.accountsAt()).find(({ kind }: { kind: string }) => kind === 'current');
  const { sort_code, account_number } = account;
  const payee = { principal: person.principal, name: 'Mine', category: 'OTHER', sort_code, account_number } as const;
  const { provider_id, own_account } = await paymentsOf(services).addProvider(payee);
  const confirmed = codeOf(confirmPayee(services, { provider_id, actor: 'operator' }));
  expect([own_account, await confirmed]).toEqual(then);
});

const consentId = ({ consent_id }: { consent_id: string }) => consent_id;

test('with all switches on, each row is stored once, and each other is counted', async () => {
  const all = 'no_stable_id late_stable_id shuffle same_twice changed_row no_day exponent float_trap credit_negative';
  const more =
    'foreign_row positive_debit sca account_error shared_number masked_number pending_twin query_answer new_ids';
  const on = Object.fromEntries([...all.split(' '), ...more.split(' ')].map((name) => [name, true]));
  const person = await customer();
  await person.switchOn({ ...on, throttle: 1, lost_refresh: 1, stale_me: true });
  const connection_id = await person.connect('sandbox-truelayer');
  expect(await person.sync(connection_id)).toEqual(['failed', 'bank-wait', 0, 0]);
  const calls = await person.callsAt();
  await person.sync(connection_id);
  expect([await person.rows(), await person.accounts(connection_id), await person.callsAt()]).toEqual([[], [], calls]);
  await sleep(2_100);
  const added = [1_111, 1_111, 1_111, 123_450, 123_450].flatMap((amount) => [amount, amount]);
  const current = BASE.filter((amount) => amount !== 900);
  const stored = [...current, ...current, ...added].toSorted((a, b) => a - b);
  expect(await person.sync(connection_id)).toEqual(['partial', 'bank-away', stored.length, 10]);
  for (const _again of [1, 2]) expect(await person.sync(connection_id)).toEqual(['partial', 'bank-away', 0, 12]);
  expect(amounts(await person.rows())).toEqual(stored);
  const before = await person.rows();
  await person.switchOn({});
  expect(await person.sync(connection_id)).toEqual(['complete', null, 1, 0]);
  expect(await person.rows()).toEqual([...before, expect.objectContaining({ amount: 900, kind: 'savings' })]);
});

describe.each<[BankId, BankId]>([
  ['sandbox', 'sandbox-truelayer'],
  ['sandbox-truelayer', 'sandbox'],
])('a person who connects %s, and then the same accounts by %s', (first, second) => {
  const read = (calls: Call[], bank: BankId) =>
    calls.filter(({ api, path }) => (api === 'truelayer-v1') === (bank !== 'sandbox') && path.includes('transactions'));

  test.each(['ends it', 'has it revoked at the bank'])(
    'has each once, and they go on over the other when the person %s',
    async (how) => {
      const person = await customer();
      const [older, younger] = [await person.connect(first), await person.connect(second)];
      await person.switchOn({ no_stable_id: true, shuffle: true });
      expect(await person.sync(older)).toEqual(['complete', null, BASE.length, 0]);
      expect(await person.sync(younger)).toEqual(['complete', null, 0, 0]);
      expect(read(await person.callsAt(), second)).toEqual([]);
      const shared = async (id: string) =>
        (await person.accounts(id)).filter(({ kind }) => kind !== 'card').map(({ account_id }) => account_id);
      const ids = await shared(older);
      expect([ids.length, await shared(younger)]).toEqual([3, ids]);
      const rows = await person.rows();
      const balance = async () => (await getBacking(services, person)).bank_balance;
      expect(await balance()).toBe(102_400 + 50_900);

      const [consent] = (await person.consentsAt()).filter(
        (one: { api: string }) => (one.api === 'truelayer-v1') === (first !== 'sandbox'),
      );
      if (how === 'ends it') await person.bank.disconnectBank({ connection_id: older, principal: person.principal });
      else await at.sandbox('POST', `consents/${consent.consent_id}/revoke`);
      await person.sync(older);
      expect(await person.status(older)).not.toBe('authorised');
      for (const amount of [300, 300, 41]) await person.credit(amount);
      expect(await person.sync(younger)).toEqual(['complete', null, 3, 0]);
      expect(await person.sync(younger)).toEqual(['complete', null, 0, 0]);
      expect((await person.rows()).slice(0, rows.length)).toEqual(rows);
      expect(amounts(await person.rows())).toEqual(with_(300, 300, 41));
      expect([await shared(younger), await balance()]).toEqual([ids, 102_400 + 50_900 + 641]);
      if ((await person.status(older)) !== 'reauthorisation_needed') return;
      const before = await person.rows();
      await person.reauthorise(older);
      await person.credit(43);
      expect(await person.sync(younger)).toEqual(['complete', null, 0, 0]);
      expect(await person.sync(older)).toEqual(['complete', null, 1, 0]);
      expect(await person.rows()).toEqual([...before, expect.objectContaining({ amount: 43 })]);
    },
  );
});

test.each<BankId>(['sandbox', 'sandbox-truelayer'])('by %s, a closed account and an overdrawn one', async (bank_id) => {
  const person = await customer();
  const connection_id = await person.connect(bank_id);
  await person.sync(connection_id);
  const rows = await person.rows();
  const savings = (await person.accountsAt()).find(({ kind }: { kind: string }) => kind === 'savings');
  await at.sandbox('POST', `accounts/${savings.account_id}/close`);
  await person.credit(-120_000);
  expect(await person.sync(connection_id)).toEqual(['complete', null, 1, 0]);
  expect(await person.accounts(connection_id)).toMatchObject([
    { kind: 'current', balance: -17_600, available: 32_400, credit_line: 50_000 },
    { kind: 'savings', balance: null, available: null, credit_line: null, as_of: null },
    {},
    ...(bank_id === 'sandbox' ? [] : [{}]),
  ]);
  expect((await person.rows()).slice(0, rows.length)).toEqual(rows);
  expect(await getBacking(services, person)).toMatchObject({ bank_balance: -17_600, shortfall: 17_600 });
});

test.each<BankId>(['sandbox', 'sandbox-truelayer'])(
  'a worker that is killed at any moment of a sync by %s costs no row and doubles none',
  async (bank_id) => {
    const person = await customer();
    const connection_id = await person.connect(bank_id);
    for (const moment of ['the list came', 'the rows came', 'the rows are being stored', 'an account is stored'])
      expect([moment, await at.killed('sync', services, connection_id, moment)]).toEqual([moment, 'SIGKILL']);
    expect(await person.sync(connection_id)).toEqual(['complete', null, BASE.length, 0]);
    expect(amounts(await person.rows())).toEqual(BASE);
    expect(await person.sync(connection_id)).toEqual(['complete', null, 0, 0]);
  },
);
