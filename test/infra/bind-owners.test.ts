import { authActivities } from '../../activities/auth.ts';
import { paymentActivities } from '../../activities/payments/index.ts';
import { requireOwner } from '../../activities/reach.ts';
import type { Principal } from '../../domain/auth.ts';
import { textQuery } from '../helpers/text-query.ts';
import { bindOwners } from '../../infra/db/upgrade/bind-owners.ts';
import { withDatabase } from '../helpers/database.ts';
import { fund, userOf } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';

const services = withDatabase({ bank: playedBank() });
const auth = authActivities(services);
const payments = paymentActivities(services);

const bindings = textQuery<{ owner_id: string; app_id: string | null }>(
  'test.bindings',
  'select owner_id, app_id from owner_applications order by owner_id',
);

async function application(): Promise<{ app_id: string; key: Principal }> {
  const { app_id } = await auth.createApplication({ name: 'Test' });
  const { key } = await auth.issueApiKey({ app_id, scopes: ['write:payments'] });
  return { app_id, key: await auth.authenticate({ token: key }) };
}

// As the service did before it bound owners to applications.
async function paidBy(owner: string, callers: readonly Principal[]): Promise<void> {
  for (const principal of callers) {
    const { allocationId: vault_allocation_id } = await fund(services, owner, 1_000);
    const bill = { vault_allocation_id, amount: 100, currency: 'GBP', provider_id: 'prov_sandbox_instant' };
    await payments.executePayment({ principal, ...bill });
  }
}

const finish = () => services.db.transaction(() => bindOwners.run(services.db, {}));

describe('owners from before the binding', () => {
  let one: Awaited<ReturnType<typeof application>>;
  let other: Awaited<ReturnType<typeof application>>;

  beforeAll(async () => {
    await payments.ensureSandboxPayees();
    one = await application();
    other = await application();
    await paidBy('of-one', [one.key]);
    await paidBy('of-both', [one.key, other.key]);
    await fund(services, 'of-nobody', 1_000);
    await paidBy('usr_somebody', [userOf('usr_somebody')]);
    await payments.addProvider({
      principal: one.key,
      name: 'Northern Energy Ltd',
      category: 'UTILITIES',
      sort_code: '401276',
      account_number: '12345678',
    });
  });

  test('are bound to the only application that wrote for them; owners of several or none are listed, except people', async () => {
    expect(await finish()).toEqual({ bound: 1, without_application: 2, owners: ['of-both', 'of-nobody'] });
    expect(await services.db.many(bindings())).toEqual([
      { owner_id: 'of-both', app_id: null },
      { owner_id: 'of-nobody', app_id: null },
      { owner_id: 'of-one', app_id: one.app_id },
    ]);
  });

  test('stay the same when the step runs again, even if an operator assigned them meanwhile', async () => {
    await services.db.run(
      textQuery('test.assign', `update owner_applications set app_id = $1 where owner_id = 'of-both'`)(other.app_id),
    );
    expect(await finish()).toEqual({ bound: 0, without_application: 1, owners: ['of-nobody'] });
  });

  test('without an application are accessible only to keys with admin:owners', async () => {
    const named = { ownerId: 'of-nobody', scopes: ['write:payments'], doing: 'reads' } as const;
    await expect(requireOwner(services, { principal: one.key, ...named })).rejects.toMatchObject({
      code: 'owner-of-another-application',
    });
    const forAll = { ...one.key, scopes: ['write:payments', 'admin:owners'] } as Principal;
    await expect(requireOwner(services, { principal: forAll, ...named })).resolves.toBeUndefined();
  });
});
