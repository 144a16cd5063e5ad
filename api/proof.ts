import type { IncomingHttpHeaders } from 'node:http';
import type { IdentitySignIn } from '../activities/auth/identity-sign-in.ts';
import type { SignedIn } from '../activities/auth/identity-proof.ts';
import { sessionOf } from '../activities/auth/sessions.ts';
import { signInActivities } from '../activities/sign-in.ts';
import type { Services } from '../infra/services.ts';
import { browserOf, isForm, openForm, requireOwnForm } from './http/request/browser.ts';
import { json } from './http/reply/json.ts';
import type { Call, Module } from './http/handlers.ts';
import {
  confirmLinkPage,
  emailVerifiedPage,
  linkMailedPage,
  proveAccountPage,
  signedInPage,
  verifyEmailPage,
} from './pages/proof.ts';
import { pageReply, sentOn } from './pages/reply.ts';
import { isRefusedPassword, refusedReply, type RefusedPassword } from './refused-password.ts';

type VerifyEmailForm = Extract<Call<'verifyEmail'>['body'], { csrf?: string }>;

export const proofHandlers = (services: Services) => {
  const activities = signInActivities(services);
  return {
    async showVerifyEmail({ query: { token }, headers }) {
      const { csrf, setCookie } = openForm(services, headers, 'verify-email');
      const page = verifyEmailPage({ csrf, token, ...(await activities.describeVerification({ token })) });
      return pageReply(200, page, { 'Set-Cookie': setCookie });
    },

    async verifyEmail({ body, headers, address }) {
      if (!isForm(headers)) {
        await activities.verifyEmail({ ...(body as { token: string; password: string }), from: { address } });
        return { status: 204 };
      }
      const { token = '', password = '', csrf = '' } = body as VerifyEmailForm;
      requireOwnForm(services, { headers, purpose: 'verify-email', token: csrf });
      try {
        await activities.verifyEmail({ token, password, from: { address, browser: browserOf(headers).browser } });
        return pageReply(200, emailVerifiedPage);
      } catch (error) {
        if (!isRefusedPassword(error)) throw error;
        const described = await activities.describeVerification({ token });
        return refusedReply(error, verifyEmailPage({ csrf, token, ...described, faults: [faultOf(error)] }));
      }
    },

    sendVerificationMail: ({ principal }) => json(202, activities.sendVerificationMail({ principal })),

    async showLinkProvider({ query: { token }, headers }) {
      const { browser, csrf, setCookie } = openForm(services, headers, 'link-provider');
      const described = await activities.describeMailedProof({ token, browser });
      return pageReply(200, confirmLinkPage({ csrf, token, ...described }), { 'Set-Cookie': setCookie });
    },

    async linkProvider({ body, headers, address }) {
      const { request = '', password = '', by, token, csrf = '' } = body;
      requireOwnForm(services, { headers, purpose: 'link-provider', token: csrf });
      const { browser } = browserOf(headers);
      if (by === 'mail') {
        await activities.mailProof({ request, browser });
        return pageReply(202, linkMailedPage);
      }
      const proving = { browser, address, previous: await sessionOf(services, headers) };
      if (token !== undefined) return signedIn(await activities.proveByLetter({ ...proving, token }));
      try {
        return signedIn(await activities.proveByPassword({ ...proving, request, password }));
      } catch (error) {
        if (!isRefusedPassword(error)) throw error;
        const described = await activities.describeProof({ request, browser });
        return refusedReply(error, proveAccountPage({ csrf, request, ...described, faults: [faultOf(error)] }));
      }
    },
  } satisfies Module;
};

export function afterIdentityProvider(
  services: Services,
  { outcome, headers }: { outcome: IdentitySignIn; headers: IncomingHttpHeaders },
) {
  if (outcome.kind === 'signed-in') return signedIn(outcome);
  const { request, identityProviderName, email } = outcome;
  const { csrf, setCookie } = openForm(services, headers, 'link-provider');
  return pageReply(200, proveAccountPage({ csrf, request, identityProviderName, email }), { 'Set-Cookie': setCookie });
}

function signedIn({ cookie, location }: SignedIn) {
  if (location === undefined) return pageReply(200, signedInPage, { 'Set-Cookie': cookie });
  return sentOn(location, cookie);
}

/** The form has no field for the email address, so the sentence about a wrong password does not mention the address. */
function faultOf({ code, message }: RefusedPassword): string {
  return code === 'invalid-credentials' ? 'The password is wrong.' : message;
}
