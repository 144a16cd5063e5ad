import type { Page } from 'puppeteer-core';
import { startApi, type TestUser } from '../helpers/api.ts';
import { axeFaults, layoutFaults, withBrowser, withOtherSite } from '../helpers/browser.ts';
import { faultsInEachLook } from '../helpers/appearance.ts';
import {
  identityProviderWays,
  newPerson,
  SIGN_IN_CA,
  type RegisteredProvider,
} from '../helpers/identity-provider-way.ts';
import { enter, expectFocus, heading, tabTo } from '../helpers/keyboard.ts';
import { mailedToken } from '../helpers/mail.ts';
import { newClient, newPkce } from '../helpers/oauth.ts';
import { until } from '../helpers/until.ts';

const api = startApi({ env: { SIGN_IN_CA } });
const ways = identityProviderWays(api);
const browser = withBrowser();
const application = withOtherSite();
const AUTH = '/api/v1/auth';
const NEW_PASSWORD = 'nine quiet harbours';

async function newApp() {
  const redirectUri = `${application.origin}/callback`;
  const { clientId } = await newClient(api.services, { redirectUris: [redirectUri], isPublic: true });
  const { verifier, challenge } = newPkce();
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'read:profile write:payments',
    state: 'a state, & more',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return { clientId, redirectUri, verifier, address: `${api.url}${AUTH}/authorize?${query.toString()}` };
}

async function typeSignIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await tabTo(page, 'input email');
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.type(email);
  await tabTo(page, 'input password');
  await page.keyboard.type(password);
  await enter(page);
}

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
  test('signs in, even after a mistake, allows the application, and the application gets tokens', async () => {
    const user = await api.registerUser();
    const app = await newApp();
    const page = await browser.newPage({ javaScript });
    await page.goto(app.address);
    expect(await heading(page)).toBe('Sign in');
    await typeSignIn(page, { ...user, password: 'not the password' });
    expect(await heading(page)).toBe('Sign in');
    await expectFocus(page, 'div faults');
    expect(await page.$eval('[role=alert]', (element) => element.textContent)).toBe(
      'The email address or the password is wrong.',
    );
    await typeSignIn(page, user);
    expect(await heading(page)).toBe('Allow A client?');
    await tabTo(page, 'button decision allow');
    await enter(page);
    expect(page.url().startsWith(app.redirectUri)).toBe(true);
    const { code, ...told } = application.callbacks.at(-1)!;
    expect(told).toEqual({ state: 'a state, & more', iss: api.services.config.api.publicUrl });
    const tokens = await api.post(`${AUTH}/token`, {
      body: {
        grant_type: 'authorization_code',
        code,
        client_id: app.clientId,
        redirect_uri: app.redirectUri,
        code_verifier: app.verifier,
      },
    });
    expect(tokens).toMatchObject({ status: 200, body: { scope: 'read:profile write:payments' } });
  });

  test('can switch to another account', async () => {
    const [first, second] = [await api.registerUser(), await api.registerUser()];
    const app = await newApp();
    const page = await browser.newPage({ javaScript });
    await page.goto(app.address);
    await typeSignIn(page, first);
    await tabTo(page, 'button Not you? Sign out');
    await enter(page);
    expect(await heading(page)).toBe('Sign in');
    await typeSignIn(page, second);
    expect(await heading(page)).toBe('Allow A client?');
  });

  test('creates an account on the way to an application, even after a mistake', async () => {
    const app = await newApp();
    const page = await browser.newPage({ javaScript });
    await page.goto(app.address);
    await tabTo(page, 'a Create an account');
    await enter(page);
    expect(await heading(page)).toBe('Create an account');
    await tabTo(page, 'input email');
    await page.keyboard.type(`new-${String(javaScript)}@example.org`);
    for (const again of [`${NEW_PASSWORD}!`, NEW_PASSWORD]) {
      await tabTo(page, 'input password');
      await page.keyboard.type(NEW_PASSWORD);
      await tabTo(page, 'input password_again');
      await page.keyboard.type(again);
      await enter(page);
    }
    expect(await heading(page)).toBe('Allow A client?');
    await tabTo(page, 'button decision allow');
    await enter(page);
    expect(page.url().startsWith(app.redirectUri)).toBe(true);
  });

  test('sets a new password by the mailed link, and signs in with it', async () => {
    const user = await api.registerUser();
    const app = await newApp();
    const page = await browser.newPage({ javaScript });
    await page.goto(app.address);
    await tabTo(page, 'a Forgotten your password?');
    await enter(page);
    await tabTo(page, 'input email');
    await page.keyboard.type(user.email);
    await enter(page);
    expect(await heading(page)).toBe('Check your mailbox');
    await page.goto(`${api.url}${AUTH}/reset-password?token=${await mailedToken(api.services, user.email)}`);
    await tabTo(page, 'input password');
    await page.keyboard.type(NEW_PASSWORD);
    await tabTo(page, 'input password_again');
    await page.keyboard.type(`${NEW_PASSWORD}!`);
    await enter(page);
    await expectFocus(page, 'div faults');
    await tabTo(page, 'input password');
    await page.keyboard.type(NEW_PASSWORD);
    await tabTo(page, 'input password_again');
    await page.keyboard.type(NEW_PASSWORD);
    await enter(page);
    expect(await heading(page)).toBe('Your password is set');
    await page.goto(app.address);
    await typeSignIn(page, { ...user, password: NEW_PASSWORD });
    expect(await heading(page)).toBe('Allow A client?');
  });

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

describe('another site', () => {
  test.each(['authorize', 'forgot-password', 'reset-password?token=rf_pr_x'])(
    'cannot show %s in a frame',
    async (path) => {
      const { address } = await newApp();
      const url = path === 'authorize' ? address : `${api.url}${AUTH}/${path}`;
      application.serve(
        '/frame',
        `<!doctype html><title>t</title><iframe src="${url.replaceAll('&', '&amp;')}"></iframe>`,
      );
      const page = await browser.newPage();
      await page.goto(`${application.origin}/frame`);
      const framed = () =>
        page
          .frames()
          .find((frame) => frame !== page.mainFrame())
          ?.url() ?? '';
      await until(() => framed().startsWith('chrome-error:'), 'the refusal of the frame');
    },
  );

  test('cannot send our forms, though the browser has a session', async () => {
    const user = await api.registerUser();
    const app = await newApp();
    const page = await browser.newPage();
    await page.goto(app.address);
    await typeSignIn(page, user);
    const [query, csrf] = await Promise.all(
      ['continue', 'csrf'].map((name) =>
        page.$eval(`form[action$=consent] input[name=${name}]`, (input) => input.getAttribute('value')!),
      ),
    );
    const field = (name: string, value: string) => `<input name="${name}" value="${value.replaceAll('&', '&amp;')}">`;
    application.serve(
      '/attack',
      `<!doctype html><title>t</title><form method="post" action="${api.url}${AUTH}/consent">${field('continue', query)}${field('csrf', csrf)}${field('decision', 'allow')}<button>Win</button></form>`,
    );
    const before = application.callbacks.length;
    await page.goto(`${application.origin}/attack`);
    await Promise.all([page.waitForNavigation(), page.click('button')]);
    expect(await heading(page)).toBe('This form has expired');
    expect(application.callbacks).toHaveLength(before);
  });
});

describe('a form with passwords', () => {
  const types = (page: Page) =>
    page.$$eval('#password, #password_again', (fields) => fields.map((field) => field.getAttribute('type')));

  test('a person shows and hides passwords with the keyboard', async () => {
    const page = await browser.newPage();
    await page.goto(`${api.url}${AUTH}/create-account`);
    const [button] = await page.$$('::-p-aria([name="Show passwords"][role="button"])');
    const pressed = () => button!.evaluate((element) => element.getAttribute('aria-pressed'));
    expect([await pressed(), ...(await types(page))]).toEqual(['false', 'password', 'password']);
    await page.type('#password', 'nine quiet harbours');
    await tabTo(page, 'button Show passwords');
    await page.keyboard.press('Enter');
    expect([await pressed(), ...(await types(page))]).toEqual(['true', 'text', 'text']);
    expect(page.url()).toBe(`${api.url}${AUTH}/create-account`);
    expect([await axeFaults(page), await layoutFaults(page), await faultsInEachLook(page)]).toEqual([[], [], []]);
    await page.keyboard.press('Space');
    expect([await pressed(), ...(await types(page))]).toEqual(['false', 'password', 'password']);
  });

  test('a shown password is a password again when the form is sent', async () => {
    const page = await browser.newPage();
    await page.goto(`${api.url}${AUTH}/create-account`);
    await page.locator('.show').click();
    await page.evaluate(`document.forms[0].addEventListener('submit', (event) => {
      event.preventDefault();
      document.title = document.querySelector('#password').type;
    })`);
    await page.type('#email', 'a@example.org');
    for (const field of ['#password', '#password_again']) await page.type(field, 'nine quiet harbours');
    await page.keyboard.press('Enter');
    expect(await page.title()).toBe('password');
  });

  test('without JavaScript there is no button that does nothing', async () => {
    const page = await browser.newPage({ javaScript: false });
    await page.goto(`${api.url}${AUTH}/create-account`);
    expect(await page.$$eval('button', (all) => all.map((one) => one.textContent))).toEqual(['Create the account']);
  });
});
