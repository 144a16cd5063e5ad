import type { Page } from 'puppeteer-core';
import { startApi } from '../helpers/api.ts';
import { faultsInEachLook } from '../helpers/appearance.ts';
import { axeFaults, layoutFaults, lookAs, LOOKS, withBrowser } from '../helpers/browser.ts';
import { readPage } from '../helpers/guide.ts';

/** Differs from the address that the service listens on, as behind a proxy. */
const PUBLIC_URL = 'https://money.example';
const api = startApi({ env: { RINGFENCE_PUBLIC_URL: PUBLIC_URL } });
const browser = withBrowser();
const SHOTS = process.env.DOCS_SHOTS;

const linksOf = (html: string) => [...html.matchAll(/<a [^>]*href="([^"#]+)(?:#[^"]*)?"/g)].map(([, to]) => to!);

test('every link in the documentation works, and every page is reachable from /docs', async () => {
  const seen = new Set<string>();
  const next = ['/docs'];
  while (next.length > 0) {
    const path = next.pop()!;
    if (seen.has(path) || path.startsWith('https://')) continue;
    seen.add(path);
    const { status, text, headers } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    if (String(headers['content-type']).includes('html')) next.push(...linksOf(text));
  }
  for (const path of ['/docs/guide/start', '/docs/guide/vault', '/docs/reference', '/docs/changelog', '/openapi.yaml'])
    expect([...seen]).toContain(path);
  expect(seen).toContain('/problems/insufficient-allocation');
});

const PAGES = [
  '/docs',
  '/docs/guide/payments',
  '/docs/guide/errors',
  '/docs/guide/python',
  '/docs/changelog',
  '/docs/search?q=payment',
  '/problems',
  '/problems/insufficient-allocation',
];

// Code that is wider than its block.
const hiddenCode = (page: Page) =>
  page.$$eval('.code pre', (blocks) =>
    blocks.filter((block) => block.scrollWidth > block.clientWidth).map((block) => block.textContent),
  );

test('its pages are accessible, fit desktop and phone, light and dark, hide no code, and violate no policy', async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  for (const path of PAGES) {
    await page.goto(`${api.url}${path}`);
    for (const look of LOOKS) {
      await lookAs(page, look);
      expect([path, look, await axeFaults(page)]).toEqual([path, look, []]);
      expect([path, look, await layoutFaults(page)]).toEqual([path, look, []]);
      expect([path, look, await hiddenCode(page)]).toEqual([path, look, []]);
      const shot = `${SHOTS}/${path.slice(1).replaceAll(/\W+/g, '-')}-${look.scheme}-${look.width}.png` as const;
      if (SHOTS) await page.screenshot({ path: shot, fullPage: true });
    }
  }
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
});

test('guide, errors, search and reference have one navigation, which works without scripts', async () => {
  const page = await browser.newPage({ javaScript: false });
  const links: unknown[] = [];
  for (const path of [...PAGES, '/docs/reference']) {
    await page.goto(`${api.url}${path}`);
    links.push(await page.$$eval('header a', (all) => all.map((link) => link.getAttribute('href'))));
  }
  expect(links).toEqual(links.map(() => ['/docs', '/docs/guide', '/docs/reference', '/problems', '/docs/changelog']));
});

test.each([
  ['reset the clock', '/docs/guide/sandbox#reset'],
  ['execute payment', '/docs/reference#/Payments/executePayment'],
  ['insuficient alocation', '/problems/insufficient-allocation'],
])('the search for "%s" finds %s, even without scripts', async (query, address) => {
  const page = await browser.newPage({ javaScript: false });
  await page.goto(`${api.url}/docs/guide/start`);
  await page.type('#search', query);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  const found = await page.$$eval('.found a', (all) => all.map((link) => link.getAttribute('href')));
  expect(found.slice(0, 3)).toContain(address);
});

test('a search result opens its operation in the reference', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}/docs/search?q=execute+payment`);
  await page.locator('.found a[href="/docs/reference#/Payments/executePayment"]').click();
  await page.waitForSelector('[id="operations-Payments-executePayment"].is-open');
});

test.each([
  ['how do I retry a payment', 'retry payment'],
  ['what is the buffer, and why?', 'buffer'],
])('the search for "%s" finds what "%s" finds', async (question, words) => {
  const found = async (query: string) =>
    /<ol class="found">[^]*<\/ol>/.exec((await api.get(`/docs/search?q=${encodeURIComponent(query)}`)).text)![0];
  expect(await found(words)).toContain('<li>');
  expect(await found(question)).toBe(await found(words));
});

test('a search of common words alone finds something', async () => {
  expect((await api.get('/docs/search?q=what+to+do')).text).toContain('<li><a href');
});

test('words after the eighth cost nothing: they do not count', async () => {
  const eight = 'vault payment wage debt payee interest credential payslip';
  const listOf = async (query: string) =>
    (await api.get(`/docs/search?q=${encodeURIComponent(query)}`)).text.split('<ol class="found">')[1];
  expect(await listOf(`${eight} con pro com pre int tra sta`)).toBe(await listOf(eight));
});

test('a search shows markup as text, and says so if it finds nothing', async () => {
  const { text } = await api.get(`/docs/search?q=${encodeURIComponent('"><marquee>zzz</marquee>')}`);
  expect(text).toContain('Nothing found for <strong>&quot;&gt;&lt;marquee&gt;zzz&lt;/marquee&gt;</strong>');
  expect(text).not.toContain('<marquee>zzz');
});

test('a copy button copies the code exactly as in the guide', async () => {
  const page = await browser.newPage();
  const allowed = ['clipboard-read', 'clipboard-write'].map(
    (name) => ({ permission: { name }, state: 'granted' }) as const,
  );
  await page.browserContext().setPermission(api.url, ...allowed);
  await page.goto(`${api.url}/docs/guide/payments`);
  await page.locator('::-p-aria([name="TypeScript"][role="tab"])').click();
  await page.locator('.code.ts .copy').click();
  await page.waitForFunction(`document.querySelector('[role=status]').textContent === 'Copied'`);
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toBe(/```ts\n([\s\S]*?)\n```/.exec(readPage('62-payments.md'))![1]);
});

test('samples show the public address of the service that serves them', async () => {
  for (const path of ['/docs/guide/start', '/docs/guide/applications']) {
    const { text } = await api.get(path);
    expect(text).toContain(PUBLIC_URL);
    expect(text).not.toContain('https://localhost:');
  }
});

// Faults in Swagger UI's markup that CSS cannot repair: buttons contain links, and headings begin at level 3.
const OF_SWAGGER = ['nested-interactive', 'heading-order'];
const ownFaults = async (page: Page) =>
  (await axeFaults(page)).filter((fault) => !OF_SWAGGER.some((rule) => fault.startsWith(`${rule}: `)));

test('the reference shows the examples, and is accessible except for faults of Swagger UI itself', async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(`${api.url}/docs/reference`);
  await page.waitForSelector('.opblock');
  for (const look of LOOKS) {
    await lookAs(page, look);
    expect([look, await ownFaults(page)]).toEqual([look, []]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/reference-${look.scheme}-${look.width}.png` });
  }
  const login = '[id="operations-Auth-login"]';
  await page.locator(`${login} .opblock-summary-control`).click();
  const example = await page.waitForSelector(`${login} .responses-table .example`);
  expect(await example!.evaluate((shown) => shown.textContent)).toContain('"expires_in": 3600');
  // The page is still no wider than a phone.
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/reference-login.png`, fullPage: true });
  expect(await ownFaults(page)).toEqual([]);
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
});

describe('the samples', () => {
  async function openGuide(chapter: string, options?: { javaScript: boolean }): Promise<Page> {
    const page = await browser.newPage(options);
    await page.goto(`${api.url}/docs/guide/${chapter}`);
    return page;
  }

  /** The languages of the samples that are visible, without repetition. */
  const shown = (page: Page) =>
    page.$$eval('.samples figure', (all) => [
      ...new Set(
        all
          .filter((figure) => figure.checkVisibility())
          .map((figure) => figure.querySelector('figcaption')!.firstChild!.textContent),
      ),
    ]);
  const focusedTab = (page: Page) => page.evaluate('document.activeElement.textContent');

  test('one language is shown, and the arrow keys choose another one for all steps', async () => {
    const page = await openGuide('payments');
    expect(await shown(page)).toEqual(['curl']);
    await page.focus('.samples [aria-selected=true]');
    await page.keyboard.press('ArrowRight');
    expect([await focusedTab(page), await shown(page)]).toEqual(['TypeScript', ['TypeScript']]);
    await page.keyboard.press('End');
    expect([await focusedTab(page), await shown(page)]).toEqual(['Python', ['Python']]);
    await page.keyboard.press('ArrowRight');
    expect(await shown(page)).toEqual(['curl']);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Home');
    expect(await shown(page)).toEqual(['curl']);
  });

  test('the choice is kept on other pages, and the chosen tab stays where it was', async () => {
    const page = await openGuide('payments');
    const [tab] = (await page.$$('::-p-aria([name="Python"][role="tab"])')).slice(-1);
    await tab!.scrollIntoView();
    const top = () => tab!.evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const before = await top();
    await tab!.click();
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(2);
    await page.goto(`${api.url}/docs/guide/paycheck`);
    expect(await shown(page)).toEqual(['Python']);
  });

  test('without JavaScript all samples are shown, and nothing looks like a tab', async () => {
    const page = await openGuide('payments', { javaScript: false });
    expect(await shown(page)).toEqual(['curl', 'TypeScript', 'Python']);
    expect(await page.$$('[role=tab]')).toEqual([]);
  });

  test.each(['TypeScript', 'Python'])('with %s chosen, a page is accessible and has good looks', async (language) => {
    const page = await openGuide('payments');
    await page.locator(`::-p-aria([name="${language}"][role="tab"])`).click();
    expect([await axeFaults(page), await layoutFaults(page), await faultsInEachLook(page)]).toEqual([[], [], []]);
  });

  test.each([true, false])(
    'on a phone the chapters are in a menu above the text (JavaScript: %p)',
    async (javaScript) => {
      const page = await openGuide('payments', { javaScript });
      await lookAs(page, { scheme: 'light', width: 375 });
      const place = (selector: string) => page.$eval(selector, (element) => element.getBoundingClientRect().top);
      expect(await place('.chapters-menu summary')).toBeLessThan(await place('h1'));
      expect(await place('.chapters-menu summary')).toBeLessThan(400);
      const link = '.chapters-menu a[href="/docs/guide/vault"]';
      expect(await page.$eval(link, (element) => element.checkVisibility())).toBe(false);
      await page.click('.chapters-menu summary');
      // axe cannot run in a page without JavaScript.
      expect([javaScript ? await axeFaults(page) : [], await layoutFaults(page)]).toEqual([[], []]);
      await Promise.all([page.waitForNavigation(), page.click(link)]);
      expect(page.url()).toBe(`${api.url}/docs/guide/vault`);
    },
  );

  test('on a desktop the chapters stand beside the text', async () => {
    const page = await openGuide('payments');
    await lookAs(page, { scheme: 'light', width: 1_280 });
    const seen = (selector: string) => page.$eval(selector, (element) => element.checkVisibility());
    expect([await seen('nav.chapters'), await seen('.chapters-menu')]).toEqual([true, false]);
  });
});

describe('an operation in the reference', () => {
  const PAY = '[id="operations-Payments-executePayment"]';
  const STATUSES = `${PAY} .response-col_status`;

  async function openReference(): Promise<Page> {
    const page = await browser.newPage();
    await page.setViewport({ width: 1_280, height: 800 });
    await page.goto(`${api.url}/docs/reference#/Payments/executePayment`);
    await page.waitForSelector(`${PAY} .responses-table`);
    return page;
  }

  const statuses = (page: Page) =>
    page.$$eval(STATUSES, (cells) => cells.map((cell) => cell.textContent).filter((text) => /^\d{3}$/.test(text)));

  test('an operation shows what succeeds, and opens its errors on request', async () => {
    const page = await openReference();
    expect(await statuses(page)).toEqual(['201']);
    const summary = `${PAY} .errors > summary`;
    expect(await page.$eval(summary, (element) => element.textContent)).toMatch(/^Errors: 400, 401, .*503$/);
    await page.locator(summary).click();
    await page.waitForSelector(`${PAY} .errors .responses-table`);
    expect((await statuses(page)).length).toBeGreaterThan(5);
  });

  const STATES: readonly (readonly [state: string, open: (page: Page) => Promise<unknown>])[] = [
    ['at first', () => Promise.resolve()],
    [
      'with errors open',
      async (page) => {
        await page.locator(`${PAY} .errors > summary`).click();
        await page.waitForSelector(`${PAY} .errors .responses-table`);
      },
    ],
    [
      'while somebody tries an operation',
      async (page) => {
        await page.locator(`${PAY} .try-out__btn`).click();
        await page.waitForSelector(`${PAY} .execute`);
      },
    ],
    [
      'with a response',
      async (page) => {
        await page.locator(`${PAY} .try-out__btn`).click();
        await page.locator(`${PAY} .execute`).click();
        await page.waitForSelector(`${PAY} .live-responses-table`);
      },
    ],
    [
      'with the form for a credential',
      async (page) => {
        await page.locator('.btn.authorize').click();
        await page.waitForSelector('.modal-ux');
      },
    ],
    [
      'with a schema open',
      async (page) => {
        await page.locator(`${PAY} .opblock-section-request-body .tablinks[data-name=model]`).click();
        await page.waitForSelector(`${PAY} .opblock-section-request-body [class*=json-schema-2020-12]`);
      },
    ],
  ];

  test.each(STATES)('%s, the reference has the colours of all pages', async (state, open) => {
    const page = await openReference();
    await open(page);
    const faults = await faultsInEachLook(page, async ({ scheme, width }) => {
      const name = `reference-${state.replaceAll(' ', '-')}-${scheme}-${width}`;
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` });
    });
    expect(faults).toEqual([]);
  });
});
