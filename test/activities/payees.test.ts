import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { vaultKeyActivities } from '../../activities/vault-keys.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import { credentialsOf, paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { payBill } from '../helpers/credential.ts';
import { openTestServices } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { anyKey, userOf } from '../helpers/money.ts';
import { newOwner, withPayments } from '../helpers/paying.ts';

const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `payees-${randomBytes(4).toString('hex')}.json`);
const { bank, clock, services, payments } = withPayments({ env: { MASTER_KEY_FILE } });
const credentials = credentialsOf(services);

const sql = <Row extends object>(text: string) =>
  services.db.many(textQuery<Row & Record<string, unknown>>(`test.payees ${text}`.slice(0, 60), text)());
const admin = (...args: string[]) =>
  runCommand(args, {
    RINGFENCE_DATA: testEnvironment().dir,
    MASTER_KEY_FILE,
    DATABASE_URL: services.config.database.url,
  });
const account = (account_number: string) =>
  ({ name: 'Northern Energy Ltd', category: 'UTILITIES', sort_code: '40-12-76', account_number }) as const;
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
    const { stdout, stderr, exitCode } = await admin('payee', 'confirm', payee.provider_id);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(JSON.parse(stdout)).toEqual({ ...payee, vouched_by: 'operator' });
    expect((await admin('payee', 'confirm', payee.provider_id)).exitCode).toBe(0);
    const events = `select actor, data from audit_events where kind = 'payee.confirmed' and subject = '${payee.provider_id}'`;
    expect(await sql(events)).toEqual([{ actor: 'operator', data: { vouched_by: 'operator' } }]);
    expect(await counts(owner)).toMatchObject({ bills: 1, payments_left_out: 0 });
  });

  test('stays the application if the operator confirms the payee too', async () => {
    const payee = await payments.addProvider({ principal: anyKey, ...account('89012345') });
    const { stdout } = await admin('payee', 'confirm', payee.provider_id);
    expect(JSON.parse(stdout)).toMatchObject({ vouched_by: 'application' });
  });
});
