import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Page } from 'puppeteer-core';
import { createHouseLink } from '../../activities/bank/house.ts';
import { paymentActivities } from '../../activities/payments/index.ts';
import { send } from '../../api/http/reply/answer.ts';
import { readContract } from '../../api/http/contract.ts';
import { PROBLEMS } from '../../api/http/reply/problem.ts';
import { refusalFor } from '../../api/http/reply/refusals.ts';
import { requestId } from '../../api/http/request/id.ts';
import { plainPath } from '../../api/http/request/target.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { BankError } from '../../infra/bank/interface.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import { credentialsOf } from '../helpers/activities.ts';
import { startApi } from '../helpers/api.ts';
import { appearanceFaults, faultsInEachLook } from '../helpers/appearance.ts';
import { axeFaults, expectNarrow, expectSound, layoutFaults, lookAs, withBrowser } from '../helpers/browser.ts';
import { movableClock } from '../helpers/clock.ts';
import { payBill, tamper } from '../helpers/credential.ts';
import { mailedToken } from '../helpers/mail.ts';
import { anyKey } from '../helpers/money.ts';
import { newClient } from '../helpers/oauth.ts';
import { withHouse } from '../helpers/banks.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { playedBanks } from '../helpers/played-banks.ts';
import { storeAccount, storeTransactions } from '../helpers/read-accounts.ts';
import {
  newPerson,
  identityProviderWays,
  SIGN_IN_CA,
  type RegisteredProvider,
} from '../helpers/identity-provider-way.ts';

/* Every page that the service serves, as it looks in light and dark mode, on a phone and on a desktop. */

const clock = movableClock();
const bank = playedBank();
const banks = playedBanks();
const api = startApi({ clock, banks: withHouse(banks, bank), env: { SIGN_IN_CA } });
const ways = identityProviderWays(api);
const browser = withBrowser();
const NOW = '2026-11-21T09:30:00.000Z';
const AUTH = '/api/v1/auth';
const PASSWORD = 'nine quiet harbours';
const SHOTS = process.env.DOCS_SHOTS;

let registered: RegisteredProvider;
beforeAll(async () => {
  registered = await ways.register({ plain: true }, 'A provider with a rather long name');
  clock.set(NOW);
  await paymentActivities(api.services).ensureSandboxPayees();
  for (let paid = 0; paid < 9; paid += 1) await payBill(api.services, bank, { owner: 'emp-1042' });
});
beforeEach(() => clock.set(NOW));

const open = (page: Page, path: string) => page.goto(`${api.url}${path}`);

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) await page.type(`#${name}`, text);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

const press = (page: Page, button: string) => Promise.all([page.waitForNavigation(), page.click(button)]);

async function openSignIn(page: Page): Promise<void> {
  const redirect_uri = 'https://app.example.org/callback';
  const { clientId } = await newClient(api.services, { redirectUris: [redirect_uri] });
  const query = {
    client_id: clientId,
    redirect_uri,
    response_type: 'code',
    scope: 'read:profile write:payments',
    state: 'x',
  };
  await open(page, `${AUTH}/authorize?${new URLSearchParams(query).toString()}`);
}

async function openByLetter(page: Page, letter: 'reset-password' | 'verify-email'): Promise<{ password: string }> {
  const user = await api.registerUser();
  if (letter === 'reset-password') await api.post(`${AUTH}/forgot-password`, { body: { email: user.email } });
  await open(page, `${AUTH}/${letter}?token=${await mailedToken(api.services, user.email, letter)}`);
  return user;
}

async function comeBack(page: Page): Promise<{ email: string; password: string }> {
  const user = await api.registerUser();
  registered.provider.person = newPerson({ email: user.email });
  await open(page, `${AUTH}/sign-in/${registered.providerId}`);
  return user;
}

async function openProof(page: Page): Promise<void> {
  const { email } = await comeBack(page);
  await press(page, 'button[name=by]');
  await open(page, `${AUTH}/link-provider?token=${await mailedToken(api.services, email, 'link-provider')}`);
}

async function newCredential(): Promise<string> {
  const credentials = credentialsOf(api.services);
  const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id: 'emp-1042' });
  await credentials.issueCredential({ credential_id });
  return credential_id;
}
const verification = (credential_id: string) => `${api.url}/api/v1/credential/${credential_id}/verify`;

const credential = (spoil: (id: string) => unknown) => async (page: Page) => {
  const credential_id = await newCredential();
  await spoil(credential_id);
  await page.goto(verification(credential_id));
};
const revoke = (credential_id: string) =>
  credentialsOf(api.services).revokeCredential({ principal: anyKey, credential_id });

/** Opens a page about a new connection, as its owner. */
async function openBankPage(page: Page, kind: 'accounts' | 'payments', which = 'authorise'): Promise<string> {
  const { email, password, userId: user_id, token } = await api.registerUser({ proved: true });
  const payee = { name: 'Flat & Sons Lettings', category: 'HOUSING', sort_code: '123456', account_number: '87654321' };
  const { body: added } = await api.post('/api/v1/payments/providers', { token, body: payee });
  const limits = { per_payment: 50_000, per_month: 120_000 };
  const pays = kind === 'payments' && { provider_id: added.provider_id as string, limits };
  const body = { user_id, bank_id: 'played-local', kind, ...pays };
  const { connection_id } = (await api.post('/api/v1/bank/connections', { token, body })).body as Record<
    string,
    string
  >;
  await open(page, `/api/v1/bank/connections/${connection_id}/${which}`);
  await fill(page, { email, password });
  return connection_id!;
}

/** Opens the link that `bank connect` prints. The bank of the house account is away. */
async function openHouseLink(page: Page): Promise<void> {
  bank.begin = () => Promise.reject(new BankError('away', 'the bank does not respond'));
  const operated = { ...api.services, operator: 'operator:ada' };
  const { url } = await createHouseLink(operated, { bank_id: 'sandbox' });
  await open(page, new URL(url).pathname + new URL(url).search);
}

/** The bank answers at once, in the fragment. */
async function goToBank(page: Page, error?: string): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (!request.url().startsWith('https://bank.example/')) return void request.continue();
    const answer = new URLSearchParams(banks.local.answerOf(request.url(), error)).toString();
    void request.respond({ status: 303, headers: { location: `${api.url}/api/v1/bank/callback#${answer}` } });
  });
  await page.click('button[type=submit]');
  await page.waitForFunction(`location.pathname.endsWith('/finish')`);
}

async function connectAndReconfirm(page: Page): Promise<void> {
  const id = await openBankPage(page, 'accounts');
  await goToBank(page);
  await open(page, `/api/v1/bank/connections/${id}/reconfirm`);
}

/** Opens the page about a credit in an account of the person. */
async function openWagePage(page: Page): Promise<void> {
  const { email, password, userId: ownerId } = await api.registerUser({ proved: true });
  const texts = { payer: 'Northwind Traders & Sons (Holdings) Ltd', reference: 'SALARY NOVEMBER' };
  const account = await storeAccount(api.services, { ownerId, connections: [] });
  const [credit] = await storeTransactions(api.services, account, [['2026-11-27', 212_500, texts]]);
  await open(page, `/api/v1/bank/transactions/${credit}/wage`);
  await fill(page, { email, password });
}

type Way = (page: Page) => Promise<unknown>;

/** By operation and status. The values are the pages that the contract allows there. */
const WAYS: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  'showCreateAccount 200': { 'Create an account': (page) => open(page, `${AUTH}/create-account`) },
  'createAccount 201': {
    'Your account is ready': async (page) => {
      await open(page, `${AUTH}/create-account`);
      await fill(page, { email: 'lovelace@example.org', password: PASSWORD, password_again: PASSWORD });
    },
  },
  'authorize 200': {
    'Sign in': openSignIn,
    'Allow A client?': async (page) => {
      await openSignIn(page);
      const { email, password } = await api.registerUser();
      await fill(page, { email, password });
    },
  },
  'showForgotPassword 200': { 'Forgotten your password?': (page) => open(page, `${AUTH}/forgot-password`) },
  'forgotPassword 202': {
    'Check your mailbox': async (page) => {
      await open(page, `${AUTH}/forgot-password`);
      await fill(page, { email: 'nobody@example.org' });
    },
  },
  'showResetPassword 200': { 'Set a new password': (page) => openByLetter(page, 'reset-password') },
  'resetPassword 200': {
    'Your password is set': async (page) => {
      await openByLetter(page, 'reset-password');
      await fill(page, { password: PASSWORD, password_again: PASSWORD });
    },
  },
  'showVerifyEmail 200': { 'Confirm your email address': (page) => openByLetter(page, 'verify-email') },
  'verifyEmail 200': {
    'Your email address is confirmed': async (page) => {
      const { password } = await openByLetter(page, 'verify-email');
      await fill(page, { password });
    },
  },
  'completeProviderSignIn 200': { 'Is this your account?': comeBack },
  'linkProvider 202': {
    'Check your mailbox': async (page) => {
      await comeBack(page);
      await press(page, 'button[name=by]');
    },
  },
  'showLinkProvider 200': { 'Sign in with A provider with a rather long name?': openProof },
  'linkProvider 200': {
    'You are signed in': async (page) => {
      await openProof(page);
      await press(page, 'button[type=submit]');
    },
  },
  'verifyCredential 200': {
    'This credential is valid': credential(() => undefined),
    'This credential was withdrawn': credential(revoke),
    'This credential has expired': credential(() => clock.set('2027-02-20T09:30:00.000Z')),
    'Do not rely on this credential': credential((id) => tamper(api.services, id, 'reliability_score = 1000')),
  },
  'showBankAuthorisation 200': {
    'Pay Flat & Sons Lettings from your bank?': (page) => openBankPage(page, 'payments'),
    'Let Ringfence read your accounts?': (page) => openBankPage(page, 'accounts'),
  },
  'continueToBank 200': {
    'Pay Flat & Sons Lettings from your bank?': async (page) => {
      await openBankPage(page, 'payments');
      await fill(page, { per_payment: '.345' });
    },
  },
  'receiveBankAnswer 200': { 'There is no answer here': (page) => open(page, '/api/v1/bank/callback') },
  'finishBankJourney 200': {
    'Your bank is connected': async (page) => {
      await openBankPage(page, 'payments');
      await goToBank(page);
    },
    'You refused at your bank': async (page) => {
      await openBankPage(page, 'payments');
      await goToBank(page, 'access_denied');
    },
    'Your bank was not connected': async (page) => {
      banks.local.finishes.push({ kind: 'failed', reason: 'nonce-mismatch' });
      await openBankPage(page, 'payments');
      await goToBank(page);
    },
    'This link was used before': (page) => open(page, '/api/v1/bank/callback/finish?answer=x'),
  },
  'showReconfirmation 200': { 'Keep reading your accounts at Local Bank?': connectAndReconfirm },
  'keepReading 200': {
    'Thank you': async (page) => {
      await connectAndReconfirm(page);
      await press(page, 'button[type=submit]');
    },
  },
  'showWage 200': { 'Is this your wage?': openWagePage },
  'confirmWageByForm 200': {
    'This is your wage': async (page) => {
      await openWagePage(page);
      await press(page, 'button[type=submit]');
    },
  },
  'showConnectedAccounts 200': {
    'Your accounts at Local Bank': async (page) => {
      const id = await openBankPage(page, 'accounts');
      await goToBank(page);
      const { owner_id: ownerId } = await api.services.db.one(connectionById(id));
      await storeAccount(api.services, { ownerId, connections: [id] });
      await press(page, 'a[href$="/accounts"]');
    },
  },
  'showHouseAccount 200': { 'Connect the house account?': openHouseLink },
  'connectHouseAccount 200': {
    'The house account was not connected': async (page) => {
      await openHouseLink(page);
      await press(page, 'button[type=submit]');
    },
  },
  'listProblems 200': { Errors: (page) => open(page, '/problems') },
  'explainProblem 200': { 'This link is not valid any more': (page) => open(page, '/problems/invalid-reset-token') },
};

const isPage = ([status, types]: readonly [number, ReadonlySet<string>]) => status < 300 && types.has('text/html');
const inContract = readContract().operations.flatMap(({ id, declared }) =>
  [...declared].filter(isPage).map(([status]) => `${id} ${status}`),
);

test('no page of the contract is forgotten below', () => {
  expect(Object.keys(WAYS).sort()).toEqual([...inContract].sort());
});

async function expectGoodLooks(page: Page, name: string): Promise<void> {
  const faults = await faultsInEachLook(page, async ({ scheme, width }) => {
    const path = `${SHOTS}/${name.replaceAll(/\W+/g, '-')}-${scheme}-${width}.png` as const;
    if (SHOTS) await page.screenshot({ path, fullPage: true });
  });
  expect([name, faults]).toEqual([name, []]);
}

/** For pages that differ in their text only. Text has the least room on a phone. */
async function expectGoodOnPhone(page: Page, name: string): Promise<void> {
  await lookAs(page, { scheme: 'dark', width: 375 });
  expect([name, await appearanceFaults(page)]).toEqual([name, []]);
}

const SUCCESSES = Object.entries(WAYS).flatMap(([operation, pages]) =>
  Object.entries(pages).map(([title, go]) => [title, operation, go] as const),
);
const REFUSALS: readonly (readonly [title: string, operation: string, go: Way])[] = [
  [
    'Sign in',
    'signIn 401',
    async (page) => {
      await openSignIn(page);
      await fill(page, { email: 'nobody@example.org', password: 'not the password' });
    },
  ],
  [
    'This form has expired',
    'signIn 403',
    async (page) => {
      await openSignIn(page);
      const context = page.browserContext();
      await context.deleteCookie(...(await context.cookies()));
      await fill(page, { email: 'nobody@example.org', password: 'x' });
    },
  ],
  [
    'Forgotten your password?',
    'forgotPassword 400',
    async (page) => {
      await open(page, `${AUTH}/forgot-password`);
      await fill(page, { email: 'nobody' });
    },
  ],
  [
    'Set a new password',
    'resetPassword 400',
    async (page) => {
      await openByLetter(page, 'reset-password');
      await fill(page, { password: PASSWORD, password_again: `${PASSWORD}!` });
    },
  ],
  [
    'Confirm your email address',
    'verifyEmail 401',
    async (page) => {
      await openByLetter(page, 'verify-email');
      await fill(page, { password: 'not the password' });
    },
  ],
  [
    'Is this your account?',
    'linkProvider 401',
    async (page) => {
      await comeBack(page);
      await fill(page, { password: 'not the password' });
    },
  ],
  ['', 'showResetPassword 401', (page) => open(page, `${AUTH}/reset-password?token=rf_pr_x`)],
  ['', 'showVerifyEmail 401', (page) => open(page, `${AUTH}/verify-email?token=rf_ev_x`)],
  ['', 'showLinkProvider 403', (page) => open(page, `${AUTH}/link-provider?token=rf_pl_x`)],
  ['', 'authorize 400', (page) => open(page, `${AUTH}/authorize?client_id=x`)],
];

test.each([...SUCCESSES, ...REFUSALS])(
  '"%s" (%s) is accessible, has good looks, fits 320 pixels, and loads nothing else',
  async (title, operation, go) => {
    const page = await browser.newPage();
    await expectSound(page, go);
    if (!operation.includes('Problem') && title !== '')
      expect(await page.$eval('h1', (heading) => heading.textContent)).toBe(title);
    if (SHOTS) await expectGoodLooks(page, `${title} ${operation}`);
    // The table of codes can scroll, and its links can be one line high.
    if (!operation.includes('Problem')) await expectNarrow(page);
  },
);

test('so have all pages that a link leads to from /docs', async () => {
  const page = await browser.newPage();
  const seen = new Set<string>();
  const next = ['/docs', '/docs/search?q=payment', '/docs/search?q=zzzz', '/docs/search'];
  while (next.length > 0) {
    const path = next.pop()!;
    if (seen.has(path)) continue;
    seen.add(path);
    // docs.slow.test.ts looks at the reference, in more states.
    if (/^\/openapi\.|^\/docs\/reference/.test(path)) continue;
    await open(page, path);
    if (path.startsWith('/problems/')) await expectGoodOnPhone(page, path);
    else await expectGoodLooks(page, path);
    const links = await page.$$eval('a[href^="/"]', (all) => all.map((link) => link.getAttribute('href')!));
    next.push(...links.map((link) => link.split('#', 1)[0]!));
  }
  expect([...seen]).toEqual(expect.arrayContaining(['/docs/guide/start', '/docs/changelog', '/problems/not-found']));
});

describe('errors', () => {
  let server: Server;
  beforeAll(async () => {
    const app = express().use(requestId, plainPath);
    app.get('/:code', ({ params }, response) => {
      const detail = 'This sentence says what is wrong, and what one can do about it.';
      send(response, refusalFor(new DomainError(params.code as ErrorCode, detail), response));
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  test('the page of every error has good looks too', async () => {
    const page = await browser.newPage();
    for (const code of Object.keys(PROBLEMS)) {
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${code}`);
      await expectGoodOnPhone(page, `error ${code}`);
    }
  });

  const UNKNOWN = '/api/v1/credential/cred_none/verify';
  test.each(['/signin', '/docs/nothing', `${AUTH}/sign-in`, '/%ff', '/api/v1/auth/me', UNKNOWN])(
    '%s too',
    async (path) => {
      const page = await browser.newPage();
      await open(page, path);
      await expectGoodLooks(page, `at ${path}`);
      expect([path, await axeFaults(page), await layoutFaults(page)]).toEqual([path, [], []]);
    },
  );
});

describe('the page of a credential', () => {
  test('without JavaScript a landlord sees the score, the holder, the expiry, and how to verify', async () => {
    const credential_id = await newCredential();
    const address = verification(credential_id);
    const page = await browser.newPage({ javaScript: false });
    await page.goto(address);
    const text = await page.$eval('main', (element) => element.textContent);
    for (const words of [
      'out of 1000',
      'a customer of an application',
      '19 February 2027',
      credential_id,
      `${api.url}/`,
      'does not mean',
    ]) {
      expect(text).toContain(words);
    }
    clock.set('2027-02-20T09:30:00.000Z');
    await page.goto(address);
    expect(await page.$eval('h1', (element) => element.textContent)).toBe('This credential has expired');
    expect(await page.$eval('main', (element) => element.textContent)).toContain('Was valid until');
  });

  test('prints on one sheet of A4, even in dark mode', async () => {
    const address = verification(await newCredential());
    const page = await browser.newPage();
    await lookAs(page, { scheme: 'dark', width: 1_280 });
    await page.goto(address);
    const pdf = await page.pdf({ format: 'A4' });
    const text = Buffer.from(pdf).toString('latin1');
    expect(text.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await page.emulateMediaType('print');
    expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).toBe('rgb(255, 255, 255)');
    expect(await axeFaults(page)).toEqual([]);
  });
});
