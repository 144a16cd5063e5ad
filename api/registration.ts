import { destinationOfRequest, type AuthorizationRequest } from '../activities/auth/authorize.ts';
import { authActivities } from '../activities/auth.ts';
import { registerUser } from '../activities/auth/register.ts';
import { sessionOf } from '../activities/auth/sessions.ts';
import { signInActivities } from '../activities/sign-in.ts';
import { DomainError } from '../domain/errors.ts';
import type { Services } from '../infra/services.ts';
import type { RegistrationRequest } from '../openapi/types.ts';
import { openForm, requireOwnForm } from './http/request/browser.ts';
import { faultsOf, PASSWORDS_DIFFER } from './http/validation/form-faults.ts';
import type { Call, Module } from './http/handlers.ts';
import { parseQuery } from './http/request/query.ts';
import { accountCreatedPage, createAccountPage } from './pages/registration.ts';
import { pageReply, sentOn } from './pages/reply.ts';

type Form = Call<'createAccount'>['body'];

export const registrationHandlers = (services: Services) => {
  const activities = signInActivities(services);
  const auth = authActivities(services);
  const judge = async (query: string | undefined) =>
    query === undefined ? undefined : activities.judgeAuthorizationRequest({ query: parseQuery(query) });

  const register = async (given: RegistrationRequest) => {
    const prepared = await auth.prepareRegistration(given);
    await services.db.transaction((tx) => registerUser(tx, services, given, prepared));
  };

  const registerByForm = async ({ email = '', password = '', password_again: again = '', invitation }: Form) => {
    if (password !== again) return { status: 400 as const, faults: [PASSWORDS_DIFFER] };
    try {
      return { status: 400 as const, faults: await faultsOf(() => register({ email, password, invitation })) };
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'email-taken') throw error;
      return { status: 409 as const, faults: [error.message] };
    }
  };

  return {
    async showCreateAccount({ query: { invitation, continue: query }, headers }) {
      await activities.requireOpenRegistration({ invitation });
      const judged = await judge(query);
      if (judged?.kind === 'refuse') return sentOn(judged.location);
      const { csrf, setCookie } = openForm(services, headers, 'create-account');
      const page = createAccountPage({ csrf, invitation, application: applicationOf(judged?.request) });
      return pageReply(200, page, { 'Set-Cookie': setCookie });
    },

    async createAccount({ body, headers, address }) {
      requireOwnForm(services, { headers, purpose: 'create-account', token: body.csrf });
      const { email = '', password = '', invitation } = body;
      const judged = await judge(body.continue);
      if (judged?.kind === 'refuse') return sentOn(judged.location);
      const { browser, csrf } = openForm(services, headers, 'create-account');
      const { status, faults } = await registerByForm(body);
      if (faults.length > 0) {
        const application = applicationOf(judged?.request);
        return pageReply(status, createAccountPage({ csrf, invitation, application, email, faults }));
      }
      if (judged === undefined) return pageReply(201, accountCreatedPage);
      const previous = await sessionOf(services, headers);
      const { cookie } = await activities.signIn({ email, password, previous, from: { address, browser } });
      return sentOn(destinationOfRequest(judged.request).address, cookie);
    },
  } satisfies Module;
};

function applicationOf(request: AuthorizationRequest | undefined) {
  return request && { name: request.clientName, redirectUri: request.redirectUri, continue: request.continue };
}
