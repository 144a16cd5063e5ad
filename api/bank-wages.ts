import type { IncomingHttpHeaders } from 'node:http';
import { describeWage } from '../activities/bank/describe-wage.ts';
import { destinationOfBankPage } from '../activities/auth/authorize.ts';
import { freshSessionOf, type Session } from '../activities/auth/sessions.ts';
import { confirmOwnWage, confirmWage } from '../activities/bank/confirm-wage.ts';
import { bankActivities } from '../activities/bank/index.ts';
import { DEFAULT_LIMIT } from '../activities/page.ts';
import { addressOfBankPage, type WagePage } from '../domain/destinations.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/handlers.ts';
import { signedInOn } from './bank-journey.ts';
import { json } from './http/reply/json.ts';
import { requireOwnForm } from './http/request/browser.ts';
import { wagePage } from './pages/bank-wages.ts';
import { notYoursPage } from './pages/bank.ts';
import { pageReply, sentOn } from './pages/reply.ts';
import { askToSignIn } from './sign-in.ts';

interface Asking {
  headers: IncomingHttpHeaders;
  session: Session;
  page: WagePage;
}

export const bankWageHandlers = (services: Services) => {
  const bank = bankActivities(services);

  /** Shows the page to the owner of the account, and to others only that it is not theirs. */
  async function show(asking: Asking) {
    const { headers, session, page } = asking;
    const described = await describeWage(services, { transaction_id: page.transactionId, session });
    const { signedInAs } = described;
    const { signedIn, cookie } = signedInOn(services, { headers, page, purpose: purposeOf(asking), signedInAs });
    if (described.kind === 'not-yours') return pageReply(403, notYoursPage(signedIn, 'payment'), cookie);
    const { state, credit } = described;
    return pageReply(200, wagePage({ ...signedIn, action: addressOfBankPage(page), state, credit }), cookie);
  }

  return {
    listWages: ({ query, principal }) => json(200, bank.listWages({ limit: DEFAULT_LIMIT, ...query, principal })),

    async confirmWage({ once, body, principal }) {
      const prepared = await bank.prepareWage(body);
      return once(async (tx) => {
        const { wage, isNew } = await confirmWage(tx, services, { principal, prepared });
        return { status: isNew ? 201 : 200, body: wage };
      });
    },

    async showWage({ params: { transaction_id }, headers }) {
      const page = pageOf(transaction_id);
      const session = await freshSessionOf(services, headers);
      if (!session) return askToSignIn(services, { destination: destinationOfBankPage(page), headers });
      return show({ headers, session, page });
    },

    async confirmWageByForm({ params: { transaction_id }, body, headers }) {
      const page = pageOf(transaction_id);
      const session = await freshSessionOf(services, headers);
      if (!session) return sentOn(addressOfBankPage(page));
      const asking = { headers, session, page };
      requireOwnForm(services, { headers, purpose: purposeOf(asking), token: body.csrf });
      await confirmOwnWage(services, { transaction_id, session });
      // Says so if the money is not theirs.
      return show(asking);
    },
  } satisfies Module;
};

function pageOf(transactionId: string): WagePage {
  return { bankPage: 'wage', transactionId };
}

/** Binds a form to one session and one credit. */
function purposeOf({ session, page }: Asking): string {
  return `${page.bankPage} ${session.sessionHash} ${page.transactionId}`;
}
