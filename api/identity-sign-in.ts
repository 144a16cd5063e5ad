import { beginIdentitySignIn, completeIdentitySignIn } from '../activities/auth/identity-sign-in.ts';
import { sessionOf } from '../activities/auth/sessions.ts';
import { DomainError } from '../domain/errors.ts';
import type { Services } from '../infra/services.ts';
import { browserOf } from './http/request/browser.ts';
import type { Module } from './http/handlers.ts';
import { sentOn } from './pages/reply.ts';
import { afterIdentityProvider } from './proof.ts';

export const identitySignInHandlers = (services: Services) =>
  ({
    async signInWithProvider({ params: { provider_id }, query, headers }) {
      const { browser, setCookie } = browserOf(headers);
      const given = { provider_id, browser, continue_with: query.continue ?? '' };
      const { location } = await beginIdentitySignIn(services, given);
      return sentOn(location, setCookie);
    },

    async completeProviderSignIn({ params: { provider_id }, query, headers, address }) {
      const { browser } = browserOf(headers);
      const previous = await sessionOf(services, headers);
      const given = { provider_id, browser, answer: answerOf(query), previous, address };
      return afterIdentityProvider(services, { outcome: await completeIdentitySignIn(services, given), headers });
    },
  }) satisfies Module;

/** Other parameters of an identity provider's callback must be ignored (RFC 6749, 4.1.2; RFC 9207). */
const ANSWER = ['state', 'code', 'iss', 'error', 'error_description', 'error_uri', 'session_state'];

/** The contract does not check the query of an identity provider's callback. */
function answerOf(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = ANSWER.filter((name) => query[name] !== undefined).map((name) => [name, query[name]] as const);
  if (given.every((pair): pair is readonly [string, string] => typeof pair[1] === 'string'))
    return Object.fromEntries(given);
  throw new DomainError(
    'sign-in-failed',
    'The response of the sign-in provider contains a parameter twice. Start again from the sign-in page.',
  );
}
