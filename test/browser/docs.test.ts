import type { Page } from 'puppeteer-core';
import { startApi } from '../helpers/api.ts';
import { axeFaults, layoutFaults, lookAs, LOOKS, withBrowser } from '../helpers/browser.ts';

const api = startApi();
const browser = withBrowser();
const SHOTS = process.env.DOCS_SHOTS;

/** The links of a page to other pages of the service. */
const linksOf = (html: string) => [...html.matchAll(/<a [^>]*href="([^"#]+)(?:#[^"]*)?"/g)].map(([, to]) => to!);

test('every link of the documentation leads somewhere, and whoever starts at /docs gets everywhere', async () => {
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

test('its pages are accessible, fit desk and phone, light and dark, and run without a script', async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  for (const path of ['/docs', '/docs/guide/payments', '/docs/guide/errors', '/docs/changelog', '/problems']) {
    await page.goto(`${api.url}${path}`);
    for (const look of LOOKS) {
      await lookAs(page, look);
      expect([path, look, await axeFaults(page)]).toEqual([path, look, []]);
      expect([path, look, await layoutFaults(page)]).toEqual([path, look, []]);
      const shot = `${SHOTS}/${path.slice(1).replaceAll('/', '-')}-${look.scheme}-${look.width}.png` as const;
      if (SHOTS) await page.screenshot({ path: shot, fullPage: true });
    }
  }
  // The test itself adds axe; the pages load nothing that their policy refuses.
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
});

/**
 * Faults of Swagger UI's own markup, which no style sheet can repair. An operation's line is a button with a link in
 * it, and the headings begin at the third level. Each is a separate rule, so all other findings of axe still count.
 */
const OF_SWAGGER = ['nested-interactive', 'heading-order'];
const ownFaults = async (page: Page) =>
  (await axeFaults(page)).filter((fault) => !OF_SWAGGER.some((rule) => fault.startsWith(`${rule}: `)));

test('the reference shows the examples, and is accessible but for what Swagger UI does itself', async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(`${api.url}/docs/reference`);
  await page.waitForSelector('.opblock');
  // It is drawn on white in dark mode too.
  for (const look of LOOKS.filter(({ scheme }) => scheme === 'light')) {
    await lookAs(page, look);
    expect([look, await ownFaults(page)]).toEqual([look, []]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/reference-${look.scheme}-${look.width}.png` });
  }
  const login = '[id="operations-Auth-login"]';
  await page.locator(`${login} .opblock-summary-control`).click();
  const example = await page.waitForSelector(`${login} .responses-table .example`);
  expect(await example!.evaluate((shown) => shown.textContent)).toContain('"expires_in": 3600');
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/reference-login.png`, fullPage: false });
  expect(await ownFaults(page)).toEqual([]);
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
});
