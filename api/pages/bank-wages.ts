import type { ShownCredit, WageState } from '../../activities/bank/describe-wage.ts';
import { longDate } from '../../domain/dates.ts';
import { inPounds } from '../../domain/money.ts';
import type { Wage } from '../../openapi/types.ts';
import { facts, whom, type SignedIn } from './bank.ts';
import { formPage } from './forms.ts';
import { escapeHtml, messagePage, type HtmlPage } from './layout.ts';

interface WagePage extends SignedIn {
  action: string;
  credit: ShownCredit;
  state: WageState;
}

export function wagePage(page: WagePage): HtmlPage {
  const { action, credit, csrf, state } = page;
  if (state === 'named') return namedPage(credit);
  if (state !== 'open') return messagePage('This is not a wage', `<p class="lead">${WHY_NOT[state]}</p>\n${DONE}`);
  return formPage({
    title: 'Is this your wage?',
    lead: `${factsOf(credit)}
<h2>What follows from it</h2>
<p>If you say yes, Ringfence counts this money as your income, and the applications that you use can set some of it aside. No money leaves your bank account.</p>
<p>${later(credit)}</p>
<p>If it is not your wage, close this page. Then nothing happens.</p>`,
    action,
    given: { csrf },
    button: 'Yes, this is my wage',
    after: whom(page),
  });
}

const DONE = '<p class="fine">You can close this page and continue in your application.</p>';

const WHY_NOT: Readonly<Record<Exclude<WageState, 'open' | 'named'>, string>> = {
  debit: 'This payment went out of your account. Only money that came in can be a wage.',
  own: 'This money seems to come from another account of yours. Choose the payment with which your wage arrived first.',
  reversed: 'This money went back to where it came from.',
};

function namedPage(credit: ShownCredit): HtmlPage {
  return messagePage(
    'This is your wage',
    `<p class="lead">Ringfence counts it as your income.</p>\n<p>${later(credit)}</p>\n${factsOf(credit)}\n${DONE}`,
  );
}

function factsOf({ amount, receivedOn, payer, reference, accountName, accountNumber }: ShownCredit): string {
  return facts({
    Amount: inPounds(amount),
    'Received on': longDate(receivedOn),
    Payer: payer ?? 'not known',
    ...(reference !== null && { Reference: reference }),
    Account: accountNumber === null ? accountName : `${accountName}, ${accountNumber}`,
  });
}

function later({ payer }: ShownCredit): string {
  if (payer === null) {
    return 'Your bank does not say who paid, so Ringfence cannot recognise your next wage by this one.';
  }
  return `From then on, money from <strong>${escapeHtml(payer)}</strong> counts as your wage without asking you, if it is from half to twice as much as the last time.`;
}

/** Links to the pages about credits that look like a wage. Empty if there are none. */
export function suggestionsSection(wages: readonly Wage[], addressOf: (wage: Wage) => string): string {
  if (wages.length === 0) return '';
  const items = wages.map((wage) => {
    const from = wage.payer === null ? '' : ` from ${escapeHtml(wage.payer)}`;
    const what = `${inPounds(wage.amount)}${from} on ${longDate(wage.received_on)}`;
    return `<li><a href="${addressOf(wage)}">${what}</a></li>`;
  });
  return `<section>\n<h2>Is this your wage?</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</section>`;
}
