import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { vaultKeyActivities } from '../../activities/vault-keys.ts';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import { credentialsOf, paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { adminOf, OPERATOR_HERE } from '../helpers/admin.ts';
import { payBill } from '../helpers/credential.ts';
import { openTestServices } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { anyKey, storeAnyKey, userOf } from '../helpers/money.ts';
import { codeOf, newOwner, withPayments } from '../helpers/paying.ts';

const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `payees-${randomBytes(4).toString('hex')}.json`);
const { bank, clock, services, payments, pay } = withPayments({ env: { MASTER_KEY_FILE } });
const credentials = credentialsOf(services);

const sql = <Row extends object>(text: string, ...values: unknown[]) =>
  services.db.many(textQuery<Row & Record<string, unknown>>(`test.payees ${text}`.slice(0, 60), text)(...values));
const { reply } = adminOf(services, { MASTER_KEY_FILE });
beforeAll(() => storeAnyKey(services));
const account = (account_number: string) =>
  ({ name: 'Northern Energy Ltd', category: 'UTILITIES', sort_code: '40-12-76', account_number }) as const;
const recordsOf = (provider_id: string) =>
  sql<{ bank_ref: string; account_fingerprint: string }>(
    'select bank_ref, account_fingerprint from payees where provider_id = $1',
    provider_id,
  );
const isErased = async (vault_ref: string) =>
  (await sql('select sealed is null as erased from vault_records where vault_ref = $1', vault_ref))[0]!.erased;
const auditOf = (provider_id: string) =>
  sql('select kind, data from audit_events where subject = $1 order by seq', provider_id);
async function counts(user_id: string) {
  const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id });
  await credentials.issueCredential({ credential_id });
  const { reliability_score, bills, payees, payments_left_out } = await credentials.exportAsJson({ credential_id });
  return { reliability_score, bills, payees, payments_left_out };
}

describe('payees with one account', () => {
  test('count as one: a second payee with the same account adds no bill', async () => {
    const owner = newOwner();
    const one = await payments.addProvider({ principal: anyKey, ...account('12345678') });
    const same = { ...account('12345678'), name: 'Another Name', sort_code: '401276' };
    const two = await payments.addProvider({ principal: anyKey, ...same });
    await payBill(services, bank, { owner, payee: one.provider_id });
    const before = await counts(owner);
    await payBill(services, bank, { owner, payee: two.provider_id });
    expect(await counts(owner)).toEqual(before);
    expect(before).toEqual({ reliability_score: 142, bills: 1, payees: 1, payments_left_out: 0 });
  });

  test('count as one when the master key is rotated between them', async () => {
    const owner = newOwner();
    const one = await payments.addProvider({ principal: anyKey, ...account('23456789') });
    await payBill(services, bank, { owner, payee: one.provider_id });
    const vaultKeys = vaultKeyActivities(services);
    await vaultKeys.makeMasterKey({ from_version: (await vaultKeys.readMasterKey()).version });
    const after = await openTestServices(services.config.database.url, { clock, bank, env: { MASTER_KEY_FILE } });
    const two = await paymentsOf(after).addProvider({ principal: anyKey, ...account('23456789') });
    await after.close();
    await payBill(services, bank, { owner, payee: two.provider_id });
    expect(await counts(owner)).toMatchObject({ bills: 1, payees: 1 });
  });

  test('are compared by a fingerprint, which reveals neither sort code nor account number', async () => {
    await payments.addProvider({ principal: anyKey, ...account('56789012') });
    const rows = await sql<{ row: string }>('select payees::text as row from payees');
    for (const { row } of rows) expect(row).not.toMatch(/401276|56789012|Northern/);
    const prints = await sql<{ print: string }>('select account_fingerprint as print from payees');
    for (const { print } of prints) expect(print).toMatch(/^[\w-]{43}$/);
  });
});

describe('who vouches for a payee', () => {
  const NOT_VOUCHING = { ...anyKey, scopes: ['write:payments'] } as const;

  test('is shown: the sandbox for its own payees, an application with the right to vouch, else nobody', async () => {
    const vouched = async (principal: Parameters<typeof payments.addProvider>[0]['principal']) =>
      (await payments.addProvider({ principal, ...account('67890123') })).vouched_by;
    expect(await vouched(anyKey)).toBe('application');
    expect(await vouched(NOT_VOUCHING)).toBeNull();
    // A person's token cannot vouch for a payee, even with the scope.
    expect(await vouched(userOf('usr_1'))).toBeNull();
    const { items } = await payments.listProviders({ principal: userOf('usr_1'), limit: 50 });
    expect(items.map(({ provider_id, vouched_by }) => [provider_id.startsWith('prov_sandbox'), vouched_by])).toEqual([
      [false, null],
      ...Array.from(SANDBOX_PAYEES, () => [true, 'sandbox']),
    ]);
  });

  test("is the operator after a confirmation, which is audited once; then the payee's payments count", async () => {
    const owner = newOwner();
    const payee = await payments.addProvider({ principal: NOT_VOUCHING, ...account('78901234') });
    await payBill(services, bank, { owner, payee: payee.provider_id });
    await expect(counts(owner)).rejects.toMatchObject({
      code: 'no-payment-history',
      extra: { payments_left_out: 1 },
    });
    const confirmed = { ...payee, vouched_by: 'operator' };
    for (const _again of [1, 2]) expect(await reply('payee', 'confirm', payee.provider_id)).toEqual(confirmed);
    const events = `select actor, data from audit_events where kind = 'payee.confirmed' and subject = '${payee.provider_id}'`;
    expect(await sql(events)).toEqual([{ actor: OPERATOR_HERE, data: { vouched_by: 'operator' } }]);
    expect(await counts(owner)).toMatchObject({ bills: 1, payments_left_out: 0 });
  });

  test('stays the application if the operator confirms the payee too', async () => {
    const payee = await payments.addProvider({ principal: anyKey, ...account('89012345') });
    expect(await reply('payee', 'confirm', payee.provider_id)).toMatchObject({ vouched_by: 'application' });
  });
});

describe('a payee that is renamed', () => {
  test('keeps its account and who vouches for it; the old record is erased, and the audit log has no name', async () => {
    const before = await payments.addProvider({ principal: anyKey, ...account('11112222') });
    const { provider_id } = before;
    const [old] = await recordsOf(provider_id);
    const rename = () => payments.renameProvider({ principal: anyKey, provider_id, name: 'Southern Energy plc' });
    const renamed = { ...before, name: 'Southern Energy plc' };
    expect([await rename(), await rename()]).toEqual([renamed, renamed]);
    expect((await payments.listProviders({ principal: anyKey, limit: 100 })).items).toContainEqual(renamed);
    expect(await isErased(old!.bank_ref)).toBe(true);
    expect(await recordsOf(provider_id)).toMatchObject([{ account_fingerprint: old!.account_fingerprint }]);
    expect(await auditOf(provider_id)).toEqual([{ kind: 'payee.renamed', data: {} }]);
  });

  test('is paid by its new name, but never an order that the bank might have under the old one', async () => {
    const { provider_id } = await payments.addProvider({ principal: anyKey, ...account('22223333') });
    const name = 'Southern Energy plc';
    const rename = () => codeOf(payments.renameProvider({ principal: anyKey, provider_id, name }));
    const unclear = await pay({ principal: anyKey, provider_id });
    bank.answers = [{ kind: 'unknown', detail: 'timeout' }];
    await unclear.submit();
    expect(await rename()).toBe('payee-in-use');
    await unclear.submitTo('ACSC');
    const sent = await pay({ principal: anyKey, provider_id });
    expect(await rename()).toBe('done');
    await sent.submitTo('ACSC');
    expect(bank.submitted.map(({ payee }) => payee.name)).toEqual([...Array<string>(2).fill(account('').name), name]);
  });

  test('stays in every list that is read meanwhile, and the last name stays', async () => {
    const { provider_id } = await payments.addProvider({ principal: anyKey, ...account('33334444') });
    const list = async () => {
      const { items } = await payments.listProviders({ principal: anyKey, limit: 100 });
      return items.filter((payee) => payee.provider_id === provider_id).length;
    };
    const names = Array.from({ length: 10 }, (_, index) => `Name ${index}`);
    const [lists, renamed] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, list)),
      Promise.all(names.map((name) => payments.renameProvider({ principal: anyKey, provider_id, name }))),
    ]);
    expect([lists, renamed.map(({ name }) => name)]).toEqual([Array<number>(40).fill(1), names]);
    const open = `select count(*) as n from vault_records where pii_type = 'payee_bank' and sealed is not null`;
    expect(await sql(open)).toEqual(await sql('select count(*) as n from payees where removed_at is null'));
  });
});

describe('a payee that is removed', () => {
  const remove = (provider_id: string, principal = anyKey) => payments.removeProvider({ principal, provider_id });

  test('waits for its payments; then its bank details are erased, and nobody can pay it or try again', async () => {
    const { provider_id } = await payments.addProvider({ principal: anyKey, ...account('44445555') });
    const failed = await pay({ principal: anyKey, provider_id });
    await failed.submitTo('refused AM04');
    const scheduled = await pay({ principal: anyKey, provider_id, execute_on: '2026-12-01' });
    expect(await codeOf(remove(provider_id))).toBe('payee-in-use');
    await scheduled.cancel(anyKey);
    await Promise.all([remove(provider_id), remove(provider_id)]);
    await remove(provider_id);
    const { items } = await payments.listProviders({ principal: anyKey, limit: 100 });
    expect(items.map((payee) => payee.provider_id)).not.toContain(provider_id);
    expect(await codeOf(pay({ principal: anyKey, provider_id }))).toBe('unknown-provider');
    expect(await codeOf(failed.retry(anyKey))).toBe('unknown-provider');
    expect(await isErased((await recordsOf(provider_id))[0]!.bank_ref)).toBe(true);
    expect(await auditOf(provider_id)).toEqual([{ kind: 'payee.removed', data: {} }]);
  });

  test('while forty payments to it are ordered has none of them, or stays', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { provider_id } = await payments.addProvider({ principal: anyKey, ...account('55556666') });
      const orders = Array.from({ length: 40 }, () => codeOf(pay({ principal: anyKey, provider_id })));
      const [removed, ...paid] = await Promise.all([codeOf(remove(provider_id)), ...orders]);
      const ordered = await sql('select payment_id from payments where provider_id = $1', provider_id);
      expect(ordered).toHaveLength(paid.filter((code) => code === 'done').length);
      expect([removed, ordered.length]).toEqual(removed === 'done' ? ['done', 0] : ['payee-in-use', 40]);
    }
  });

  test.each(['of somebody else', 'of the sandbox'])(
    'or renamed must be the caller’s own, not one %s',
    async (whose) => {
      const theirs = await payments.addProvider({ principal: userOf('usr_2'), ...account('66667777') });
      const provider_id = whose === 'of the sandbox' ? 'prov_sandbox_slow' : theirs.provider_id;
      for (const principal of [anyKey, userOf('usr_1')]) {
        expect(await codeOf(remove(provider_id, principal))).toBe('not-found');
        expect(await codeOf(payments.renameProvider({ principal, provider_id, name: 'Mine' }))).toBe('not-found');
      }
    },
  );
});
