import { standingSplitActivities } from '../../../activities/payday/standing-split.ts';
import type { Principal } from '../../../domain/auth.ts';
import type { StandingEntryRequest, StandingSplit } from '../../../openapi/types.ts';
import { accountsOf, allocationsOf, signInOf } from '../../helpers/activities.ts';
import { HERE } from '../../helpers/here.ts';
import { mailedToken } from '../../helpers/mail.ts';
import { anyKey, fund, userOf } from '../../helpers/money.ts';
import { sqlOf } from '../../helpers/oauth.ts';
import { BACK, codeOf, IN_FLIGHT, newOwner, withPayments } from '../../helpers/paying.ts';
import { RENT, RENT_BILL, storeBill, storeSplit } from '../../helpers/payday.ts';

const { services, pay, payments } = withPayments();
const splits = standingSplitActivities(services);
const auth = accountsOf(services);
const sql = sqlOf(services);
const COUNCIL = { ...RENT_BILL, type: 'Council', provider_id: 'prov_sandbox_slow', pay_on: 5 } as const;
const FOOD = { type: 'Food', amount: 20_000, category: 'DISCRETIONARY' } as const;

const read = (user_id: string) => splits.readStandingSplit({ user_id });
const kept = ({ obligations }: StandingSplit) => obligations.map(({ set_by: _, pays_from: __, ...entry }) => entry);
const set = (owner: string, obligations: StandingEntryRequest[], more: object = {}) =>
  storeSplit(services, owner, obligations, more);
const drop = (user_id: string, more: object = {}) =>
  splits.deleteStandingSplit({ user_id, principal: userOf(user_id), ...more });
const EVENTS = `select kind || ' ' || actor || ' ' || data as line from audit_events where subject = $1 order by seq`;
const auditOf = async (subject: string) =>
  (await sql.many<{ line: string }>(EVENTS, [subject])).map(({ line }) => line);
const AUTHORS = `select type, set_by, family_id from standing_entries where owner_id = $1 and dropped_at is null order by position`;
const authors = (owner: string) => sql.many(AUTHORS, [owner]);

/** A standing split whose rent a payday has ordered: scheduled for the first of December. */
async function scheduled(month = '2026-12-01') {
  const owner = newOwner();
  const split = await set(owner, [RENT_BILL, FOOD]);
  const payment = await pay({ owner, ...(month > '2026-11-30' && { execute_on: month }) });
  const [rent, food] = kept(split);
  await storeBill(services, owner, { entry_id: rent!.entry_id, payment_id: payment.payment_id, month });
  return { ...payment, owner, rent: rent!, food: food!, status: async () => (await payment.read()).status };
}

describe('a change', () => {
  test('keeps entries by their ids, in the new order, and drops those that are left out', async () => {
    const owner = newOwner();
    const bill = { ...RENT_BILL, reference: ' FLAT 4 ', pay_amount: 50_000 };
    const first = await set(owner, [bill, FOOD, RENT], { buffer_rate: '0.05' });
    const entry_id = expect.any(String) as string;
    expect(first).toMatchObject({ user_id: owner, version: 1, paused: false, buffer_rate: '0.05', set_by: owner });
    expect(first.obligations[0]).toEqual({ ...bill, reference: 'FLAT 4', entry_id, set_by: owner });
    const [rent, food, more] = kept(first);
    const second = await set(owner, [food!, COUNCIL, { ...rent!, pay_on: 'on_arrival' }]);
    expect(kept(second)).toEqual([food, { ...COUNCIL, entry_id }, { ...rent, pay_on: 'on_arrival' }]);
    expect(second).toEqual(await read(owner));
    expect([second.version, second.buffer_rate]).toEqual([2, undefined]);
    expect(await codeOf(set(owner, [more!]))).toBe('unknown-entry');
    expect(await auditOf(owner)).toEqual([
      `standing-split.set ${owner} {"paused": false, "changed": 3, "dropped": 0, "entries": 3, "version": 1, "payments_cancelled": 0}`,
      `standing-split.set ${owner} {"paused": false, "changed": 2, "dropped": 1, "entries": 3, "version": 2, "payments_cancelled": 0}`,
    ]);
  });

  test('with the id of another owner’s entry is refused, and changes nothing', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    const theirs = kept(await set(other, [RENT_BILL]));
    const before = await set(owner, [FOOD]);
    expect(await codeOf(set(owner, theirs))).toBe('unknown-entry');
    expect([await read(owner), kept(await read(other))]).toEqual([before, theirs]);
  });

  test('of forty with the same version, one succeeds', async () => {
    const owner = newOwner();
    const { version } = await set(owner, [FOOD]);
    const all = Array.from({ length: 40 }, () => codeOf(set(owner, [RENT], { versions: [version] })));
    const outcomes = (await Promise.all(all)).toSorted();
    expect(outcomes).toEqual(['done', ...Array<string>(39).fill('precondition-failed')]);
    expect(await read(owner)).toMatchObject({ version: 2, obligations: [{ type: 'Rent' }] });
  });

  test('gives what it changes the authority of its caller, and nothing else', async () => {
    const owner = newOwner();
    const [rent, food] = kept(await set(owner, [RENT_BILL, FOOD]));
    await set(owner, [food!, { ...rent!, pay_amount: 1 }, COUNCIL], { principal: anyKey });
    const byKey = { set_by: 'key_test', family_id: null };
    expect(await authors(owner)).toEqual([
      { type: 'Food', set_by: owner, family_id: 'fam_test' },
      { type: 'Rent', ...byKey },
      { type: 'Council', ...byKey },
    ]);
    expect((await read(owner)).obligations.map(({ set_by }) => set_by)).toEqual([owner, 'key_test', 'key_test']);
  });

  test('may name only payees of its caller, of the owner or of all; those of unchanged entries are not looked at again', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    const payee = { name: 'Landlord', category: 'HOUSING', sort_code: '200000', account_number: '55779911' } as const;
    const payeeOf = async (principal: Principal) => (await payments.addProvider({ principal, ...payee })).provider_id;
    const [mine, theirs, ofKey] = [await payeeOf(userOf(owner)), await payeeOf(userOf(other)), await payeeOf(anyKey)];
    for (const provider_id of [theirs, ofKey, 'prov_nowhere'])
      expect(await codeOf(set(owner, [{ ...RENT_BILL, provider_id }]))).toBe('unknown-provider');
    const bills = [ofKey, mine].map((provider_id) => ({ ...RENT_BILL, provider_id }));
    const [keys, own] = kept(await set(owner, bills, { principal: anyKey }));
    expect(await codeOf(set(owner, [{ ...keys!, amount: 1 }, own!]))).toBe('unknown-provider');
    await payments.removeProvider({ principal: userOf(owner), provider_id: mine });
    expect(kept(await set(owner, [own!, keys!, FOOD]))).toMatchObject([own!, keys!, FOOD]);
    expect(await codeOf(set(owner, [{ ...own!, amount: 1 }]))).toBe('unknown-provider');
  });
});

describe('a bill that was paid this month', () => {
  test('starts next month if it is dropped and put again, and so is paid once', async () => {
    const { owner, status, rent, food } = await scheduled('2026-11-01');
    await set(owner, [food]);
    const [, again] = (await set(owner, [food, RENT_BILL])).obligations;
    expect(again).toMatchObject({ type: 'Rent', pays_from: '2026-12-01' });
    expect(again!.entry_id).not.toBe(rent.entry_id);
    await drop(owner);
    const [anew, other] = (await set(owner, [RENT_BILL, COUNCIL])).obligations;
    expect([anew!.pays_from, other!.pays_from]).toEqual(['2026-12-01', undefined]);
    expect(await status()).toBe('processing');
  });

  test('starts next month for another payee with the same account too, and for a payment on arrival', async () => {
    const owner = newOwner();
    const account = { name: 'Landlord', category: 'HOUSING', sort_code: '200000', account_number: '55779912' } as const;
    const { provider_id } = await payments.addProvider({ principal: userOf(owner), ...account });
    const same = await payments.addProvider({ principal: userOf(owner), ...account });
    const [bill] = kept(await set(owner, [{ ...RENT_BILL, provider_id, pay_on: 'on_arrival' }]));
    const { payment_id } = await pay({ owner, provider_id });
    await storeBill(services, owner, { entry_id: bill!.entry_id, payment_id, month: null });
    const { obligations } = await set(owner, [bill!, { ...RENT_BILL, provider_id: same.provider_id }]);
    expect(obligations.map(({ pays_from }) => pays_from)).toEqual([undefined, '2026-12-01']);
  });

  test('keeps its start if another field changes, and a cancelled payment does not count', async () => {
    const { owner, cancel } = await scheduled();
    const [waiting] = (await set(owner, [RENT_BILL])).obligations;
    expect(waiting!.pays_from).toBe('2027-01-01');
    const { set_by: _, pays_from: __, ...entry } = waiting!;
    expect((await set(owner, [{ ...entry, amount: 1 }])).obligations[0]!.pays_from).toBe('2027-01-01');
    await cancel(userOf(owner));
    expect((await set(owner, [{ ...entry, pay_on: 2 }])).obligations[0]!.pays_from).toBeUndefined();
  });
});

describe('a scheduled payment', () => {
  test('stays if everything is sent again without ids, and its bill then starts after it', async () => {
    const { owner, status, balances } = await scheduled();
    const { obligations } = await set(owner, [FOOD, { ...RENT_BILL, amount: 50_000 }]);
    expect(obligations.map(({ pays_from }) => pays_from)).toEqual([undefined, '2027-01-01']);
    expect(await status()).toBe('pending');
    expect(await balances()).toMatchObject(IN_FLIGHT);
  });

  test.each<[string, (of: Awaited<ReturnType<typeof scheduled>>) => Promise<unknown>]>([
    ['its entry is dropped', ({ owner, food }) => set(owner, [food, COUNCIL])],
    ['its entry pays nobody more', ({ owner, food, rent }) => set(owner, [food, { ...RENT, entry_id: rent.entry_id }])],
    ['the standing split is deleted', ({ owner }) => drop(owner)],
    [
      'the last entry of its payee is dropped, though not the first',
      async ({ owner }) => {
        await set(owner, [RENT_BILL]);
        await set(owner, []);
      },
    ],
  ])('is cancelled, and its money back in the vault, if %s', async (_what, change) => {
    const of = await scheduled();
    const other = await scheduled();
    await change(of);
    expect([await of.status(), await other.status()]).toEqual(['cancelled', 'pending']);
    expect(await of.balances()).toMatchObject(BACK);
    expect((await auditOf(of.owner)).at(-1)).toContain('"payments_cancelled": 1');
  });

  test('stays, if it is in doubt since a restore, and the change is made', async () => {
    const { owner, status } = await scheduled();
    await sql.run(`update payments set doubted_by = 'rst_1' where owner_id = $1`, [owner]);
    await drop(owner);
    expect(await status()).toBe('pending');
  });

  test('that is cancelled for another payee leaves its month to that payee', async () => {
    const { owner, status, rent } = await scheduled();
    await set(owner, [{ ...rent, provider_id: 'prov_sandbox_slow' }]);
    expect(await status()).toBe('cancelled');
    expect(await sql.many('select month from payday_bills where owner_id = $1', [owner])).toEqual([{ month: null }]);
  });
});

describe('another name of an entry', () => {
  const { listVaults, renameVault } = allocationsOf(services);
  const labels = async (user_id: string) =>
    (await listVaults({ user_id })).vaults.map(({ label, balance }) => `${label} ${balance}`);
  const named = async (label: string, owner = newOwner()) => {
    const { vaultId: vault_id } = await fund(services, owner, 1_000);
    await renameVault({ principal: userOf(owner), vault_id, label });
    return { owner, vault_id };
  };

  test('renames its vault, with what was set aside', async () => {
    const { owner, vault_id } = await named('Rent');
    const [rent] = kept(await set(owner, [RENT_BILL]));
    await set(owner, [{ ...rent!, type: 'Flat' }]);
    expect(await labels(owner)).toEqual(['Flat 1000']);
    expect((await auditOf(vault_id)).at(-1)).toContain(`allocations.vault-renamed ${owner} `);
  });

  test('leaves the vaults as they are if one of that name is open', async () => {
    const { owner } = await named('Flat');
    await named('Rent', owner);
    const [rent] = kept(await set(owner, [RENT_BILL]));
    await set(owner, [{ ...rent!, type: 'Flat' }]);
    expect((await labels(owner)).toSorted()).toEqual(['Flat 1000', 'Rent 1000']);
  });
});

describe('who takes the account over, or changes its password', () => {
  const PASSWORD = 'seven green lanterns';
  const signIn = signInOf(services);
  let people = 0;
  async function person(isProved: boolean) {
    const email = `splitting-${(people += 1)}@example.org`;
    const { user_id } = await auth.registerUser({ email, password: PASSWORD });
    if (isProved) await sql.run('update users set email_verified_at = now() where user_id = $1', [user_id]);
    await set(user_id, [RENT_BILL]);
    const { access_token } = await auth.login({ email, password: PASSWORD, from: HERE });
    return { email, user_id, principal: await auth.authenticate({ token: access_token }) };
  }
  const reset = async (email: string) => {
    await signIn.requestPasswordReset({ email });
    await signIn.resetPassword({ token: await mailedToken(services, email), password: 'nine quiet harbours' });
  };

  test('a change and a reset of the password pause it, and the person resumes it', async () => {
    const { email, user_id, principal } = await person(true);
    await signIn.changePassword({ principal, current_password: PASSWORD, password: 'nine quiet lanterns', from: HERE });
    const paused = await read(user_id);
    expect(paused).toMatchObject({ paused: true, version: 2, set_by: user_id, obligations: [{ type: 'Rent' }] });
    expect(await set(user_id, kept(paused))).toMatchObject({ paused: false, version: 3 });
    for (let round = 0; round < 2; round += 1) await reset(email);
    expect((await auditOf(user_id)).filter((line) => line.startsWith('standing-split.paused'))).toEqual([
      `standing-split.paused ${user_id} {"reason": "password-changed", "version": 2}`,
      `standing-split.paused ${user_id} {"reason": "password-reset", "version": 4}`,
    ]);
  });

  test('the first proof of the address without the password ends it', async () => {
    const { email, user_id } = await person(false);
    await reset(email);
    expect(await codeOf(read(user_id))).toBe('not-found');
    expect(await authors(user_id)).toEqual([]);
  });
});

test('a deletion of nothing creates no owner, and matches no version', async () => {
  const owner = newOwner();
  await drop(owner);
  expect(await codeOf(drop(owner, { versions: 'any' }))).toBe('precondition-failed');
  expect(await codeOf(set(owner, [FOOD], { versions: [1] }))).toBe('precondition-failed');
  expect(await sql.many('select 1 from owners where owner_id = $1', [owner])).toEqual([]);
});
