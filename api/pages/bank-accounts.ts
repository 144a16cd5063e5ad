import { inMinorUnits } from '../../domain/money.ts';
import type { ConnectedAccount, ConnectionSync, Wage } from '../../openapi/types.ts';
import { suggestionsSection } from './bank-wages.ts';
import { facts, HOW_TO_END, whom, type SignedIn } from './bank.ts';
import { hidden } from './forms.ts';
import { escapeHtml, layout, type HtmlPage } from './layout.ts';

interface AccountsPage extends SignedIn {
  bankName: string;
  accounts: readonly ConnectedAccount[];
  lastSync: ConnectionSync | null;
  /** Credits that may be a wage. */
  suggested: readonly Wage[];
  /** Whether the bank is being asked at this moment. */
  isReading: boolean;
  /** What the person has to do before the accounts can be read. */
  needs: 'bank' | 'confirmation' | undefined;
  /** Addresses: of this page, of its form, of the page for a confirmation, and of the page about a wage. */
  at: { page: string; readNow: string; reconfirm: string; wage: (wage: Wage) => string };
}

export function accountsPage(page: AccountsPage): HtmlPage {
  const { bankName, accounts, lastSync, suggested, at } = page;
  const title = `Your accounts at ${bankName}`;
  const none = '<p>Your bank has not shown an account yet.</p>';
  return layout(
    title,
    `<main>
<h1>${escapeHtml(title)}</h1>
<p class="lead">Ringfence can read these accounts. It cannot move money with this.</p>
${lastSync === null ? '' : `<p>${escapeHtml(readingText(lastSync))}</p>`}
${next(page)}
${suggestionsSection(suggested, at.wage)}
${accounts.length === 0 ? none : accounts.map(accountSection).join('\n')}
${HOW_TO_END}
${whom(page)}
</main>`,
    { door: true, formTargets: [] },
  );
}

/** Works without a script: the person loads the page again to see the end of a reading. */
function next({ isReading, needs, at, csrf }: AccountsPage): string {
  if (isReading) {
    return `<p role="status">Your bank is being asked now. This usually takes a few seconds.</p>
<a class="button" href="${at.page}">Look again</a>`;
  }
  if (needs === 'confirmation') {
    return `<p>By law, reading stops until you say that it may go on.</p>
<a class="button" href="${at.reconfirm}">Say that it may go on</a>`;
  }
  if (needs === 'bank') {
    return '<p>Your bank wants you to approve this again. Start in the application that you came from.</p>';
  }
  return `<form method="post" action="${at.readNow}">
${hidden({ csrf })}
<button type="submit">Read now</button>
</form>`;
}

const KINDS: Readonly<Record<string, string>> = { current: 'Current account', savings: 'Savings', card: 'Card' };

function accountSection(account: ConnectedAccount): string {
  const { name, kind, currency, sort_code_masked, account_number_masked, balance, available, credit_line, as_of } =
    account;
  const money = (label: string, amount: number | null) =>
    amount === null ? {} : { [label]: inMinorUnits(amount, currency) };
  const kindText = KINDS[kind] ?? 'Account';
  const shown = {
    ...(kindText !== name && { Kind: kindText }),
    ...(sort_code_masked !== null && { 'Sort code': sort_code_masked }),
    ...(account_number_masked !== null && { Number: account_number_masked }),
    ...money('Balance', balance),
    ...money('Available', available),
    ...(available !== null && credit_line !== 0 && money('Of this, credit', credit_line)),
    'As of': as_of === null ? 'not known' : timeText(as_of),
  };
  return `<section>\n<h2>${escapeHtml(name)}</h2>\n${facts(shown)}\n</section>`;
}

const inLondon = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/London' });

function timeText(instant: string): string {
  return inLondon.format(new Date(instant));
}

const ENDS: Readonly<Record<ConnectionSync['outcome'], string>> = {
  complete: 'Your bank answered in full.',
  partial: 'Your bank left something out, and will be asked for it again.',
  failed: 'Your bank did not give what was asked.',
};

function readingText({ finished_at, outcome, rows_new }: ConnectionSync): string {
  const found = rows_new === 1 ? 'One transaction was new.' : `${rows_new} transactions were new.`;
  return `Last read on ${timeText(finished_at)}. ${ENDS[outcome]} ${found}`;
}
