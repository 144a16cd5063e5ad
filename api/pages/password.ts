import { accountField, emailField, formPage, newPasswordFields, type Faults } from './forms.ts';
import { escapeHtml, messagePage, type HtmlPage } from './layout.ts';

const FORGOT = '/api/v1/auth/forgot-password';

export function forgotPasswordPage(page: { csrf: string; email?: string; faults?: Faults }): HtmlPage {
  const { csrf, email = '', faults = [] } = page;
  return formPage({
    title: 'Forgotten password',
    heading: 'Forgotten your password?',
    lead: `<p class="lead">Enter your account's email address. We will send you a link to set a new password.</p>`,
    faults,
    action: FORGOT,
    given: { csrf },
    fields: [emailField(email, faults)],
    button: 'Send the link',
  });
}

/** Must not reveal whether an account has the email address. */
export const letterSentPage = messagePage(
  'Check your mailbox',
  `<p>If that email address has an account, we will send it a link. The link works once and expires after 30 minutes.</p>
<p class="fine">No email after a few minutes? Check your junk mail. Your account may also have a different email address.</p>
<p class="beside"><a href="${FORGOT}">Try another address</a></p>`,
);

export const FIRST_PROOF = `<p>Nobody has confirmed this address before, so somebody else may have created the account. We will remove its payees, cancel its scheduled payments, and make applications ask for permission again.</p>`;

export function resetPasswordPage(page: {
  csrf: string;
  token: string;
  email: string;
  /** Whether somebody has confirmed the email address. */
  proved: boolean;
  faults?: Faults;
}): HtmlPage {
  const { csrf, token, email, proved, faults = [] } = page;
  return formPage({
    title: 'Set a new password',
    lead: `<p class="lead">For the account of <strong>${escapeHtml(email)}</strong>. We will sign out every device and application.</p>
${proved ? '' : FIRST_PROOF}`,
    faults,
    action: '/api/v1/auth/reset-password',
    given: { token, csrf },
    fields: [accountField(email), ...newPasswordFields('New password', faults)],
    button: 'Set the password',
  });
}

export const passwordSetPage = messagePage(
  'Your password is set',
  `<p>We have signed out every device and application. Go back to your application and sign in with the new password.</p>
<p class="fine">We have also sent you an email to confirm this.</p>`,
);
