import { signInActivities } from '../activities/sign-in.ts';
import type { Services } from '../infra/services.ts';
import { isForm, openForm, requireOwnForm } from './http/browser.ts';
import { faultsOf, PASSWORDS_DIFFER } from './http/form-faults.ts';
import type { Call, Module } from './http/operations.ts';
import { forgotPasswordPage, letterSentPage, passwordSetPage, resetPasswordPage } from './pages/password.ts';
import { pageReply } from './pages/reply.ts';

type FormOf<Op extends 'forgotPassword' | 'resetPassword'> = Extract<Call<Op>['body'], { csrf?: string }>;

export const passwordHandlers = (services: Services) => {
  const activities = signInActivities(services);
  const resetPage = async (token: string, csrf: string, faults: readonly string[] = []) =>
    resetPasswordPage({ csrf, token, faults, ...(await activities.describeReset({ token })) });
  return {
    showForgotPassword({ headers }) {
      const { csrf, setCookie } = openForm(services, headers, 'forgot-password');
      return Promise.resolve(pageReply(200, forgotPasswordPage({ csrf }), { 'Set-Cookie': setCookie }));
    },

    async forgotPassword({ body, headers }) {
      if (!isForm(headers)) {
        return { status: 202, body: await activities.requestPasswordReset(body as { email: string }) };
      }
      const { email = '', csrf = '' } = body as FormOf<'forgotPassword'>;
      requireOwnForm(services, { headers, purpose: 'forgot-password', token: csrf });
      const faults = await faultsOf(() => activities.requestPasswordReset({ email }));
      return faults.length === 0
        ? pageReply(202, letterSentPage)
        : pageReply(400, forgotPasswordPage({ csrf, email, faults }));
    },

    async showResetPassword({ query, headers }) {
      const { csrf, setCookie } = openForm(services, headers, 'reset-password');
      return pageReply(200, await resetPage(query.token, csrf), { 'Set-Cookie': setCookie });
    },

    resetPassword: {
      prepare: ({ body: { token = '', password = '' } }) => activities.prepareReset({ token, password }),
      async begin({ body, headers }, prepared: ReturnType<typeof activities.prepareReset>) {
        if (!isForm(headers)) {
          await activities.resetPassword(body as { token: string; password: string }, prepared);
          return { status: 204 };
        }
        const { token = '', password = '', password_again: again = '', csrf = '' } = body as FormOf<'resetPassword'>;
        requireOwnForm(services, { headers, purpose: 'reset-password', token: csrf });
        const reset = () => activities.resetPassword({ token, password }, prepared);
        const faults = password === again ? await faultsOf(reset) : [PASSWORDS_DIFFER];
        return faults.length === 0
          ? pageReply(200, passwordSetPage)
          : pageReply(400, await resetPage(token, csrf, faults));
      },
    },

    async changePassword({ principal, body, address }) {
      await activities.changePassword({ principal, ...body, from: { address } });
      return { status: 204 };
    },
  } satisfies Module;
};
