import { destinationOfBankPage } from '../activities/auth/authorize.ts';
import { freshSessionOf } from '../activities/auth/sessions.ts';
import { endedStatus, nameOfBank } from '../activities/bank/describe-connection.ts';
import { getConnection } from '../activities/bank/read.ts';
import { needsOf, readNow } from '../activities/bank/sync-connection.ts';
import { suggestedWages } from '../activities/bank/wages.ts';
import { ATTENDED_FOR_MIN } from '../domain/bank/reading.ts';
import { MINUTE_MS } from '../domain/dates.ts';
import { addressOfBankPage, type ConnectionPage } from '../domain/destinations.ts';
import type { Services } from '../infra/services.ts';
import { forOwner, purposeOf } from './bank-journey.ts';
import type { Module } from './http/handlers.ts';
import { requireOwnForm } from './http/request/browser.ts';
import { presentOf } from './http/request/present.ts';
import { accountsPage } from './pages/bank-accounts.ts';
import { overPage, restingPage } from './pages/bank.ts';
import { sentOn } from './pages/reply.ts';
import { askToSignIn } from './sign-in.ts';

/** The page asks for a recent sign-in, so that the bank can be told that the person is there. */
const FRESH_MS = ATTENDED_FOR_MIN * MINUTE_MS;

export const bankAccountHandlers = (services: Services) =>
  ({
    async showConnectedAccounts({ params: { connection_id }, headers }) {
      const page = pageOf(connection_id);
      const session = await freshSessionOf(services, headers, FRESH_MS);
      if (!session) return askToSignIn(services, { destination: destinationOfBankPage(page), headers });
      return forOwner(services, { headers, session, page }, async ({ row }, signedIn) => {
        const status = endedStatus(row);
        if (status !== undefined) return overPage(status);
        if (row.kind === 'payments' || row.status === 'awaiting_authorisation') return restingPage;
        const { connection, syncing } = await getConnection(services, { connection_id });
        return accountsPage({
          ...signedIn,
          bankName: await nameOfBank(services, row),
          accounts: connection.accounts ?? [],
          lastSync: connection.last_sync ?? null,
          suggested: await suggestedWages(services, { connection_id }),
          isReading: syncing,
          needs: await needsOf(services, row),
          at: {
            page: addressOfBankPage(page),
            readNow: `/api/v1/bank/connections/${connection_id}/read-now`,
            reconfirm: addressOfBankPage({ ...page, bankPage: 'reconfirm' }),
            wage: ({ transaction_id: transactionId }) => addressOfBankPage({ bankPage: 'wage', transactionId }),
          },
        });
      });
    },

    async readAccountsNow({ params: { connection_id }, body, headers, address }) {
      const page = pageOf(connection_id);
      const session = await freshSessionOf(services, headers, FRESH_MS);
      if (!session) return sentOn(addressOfBankPage(page));
      requireOwnForm(services, { headers, purpose: purposeOf({ session, page }), token: body.csrf });
      await readNow(services, { connection_id, session, present: presentOf({ address, headers }) });
      // The page says so if the connection is not theirs.
      return sentOn(addressOfBankPage(page));
    },
  }) satisfies Module;

function pageOf(connectionId: string): ConnectionPage {
  return { bankPage: 'accounts', connectionId };
}
