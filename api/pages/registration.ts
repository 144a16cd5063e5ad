import { formTargetOf } from '../../domain/authorize.ts';
import { isOfPassword } from '../http/form-faults.ts';
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

export const accountCreatedPage = messagePage(
  'Your account is ready',
  `<p class="lead">We have emailed you a link. Open it to confirm your address.</p>
<p>Then go to your application and sign in.</p>`,
);
