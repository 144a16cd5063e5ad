import { formTargetOf } from '../../domain/authorize.ts';
import { alertOf, currentPasswordField, emailField, hidden, titleOf, type Faults } from './forms.ts';
import { escapeHtml, layout, type HtmlPage } from './layout.ts';
import { CREATE_ACCOUNT } from './registration.ts';

interface SignInPage {
  clientName: string;
  redirectUri: string;
  /** The query of the authorization request to continue with. */
  continue: string;
  csrf: string;
  /** Whether anybody may register. */
  open: boolean;
  providers: readonly { provider_id: string; name: string }[];
  email?: string;
  faults?: Faults;
}

export function signInPage(page: SignInPage): HtmlPage {
  const { clientName, redirectUri, continue: query, csrf, email = '', faults = [] } = page;
  return layout(
    titleOf('Sign in', faults),
    `<main>
<h1>Sign in</h1>
<p class="lead">to continue to <strong>${escapeHtml(clientName)}</strong></p>
${alertOf(faults)}
<form method="post" action="/api/v1/auth/sign-in">
${hidden({ continue: query, csrf })}
${emailField(email, faults)}
${currentPasswordField(faults)}
<button type="submit">Sign in</button>
</form>
<p class="beside"><a href="/api/v1/auth/forgot-password">Forgotten your password?</a></p>
${page.open ? `<p class="beside">New here? <a href="${CREATE_ACCOUNT}?continue=${encodeURIComponent(query)}">Create an account</a></p>` : ''}
${providerLinks(page)}
</main>`,
    { door: true, formTargets: [formTargetOf(redirectUri)] },
  );
}

function providerLinks({ providers, continue: query }: SignInPage): string {
  if (providers.length === 0) return '';
  const links = providers.map(({ provider_id: id, name }) => {
    const address = `/api/v1/auth/sign-in/${encodeURIComponent(id)}?continue=${encodeURIComponent(query)}`;
    return `<a class="button quiet" href="${escapeHtml(address)}">Sign in with ${escapeHtml(name)}</a>`;
  });
  return `<section class="or" aria-labelledby="elsewhere">
<h2 id="elsewhere">Or use another account</h2>
${links.join('\n')}
</section>`;
}
