import type { ConnectionTerms } from '../../activities/bank/describe-connection.ts';
import { poundsText } from '../../domain/bank/connections.ts';
import { inPounds } from '../../domain/money.ts';
import { longDate } from '../../domain/dates.ts';
import { formPage, hidden, plainField } from './forms.ts';
import { escapeHtml, layout, messagePage, textOf, type HtmlPage } from './layout.ts';

const ANSWER_SCRIPT = textOf('bank-answer.js');
export const CALLBACK = '/api/v1/bank/callback';
const SIGN_OUT = '/api/v1/auth/sign-out';
const AT_THE_APP = '<p>Go back to the application that you came from, and start again there.</p>';

/** What the fields contain, as typed. */
export interface LimitTexts {
  per_payment: string;
  per_month: string;
  valid_until: string;
}

export type LimitFaults = Partial<Record<keyof LimitTexts, string>>;

export interface SignedIn {
  signedInAs: string;
  continue: string;
  csrf: string;
  signOutCsrf: string;
}

export interface AuthorisePage extends ConnectionTerms, SignedIn {
  action: string;
  /** Whether the person has granted this before. Limits then stay as they are. */
  renews: boolean;
  texts?: LimitTexts;
  faults?: LimitFaults;
  /** About the whole form. */
  alert?: string;
  formTargets: readonly string[];
}

export function authorisePage(page: AuthorisePage): HtmlPage {
  const { asked, bankName, regulated, renews, action, csrf, faults = {}, alert, formTargets } = page;
  const sentences = [...(alert === undefined ? [] : [alert]), ...Object.values(faults)];
  return formPage({
    title: renews ? `Renew your connection to ${bankName}?` : titleOf(page),
    lead: asked.kind === 'payments' ? paymentsLead(page, asked) : accountsLead(page, asked),
    faults: sentences,
    action,
    given: { csrf },
    fields: [
      ...(asked.kind === 'payments' && !renews ? limitFields(page.texts ?? textsOf(asked.limits), faults) : []),
      HOW_TO_END,
      termsOf(regulated, bankName),
    ],
    button: 'Continue',
    after: whom(page),
    formTargets,
  });
}

function textsOf({ perPayment, perMonth, validUntil }: Of<'payments'>['limits']): LimitTexts {
  return { per_payment: poundsText(perPayment), per_month: poundsText(perMonth), valid_until: validUntil ?? '' };
}

function titleOf({ asked }: ConnectionTerms): string {
  return asked.kind === 'payments' ? `Pay ${asked.payee.name} from your bank?` : 'Let Ringfence read your accounts?';
}

type Of<Kind> = Extract<ConnectionTerms['asked'], { kind: Kind }>;

function paymentsLead({ bankName, renews }: AuthorisePage, { payee, limits }: Of<'payments'>): string {
  const { perPayment, perMonth, validUntil } = limits;
  return `<p class="lead">Ringfence will be able to pay <strong>${escapeHtml(payee.name)}</strong>, and nobody else, from the account that you choose at <strong>${escapeHtml(bankName)}</strong>. It pays what you schedule, without asking you each time.</p>
${facts({
  Payee: payee.name,
  'Sort code': payee.sortCode,
  'Account number': payee.accountNumber,
  ...(renews && {
    'At most for one payment': inPounds(perPayment),
    'At most in one month': inPounds(perMonth),
    'Valid until': validUntil === null ? 'you end it' : longDate(validUntil),
  }),
})}`;
}

function accountsLead({ bankName }: AuthorisePage, { daysBack }: Of<'accounts'>): string {
  return `<p class="lead">Ringfence will be able to read the accounts that you choose at <strong>${escapeHtml(bankName)}</strong>. It cannot move money with this.</p>
<p>It will see:</p>
<ul>
<li>the accounts’ names, sort codes and numbers</li>
<li>their balances</li>
<li>their transactions of the last ${daysBack} days, and new ones</li>
</ul>`;
}

export const HOW_TO_END = `<h2>How to end it</h2>
<p>You can end this at any time, in the application that you came from or on your bank’s list of connected services.</p>`;

function limitFields(texts: LimitTexts, faults: LimitFaults): string[] {
  const pounds = { type: 'text', more: 'inputmode="decimal"' } as const;
  const field = (name: keyof LimitTexts, more: Pick<Parameters<typeof plainField>[0], 'label' | 'type' | 'hint'>) =>
    plainField({ ...pounds, ...more, name, value: texts[name], optional: name === 'valid_until', fault: faults[name] });
  return [
    '<h2>Your limits</h2>\n<p class="hint">Your bank refuses whatever is above them.</p>',
    field('per_payment', { type: 'text', label: 'At most for one payment', hint: 'In pounds, such as 120.50.' }),
    field('per_month', { type: 'text', label: 'At most in one month', hint: 'In pounds, for all payments together.' }),
    field('valid_until', { type: 'date', label: 'Valid until', hint: 'Leave it empty if only you should end it.' }),
  ];
}

function termsOf({ name, termsUrl }: ConnectionTerms['regulated'], bankName: string): string {
  const firm = escapeHtml(name);
  return `<p class="fine"><strong>${firm}</strong> is the regulated provider of this connection. If you continue, its terms apply. Continue starts it: you go to ${escapeHtml(bankName)}, which asks whether you approve.</p>
<p class="beside"><a href="${escapeHtml(termsUrl)}">Read the terms of ${firm}</a></p>`;
}

export function facts(given: Readonly<Record<string, string>>): string {
  const lines = Object.entries(given).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl class="facts">\n${lines.join('\n')}\n</dl>`;
}

export function whom({ signedInAs, continue: query, signOutCsrf }: Omit<SignedIn, 'csrf'>): string {
  return `<form method="post" action="${SIGN_OUT}" class="whom">
${hidden({ continue: query, csrf: signOutCsrf })}
<span>Signed in as <strong>${escapeHtml(signedInAs)}</strong></span>
<button type="submit" class="text">Not you? Sign out</button>
</form>`;
}

/** Must not reveal whose it is, or whether it exists. */
export function notYoursPage(
  signedIn: Omit<SignedIn, 'csrf'>,
  what: 'connection' | 'payment' = 'connection',
): HtmlPage {
  return layout(
    `This ${what} is not yours`,
    `<main>
<h1>This ${what} is not yours</h1>
<p>You are signed in, but this link is not for your account. If somebody sent you the link, close this page: do not sign in for them.</p>
${whom(signedIn)}
</main>`,
    { door: true, formTargets: [] },
  );
}

/** For a connection that cannot be authorised any more. */
export function overPage(status: 'rejected' | 'revoked' | 'expired'): HtmlPage {
  const what = {
    rejected: 'You refused this connection at your bank.',
    revoked: 'This connection has been ended.',
    expired: 'This connection has expired.',
  }[status];
  return messagePage('This connection is over', `<p class="lead">${what}</p>\n${AT_THE_APP}`);
}

/** For a connection that nobody is asked to authorise now. */
export const restingPage = messagePage(
  'There is nothing to do',
  `<p class="lead">Nobody asks you to authorise this connection now. It may be authorised already, or you may have started again in another window.</p>\n${AT_THE_APP}`,
);

/** For a bank that answers in the fragment. `formTargets` are where the answer can lead afterwards. */
export function answerPage({ nonce, formTargets }: { nonce: string; formTargets: readonly string[] }): HtmlPage {
  return layout(
    'Back from your bank',
    `<main>
<h1>One moment</h1>
<noscript><p>Your bank’s answer needs JavaScript on this page. Switch it on, and start again in the application that you came from.</p></noscript>
<p class="lead">We are taking your bank’s answer.</p>
<form method="post" action="${CALLBACK}"></form>
<template><h1>There is no answer here</h1><p class="lead">Nothing has changed.</p>${AT_THE_APP}</template>
</main>`,
    { door: true, formTargets, inlineScript: ANSWER_SCRIPT, nonce },
  );
}

/** @param accountsAt the address of the page with the accounts, if the connection reads any. */
export function connectedPage(
  { bankName, asked }: Pick<ConnectionTerms, 'bankName' | 'asked'>,
  accountsAt: string | undefined,
): HtmlPage {
  const can =
    asked.kind === 'payments'
      ? `Ringfence can now pay <strong>${escapeHtml(asked.payee.name)}</strong>, up to ${inPounds(asked.limits.perPayment)} at a time and ${inPounds(asked.limits.perMonth)} a month.`
      : 'Ringfence can now read the accounts that you chose.';
  return messagePage(
    'Your bank is connected',
    `<p class="lead">${escapeHtml(bankName)} has confirmed it. ${can}</p>
${accountsAt === undefined ? '' : `<p class="beside"><a href="${escapeHtml(accountsAt)}">See your accounts</a></p>\n`}${HOW_TO_END}
<p class="fine">You can close this page and continue in your application.</p>`,
  );
}

export const refusedPage = messagePage(
  'You refused at your bank',
  `<p class="lead">Nothing was connected, and nothing has changed.</p>\n${AT_THE_APP}`,
);

/** A browser may load the page of a good end again, so this says nothing about the end. */
export const usedPage = messagePage(
  'This link was used before',
  `<p class="lead">Each answer of a bank works once, in the browser that brought it.</p>
<p>Go back to the application that you came from. It shows whether your bank is connected.</p>`,
);

/** @param startAgain the address of the authorise page, if the connection is this person's and can still be tried. */
export function failedPage({ why, startAgain }: { why: string; startAgain: string | undefined }): HtmlPage {
  return messagePage(
    'Your bank was not connected',
    `<p class="lead">${escapeHtml(why)}</p>
<p>We keep nothing of this attempt. If your bank shows a permission from it, we end that permission there.</p>
${startAgain === undefined ? AT_THE_APP : `<a class="button" href="${escapeHtml(startAgain)}">Start again</a>`}`,
  );
}

export function reconfirmPage(
  page: SignedIn & { action: string; bankName: string; reconfirmBy: string | null },
): HtmlPage {
  const { action, csrf, bankName, reconfirmBy } = page;
  const until = reconfirmBy === null ? '' : ` The present 90 days end on <strong>${longDate(reconfirmBy)}</strong>.`;
  return formPage({
    title: `Keep reading your accounts at ${bankName}?`,
    lead: `<p class="lead">By law, Ringfence needs your word every 90 days that it may go on.${until}</p>
${HOW_TO_END}`,
    action,
    given: { csrf },
    button: 'Keep reading',
    after: whom(page),
  });
}

export function reconfirmedPage(reconfirmBy: string): HtmlPage {
  return messagePage(
    'Thank you',
    `<p class="lead">Ringfence may read your accounts until <strong>${longDate(reconfirmBy)}</strong>.</p>
<p class="fine">You can close this page.</p>`,
  );
}
