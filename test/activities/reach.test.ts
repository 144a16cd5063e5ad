import { attemptInReach, recordsOf } from '../../activities/reach.ts';
import { lockPayment } from '../../activities/payments/record.ts';
import type { Principal, Scope } from '../../domain/auth.ts';
import { LOGIN_SCOPES } from '../../domain/auth.ts';
import { accountsOf, allocationsOf, credentialsOf, paymentsOf, vaultOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { endFamilies } from '../../infra/db/queries/sign-in.ts';
import { payBill } from '../helpers/credential.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, balancesOf, fund } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { outcomeOf } from '../helpers/refusal.ts';

const bank = playedBank();
const services = withDatabase({ bank });
const auth = accountsOf(services);

let owners = 0;
const newOwner = () => `employee-${(owners += 1)}`;

async function keyOf(app_id: string, scopes: readonly Scope[] = ['write:payments']): Promise<Principal> {
  const { key } = await auth.issueApiKey({ app_id, scopes });
  return auth.authenticate({ token: key });
}
const application = async () => (await auth.createApplication({ name: 'Test' })).app_id;
const codeOf = async (work: Promise<unknown>) => (await outcomeOf(work)).code;

async function pay(principal: Principal, owner: string, more: { execute_on?: string } = {}) {
  const { allocationId: vault_allocation_id } = await fund(services, owner, 1_000);
  const bill = { vault_allocation_id, amount: 1_000, currency: 'GBP', provider_id: 'prov_sandbox_instant', ...more };
  return paymentsOf(services).executePayment({ principal, ...bill });
}

describe('an owner who was unbound when a key named them, and is another application’s when it writes', () => {
  const asNew = (owner: string) => ({ ownerId: owner, appId: 'app_late' });
  const writes: Record<string, (owner: string, vaultId: string) => Promise<unknown>> = {
    allocate: (user_id) =>
      allocationsOf(services).allocate({ user_id, vault_type: 'SAVINGS', amount: 1, newOwner: asNew(user_id) }),
    withdraw: (user_id, vault_id) =>
      allocationsOf(services).withdraw({ user_id, vault_id, amount: 1, newOwner: asNew(user_id) }),
    transfer: (user_id, from_vault_id) =>
      allocationsOf(services).transferBetweenVaults({
        ...{ user_id, from_vault_id, to_vault_type: 'SAVINGS', amount: 1 },
        newOwner: asNew(user_id),
      }),
    async generate(user_id) {
      const payer = newOwner();
      await paymentsOf(services).ensureSandboxPayees();
      await payBill(services, bank, { owner: payer });
      const { prepareCredential, beginCredential } = credentialsOf(services);
      const rated = await prepareCredential({ user_id: payer });
      return beginCredential({ principal: anyKey, user_id, newOwner: asNew(user_id) }, rated);
    },
  };

  test.each(Object.entries(writes))('keeps their money where it is: %s is refused', async (_what, write) => {
    const owner = newOwner();
    const { vaultId } = await fund(services, owner, 1_000);
    await services.db.run(textQuery('test.bindFirst', 'select owner_bind($1, $2)')(owner, 'app_first'));
    const before = await balancesOf(services, owner);
    expect(await codeOf(write(owner, vaultId))).toBe('owner-of-another-application');
    expect(await balancesOf(services, owner)).toEqual(before);
  });
});

describe('a record of the PII vault that names no application', () => {
  test('belongs to none if the service stored it for a person', async () => {
    const { user_id } = await auth.registerUser({ email: 'ours@example.org', password: 'a long enough passphrase' });
    const emailOf = textQuery<{ email_ref: string }>('test.emailOf', 'select email_ref from users where user_id = $1');
    const { email_ref: vault_ref } = await services.db.one(emailOf(user_id));
    const principal = await keyOf(await application());
    const vault = vaultOf(services);
    expect(await codeOf(vault.getVaultRecord({ principal, vault_ref }))).toBe('not-found');
    const operators = { ...principal, scopes: ['admin:owners'] } as Principal;
    expect(await codeOf(vault.getVaultRecord({ principal: operators, vault_ref }))).toBe('done');
  });

  test('is not accessible to a user', () => {
    expect(recordsOf({ kind: 'user', userId: 'usr_1', familyId: 'fam_1', clientId: null, scopes: [] })).toBe('usr_1');
  });
});

describe('an attempt at a payment', () => {
  const later = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const granted = async (userId: string, app_id: string, scopes: readonly Scope[]) => {
    const redirect_uris = ['https://app.example.org/callback'];
    const app = { app_id, name: 'Test', redirect_uris, scopes: LOGIN_SCOPES, public: true };
    const { client_id } = await auth.createClient(app);
    const grant = { user_id: userId, client_id, session_hash: null, scopes };
    return (await auth.beginFamily(grant, new Date())).familyId;
  };
  const inReach = (payment_id: string, attempt = 1) =>
    services.db.transaction(async (tx) =>
      attemptInReach({ ...(await lockPayment(tx, payment_id, new Date())), attempt }, services),
    );
  const person = async () =>
    (await auth.registerUser({ email: `${newOwner()}@example.org`, password: 'a long enough passphrase' })).user_id;

  test('of the person is allowed', async () => {
    const userId = await person();
    const principal: Principal = { kind: 'user', userId, familyId: 'fam_test', clientId: null, scopes: LOGIN_SCOPES };
    const { payment_id } = await pay(principal, userId, { execute_on: later });
    expect(await inReach(payment_id)).toBe(true);
  });

  test('of a key is allowed while the person’s grant is active and covers payments', async () => {
    const userId = await person();
    const app = await application();
    const { payment_id } = await pay(await keyOf(app), userId, { execute_on: later });
    const within = () => inReach(payment_id);
    expect(await within()).toBe(false);
    await granted(userId, app, ['read:payments']);
    expect(await within()).toBe(false);
    const family = await granted(userId, app, ['write:payments']);
    expect(await within()).toBe(true);
    await services.db.run(endFamilies({ family_id: family }, new Date(), 'test'));
    expect(await within()).toBe(false);
  });

  test('of a key is allowed while the owner belongs to its application', async () => {
    const [owner, app] = [newOwner(), await application()];
    const { payment_id } = await pay(await keyOf(app), owner, { execute_on: later });
    const within = () => inReach(payment_id);
    const bind = textQuery('test.bind', 'select owner_bind($1, $2)');
    await services.db.run(bind(owner, app));
    expect(await within()).toBe(true);
    const assign = textQuery('test.assign', 'update owner_applications set app_id = $2 where owner_id = $1');
    await services.db.run(assign(owner, await application()));
    expect(await within()).toBe(false);
  });

  test('of a revoked key is not allowed, even if somebody inserts the key again', async () => {
    const principal = await keyOf(await application(), ['write:payments', 'admin:owners']);
    if (principal.kind === 'user') throw new Error('not a key');
    const { payment_id } = await pay(principal, newOwner(), { execute_on: later });
    await auth.revokeApiKey({ key_id: principal.keyId });
    const columns = 'app_id, lineage, scopes, environment, created_at, mac, mac_version';
    const again = `insert into api_keys (key_id, secret_hash, ${columns}) select 'key_' || $1, $1, ${columns} from api_keys where key_id = $1`;
    await services.db.run(textQuery('test.again', again)(principal.keyId));
    expect(await inReach(payment_id)).toBe(false);
  });

  test('of a key with admin:owners is allowed', async () => {
    const principal = await keyOf(await application(), ['write:payments', 'admin:owners']);
    const { payment_id } = await pay(principal, newOwner(), { execute_on: later });
    expect(await inReach(payment_id)).toBe(true);
  });
});
