import { formTargetOf } from '../../domain/authorize.ts';
import type { ScopeLine } from '../../domain/scope-texts.ts';
import { hidden } from './forms.ts';
import { escapeHtml, layout, type HtmlPage } from './layout.ts';

interface ConsentPage {
  clientName: string;
  redirectUri: string;
  lines: readonly ScopeLine[];
  destination: { kind: 'site' | 'own-computer' | 'app'; name: string };
  signedInAs: string;
  continue: string;
  csrf: string;
  signOutCsrf: string;
}

const TICK = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M4 10.5l4 4 8-9" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

const DESTINATIONS: Readonly<Record<ConsentPage['destination']['kind'], string>> = {
  site: '',
  'own-computer': 'a program on this computer, at ',
  app: 'an app on this device, ',
};

export function consentPage(page: ConsentPage): HtmlPage {
  const { clientName, redirectUri, lines, destination, signedInAs, continue: query, csrf, signOutCsrf } = page;
  const name = escapeHtml(clientName);
  return layout(
    `Allow ${clientName}?`,
    `<main>
<h1>Allow ${name}?</h1>
<p class="lead"><strong>${name}</strong> would like to use your Ringfence account. It will be able to:</p>
<ul class="grants">
${lines.map(lineOf).join('\n')}
</ul>
<p>Either way, you then go to ${DESTINATIONS[destination.kind]}<strong>${escapeHtml(destination.name)}</strong>.</p>
<form method="post" action="/api/v1/auth/consent">
${hidden({ continue: query, csrf })}
<div class="pair">
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny" class="quiet">Deny</button>
</div>
</form>
<form method="post" action="/api/v1/auth/sign-out" class="whom">
${hidden({ continue: query, csrf: signOutCsrf })}
<span>Signed in as <strong>${escapeHtml(signedInAs)}</strong></span>
<button type="submit" class="text">Not you? Sign out</button>
</form>
</main>`,
    { door: true, formTargets: [formTargetOf(redirectUri)] },
  );
}

function lineOf({ text, movesMoney }: ScopeLine): string {
  const money = movesMoney ? ' <span class="money">moves money</span>' : '';
  return `<li>${TICK}<span>${escapeHtml(text)}${money}</span></li>`;
}
