import type { Page } from 'puppeteer-core';
import { startApi } from '../helpers/api.ts';
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
  const { text } = await api.get(`/docs/search?q=${encodeURIComponent('"><script>zzz</script>')}`);
  expect(text).toContain('Nothing found for <strong>&quot;&gt;&lt;script&gt;zzz&lt;/script&gt;</strong>');
  expect(text).not.toContain('<script>zzz');
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
