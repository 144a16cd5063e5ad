import type { Page } from 'puppeteer-core';
import { startApi } from '../helpers/api.ts';
import { expectNarrow, expectSound, withBrowser, withOtherSite } from '../helpers/browser.ts';
import { enter, expectFocus, heading, tabTo } from '../helpers/keyboard.ts';
import { mailedToken } from '../helpers/mail.ts';
import { newClient, newPkce, sqlOf } from '../helpers/oauth.ts';
import { until } from '../helpers/until.ts';

const api = startApi();
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

  test('denies the consent, and the application gets the error', async () => {
    const user = await api.registerUser();
    const app = await newApp();
    const page = await browser.newPage({ javaScript });
    await page.goto(app.address);
    await typeSignIn(page, user);
    await tabTo(page, 'button decision deny');
    await enter(page);
    expect(page.url().startsWith(app.redirectUri)).toBe(true);
    expect(application.callbacks.at(-1)).toMatchObject({ error: 'access_denied', state: 'a state, & more' });
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
});

const PAGES: readonly (readonly [name: string, go: (page: Page) => Promise<unknown>])[] = [
  ['sign-in', async (page) => page.goto((await newApp()).address)],
  [
    'sign-in with another provider',
    async (page) => {
      const sql = sqlOf(api.services);
      await sql.run(
        `insert into identity_providers (provider_id, name, issuer, client_id, client_secret_sealed, created_at)
         values ('sip_test', 'A provider with a rather long name', 'https://op.example', 'c', 's', now())`,
      );
      await page.goto((await newApp()).address);
      await sql.run(`delete from identity_providers where provider_id = 'sip_test'`);
    },
  ],
  [
    'sign-in with a wrong password',
    async (page) => {
      await page.goto((await newApp()).address);
      await typeSignIn(page, { email: 'nobody@example.org', password: 'not the password' });
    },
  ],
  [
    'consent',
    async (page) => {
      await page.goto((await newApp()).address);
      await typeSignIn(page, await api.registerUser());
    },
  ],
  ['new account', (page) => page.goto(`${api.url}${AUTH}/create-account`)],
  ['forgotten password', (page) => page.goto(`${api.url}${AUTH}/forgot-password`)],
  [
    'forgotten password with no address',
    async (page) => {
      await page.goto(`${api.url}${AUTH}/forgot-password`);
      await tabTo(page, 'input email');
      await page.keyboard.type('nobody');
      await enter(page);
    },
  ],
  [
    'letter sent',
    async (page) => {
      await page.goto(`${api.url}${AUTH}/forgot-password`);
      await tabTo(page, 'input email');
      await page.keyboard.type('nobody@example.org');
      await enter(page);
    },
  ],
  ['reset', openLink],
  [
    'reset with passwords that differ',
    async (page) => {
      await openLink(page);
      await typePasswords(page, NEW_PASSWORD, `${NEW_PASSWORD}!`);
    },
  ],
  [
    'password set',
    async (page) => {
      await openLink(page);
      await typePasswords(page, NEW_PASSWORD, NEW_PASSWORD);
    },
  ],
  ['bad link', (page) => page.goto(`${api.url}${AUTH}/reset-password?token=rf_pr_x`)],
  ['unknown application', (page) => page.goto(`${api.url}${AUTH}/authorize?client_id=x`)],
  [
    'form out of date',
    async (page) => {
      await page.goto((await newApp()).address);
      const context = page.browserContext();
      await context.deleteCookie(...(await context.cookies()));
      await typeSignIn(page, { email: 'nobody@example.org', password: 'x' });
    },
  ],
  ['list of refusals', (page) => page.goto(`${api.url}/problems`)],
  ['a refusal explained', (page) => page.goto(`${api.url}/problems/invalid-reset-token`)],
];

async function openLink(page: Page): Promise<void> {
  const { email } = await api.registerUser();
  await api.post(`${AUTH}/forgot-password`, { body: { email } });
  await page.goto(`${api.url}${AUTH}/reset-password?token=${await mailedToken(api.services, email)}`);
}

async function typePasswords(page: Page, first: string, second: string): Promise<void> {
  await tabTo(page, 'input password');
  await page.keyboard.type(first);
  await tabTo(page, 'input password_again');
  await page.keyboard.type(second);
  await enter(page);
}

test.each(PAGES)('%s: axe finds nothing, the page fits 320 pixels, and it loads nothing else', async (name, go) => {
  const page = await browser.newPage();
  await expectSound(page, go);
  // Refusal pages need not fit. Their table of codes can scroll, and its links can be one line high.
  if (!name.includes('refusal')) await expectNarrow(page);
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
