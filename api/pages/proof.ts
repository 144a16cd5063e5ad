import { accountField, currentPasswordField, formPage, hidden, type Faults } from './forms.ts';
import { FIRST_PROOF } from './password.ts';
import { escapeHtml, messagePage, type HtmlPage } from './layout.ts';

const LINK = '/api/v1/auth/link-provider';

export function verifyEmailPage(page: { csrf: string; token: string; email: string; faults?: Faults }): HtmlPage {
  const { csrf, token, email, faults = [] } = page;
  return formPage({
    title: 'Confirm your email address',
    lead: `<p class="lead">Enter the password of the account <strong>${escapeHtml(email)}</strong>. This shows that both the address and the account are yours.</p>`,
    faults,
    action: '/api/v1/auth/verify-email',
    given: { token, csrf },
    fields: [accountField(email), currentPasswordField(faults)],
    button: 'Confirm the address',
    after: `<p class="fine">If you did not create this account, or do not know its password, set a new password. This signs out everybody else, removes the payees and cancels scheduled payments.</p>
<p class="beside"><a href="/api/v1/auth/forgot-password">Set a new password</a></p>`,
  });
}

export const emailVerifiedPage = messagePage(
  'Your email address is confirmed',
  `<p class="lead">You can close this page and continue in your application.</p>`,
);

export const signedInPage = messagePage(
  'You are signed in',
  `<p class="lead">Continue in your application. You do not need a password there now.</p>`,
);

/** For a sign-in with an identity provider, if an account already has the email address. */
export function proveAccountPage(page: {
  csrf: string;
  request: string;
  identityProviderName: string;
  email: string;
  faults?: Faults;
}): HtmlPage {
  const { csrf, request, email, faults = [] } = page;
  const name = escapeHtml(page.identityProviderName);
  return formPage({
    title: 'Is this your account?',
    lead: `<p class="lead">There is a Ringfence account for <strong>${escapeHtml(email)}</strong>. Enter its password once. After that you can sign in with ${name}.</p>`,
    faults,
    action: LINK,
    given: { request, csrf },
    fields: [accountField(email), currentPasswordField(faults)],
    button: 'Sign in',
    after: `<section class="or" aria-labelledby="by-mail">
<h2 id="by-mail">Or continue without the password</h2>
<form method="post" action="${LINK}">
${hidden({ request, csrf })}
<button type="submit" name="by" value="mail" class="quiet">Email me a link</button>
</form>
</section>`,
  });
}

export const linkMailedPage = messagePage(
  'Check your mailbox',
  `<p>We have sent a link to the account's email address. Open it in this browser. The link works once and expires after 30 minutes.</p>
<p class="fine">No email after a few minutes? Check your junk mail.</p>`,
);

/** Another person may have asked for the link, so the page says what will happen. */
export function confirmLinkPage(page: {
  csrf: string;
  token: string;
  identityProviderName: string;
  email: string;
  /** Whether somebody has confirmed the email address. */
  proved: boolean;
}): HtmlPage {
  const { csrf, token, identityProviderName, email, proved } = page;
  return formPage({
    title: `Sign in with ${identityProviderName}?`,
    lead: `<p class="lead">From now on, anybody who signs in to your account at ${escapeHtml(identityProviderName)} can use the Ringfence account <strong>${escapeHtml(email)}</strong>.</p>
${proved ? '' : `<p>The current password of this Ringfence account will stop working, and everybody who is signed in will be signed out.</p>\n${FIRST_PROOF}`}`,
    action: LINK,
    given: { token, csrf },
    button: 'Sign in',
    after: `<p class="fine">If you did not ask for this, close the page. Nothing will change.</p>`,
  });
}
