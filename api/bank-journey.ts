import type { IncomingHttpHeaders } from 'node:http';
import { destinationOfBankPage } from '../activities/auth/authorize.ts';
import { freshSessionOf, type Session } from '../activities/auth/sessions.ts';
import {
  termsOf,
  describeConnection,
  endedStatus,
  nameOfBank,
  type Described,
} from '../activities/bank/describe-connection.ts';
import { keepReading } from '../activities/bank/keep-reading.ts';
import { beginJourney } from '../activities/bank/journeys.ts';
import { formTargetOf } from '../domain/authorize.ts';
import { addressOfBankPage, continueTo, type BankPage, type ConnectionPage } from '../domain/destinations.ts';
import { DomainError } from '../domain/errors.ts';
import type { Services } from '../infra/services.ts';
import type { Call, Module } from './http/handlers.ts';
import { browserOf, csrfTokenOf, requireOwnForm } from './http/request/browser.ts';
import {
  authorisePage,
  notYoursPage,
  overPage,
  reconfirmedPage,
  reconfirmPage,
  restingPage,
  type LimitFaults,
  type LimitTexts,
} from './pages/bank.ts';
import { limitFaultsIn, WHY_FAILED } from './pages/bank-texts.ts';
import { pageReply, sentOn } from './pages/reply.ts';
import { askToSignIn } from './sign-in.ts';

/** A person who signed in lately, before a page about a connection. */
interface Asking {
  headers: IncomingHttpHeaders;
  session: Session;
  page: ConnectionPage;
}

interface Typed {
  texts?: LimitTexts;
  faults?: LimitFaults;
  alert?: string;
}

export const bankJourneyHandlers = (services: Services) => {
  const askToAuthorise = (asking: Asking, typed: Typed = {}) =>
    forOwner(services, asking, async ({ row, isOpen }, signedIn) => {
      if (!isOpen) {
        const status = endedStatus(row);
        return status === undefined ? restingPage : overPage(status);
      }
      return authorisePage({
        ...signedIn,
        ...(await termsOf(services, row)),
        ...typed,
        action: addressOfBankPage(asking.page),
        renews: row.status !== 'awaiting_authorisation',
        // A bank that knows the person can lead on at once, to the application.
        formTargets: ['https:', ...(row.return_url === null ? [] : [formTargetOf(row.return_url)])],
      });
    });

  return {
    async showBankAuthorisation({ params, headers }) {
      const page = { bankPage: 'authorise', connectionId: params.connection_id } as const;
      const session = await freshSessionOf(services, headers);
      if (!session) return askToSignIn(services, { destination: destinationOfBankPage(page), headers });
      return askToAuthorise({ headers, session, page });
    },

    async continueToBank({ params, body, headers }) {
      const page = { bankPage: 'authorise', connectionId: params.connection_id } as const;
      const session = await freshSessionOf(services, headers);
      if (!session) return sentOn(addressOfBankPage(page));
      requireOwnForm(services, { headers, purpose: purposeOf({ session, page }), token: body.csrf });
      const { browser } = browserOf(headers);
      const texts = textsIn(body);
      const given = { connectionId: params.connection_id, session, browser, limits: texts };
      try {
        const continued = await beginJourney(services, given);
        if (continued.kind === 'sent') return sentOn(continued.sendTo);
        const alert = continued.kind === 'bank-away' ? { alert: WHY_FAILED['bank-away'] } : {};
        return await askToAuthorise({ headers, session, page }, alert);
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'invalid-request') throw error;
        return askToAuthorise({ headers, session, page }, { texts, faults: limitFaultsIn(error) });
      }
    },

    async showReconfirmation({ params, headers }) {
      const page = { bankPage: 'reconfirm', connectionId: params.connection_id } as const;
      const session = await freshSessionOf(services, headers);
      if (!session) return askToSignIn(services, { destination: destinationOfBankPage(page), headers });
      return forOwner(services, { headers, session, page }, async ({ row }, signedIn) => {
        const status = endedStatus(row);
        if (status !== undefined) return overPage(status);
        if (row.kind === 'payments' || row.status === 'awaiting_authorisation') return restingPage;
        const bankName = await nameOfBank(services, row);
        const action = `/api/v1/bank/connections/${params.connection_id}/keep-reading`;
        return reconfirmPage({ ...signedIn, action, bankName, reconfirmBy: row.reconfirm_by });
      });
    },

    async keepReading({ params, body, headers }) {
      const page = { bankPage: 'reconfirm', connectionId: params.connection_id } as const;
      const session = await freshSessionOf(services, headers);
      if (!session) return sentOn(addressOfBankPage(page));
      requireOwnForm(services, { headers, purpose: purposeOf({ session, page }), token: body.csrf });
      const asking = { headers, session, page };
      const kept = await keepReading(services, { connectionId: params.connection_id, session });
      if (kept === 'at-bank') return sentOn(addressOfBankPage({ ...page, bankPage: 'authorise' }));
      return forOwner(services, asking, ({ row }) => reconfirmedPage(row.reconfirm_by!));
    },
  } satisfies Module;
};

type Owned = Extract<Described, { kind: 'yours' }>;
type SignedIn = Parameters<typeof notYoursPage>[0] & { csrf: string };

/** Shows the page to the connection's owner, and to others only that the connection is not theirs. */
export async function forOwner(
  services: Services,
  asking: Asking,
  show: (
    owned: Owned,
    signedIn: SignedIn,
  ) => ReturnType<typeof authorisePage> | Promise<ReturnType<typeof authorisePage>>,
) {
  const { headers, session, page } = asking;
  const described = await describeConnection(services, { connectionId: page.connectionId, session });
  const { signedInAs } = described;
  const { signedIn, cookie } = signedInOn(services, { headers, page, purpose: purposeOf(asking), signedInAs });
  if (described.kind === 'not-yours') return pageReply(403, notYoursPage(signedIn), cookie);
  return pageReply(200, await show(described, signedIn), cookie);
}

/** What each page about banks says of who is signed in, and the cookie that its forms need. */
export function signedInOn(
  services: Services,
  given: { headers: IncomingHttpHeaders; page: BankPage; purpose: string; signedInAs: string },
): { signedIn: SignedIn; cookie: Readonly<Record<'Set-Cookie', ReturnType<typeof browserOf>['setCookie']>> } {
  const { browser, setCookie } = browserOf(given.headers);
  const signedIn = {
    signedInAs: given.signedInAs,
    continue: continueTo(given.page),
    csrf: csrfTokenOf(services, browser, given.purpose),
    signOutCsrf: csrfTokenOf(services, browser, 'sign-out'),
  };
  return { signedIn, cookie: { 'Set-Cookie': setCookie } };
}

/** Binds a form to one session and one page about one connection. */
export function purposeOf({ session, page }: Pick<Asking, 'session' | 'page'>): string {
  return `${page.bankPage} ${session.sessionHash} ${page.connectionId}`;
}

function textsIn({ per_payment = '', per_month = '', valid_until = '' }: Call<'continueToBank'>['body']): LimitTexts {
  return { per_payment, per_month, valid_until };
}
