import { formTargetOf } from '../../domain/authorize.ts';
import { isOfPassword } from '../http/form-faults.ts';
import { alertOf, emailField, field, hidden, NEW_PASSWORD_HINT, titleOf, type Faults } from './forms.ts';
import { escapeHtml, layout, type HtmlPage } from './layout.ts';

/** Where a person creates an account. */
export const CREATE_ACCOUNT = '/api/v1/auth/create-account';

/** What the page for a new account shows. */
export interface CreateAccountPage {
  csrf: string;
  /** The token of the invitation that the person followed. */
  invitation: string | undefined;
  /** The application that the person came from, and the authorization request that continues afterwards. */
  application: { name: string; redirectUri: string; continue: string } | undefined;
  /** The address that the person entered before. */
  email?: string;
  faults?: Faults;
}

/** The page for a new account. */
export function createAccountPage(page: CreateAccountPage): HtmlPage {
  const { csrf, invitation, application, email = '', faults = [] } = page;
  const shared = { type: 'password', autocomplete: 'new-password' } as const;
  return layout(
    titleOf('Create an account', faults),
    `<main>
<h1>Create an account</h1>
${application ? `<p class="lead">to continue to <strong>${escapeHtml(application.name)}</strong></p>` : ''}
${alertOf(faults)}
<form method="post" action="${CREATE_ACCOUNT}">
${hidden({ csrf, ...(invitation !== undefined && { invitation }), ...(application && { continue: application.continue }) })}
${emailField(
  email,
  faults.filter((fault) => !isOfPassword(fault)),
)}
${field({ ...shared, name: 'password', label: 'Password', hint: NEW_PASSWORD_HINT, more: 'minlength="12"' }, faults)}
${field({ ...shared, name: 'password_again', label: 'Repeat the password' }, faults)}
<button type="submit">Create the account</button>
</form>
<p class="fine">We will email you a link that confirms the address.</p>
</main>`,
    { door: true, formTargets: application ? [formTargetOf(application.redirectUri)] : [] },
  );
}

/** The page after an account was created that no application waits for. */
export const accountCreatedPage: HtmlPage = layout(
  'Your account is ready',
  `<main>
<h1>Your account is ready</h1>
<p class="lead">We have emailed you a link. Open it to confirm your address.</p>
<p>Then go to your application and sign in.</p>
</main>`,
  { door: true },
);
