import type { IncomingHttpHeaders } from 'node:http';
import { destinationOfRequest, type AuthorizationRequest, type Destination } from '../activities/auth/authorize.ts';
import { FORGET_SESSION, type Session } from '../activities/auth/sessions.ts';
import { signInActivities } from '../activities/sign-in.ts';
import type { Services } from '../infra/services.ts';
import { browserOf, csrfTokenOf, openForm, requireOurPage, requireOwnForm } from './http/request/browser.ts';
import type { Module } from './http/handlers.ts';
import { parseQuery } from './http/request/query.ts';
import { consentPage } from './pages/consent.ts';
import { pageReply, sentOn } from './pages/reply.ts';
import { signInPage } from './pages/sign-in.ts';
import { isRefusedPassword, refusedReply } from './refused-password.ts';

export const signInHandlers = (services: Services) => {
  const activities = signInActivities(services);
  const judge = (query: string | undefined) => activities.judgeDestination({ query: parseQuery(query ?? '') });
  return {
    async authorize({ query, headers }) {
      const judged = await activities.judgeAuthorizationRequest({ query });
      if (judged.kind === 'refuse') return sentOn(judged.location);
      const session = await activities.sessionOf(headers);
      const consent = session && (await showConsent(services, { request: judged.request, session, headers }));
      if (consent) return consent;
      return askToSignIn(services, { destination: destinationOfRequest(judged.request), headers });
    },

    async signIn({ body, headers, address }) {
      requireOwnForm(services, { headers, purpose: 'sign-in', token: body.csrf });
      const judged = await judge(body.continue);
      if (judged.kind === 'refuse') return sentOn(judged.location);
      const { destination } = judged;
      const { email = '', password = '' } = body;
      try {
        const previous = await activities.sessionOf(headers);
        const { cookie } = await activities.signIn({
          email,
          password,
          previous,
          from: { address, browser: browserOf(headers).browser },
        });
        return sentOn(destination.address, cookie);
      } catch (error) {
        if (!isRefusedPassword(error)) throw error;
        const { page, setCookie } = await signInStep(services, { destination, headers });
        return refusedReply(error, signInPage({ ...page, email, faults: [error.message] }), setCookie);
      }
    },

    async answerConsent({ body, headers }) {
      requireOurPage(services, headers);
      const judged = await activities.judgeAuthorizationRequest({ query: parseQuery(body.continue ?? '') });
      if (judged.kind === 'refuse') return sentOn(judged.location);
      const { request } = judged;
      const { address } = destinationOfRequest(request);
      const session = await activities.sessionOf(headers);
      if (session === undefined) return sentOn(address);
      requireOwnForm(services, { headers, purpose: consentBy(session, request), token: body.csrf });
      const allowed = body.decision === 'allow';
      return sentOn((await activities.answerConsent({ request, session, allowed })) ?? address);
    },

    async signOut({ body, headers }) {
      requireOwnForm(services, { headers, purpose: 'sign-out', token: body.csrf });
      const session = await activities.sessionOf(headers);
      if (session) await activities.signOut(session);
      const judged = await judge(body.continue);
      return sentOn(judged.kind === 'refuse' ? judged.location : judged.destination.address, FORGET_SESSION);
    },
  } satisfies Module;
};

interface Step {
  destination: Destination;
  headers: IncomingHttpHeaders;
}

/** The page on which a person signs in to continue to the destination. */
export async function askToSignIn(services: Services, step: Step) {
  const { page, setCookie } = await signInStep(services, step);
  return pageReply(200, signInPage(page), { 'Set-Cookie': setCookie });
}

async function signInStep(services: Services, { destination, headers }: Step) {
  const identityProviders = await signInActivities(services).listIdentityProviderLinks();
  const { csrf, setCookie } = openForm(services, headers, 'sign-in');
  const open = services.config.registration.mode === 'open';
  const { continue: query, request: application } = destination;
  return { page: { application, continue: query, csrf, open, identityProviders }, setCookie };
}

/** Returns undefined if the signed-in person no longer has an account or email address. */
async function showConsent(
  services: Services,
  { request, session, headers }: { request: AuthorizationRequest; session: Session; headers: IncomingHttpHeaders },
) {
  const question = await signInActivities(services).describeConsent({ request, session });
  if (question === undefined) return undefined;
  const { browser, setCookie } = browserOf(headers);
  const page = consentPage({
    ...question,
    redirectUri: request.redirectUri,
    continue: request.continue,
    csrf: csrfTokenOf(services, browser, consentBy(session, request)),
    signOutCsrf: csrfTokenOf(services, browser, 'sign-out'),
  });
  return pageReply(200, page, { 'Set-Cookie': setCookie });
}

/** Binds a consent form to one session and one request, so that nobody can submit it for another person or client. */
function consentBy({ sessionHash }: Session, request: AuthorizationRequest): string {
  return `consent ${sessionHash} ${request.continue}`;
}
