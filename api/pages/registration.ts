import { formTargetOf } from '../../domain/authorize.ts';
import { isOfPassword } from '../http/validation/form-faults.ts';
import { emailField, formPage, newPasswordFields, type Faults } from './forms.ts';
import { escapeHtml, messagePage, type HtmlPage } from './layout.ts';

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
  const ofEmail = faults.filter((fault) => !isOfPassword(fault));
  return formPage({
    title: 'Create an account',
    lead: application ? `<p class="lead">to continue to <strong>${escapeHtml(application.name)}</strong></p>` : '',
    faults,
    action: CREATE_ACCOUNT,
    given: {
      csrf,
      ...(invitation !== undefined && { invitation }),
      ...(application && { continue: application.continue }),
    },
    fields: [emailField(email, ofEmail), ...newPasswordFields('Password', faults)],
    button: 'Create the account',
    after: `<p class="fine">We will email you a link that confirms the address.</p>`,
    formTargets: application ? [formTargetOf(application.redirectUri)] : [],
  });
}

/** Without an application to return to, which would otherwise open next. */
export const accountCreatedPage = messagePage(
  'Your account is ready',
  `<p class="lead">There are two steps left:</p>
<ol>
<li>Open the link in the email that we have sent you. It confirms your address.</li>
<li>Go to your application and sign in there.</li>
</ol>
<p class="beside"><a href="/docs/guide/start#as-a-person">Or use the account in your own program</a></p>
<p class="fine">No email after a few minutes? Check your junk mail.</p>`,
);
