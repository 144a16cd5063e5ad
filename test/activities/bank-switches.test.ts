import { withDatabase } from '../helpers/database.ts';
import { peopleOf, withSandboxBanks, type BankId } from '../helpers/bank-people.ts';

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
