import { formTargetOf } from '../../domain/authorize.ts';
import { currentPasswordField, emailField, formPage, type Faults } from './forms.ts';
import { escapeHtml, type HtmlPage } from './layout.ts';
import { CREATE_ACCOUNT } from './registration.ts';

interface SignInPage {
  /** Undefined if the person continues to a page about their bank. */
  application: { clientName: string; redirectUri: string } | undefined;
  /** The query to continue with. */
  continue: string;
  csrf: string;
  /** Whether anybody may register. */
  open: boolean;
  identityProviders: readonly { provider_id: string; name: string }[];
  email?: string;
  faults?: Faults;
}

export function signInPage(page: SignInPage): HtmlPage {
  const { application, continue: query, csrf, email = '', faults = [] } = page;
  const to = application ? `<strong>${escapeHtml(application.clientName)}</strong>` : 'your bank';
  return formPage({
    title: 'Sign in',
    lead: `<p class="lead">to continue to ${to}</p>`,
    faults,
    action: '/api/v1/auth/sign-in',
    given: { continue: query, csrf },
    fields: [emailField(email, faults), currentPasswordField(faults)],
    button: 'Sign in',
    after: `<p class="beside"><a href="/api/v1/auth/forgot-password">Forgotten your password?</a></p>
${page.open && application ? `<p class="beside">New here? <a href="${CREATE_ACCOUNT}?continue=${encodeURIComponent(query)}">Create an account</a></p>` : ''}
${identityProviderLinks(page)}`,
    formTargets: application ? [formTargetOf(application.redirectUri)] : [],
  });
}

function identityProviderLinks({ identityProviders, continue: query }: SignInPage): string {
  if (identityProviders.length === 0) return '';
  const links = identityProviders.map(({ provider_id: id, name }) => {
    const address = `/api/v1/auth/sign-in/${encodeURIComponent(id)}?continue=${encodeURIComponent(query)}`;
    return `<a class="button quiet" href="${escapeHtml(address)}">Sign in with ${escapeHtml(name)}</a>`;
  });
  return `<section class="or" aria-labelledby="elsewhere">
<h2 id="elsewhere">Or use another account</h2>
${links.join('\n')}
</section>`;
}
