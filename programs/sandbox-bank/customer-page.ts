import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Interaction, Provider } from 'oidc-provider';
import getRawBody from 'raw-body';
import { objectIn, record } from '../../infra/bank/obie-4.0/json.ts';
import type { Account, Accounts } from './accounts.ts';
import { INTENT, SCA } from './authorization.ts';
import { customerForm, decisionForm } from './customer-forms.ts';
import { isOpenTo, type Consent, type Consents } from './consents.ts';
import { errorPage, sendPage, type Html } from './page.ts';

export interface CustomerDesk {
  provider: Provider;
  consents: Consents;
  accounts: Accounts;
}

interface Visit {
  req: IncomingMessage;
  res: ServerResponse;
  interaction: Interaction;
  consent: Consent;
  /** The origin of the client, where the visit ends. */
  leadsTo: string;
}

const LARGEST_FORM_BYTES = 16_384;
const NOT_OPEN = { error: 'invalid_request', error_description: 'the consent is unknown, decided or of another scope' };
const CUSTOMER = /^[A-Za-z0-9_-]{1,128}$/;

/** The page on which a customer approves or refuses a consent. */
export async function serveCustomer(desk: CustomerDesk, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const interaction = await desk.provider.interactionDetails(req, res).catch(() => null);
  if (interaction === null) {
    sendPage(res, 400, errorPage('The page has expired, or belongs to another browser.'));
    return;
  }
  // Read before the consent, which must not change between its check and the decision.
  const form =
    req.method === 'POST'
      ? new URLSearchParams(await getRawBody(req, { limit: LARGEST_FORM_BYTES, encoding: 'utf8' }))
      : null;
  const consent = consentOf(desk, interaction);
  if (consent === null) return desk.provider.interactionFinished(req, res, NOT_OPEN);
  const leadsTo = new URL(interaction.params['redirect_uri'] ?? '').origin;
  const visit = { req, res, interaction, consent, leadsTo };
  if (form !== null) return answer(desk, visit, form);
  show(visit, customerForm(consent));
}

function consentOf({ consents }: CustomerDesk, { params }: Interaction): Consent | null {
  const { id_token: claims } = objectIn(Buffer.from(params['claims'] ?? '')) ?? {};
  const { value } = record(record(claims)[INTENT]);
  const consent = typeof value === 'string' ? consents.find(value) : undefined;
  if (consent?.clientId !== params['client_id']) return null;
  const isOpen = consent?.status === 'AWAU' || consent?.status === 'AUTH';
  const scopes = params['scope']?.split(' ') ?? [];
  return consent && isOpen && scopes.includes(consent.kind) ? consent : null;
}

async function answer(desk: CustomerDesk, visit: Visit, form: URLSearchParams): Promise<void> {
  const { consent, req, res } = visit;
  const customer = form.get('customer')?.trim() ?? '';
  if (!CUSTOMER.test(customer)) {
    show(visit, customerForm(consent, 'Enter your customer number.'));
    return;
  }
  if (!isOpenTo(consent, customer)) {
    show(visit, customerForm(consent, 'This request belongs to another customer.'));
    return;
  }
  const decision = form.get('decision');
  if (decision === 'refuse') {
    desk.consents.refuse(consent, customer);
    const refused = { error: 'access_denied', error_description: 'the customer refused' };
    return desk.provider.interactionFinished(req, res, refused);
  }
  const offered = accountsFor(consent, desk.accounts.accountsOf(customer));
  if (decision !== 'approve') {
    show(visit, decisionForm(consent, customer, offered));
    return;
  }
  const chosen = offered.filter(({ id }) => form.getAll('account').includes(id));
  if (chosen.length === 0 || (consent.kind === 'payments' && chosen.length > 1)) {
    show(visit, decisionForm(consent, customer, offered, 'Choose an account.'));
    return;
  }
  return approve(desk, visit, { customer, chosen });
}

/** Cards are no payment accounts, and sterling is paid from sterling. */
function accountsFor({ kind }: Consent, accounts: readonly Account[]): Account[] {
  return accounts.filter((account) => account.kind !== 'card' && (kind === 'accounts' || account.currency === 'GBP'));
}

async function approve(
  { provider, consents }: CustomerDesk,
  { req, res, consent }: Visit,
  { customer, chosen }: { customer: string; chosen: readonly Account[] },
): Promise<void> {
  const grant = new provider.Grant({ clientId: consent.clientId, accountId: customer });
  grant.addOIDCScope(`openid ${consent.kind}`);
  grant.addOIDCClaims([INTENT]);
  const grantId = await grant.save();
  const accountIds = chosen.map(({ id }) => id);
  if (!consents.approve(consent.id, { ownerId: customer, grantId, accountIds }))
    return provider.interactionFinished(req, res, NOT_OPEN);
  await provider.interactionFinished(req, res, {
    login: { accountId: customer, remember: false, acr: SCA, amr: ['mfa'] },
    consent: { grantId },
  });
}

function show({ res, leadsTo }: Visit, content: Html): void {
  sendPage(res, 200, content, leadsTo);
}
