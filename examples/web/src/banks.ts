import type { Client } from '../../../client/src/index.ts';
import { accountsOf, backingOf } from './accounts.ts';
import type { Connection, Money } from './money.ts';
import { actionButton, byId, h, line, onSubmit, options, p, textOf } from './page.ts';
import { RETURN_TO } from './sign-in.ts';
import { day, pence, pounds } from './words.ts';

/** What each status is called, and what it means. */
const STATUS: Readonly<Record<Connection['status'], readonly [name: string, meaning: string]>> = {
  awaiting_authorisation: ['Waiting for you', 'You have not approved it at your bank yet.'],
  authorised: ['Connected', ''],
  reauthorisation_needed: ['Needs you', 'Your bank asks you to approve it again.'],
  rejected: ['Refused', 'You refused it at your bank.'],
  revoked: ['Ended', ''],
  expired: ['Over', 'Its time is over.'],
};
const CAN_END: readonly Connection['status'][] = ['awaiting_authorisation', 'authorised', 'reauthorisation_needed'];

/** Connects banks, and ends connections. @returns a function that draws what there is */
export function banksCard(client: Client, userId: string, changed: () => Promise<void>) {
  onSubmit('connect', async (form) => {
    const provider_id = textOf(form, 'purpose');
    const limits = { per_payment: pence(form, 'per_payment'), per_month: pence(form, 'per_month') };
    const purpose = provider_id === '' ? { kind: 'accounts' } : { kind: 'payments', provider_id, limits };
    const order = { user_id: userId, bank_id: textOf(form, 'bank'), return_url: RETURN_TO };
    goTo(await client.connectBank({ body: { ...order, ...(purpose as { kind: 'accounts' }) } }));
  });
  const purpose = byId('purpose') as HTMLSelectElement;
  const showLimits = () => {
    const limits = byId('limits') as HTMLFieldSetElement;
    limits.hidden = limits.disabled = purpose.value === '';
  };
  purpose.addEventListener('change', showLimits);

  function buttons({ connection_id, status, authorise_url, ...order }: Connection): HTMLElement[] {
    const path = { path: { connection_id } };
    const renew = async () => goTo(await client.reauthoriseConnection(path));
    const again = async () => {
      const { bank_id, kind, provider_id, limits } = order;
      const purpose = kind === 'payments' ? { provider_id, limits } : {};
      const body = { user_id: userId, bank_id, kind, ...purpose, return_url: RETURN_TO };
      goTo(await client.connectBank({ body: body as Parameters<Client['connectBank']>[0]['body'] }));
    };
    const end = async () => {
      await client.disconnectBank(path);
      await changed();
    };
    return [
      ...(authorise_url === null
        ? []
        : [h('a', { class: 'button quiet small', href: authorise_url }, 'Go to the bank')]),
      ...(status === 'reauthorisation_needed' ? [actionButton('Approve again', 'Opening…', renew)] : []),
      CAN_END.includes(status)
        ? actionButton('End it', 'Ending…', end)
        : actionButton('Connect again', 'Opening…', again),
    ];
  }

  return async function draw({ payees, connections }: Money): Promise<void> {
    const [banks, backing] = await Promise.all([client.listBanks(), backingOf(client, userId)]);
    byId('backing').replaceChildren(...backing);
    const names = new Map(banks.items.map(({ bank_id, name }) => [bank_id, name]));
    options('bank', [...names]);
    options('purpose', [['', 'Show my accounts'], ...[...payees].map(([id, name]) => [id, `Pay ${name}`] as const)]);
    showLimits();
    const rows = connections.map((one) => {
      const [name, meaning] = STATUS[one.status];
      const payee =
        one.kind === 'payments' ? `pays ${payees.get(one.provider_id ?? '') ?? 'a payee'}` : 'shows accounts';
      const about = one.limits
        ? `At most ${pounds(one.limits.per_payment)} at a time, and ${pounds(one.limits.per_month)} a month.`
        : '';
      const used =
        one.status === 'authorised' && one.limits ? `Used this month: ${pounds(one.used_this_month ?? 0)}.` : '';
      return h(
        'li',
        {},
        line(`${names.get(one.bank_id) ?? 'A bank'} ${payee}`, h('span', { class: 'status' }, name)),
        h('time', { datetime: one.created_at }, day(one.created_at)),
        ...[about, used, meaning].filter((words) => words !== '').map((words) => p(words, 'why')),
        ...(one.kind === 'accounts' ? accountsOf(client, one, changed) : []),
        ...buttons(one),
      );
    });
    const list = rows.length === 0 ? p('No bank is connected yet.', 'empty') : h('ul', { class: 'rows' }, ...rows);
    byId('connections').replaceChildren(list);
  };
}

/** The person approves at the service and at the bank, and comes back to this page. */
function goTo({ authorise_url }: { authorise_url: string | null }): void {
  if (authorise_url !== null) location.assign(authorise_url);
}
