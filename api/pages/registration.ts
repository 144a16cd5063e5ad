import { formTargetOf } from '../../domain/authorize.ts';
import { isOfPassword } from '../http/form-faults.ts';
import { alertOf, emailField, field, hidden, NEW_PASSWORD_HINT, titleOf, type Faults } from './forms.ts';
import { escapeHtml, layout, messagePage, type HtmlPage } from './layout.ts';

export const CREATE_ACCOUNT = '/api/v1/auth/create-account';

interface CreateAccountPage {
  csrf: string;
  /** The token of the invitation link. */
  invitation: string | undefined;
  /** The application that sent the person here, with the query of its authorization request in `continue`. */
  application: { name: string; redirectUri: string; continue: string } | undefined;
  email?: string;
  faults?: Faults;
}

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

export const accountCreatedPage = messagePage(
  'Your account is ready',
  `<p class="lead">We have emailed you a link. Open it to confirm your address.</p>
<p>Then go to your application and sign in.</p>`,
);
