import { LOGIN_SCOPES as SCOPES } from '../../domain/auth.ts';
import { accountsOf } from '../helpers/activities.ts';
import { adminOf, expectRefused, OPERATOR_HERE } from '../helpers/admin.ts';
import { HERE } from '../helpers/here.ts';
import { anyKey } from '../helpers/money.ts';
import { AMOUNT, FUNDS, newOwner, withPayments } from '../helpers/paying.ts';

const { services, payments, pay } = withPayments();
const auth = accountsOf(services);
const { admin, reply } = adminOf(services);

type Items = { items: Record<string, unknown>[] };
const EMAIL = 'ada.listed@example.org';
const at = expect.stringMatching(/^20\d\d-.*Z$/) as string;

describe('user list and user show', () => {
  const account = { created_at: at, email_verified: false, has_password: true, disabled_at: null };
  let user_id: string;
  beforeAll(async () => {
    ({ user_id } = await auth.registerUser({ email: EMAIL, password: 'seven green lanterns' }));
    await auth.login({ email: EMAIL, password: 'seven green lanterns', from: HERE });
  });

  test('show accounts without email addresses, also when found by one', async () => {
    expect((await reply<Items>('user', 'list', '--limit', '1')).items).toEqual([{ user_id, ...account }]);
    const none = { clients: [], providers: [], payments_pending: 0 };
    const found = { user_id, ...account, sessions: 0, sign_ins: 1, ...none };
    expect(await reply('user', 'show', user_id)).toEqual(found);
    expect(await reply('user', 'show', ` ${EMAIL.toUpperCase()}`)).toEqual(found);
    for (const unknown of ['usr_none', 'nobody@example.org'])
      expectRefused(await admin('user', 'show', unknown), 1, /^There is no such user\. The command "user list" /);
  });

  test('show whether an account is disabled, by whom and why, and the clients that have access', async () => {
    const { app_id } = await auth.createApplication({ name: 'Shop' });
    const client = { app_id, name: 'Page', redirect_uris: ['https://shop.example/'], scopes: SCOPES, public: true };
    const { client_id } = await auth.createClient(client);
    await auth.beginFamily({ user_id, client_id, session_hash: null, scopes: SCOPES }, new Date());
    expect(await reply('user', 'show', user_id)).toMatchObject({ clients: [client_id], sign_ins: 2 });
    const reason = ['--reason', 'reported as stolen'];
    const disabled = await reply('user', 'disable', user_id, ...reason);
    expect(disabled).toEqual({ user_id, disabled_at: at, sign_ins_ended: 2, payments_failed: 0 });
    const { disabled_at } = disabled;
    expect(await reply('user', 'show', user_id)).toMatchObject({ disabled_at, sign_ins: 0, clients: [] });
    expect((await reply<Items>('user', 'list', '--disabled')).items).toMatchObject([{ user_id, disabled_at }]);
    const { items } = await reply<Items>('audit', 'list', '--subject', user_id, '--kind', 'user.disabled');
    const data = { sign_ins_ended: 2, payments_failed: 0, reason: 'reported as stolen' };
    expect(items).toMatchObject([{ kind: 'user.disabled', subject: user_id, actor: OPERATOR_HERE, data }]);
    expect(await reply('user', 'enable', user_id)).toEqual({ user_id, disabled_at: null });
    expect(await reply('user', 'list', '--disabled')).toEqual({ items: [] });
  });
});

test('payment show tells attempts and timeline of a payment, and not its reference', async () => {
  const payment = await pay({ owner: newOwner(), principal: anyKey, reference: 'Flat 2 Jane Doe' });
  await payment.submitTo('refused AM04');
  const { payment_id } = payment;
  const told = await reply('payment', 'show', payment_id);
  expect(told).toMatchObject({ payment_id, owner_id: payment.owner, amount: AMOUNT, failure_code: 'AM04' });
  const attempt = { attempt: 1, status: 'failed', failure_code: 'AM04', requested_by: 'key_test' };
  expect(told.attempts).toMatchObject([{ ...attempt, workflow_id: `payment/${payment_id}` }]);
  expect((told.timeline as { status: string }[]).map(({ status }) => status)).toEqual(['processing', 'failed']);
  expect(JSON.stringify(told)).not.toContain('Jane');
  expectRefused(await admin('payment', 'show', 'pay_none'), 1, /^There is no payment with this id\.\n$/);
});

test('payee list tells who vouches for whom, and not the names and accounts', async () => {
  const principal = { ...anyKey, scopes: ['write:payments'] } as typeof anyKey;
  const account = { name: 'Jane Doe', category: 'OTHER', sort_code: '20-00-00', account_number: '55779911' } as const;
  const { provider_id } = await payments.addProvider({ principal, ...account });
  const listed = { provider_id, held_by: 'app_test', category: 'OTHER', vouched_by: null, removed_at: null };
  const [first, ...others] = (await reply<Items>('payee', 'list')).items;
  expect(first).toEqual({ ...listed, created_at: at });
  expect(others).toContainEqual(expect.objectContaining({ provider_id: 'prov_sandbox_slow', vouched_by: 'sandbox' }));
  expect((await reply<Items>('payee', 'list', '--unconfirmed')).items).toEqual([first]);
  await reply('payee', 'confirm', provider_id);
  expect(await reply('payee', 'list', '--unconfirmed')).toEqual({ items: [] });
});

test('owner list tells each owner’s application and money', async () => {
  const { app_id } = await reply<{ app_id: string }>('app', 'create', '--name', 'Payroll');
  const [plain, assigned] = [newOwner(), newOwner()];
  await pay({ owner: plain, principal: anyKey });
  await reply('owner', 'assign', assigned, '--app', app_id);
  const nothing = { safe_to_spend: 0, in_vaults: 0, in_flight: 0 };
  const own = [{ owner_id: assigned, app_id, created_at: at, ...nothing }];
  expect(await reply('owner', 'list', '--app', app_id)).toEqual({ items: own });
  const { items } = await reply<Items>('owner', 'list', '--unassigned');
  const moneyed = { app_id: null, safe_to_spend: 0, in_vaults: FUNDS - AMOUNT, in_flight: AMOUNT };
  expect(items).toContainEqual({ owner_id: plain, created_at: at, ...moneyed });
  expect(items.map(({ owner_id }) => owner_id)).not.toContain(assigned);
});

test('audit list filters by subject, kind, actor and day, newest first', async () => {
  const { app_id } = await reply<{ app_id: string }>('app', 'create', '--name', 'Seen', '--by', 'grace');
  const list = async (...args: string[]) =>
    (await reply<Items>('audit', 'list', ...args)).items.map(({ subject }) => subject);
  const mine = ['--actor', 'operator:grace'];
  expect(await list(...mine, '--kind', 'application.created')).toEqual([app_id]);
  expect(await list(...mine, '--to', '2020-01-01')).toEqual([]);
  expect(await list('--from', '2020-01-01', '--limit', '1')).toEqual([app_id]);
  const [event] = (await reply<Items>('audit', 'list', ...mine)).items;
  expect(Object.keys(event!)).toEqual(['created_at', 'kind', 'subject', 'actor', 'data', 'event_id']);
});

test.each([
  [['audit', 'list', '--from', 'yesterday'], '--from is "yesterday", but must be a date in the form YYYY-MM-DD.'],
  [['user', 'list', '--limit', '0'], '--limit must be a whole number from 1 to 1000.'],
  [['payee', 'list', '--limit', '1001'], '--limit must be a whole number from 1 to 1000.'],
  [['owner', 'list', '--app', 'app_1', '--unassigned'], '--app and --unassigned cannot be combined.'],
  [['user', 'disable'], 'Usage: user disable USER_ID [--reason TEXT]'],
])('%j is refused in one sentence', async (args, sentence) => {
  expectRefused(await admin(...args), 2, sentence);
});
