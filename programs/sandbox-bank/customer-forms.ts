import type { Account } from './accounts.ts';
import { decimalOf } from './amounts.ts';
import type { Consent } from './consents.ts';
import { html, page, type Html } from './page.ts';
import { paymentTerms } from './vrp-consents.ts';

const NAMES = { current: 'Current account', savings: 'Savings account', card: 'Credit card', euro: 'Euro account' };
const SYMBOLS = { GBP: '£', EUR: '€' };

/** `request` is that of a consent to payments. */
export type Asked = Pick<Consent, 'kind' | 'request'>;

export function customerForm({ kind }: Asked, fault = ''): Html {
  const asks = kind === 'accounts' ? 'read your accounts' : 'make payments for you';
  return page(
    'Sign in',
    html`<form method="post">
      <p>Ringfence asks to ${asks}. Nothing happens before you approve it on the next page.</p>
      ${faultOf(fault)}
      <label class="field" for="customer">Customer number</label>
      <p class="soft" id="about">
        This is a sandbox: any owner id of Ringfence is a customer, and there is no password.
      </p>
      <input
        type="text"
        id="customer"
        name="customer"
        required
        autocomplete="username"
        spellcheck="false"
        autocapitalize="none"
        aria-describedby="about${fault && ' fault'}"
      />
      <div class="actions"><button type="submit">Continue</button></div>
    </form>`,
  );
}

export function decisionForm(asked: Asked, customer: string, accounts: readonly Account[], fault = ''): Html {
  const isPayment = asked.kind === 'payments';
  return page(
    isPayment ? 'Approve payments' : 'Share your accounts',
    html`<p class="soft">You are signed in as ${accounts[0]?.holder ?? customer}.</p>
      <section>${isPayment ? paymentsAsked(asked) : readingAsked()}</section>
      <form method="post">
        <input type="hidden" name="customer" value="${customer}" />
        ${faultOf(fault)}
        <fieldset>
          <legend>${isPayment ? 'Pay from' : 'Share these accounts'}</legend>
          ${accounts.map((account, index) => choiceOf(account, isPayment ? (index === 0 ? 'radio-first' : 'radio') : 'checkbox'))}
        </fieldset>
        <div class="actions">
          <button type="submit" name="decision" value="approve">Approve</button>
          <button type="submit" name="decision" value="refuse" class="plain" formnovalidate>Refuse</button>
        </div>
      </form>`,
  );
}

function faultOf(fault: string): Html {
  return fault === '' ? html`` : html`<p class="fault" id="fault" role="alert">${fault}</p>`;
}

function readingAsked(): Html {
  return html`<h2>Ringfence wants to read</h2>
    <ul>
      <li>the details of your accounts</li>
      <li>their balances</li>
      <li>their transactions</li>
    </ul>`;
}

function paymentsAsked(asked: Asked): Html {
  const { payee, account, perPayment, perMonth, validTo } = paymentTerms(asked);
  const until = validTo === null ? 'you end it' : dateOf(validTo);
  return html`<h2>Ringfence wants to pay</h2>
    <dl>
      <dt>Payee</dt>
      <dd>${payee}</dd>
      <dt>Payee’s account</dt>
      <dd>${account}</dd>
      <dt>At most, each payment</dt>
      <dd>£${withCommas(perPayment)}</dd>
      <dt>At most, each month</dt>
      <dd>£${withCommas(perMonth)}</dd>
      <dt>Valid until</dt>
      <dd>${until}</dd>
    </dl>`;
}

function choiceOf(account: Account, as: 'radio' | 'radio-first' | 'checkbox'): Html {
  const { id, kind, currency, sortCode, accountNumber, balance } = account;
  const input =
    as === 'radio'
      ? html`<input type="radio" name="account" value="${id}" required />`
      : as === 'checkbox'
        ? html`<input type="checkbox" name="account" value="${id}" checked />`
        : html`<input type="radio" name="account" value="${id}" required checked />`;
  const amount = `${balance < 0 ? '−' : ''}${SYMBOLS[currency]}${withCommas(balance)}`;
  return html`<label class="choice"
    >${input}<span class="name"
      >${NAMES[kind]} <span class="soft number">${sortCodeOf(sortCode)} ${accountNumber}</span></span
    ><span class="amount">${amount}</span></label
  > `;
}

function sortCodeOf(sortCode: string): string {
  return sortCode.replace(/(\d\d)(\d\d)(\d\d)/, '$1-$2-$3');
}

function dateOf(at: string): string {
  return new Date(at).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });
}

function withCommas(minorUnits: number): string {
  return decimalOf(minorUnits).replace(/\B(?=(?:\d{3})+\.)/g, ',');
}
