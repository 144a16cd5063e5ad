import { confirmPayee } from '../../activities/payments/confirm-payee.ts';
import { findPayeeTampering } from '../../activities/payments/payee-macs.ts';
import { findRecordTampering } from '../../activities/vault/record.ts';
import { credentialsOf, paymentsOf } from '../helpers/activities.ts';
import { connectionsOf } from '../helpers/connections.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { balancesOf, expectSoundLedger, fund } from '../helpers/money.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { BACK, codeOf, FUNDS, paymentOf } from '../helpers/paying.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { registerPerson } from '../helpers/proved.ts';

/* What somebody with the service's database role makes of payees. */

const [bank, clock] = [playedBank(), movableClock()];
const services = withDatabase({ bank, clock });
const [payments, sql] = [paymentsOf(services), sqlOf(services)];
afterEach(() => expectSoundLedger(services));

const reported = async (what: string) => {
  const { values } = await services.metrics.tampering.get();
  return values.find(({ labels }) => labels.what === what)!.value;
};

/** A person with money, whose payee is theirs, and a thief with a payee. */
async function victim() {
  const payeeOf = async (account_number: string) => {
    const { user_id, principal } = await registerPerson(services);
    const account = { name: 'Energy', category: 'UTILITIES', sort_code: '401276', account_number } as const;
    const { provider_id } = await payments.addProvider({ principal, ...account });
    return { user_id, principal, provider_id };
  };
  const [person, thief] = [await payeeOf('12345678'), await payeeOf('87654321')];
  const { allocationId: vault_allocation_id } = await fund(services, person.user_id, FUNDS);
  const order = {
    principal: person.principal,
    vault_allocation_id,
    currency: 'GBP',
    provider_id: person.provider_id,
  } as const;
  return { ...person, thief, pay: () => payments.executePayment({ ...order, amount: 5_000 }) };
}

type Victim = Awaited<ReturnType<typeof victim>>;

const SWAP = `update payees p set bank_ref = o.bank_ref from payees o
               where p.provider_id = any(array[$1, $2]) and o.provider_id = any(array[$1, $2]) and o.provider_id <> p.provider_id`;
const MAC_TOO = SWAP.replace('o.bank_ref', 'o.bank_ref, mac = o.mac');
const OWN_RECORD =
  'update payees p set bank_ref = o.bank_ref from payees o where p.provider_id = $1 and o.provider_id = $2';
const VOUCHED = `update payees set vouched_by = 'operator' where provider_id = any(array[$1, $2])`;
const OWN = `update payees set own_account_of = 'usr_1' where provider_id = any(array[$1, $2])`;
const OTHER_VERSION = 'update payees set mac_version = 2 where provider_id = any(array[$1, $2])';
const attack = (text: string, { provider_id, thief }: Victim) => sql.run(text, [provider_id, thief.provider_id]);

test.each([
  ['with the account of another', SWAP],
  ['with the account and the MAC of another', MAC_TOO],
  ['with a record of the thief', OWN_RECORD],
  ['that the thief vouches for', VOUCHED],
  ['that is said to be somebody’s own account', OWN],
  ['with a MAC of a version that does not exist', OTHER_VERSION],
])('a payee %s gets nothing, the money comes back, and an alert is raised', async (_what, text) => {
  const person = await victim();
  const payment = paymentOf(services, bank, (await person.pay()).payment_id);
  const before = await reported('payee');
  await attack(text, person);
  expect((await payment.submit()).status).toBe('failed');
  expect(await payment.read()).toMatchObject({ failure: { code: 'unknown-provider', retryable: false } });
  expect([payment.sent(), await balancesOf(services, person.user_id)]).toMatchObject([0, BACK]);
  expect(await reported('payee')).toBe(before + 1);
});

test('a payee of which the database says something else is not shown, renamed, confirmed or counted, and gets no consent', async () => {
  const person = await victim();
  const { principal, provider_id, user_id } = person;
  await paymentOf(services, bank, (await person.pay()).payment_id).submitTo('completed');
  await attack(VOUCHED, person);
  const limits = { per_payment: 1, per_month: 1 };
  const wanted = { user_id, bank_id: 'sandbox', kind: 'payments', provider_id, principal, limits } as const;
  const refused = await Promise.all(
    [
      payments.listProviders({ principal, limit: 5 }),
      payments.renameProvider({ principal, provider_id, name: 'New' }),
      confirmPayee(services, { provider_id, actor: 'operator' }),
      credentialsOf(services).beginCredential({ principal, user_id }),
      connectionsOf(services).connectBank(wanted),
    ].map(codeOf),
  );
  expect(refused).toEqual(refused.map(() => 'pii-damaged'));
});

test('all payees and records are compared page by page, and each that does not fit is found', async () => {
  const person = await victim();
  const scanned = async (find: typeof findPayeeTampering) => {
    const found: string[] = [];
    for (
      let after: string | undefined, page;
      page === undefined || after !== undefined;
      after = page.next ?? undefined
    ) {
      page = await find(services.db, services.keys, { after, limit: 2 });
      found.push(...page.faults.map(({ id }) => id));
    }
    return found;
  };
  const before = [await scanned(findPayeeTampering), await scanned(findRecordTampering)];
  await attack(OWN, person);
  const record = `update vault_records set app_id = 'app_thief' where owner_id = $1 and pii_type = 'payee_bank' returning vault_ref`;
  const [handed] = await sql.many<{ vault_ref: string }>(record, [person.user_id]);
  const now = [await scanned(findPayeeTampering), await scanned(findRecordTampering)];
  const added = now.map((found, index) => found.filter((id) => !before[index]!.includes(id)).toSorted());
  expect(added).toEqual([[person.provider_id, person.thief.provider_id].toSorted(), [handed!.vault_ref]]);
});
