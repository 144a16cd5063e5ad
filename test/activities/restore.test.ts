import { setTimeout as sleep } from 'node:timers/promises';
import { renameProvider } from '../../activities/payments/payee-changes.ts';
import { payeeAccount } from '../../activities/payments/payees.ts';
import { retryPaymentByOperator } from '../../activities/payments/retry.ts';
import { beginRestore } from '../../activities/restore/begin.ts';
import { compareRestore } from '../../activities/restore/compare.ts';
import { confirmKeys, finishRestore, type TakenAwayList } from '../../activities/restore/finish.ts';
import { listRestored } from '../../activities/restore/dismiss.ts';
import { explainDebit } from '../../activities/restore/debits.ts';
import { settleDoubt } from '../../activities/restore/settle.ts';
import type { Principal } from '../../domain/auth.ts';
import { BORN_IN_DOUBT } from '../../domain/restore/doubt.ts';
import type { TakenAwayKind } from '../../infra/db/entities/restore.ts';
import { instructionIds } from '../../infra/bank/obie-4.0/identifiers.ts';
import { payeeById } from '../../infra/db/queries/payees.ts';
import { forgetPasswords } from '../../infra/db/queries/restore-steps.ts';
import { raiseCounter } from '../../infra/db/queries/witness.ts';
import { takenAwaySubject } from '../../infra/witness/taken-away.ts';
import { accountsOf, vaultOf } from '../helpers/activities.ts';
import { adminOf } from '../helpers/admin.ts';
import { HERE } from '../helpers/here.ts';
import { anyKey, userOf } from '../helpers/money.ts';
import { EXAMPLES } from '../helpers/pii.ts';
import { newClient, sqlOf } from '../helpers/oauth.ts';
import { AMOUNT, codeOf, newOwner, IN_FLIGHT, PAID, withPayments } from '../helpers/paying.ts';

const { bank, clock, services, payments, pay } = withPayments();
const auth = accountsOf(services);
const vault = vaultOf(services);
const sql = sqlOf(services);
const operated = () => ({ ...services, operator: 'operator:test' });
const listOf = (...rows: (readonly [TakenAwayKind, string])[]): TakenAwayList => ({
  whole: true,
  lines: (async function* () {
    for (const [kind, id] of rows) yield { kind, subject: takenAwaySubject(services.keys, id) };
  })(),
});

const begin = () => beginRestore(operated(), { backupAt: new Date('2020-01-01T00:00:00Z') });
const compare = (...statements: Parameters<typeof compareRestore>[1]) => compareRestore(operated(), statements);
const settle = (payment_id: string, as: 'sent' | 'not-sent') =>
  settleDoubt(operated(), { payment_id, as, reason: 'seen on the statement', actor: 'operator:test' });
const finish = async (list: TakenAwayList | null = listOf()) => {
  await compare();
  return finishRestore(operated(), { readList: async () => list, witnessed: async () => 7 });
};
const scheduled = () => order({ execute_on: '2026-11-25' });

let familyId = '';
/** As people sign in again: what has ended stays so. */
async function signInAgain(): Promise<void> {
  familyId = services.newId('fam');
  const values = `($1, 'usr_any', '{}', now(), now() + interval '1 day')`;
  await sql.run(`insert into token_families (family_id, user_id, scopes, created_at, expires_at) values ${values}`, [
    familyId,
  ]);
}
const asUser = (userId: string) => ({ ...userOf(userId), familyId }) as Principal;
const order = ({ owner = newOwner(), ...more }: Parameters<typeof pay>[0] = {}) =>
  pay({ owner, principal: asUser(owner), ...more });
beforeEach(signInAgain);
afterEach(async () => {
  const { in_doubt } = await compare().catch(() => ({ in_doubt: [] }));
  for (const { payment_id } of in_doubt) await settle(payment_id, 'sent');
  await finish().catch(() => undefined);
  await sql.run(`update restore_debits set explained_at = now(), explained_by = 'o' where explained_at is null`, []);
});

describe('an open payment after a restore', () => {
  test('is neither sent, cancelled, retried, resolved nor given back, whatever the bank says but that it paid', async () => {
    const [sent, waiting] = [await order(), await scheduled()];
    await sent.submitTo('timeout');
    const failed = await order();
    await failed.submitTo('refused AM04');
    expect(await begin()).toMatchObject({ payments_in_doubt: 2 });
    expect(await begin()).toMatchObject({ payments_in_doubt: 2 });
    for (const one of [sent, waiting]) {
      const calls = [one.submit(), one.cancel(), one.retry()];
      expect(await Promise.all(calls.map(codeOf))).toEqual(['restoring', 'payment-in-doubt', 'payment-not-failed']);
      expect(await one.resolve('failed')).toBe('payment-in-doubt');
      await one.tell('RJCT AC04');
      expect((await one.read()).status).toBe(one === sent ? 'processing' : 'pending');
    }
    const stolen = sql.run(`update payments set status = 'processing' where payment_id = $1`, [waiting.payment_id]);
    await expect(stolen).rejects.toThrow('in doubt since a restore');
    expect([sent.sent(), waiting.sent()]).toEqual([1, 0]);
    expect(await codeOf(finish())).toBe('invalid-request');
    for (const one of [sent, waiting]) await one.tell('ACSC');
    expect(await waiting.timeline()).toEqual(['pending', 'processing', 'completed']);
    expect([await sent.balances(), await waiting.balances()]).toMatchObject([PAID, PAID]);
  });

  test('is completed if it was sent, and otherwise sent once, as the same attempt', async () => {
    const [sent, unsent, waiting] = [await order(), await order(), await scheduled()];
    for (const one of [sent, unsent]) await one.submitTo('timeout');
    await begin();
    expect(await settle(sent.payment_id, 'sent')).toMatchObject({ status: 'completed' });
    expect(await codeOf(settle(sent.payment_id, 'sent'))).toBe('invalid-request');
    for (const one of [unsent, waiting]) await settle(one.payment_id, 'not-sent');
    expect([await unsent.told(), await waiting.told()]).toEqual([['processing'], ['pending']]);
    expect(await unsent.balances()).toMatchObject(IN_FLIGHT);
    expect(await codeOf(unsent.submit())).toBe('restoring');
    await finish();
    clock.set('2026-11-25T09:00:00Z');
    for (const one of [unsent, waiting]) expect(await one.submitTo('ACSC')).toMatchObject({ status: 'completed' });
    expect(bank.submitted.slice(-2).map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(await waiting.balances()).toMatchObject(PAID);
    expect(await waiting.audited()).toContain('restore.settled');
  });

  test('that had failed is retried only by an operator, because a retry might be lost', async () => {
    const failed = await order();
    await failed.submitTo('refused AM04');
    await begin();
    await finish();
    await signInAgain();
    expect(await codeOf(failed.retry())).toBe('payment-not-retryable');
    const { payment_id } = failed;
    expect(
      await retryPaymentByOperator(services, { payment_id, reason: 'not on the statement', actor: 'o' }),
    ).toMatchObject({ attempt: 2 });
    const later = await order();
    clock.set('2026-11-21T13:00:00Z');
    await later.submitTo('refused AM04');
    expect(await codeOf(later.retry())).toBe('done');
  });
});

describe('comparing', () => {
  const entry = (texts: string[], amount = -AMOUNT) => ({ amount, bookedOn: '2026-11-21', texts, bankReference: 'B1' });

  test('completes what the bank or a statement shows, and leaves all else in doubt', async () => {
    const [known, retried] = [await order(), await order()];
    await known.submitTo('ACSP');
    await retried.submitTo('refused AM04');
    const [byId, byWords, byReferenceOnly, absent, cameBack] = [
      await scheduled(),
      await order({ reference: 'RENT NOV' }),
      await order({ reference: 'GAS NOV' }),
      await order({ reference: 'WATER' }),
      await order(),
    ];
    bank.says = { status: 'RJCT', reason: null, returned: null };
    await begin();
    const { endToEndId } = instructionIds(byId.payment_id, 3);
    const lost = 'pay_0197f1a0-1111-7222-8333-444455556666';
    const payee = await services.db.one(payeeById('prov_sandbox_instant'));
    const { name } = await payeeAccount(services, payee);
    const entries = [
      ...[entry([`FPS ${endToEndId}`]), entry([name.toUpperCase(), 'Rent Nov'])],
      ...[entry(['GAS NOV']), entry(['WATER', name], AMOUNT), entry([instructionIds(lost, 1).endToEndId], -5)],
      ...[-AMOUNT, AMOUNT].map((amount) => entry([instructionIds(cameBack.payment_id, 1).endToEndId], amount)),
      entry([instructionIds(retried.payment_id, 2).endToEndId]),
    ];
    const compared = await compare({ accounts: [], entries });
    const idsOf = (rows: readonly { payment_id: string }[]) => rows.map(({ payment_id }) => payment_id).toSorted();
    expect(idsOf(compared.completed)).toEqual(idsOf([byId, byWords]));
    expect(idsOf(compared.in_doubt)).toEqual(expect.arrayContaining(idsOf([known, byReferenceOnly, absent, cameBack])));
    const unexplained = {
      debit_id: expect.stringMatching(/^deb_/) as string,
      booked_on: '2026-11-21',
      bank_reference: 'B1',
    };
    expect(compared.unexplained).toEqual([
      { ...unexplained, amount: AMOUNT, payment_id: null },
      { ...unexplained, amount: 5, payment_id: lost },
      { ...unexplained, amount: AMOUNT, payment_id: retried.payment_id },
    ]);
    expect((await absent.read()).status).toBe('processing');
    bank.says = { status: 'ACSC', reason: null, returned: null };
    expect(idsOf((await compare()).completed)).toEqual([known.payment_id]);
  });
});

test('a statement from after a payment says nothing of it, so its words explain no debit of a lost one', async () => {
  const paid = await order({ reference: 'RATES DEC' });
  await paid.submitTo('ACSC');
  await begin();
  const { name } = await payeeAccount(services, await services.db.one(payeeById('prov_sandbox_instant')));
  const on = (bookedOn: string) => ({ amount: -AMOUNT, bookedOn, texts: ['RATES DEC', name], bankReference: null });
  const left = async (...days: string[]) => {
    const { unexplained } = await compare({ accounts: [], entries: days.map(on) });
    return unexplained.map(({ booked_on }) => booked_on);
  };
  expect(await left('2026-11-23')).toEqual(['2026-11-23']);
  expect(await left('2026-11-21')).toEqual([]);
});

test('a lost payment that is ordered again is not sent, but in doubt, until an operator has explained its debit', async () => {
  await begin();
  const none = { readList: async () => listOf(), witnessed: async () => 7 };
  expect(await codeOf(finishRestore(operated(), none))).toBe('invalid-request');
  const entry = { amount: -AMOUNT, bookedOn: '2026-11-21', texts: ['RENT'], bankReference: null };
  const statement = { accounts: [], entries: [entry, entry] };
  const [one, other] = (await compare(statement)).unexplained.map(({ debit_id }) => debit_id);
  expect(await finish()).toMatchObject({ debits_unexplained: 2 });
  await signInAgain();
  const [again, unlike, later] = [await order(), await order({ amount: AMOUNT - 1 }), await scheduled()];
  expect(await again.submit()).toMatchObject({ outcome: 'unavailable' });
  expect([await again.listed(), again.sent()]).toEqual([['restored'], 0]);
  expect([await unlike.listed(), await later.listed()]).toEqual([[], ['restored']]);
  expect((await later.read()).timeline).toMatchObject([{ status: 'pending', detail: BORN_IN_DOUBT }]);
  clock.set('2026-11-25T09:00:00Z');
  expect(await later.submit()).toMatchObject({ outcome: 'unavailable' });
  clock.set('2026-11-21T12:00:00Z');
  expect(await settle(again.payment_id, 'sent')).toMatchObject({ status: 'completed' });
  expect([await again.balances(), await again.listed()]).toMatchObject([PAID, []]);

  const explain = (debit_id = '') => explainDebit(operated(), { debit_id, reason: 'it was repeated', actor: 'o' });
  await explain(one);
  expect(await codeOf(explain(one))).toBe('not-found');
  // The command can be the only place that still names them.
  expect((await listRestored(services)).debits).toEqual([{ debit_id: other, amount: AMOUNT, booked_on: '2026-11-21' }]);
  const second = await order();
  await second.submit();
  await settle(second.payment_id, 'not-sent');
  expect(await second.submitTo('ACSC')).toMatchObject({ status: 'completed' });
  await explain(other);
  expect(await (await order()).submitTo('ACSC')).toMatchObject({ status: 'completed' });
  await begin();
  expect((await compare(statement)).unexplained).toEqual([]);
});

test('finishing may take longer than a request, because it changes whole tables', async () => {
  await auth.registerUser({ email: 'slow@example.org', password: 'seven green lanterns' });
  await begin();
  await compare();
  const { reply } = adminOf(services, { DATABASE_TIMEOUT_MS: '1000' });
  const locked = services.db.transaction(async (tx) => {
    await tx.run(forgetPasswords('all'));
    await sleep(2_500);
    throw new Error('undone');
  });
  const [, done] = await Promise.all([locked.catch(() => undefined), reply('restore', 'finish')]);
  expect(done).toMatchObject({ list_whole: false });
});

test('the backup is not newer than what the database last wrote, whatever the operator says', async () => {
  await services.db.one(raiseCounter(0));
  const [{ raised } = { raised: '' }] = await sql.many<{ raised: string }>(
    'select raised_at as raised from witness',
    [],
  );
  clock.set('2099-01-01T00:00:00Z');
  const begun = await beginRestore(operated(), { backupAt: new Date(Date.now() + 60_000) });
  expect(new Date(begun.backup_at)).toEqual(new Date(raised));
  // The checkpoints that show a restore have real times, too.
  await compare();
  const real = { now: async () => new Date('2099-01-01T00:00:00Z'), real: async () => new Date() };
  const ending = { readList: async () => listOf(), witnessed: async () => 7 };
  await finishRestore({ ...operated(), clock: real }, ending);
  const text =
    'select ended_at <= clock_timestamp() as real, lost_until::text from restores order by begun_at desc limit 1';
  expect(await sql.many(text, [])).toEqual([{ real: true, lost_until: '2099-01-01' }]);
});

describe('access after a restore', () => {
  test('ends, and a key works again only when an operator confirms it', async () => {
    const email = 'restored@example.org';
    const { user_id } = await auth.registerUser({ email, password: 'seven green lanterns' });
    const { access_token } = await auth.login({ email, password: 'seven green lanterns', from: HERE });
    const { clientId } = await newClient(services);
    const [{ app_id } = { app_id: '' }] = await sql.many<{ app_id: string }>(
      'select app_id from oauth_clients where client_id = $1',
      [clientId],
    );
    const [one, other] = [await issue(app_id), await issue(app_id)];
    const works = (token: string) => codeOf(auth.authenticate({ token }));
    await begin();
    for (const token of [access_token, one.key, other.key]) expect(await works(token)).toBe('invalid-token');
    expect(await confirmKeys(operated(), { keyId: one.key_id })).toEqual({ key_ids: [one.key_id] });
    const done = await finish(listOf(['key', one.key_id], ['password', user_id]));
    expect(done).toMatchObject({ list_whole: true, taken_away_again: { key: 1, password: 1 }, payees_to_confirm: 0 });
    for (const { key } of [one, other]) expect(await works(key)).toBe('invalid-token');
    expect(await confirmKeys(operated(), { appId: app_id })).toEqual({ key_ids: [other.key_id] });
    expect([await works(one.key), await works(other.key)]).toEqual(['invalid-token', 'done']);
    expect(await codeOf(auth.login({ email, password: 'seven green lanterns', from: HERE }))).toBe(
      'invalid-credentials',
    );
  });

  const issue = (app_id: string) => auth.issueApiKey({ app_id, scopes: ['read:profile'] });

  const personWithPayee = async (email: string) => {
    const { user_id: userId } = await auth.registerUser({ email, password: 'seven green lanterns' });
    const account = { name: 'Elm Street Lettings', sort_code: '20-30-40', account_number: '12345678' };
    const principal = asUser(userId);
    const { provider_id } = await payments.addProvider({ principal, category: 'HOUSING', ...account });
    return { userId, principal, provider_id };
  };
  test('a payee, a person and personal data of the list are taken away again, and a payee whose account was erased', async () => {
    const { userId, provider_id } = await personWithPayee('listed@example.org');
    const renamed = await personWithPayee('renamed@example.org');
    const owner_id = 'listed-owner';
    const pii = { pii_type: 'payee_bank', owner_id, data: EXAMPLES.payee_bank } as const;
    const { vault_ref } = await vault.storeVaultRecord({ principal: anyKey, ...pii });
    const waiting = await order({ owner: userId, provider_id, execute_on: '2026-11-25', principal: asUser(userId) });
    await begin();
    await settle(waiting.payment_id, 'not-sent');
    const [{ bank_ref } = { bank_ref: '' }] = await sql.many<{ bank_ref: string }>(
      'select bank_ref from payees where provider_id = $1',
      [renamed.provider_id],
    );
    const list = listOf(
      ['pii', bank_ref],
      ['payee', provider_id],
      ['pii', vault_ref],
      ['user', userId],
      ['grant', 'fam_1'],
    );
    expect((await finish(list)).taken_away_again).toMatchObject({ payee: 1, pii: 2, user: 1 });
    const gone = 'select from payees where provider_id = $1 and removed_at is not null';
    expect(await sql.many(gone, [renamed.provider_id])).toHaveLength(1);
    expect(await waiting.read()).toMatchObject({ status: 'failed', failure: { code: 'account-disabled' } });
    const read = vault.getVaultRecord({ principal: anyKey, vault_ref });
    expect(await codeOf(read)).toBe('pii-erased');
  });

  test('a credential of the list is revoked again, and each revocation comes on the list', async () => {
    const columns = `owner_id, requested_by, categories, period_from, period_to, total_payments, missed_payments, on_time_rate,
      reliability_score, score_breakdown, months, list_id, list_index, created_at, issued_at, expires_at, kid, sd_jwt, bills, payees,
      months_covered, total_paid, payments_left_out`;
    await sql.run(
      `insert into credentials (credential_id, ${columns}) values ('cred_1', 'o', 'o', '{}', now(), now(), 1, 0, '1', 1,
      '[]', '[]', 1, 1, now(), now(), now(), 'k', 's', 1, 1, 1, 1, 0)`,
      [],
    );
    await begin();
    expect((await finish(listOf(['credential', 'cred_1']))).taken_away_again).toMatchObject({ credential: 1 });
    const both = `select from credentials c join taken_away t on t.subject = c.credential_id where c.revoked_at is not null`;
    expect(await sql.many(both, [])).toHaveLength(1);
  });

  test('without a whole list, every password is forgotten, and no payee is paid before the person confirms it', async () => {
    const { userId, principal, provider_id } = await personWithPayee('unlisted@example.org');
    const waiting = await order({ owner: userId, provider_id, execute_on: '2026-11-25', principal });
    await begin();
    await settle(waiting.payment_id, 'not-sent');
    const done = await finish(null);
    expect(done).toMatchObject({ list_whole: false });
    expect(done.passwords_forgotten).toBeGreaterThan(0);
    const hashes = await sql.many('select from users where password_hash is not null', []);
    expect(hashes).toEqual([]);
    await signInAgain();
    const again = () => codeOf(order({ owner: userId, provider_id }));
    expect(await again()).toBe('payee-unconfirmed');
    clock.set('2026-11-25T09:00:00Z');
    expect(await waiting.submit()).toMatchObject({ status: 'failed' });
    await renameProvider(services, { principal: asUser(userId), provider_id, name: 'Elm Street Lettings' });
    expect(await again()).toBe('done');
  });
});
