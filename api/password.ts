import type { IncomingHttpHeaders } from 'node:http';
import { requestPasswordReset, resetPassword, type PreparedReset } from '../activities/auth/password-reset.ts';
import { signInActivities } from '../activities/sign-in.ts';
import type { Services } from '../infra/services.ts';
import { isForm, openForm, requireOwnForm } from './http/request/browser.ts';
import { faultsIn, faultsOf, PASSWORDS_DIFFER } from './http/validation/form-faults.ts';
import type { Call, Module } from './http/handlers.ts';
import { forgotPasswordPage, letterSentPage, passwordSetPage, resetPasswordPage } from './pages/password.ts';
import type { HtmlPage } from './pages/layout.ts';
import { pageReply } from './pages/reply.ts';

type FormOf<Op extends 'forgotPassword' | 'resetPassword'> = Extract<Call<Op>['body'], { csrf?: string }>;

/** A form with faults gets its page again. */
type Prepared = { reset: PreparedReset; refusal?: undefined } | { reset?: undefined; refusal: HtmlPage };

export const passwordHandlers = (services: Services) => {
  const activities = signInActivities(services);
  const resetPage = async (token: string, csrf: string, faults: readonly string[] = []) =>
    resetPasswordPage({ csrf, token, faults, ...(await activities.describeReset({ token })) });
  const prepareForm = async (
    { token = '', password = '', password_again: again = '', csrf = '' }: FormOf<'resetPassword'>,
    headers: IncomingHttpHeaders,
  ): Promise<Prepared> => {
    requireOwnForm(services, { headers, purpose: 'reset-password', token: csrf });
    if (password !== again) return { refusal: await resetPage(token, csrf, [PASSWORDS_DIFFER]) };
    try {
      return { reset: await activities.prepareReset({ token, password }) };
    } catch (error) {
      return { refusal: await resetPage(token, csrf, faultsIn(error)) };
    }
  };
  return {
    showForgotPassword({ headers }) {
      const { csrf, setCookie } = openForm(services, headers, 'forgot-password');
      return Promise.resolve(pageReply(200, forgotPasswordPage({ csrf }), { 'Set-Cookie': setCookie }));
    },

    forgotPassword: ({ once, body, headers }) =>
      once(async (tx) => {
        if (!isForm(headers)) {
          return { status: 202, body: await requestPasswordReset(tx, services, body as { email: string }) };
        }
        const { email = '', csrf = '' } = body as FormOf<'forgotPassword'>;
        requireOwnForm(services, { headers, purpose: 'forgot-password', token: csrf });
        const faults = await faultsOf(() => requestPasswordReset(tx, services, { email }));
        return faults.length === 0
          ? pageReply(202, letterSentPage)
          : pageReply(400, forgotPasswordPage({ csrf, email, faults }));
      }),

    async showResetPassword({ query, headers }) {
      const { csrf, setCookie } = openForm(services, headers, 'reset-password');
      return pageReply(200, await resetPage(query.token, csrf), { 'Set-Cookie': setCookie });
    },

    async resetPassword({ once, body, headers }) {
      const { token = '', password = '' } = body;
      const { reset, refusal } = isForm(headers)
        ? await prepareForm(body, headers)
        : { reset: await activities.prepareReset({ token, password }) };
      return once(async (tx) => {
        if (refusal) return pageReply(400, refusal);
        await resetPassword(tx, services, { token }, reset);
        return isForm(headers) ? pageReply(200, passwordSetPage) : { status: 204 };
      });
    },

    async changePassword({ principal, body, address }) {
      await activities.changePassword({ principal, ...body, from: { address } });
      return { status: 204 };
    },
  } satisfies Module;
};
