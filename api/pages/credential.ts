import { longPeriod } from '../../domain/credential.ts';
import type { CredentialVerification as Verification } from '../../openapi/types.ts';
import { escapeHtml, layout, type HtmlPage } from './layout.ts';

const VERDICTS: Readonly<Record<Verification['status'], { title: string; words: string }>> = {
  valid: {
    title: 'This credential is valid',
    words: 'We issued it, nobody has changed it, and it has not been withdrawn.',
  },
  expired: {
    title: 'This credential has expired',
    words: 'We issued it and nobody has changed it, but it is too old to rely on. Ask for a new one.',
  },
  revoked: {
    title: 'This credential was withdrawn',
    words: 'We issued it, but it was withdrawn later and is no longer valid. Ask for a new one.',
  },
  tampered: {
    title: 'Do not rely on this credential',
    words: 'The record under this number is not what we signed, so it proves nothing.',
  },
};

const TICK = 'M4 10.5l4 4 8-9';
const CROSS = 'M5 5l10 10M15 5L5 15';

const inWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/London' });

/** `at` is the time of the check. */
export function verificationPage(found: Verification, at: Date): HtmlPage {
  const { title, words } = VERDICTS[found.status];
  return layout(
    title,
    `<main class="proof">
<section class="verdict${found.valid ? '' : ' bad'}" aria-labelledby="verdict">
<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${found.valid ? TICK : CROSS}" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>
<div>
<h1 id="verdict">${title}</h1>
<p>${words}</p>
</div>
</section>
${found.valid ? figureOf(found.reliability_score!) : ''}
${factsOf(found)}
${found.valid ? meaningOf(found) : ''}
${checkingOf(found)}
<p class="fine">Checked on ${escapeHtml(inWords.format(at))}, London time. A printout or screenshot of this page proves nothing. Open the page again to be sure.</p>
</main>`,
  );
}

/** Appears only for a valid credential, so that nobody relies on an invalid one. */
function figureOf(score: number): string {
  return `<section class="figure" aria-labelledby="score">
<h2 id="score">Payment reliability score</h2>
<p><strong>${score}</strong> <span>out of 1000</span></p>
<svg viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="1000" height="24" rx="12"/><rect class="bar" width="${Math.max(score, 24)}" height="24" rx="12"/></svg>
<p class="hint">Higher is better. Up to 700 points are for paying on time, and recent bills count most. Up to 200 are for the length of the record. Up to 100 are for recent months in a row with every bill on time.</p>
</section>`;
}

function factsOf(found: Verification): string {
  const until = found.status === 'expired' ? 'Was valid until' : 'Valid until';
  const facts: [string, string | null][] = [
    [until, found.status === 'revoked' ? null : instant(found.expires_at)],
    ['Issued on', instant(found.issued_at)],
    ['Issued by', found.issuer],
    ['About the payments of', found.subject],
    ['Payments from', found.period && longPeriod(found.period)],
    ['Credential number', found.credential_id],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`],
  );
  return `<dl class="facts">
${lines.join('\n')}
</dl>`;
}

const meaningOf = (found: Verification) => `<section aria-labelledby="meaning">
<h2 id="meaning">What it means</h2>
<p>${escapeHtml(found.meaning ?? '')} A payment is on time if it completed by the due date that the payer gave. Without a due date, it must complete by the day after it was made. A due date more than 31 days after the payment was made is ignored.</p>
</section>
<section aria-labelledby="limits">
<h2 id="limits">What it does not mean</h2>
<ul>
<li>It is not a credit score, and says nothing about income, savings or debts.</li>
<li>It does not show payments made elsewhere, or the categories and times that the person left out.</li>
<li>It does not promise future payments.</li>
<li>It does not prove who is in front of you. Make sure that the credential is theirs.</li>
</ul>
</section>`;

function checkingOf({ issuer }: Verification): string {
  if (issuer === null) return '';
  const address = `<code>${escapeHtml(issuer)}/</code>`;
  return `<section aria-labelledby="checking">
<h2 id="checking">How to check this page</h2>
<p>The address at the top of your browser must begin with ${address}. If somebody gave you a code or link and the address begins differently, do not trust it.</p>
<p>Do you have the credential as a file? Any verifier of SD-JWT credentials can check it with our <a href="/.well-known/jwks.json">public keys</a>.</p>
</section>`;
}

function instant(iso: string | null): string | null {
  return iso === null ? null : inWords.format(new Date(iso));
}
