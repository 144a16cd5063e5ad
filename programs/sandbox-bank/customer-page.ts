import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Interaction, Provider } from 'oidc-provider';
import getRawBody from 'raw-body';
import type { Account, Accounts } from './accounts.ts';
import { customerForm, decisionForm, type Asked } from './customer-forms.ts';
import { errorPage, sendPage, type Html } from './page.ts';

/** What a customer approves or refuses. Results are those of an interaction of oidc-provider. */
export interface Journey extends Asked {
  isOpenTo(customer: string): boolean;
  /** Whether the customer can choose the account. */
  offers(account: Account): boolean;
  refuse(customer: string): Promise<object>;
  approve(customer: string, chosen: readonly Account[]): Promise<object>;
}

export interface CustomerDesk {
  provider: Provider;
  accounts: Accounts;
  /** Null if what the client asks for is not open to a decision. */
  journeyOf(interaction: Interaction): Journey | null;
}

interface Visit {
  req: IncomingMessage;
  res: ServerResponse;
  journey: Journey;
  /** The origin of the client, where the visit ends. */
  leadsTo: string;
}

const LARGEST_FORM_BYTES = 16_384;
export const NOT_OPEN = {
  error: 'invalid_request',
  error_description: 'the consent is unknown, decided or of another scope',
};
export const REFUSED = { error: 'access_denied', error_description: 'the customer refused' };
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
  const journey = desk.journeyOf(interaction);
  if (journey === null) return desk.provider.interactionFinished(req, res, NOT_OPEN);
  const leadsTo = new URL(interaction.params['redirect_uri'] ?? '').origin;
  const visit = { req, res, journey, leadsTo };
  if (form !== null) return answer(desk, visit, form);
  show(visit, customerForm(journey));
}

async function answer({ provider, accounts }: CustomerDesk, visit: Visit, form: URLSearchParams): Promise<void> {
  const { journey, req, res } = visit;
  const customer = form.get('customer')?.trim() ?? '';
  if (!CUSTOMER.test(customer)) {
    show(visit, customerForm(journey, 'Enter your customer number.'));
    return;
  }
  if (!journey.isOpenTo(customer)) {
    show(visit, customerForm(journey, 'This request belongs to another customer.'));
    return;
  }
  const decision = form.get('decision');
  if (decision === 'refuse') return provider.interactionFinished(req, res, await journey.refuse(customer));
  const offered = accounts.accountsOf(customer).filter((account) => journey.offers(account));
  if (decision !== 'approve') {
    show(visit, decisionForm(journey, customer, offered));
    return;
  }
  const chosen = offered.filter(({ id }) => form.getAll('account').includes(id));
  if (chosen.length === 0 || (journey.kind === 'payments' && chosen.length > 1)) {
    show(visit, decisionForm(journey, customer, offered, 'Choose an account.'));
    return;
  }
  return provider.interactionFinished(req, res, await journey.approve(customer, chosen));
}

function show({ res, leadsTo }: Visit, content: Html): void {
  sendPage(res, 200, content, leadsTo);
}
