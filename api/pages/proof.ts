import { alertOf, field, hidden, titleOf, type Faults } from './forms.ts';
import { FIRST_PROOF } from './password.ts';
import { escapeHtml, layout, type HtmlPage } from './layout.ts';

const LINK = '/api/v1/auth/link-provider';
const DOOR = { door: true, formTargets: [] } as const;

/** The address of the account, which a password manager finds the password by. */
function accountField(email: string): string {
  return `<input type="text" autocomplete="username" value="${escapeHtml(email)}" readonly hidden>`;
}

function passwordField(faults: Faults): string {
  return field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }, faults);
}

/** The page that the link of a verification letter opens. */
export function verifyEmailPage(page: { csrf: string; token: string; email: string; faults?: Faults }): HtmlPage {
  const { csrf, token, email, faults = [] } = page;
  return layout(
    titleOf('Confirm your e-mail address', faults),
    `<main>
<h1>Confirm your e-mail address</h1>
<p class="lead">Type the password of the account of <strong>${escapeHtml(email)}</strong>. So we know that the address and the account are both yours.</p>
${alertOf(faults)}
<form method="post" action="/api/v1/auth/verify-email">
${hidden({ token, csrf })}
${accountField(email)}
${passwordField(faults)}
<button type="submit">Confirm the address</button>
</form>
<p class="fine">You did not make this account, or do not know its password? Set a new one. That signs out everybody else, removes the payees and cancels scheduled payments.</p>
<p class="beside"><a href="/api/v1/auth/forgot-password">Set a new password</a></p>
</main>`,
    DOOR,
  );
}

/** The end of it. */
export const emailVerifiedPage: HtmlPage = layout(
  'Your e-mail address is confirmed',
  `<main>
<h1>Your e-mail address is confirmed</h1>
<p class="lead">You can close this page, and go on in the application that you came from.</p>
</main>`,
  { door: true },
);

/** The page for somebody who came through a provider to an account that has the address already. */
export function proveAccountPage(page: {
  csrf: string;
  request: string;
  providerName: string;
  email: string;
  faults?: Faults;
}): HtmlPage {
  const { csrf, request, email, faults = [] } = page;
  const name = escapeHtml(page.providerName);
  return layout(
    titleOf('Is this your account?', faults),
    `<main>
<h1>Is this your account?</h1>
<p class="lead">There is a Ringfence account of <strong>${escapeHtml(email)}</strong>. Type its password, this once. From then on you can sign in to it with ${name}.</p>
${alertOf(faults)}
<form method="post" action="${LINK}">
${hidden({ request, csrf })}
${accountField(email)}
${passwordField(faults)}
<button type="submit">Sign in</button>
</form>
<section class="or" aria-labelledby="by-mail">
<h2 id="by-mail">Or without the password</h2>
<form method="post" action="${LINK}">
${hidden({ request, csrf })}
<button type="submit" name="by" value="mail" class="quiet">Mail me a link</button>
</form>
</section>
</main>`,
    DOOR,
  );
}

/** What follows where a link is asked for. */
export const linkMailedPage: HtmlPage = layout(
  'Check your mailbox',
  `<main>
<h1>Check your mailbox</h1>
<p>We have sent a link to the address of the account. Open it in this browser. It works once, for 30 minutes.</p>
<p class="fine">Nothing there after a few minutes? Look in your junk mail too.</p>
</main>`,
  { door: true },
);

/** The page that the letter's link opens. It says what happens, as whoever opened it may not be who asked for it. */
export function confirmLinkPage(page: {
  csrf: string;
  token: string;
  providerName: string;
  email: string;
  /** Whether somebody proved the address before: else this makes the account anew. */
  proved: boolean;
}): HtmlPage {
  const { csrf, token, email, proved } = page;
  const name = escapeHtml(page.providerName);
  return layout(
    `Sign in with ${page.providerName}?`,
    `<main>
<h1>Sign in with ${name}?</h1>
<p class="lead">From now on, whoever signs in to your account at ${name} can use the Ringfence account of <strong>${escapeHtml(email)}</strong>.</p>
${proved ? '' : `<p>The password that it has now will not work any more, and whoever is signed in will be signed out.</p>\n${FIRST_PROOF}`}
<form method="post" action="${LINK}">
${hidden({ token, csrf })}
<button type="submit">Sign in</button>
</form>
<p class="fine">You did not ask for this? Close the page; then nothing happens.</p>
</main>`,
    DOOR,
  );
}
