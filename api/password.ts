import type { PreparedReset } from '../activities/auth/password-reset.ts';
import { signInActivities } from '../activities/sign-in.ts';
import type { Services } from '../infra/services.ts';
import { browserOf, csrfTokenOf, isForm, requireOwnForm } from './http/browser.ts';
import { faultsOf, PASSWORDS_DIFFER } from './http/form-faults.ts';
import type { Call, HandlersOf, LongHandler } from './http/operations.ts';
import { forgotPasswordPage, letterSentPage, passwordSetPage, resetPasswordPage } from './pages/password.ts';
import { pageReply } from './pages/reply.ts';

type PasswordOperation = 'showForgotPassword' | 'forgotPassword' | 'showResetPassword' | 'changePassword';
type PasswordHandlers = HandlersOf<PasswordOperation> & { resetPassword: LongHandler<'resetPassword', PreparedReset> };
type FormOf<Op extends 'forgotPassword' | 'resetPassword'> = Extract<Call<Op>['body'], { csrf?: string }>;

export const passwordHandlers = (services: Services): PasswordHandlers => {
  const activities = signInActivities(services);
  const resetPage = async (token: string, csrf: string, faults: readonly string[] = []) =>
    resetPasswordPage({ csrf, token, faults, ...(await activities.describeReset({ token })) });
  return {
    showForgotPassword({ headers }) {
      const { browser, setCookie } = browserOf(headers);
      const page = forgotPasswordPage({ csrf: csrfTokenOf(services, browser, 'forgot-password') });
      return Promise.resolve(pageReply(200, page, { 'Set-Cookie': setCookie }));
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
      const { browser, setCookie } = browserOf(headers);
      const csrf = csrfTokenOf(services, browser, 'reset-password');
      return pageReply(200, await resetPage(query.token, csrf), { 'Set-Cookie': setCookie });
    },

    resetPassword: {
      prepare: ({ body: { token = '', password = '' } }) => activities.prepareReset({ token, password }),
      async begin({ body, headers }, prepared) {
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
  };
};
