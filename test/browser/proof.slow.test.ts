import type { Page } from 'puppeteer-core';
import { startApi, type TestUser } from '../helpers/api.ts';
import { expectNarrow, expectSound, withBrowser } from '../helpers/browser.ts';
import { enter, expectFocus, heading, tabTo } from '../helpers/keyboard.ts';
import { mailedToken } from '../helpers/mail.ts';
import {
  newPerson,
  identityProviderWays,
  SIGN_IN_CA,
  type RegisteredProvider,
} from '../helpers/identity-provider-way.ts';

const api = startApi({ env: { SIGN_IN_CA } });
const ways = identityProviderWays(api);
const browser = withBrowser();
const AUTH = '/api/v1/auth';

let registered: RegisteredProvider;
beforeAll(async () => {
  registered = await ways.register({ plain: true }, 'Example & Sons identity service');
});

async function openVerification(page: Page): Promise<TestUser> {
  const user = await api.registerUser();
  const token = await mailedToken(api.services, user.email, 'verify-email');
  await page.goto(`${api.url}${AUTH}/verify-email?token=${token}`);
  return user;
}

// With an email address that already has an account.
async function comeBack(page: Page): Promise<TestUser> {
  const user = await api.registerUser();
  registered.provider.person = newPerson({ email: user.email });
  await page.goto(`${api.url}${AUTH}/sign-in/${registered.providerId}`);
  return user;
}

async function askForLetter(page: Page): Promise<TestUser> {
  const user = await comeBack(page);
  await tabTo(page, 'button by mail');
  await enter(page);
  return user;
}

async function openLetter(page: Page): Promise<void> {
  const { email } = await askForLetter(page);
  const token = await mailedToken(api.services, email, 'link-provider');
  await page.goto(`${api.url}${AUTH}/link-provider?token=${token}`);
}

async function typePassword(page: Page, password: string): Promise<void> {
  await tabTo(page, 'input password');
  await page.keyboard.type(password);
  await enter(page);
}

describe.each([
  ['without JavaScript', false],
  ['with JavaScript', true],
])('a person who uses only the keyboard, %s,', (_how, javaScript) => {
  test('confirms an address, even after a mistake', async () => {
    const page = await browser.newPage({ javaScript });
    const { password } = await openVerification(page);
    expect(await heading(page)).toBe('Confirm your email address');
    await typePassword(page, 'not the password');
    await expectFocus(page, 'div faults');
    await typePassword(page, password);
    expect(await heading(page)).toBe('Your email address is confirmed');
  });

  test('proves an account by its password, even after a mistake', async () => {
    const page = await browser.newPage({ javaScript });
    const { password } = await comeBack(page);
    expect(await heading(page)).toBe('Is this your account?');
    await typePassword(page, 'not the password');
    await expectFocus(page, 'div faults');
    await typePassword(page, password);
    expect(await heading(page)).toBe('You are signed in');
  });

  test('proves an account by a mailed link', async () => {
    const page = await browser.newPage({ javaScript });
    await openLetter(page);
    expect(await heading(page)).toBe('Sign in with Example & Sons identity service?');
    await tabTo(page, 'button Sign in');
    await enter(page);
    expect(await heading(page)).toBe('You are signed in');
  });
});

const PAGES: readonly (readonly [name: string, go: (page: Page) => Promise<unknown>])[] = [
  ['confirm an address', openVerification],
  [
    'confirm an address with a wrong password',
    async (page) => {
      await openVerification(page);
      await typePassword(page, 'not the password');
    },
  ],
  [
    'address confirmed',
    async (page) => {
      const { password } = await openVerification(page);
      await typePassword(page, password);
    },
  ],
  ['prove an account', comeBack],
  [
    'prove an account with a wrong password',
    async (page) => {
      await comeBack(page);
      await typePassword(page, 'not the password');
    },
  ],
  ['letter on its way', askForLetter],
  ['link to a provider', openLetter],
  ['bad verification link', (page) => page.goto(`${api.url}${AUTH}/verify-email?token=rf_ev_x`)],
  ['bad link to a provider', (page) => page.goto(`${api.url}${AUTH}/link-provider?token=rf_pl_x`)],
];

test.each(PAGES)('%s: axe finds nothing, the page fits 320 pixels, and it violates no policy', async (_, go) => {
  const page = await browser.newPage();
  await expectSound(page, go);
  await expectNarrow(page);
});
