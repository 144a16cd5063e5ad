import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { appearanceFaults } from './appearance.ts';
import { lookAs, LOOKS } from './looks.ts';
import { chromiumPath, missingPrograms } from './required-programs.ts';
import { PATIENCE_MS } from './until.ts';

export { lookAs, LOOKS };

/** Each test gets new pages without cookies. */
export function withBrowser(): { newPage(options?: { javaScript?: boolean }): Promise<Page> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await puppeteer.launch({
      executablePath: requireChromium(),
      // Chromium does not trust the CA that the test run made.
      acceptInsecureCerts: true,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
      timeout: PATIENCE_MS,
      protocolTimeout: PATIENCE_MS,
    });
  });
  afterEach(async () => {
    for (const context of browser?.browserContexts() ?? []) {
      if (context !== browser?.defaultBrowserContext()) await context.close();
    }
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    async newPage({ javaScript = true } = {}) {
      const context = await browser!.createBrowserContext();
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.setJavaScriptEnabled(javaScript);
      return page;
    },
  };
}

function requireChromium(): string {
  const path = chromiumPath();
  if (path === undefined) throw new Error(missingPrograms());
  return path;
}

interface OtherSite {
  origin: string;
  /** The query of each request to `/callback`, oldest first. */
  callbacks: Record<string, string>[];
  serve(path: string, html: string): void;
}

export function withOtherSite(): OtherSite {
  const pages = new Map<string, string>();
  let server: Server | undefined;
  const site: OtherSite = {
    origin: '',
    callbacks: [],
    serve: (path, html) => void pages.set(path, html),
  };
  beforeAll(async () => {
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', site.origin);
      if (url.pathname === '/callback') site.callbacks.push(Object.fromEntries(url.searchParams));
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(pages.get(url.pathname) ?? '<!doctype html><title>The application</title><h1>Back</h1>');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });
  return site;
}

/**
 * Expects an accessible page with good looks in each of `LOOKS`, loaded from one origin, with nothing but 4xx responses on the console.
 */
export async function expectSound(page: Page, go: (page: Page) => Promise<unknown>): Promise<void> {
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    // Navigations can lead through a provider's pages.
    if (!request.isNavigationRequest()) requests.push(request.url());
  });
  page.on('console', (message) => complaints.push(message.text()));
  await go(page);
  const ours = new URL(page.url()).origin;
  // Chromium draws its calendar itself, from a picture in the address.
  const loaded = requests.filter((url) => !url.startsWith('data:image/svg+xml;'));
  expect(loaded.filter((url) => new URL(url).origin !== ours)).toEqual([]);
  // The console also shows violations of the Content Security Policy.
  expect(complaints.filter((text) => !/Failed to load resource.*status of 4\d\d/.test(text))).toEqual([]);
  for (const look of LOOKS) {
    await lookAs(page, look);
    const faults = [...(await axeFaults(page)), ...(await appearanceFaults(page))];
    expect({ ...look, faults }).toEqual({ ...look, faults: [] });
  }
}

/** 320 pixels is a window of 1280 pixels at 400 % zoom (WCAG 2.2, 1.4.10). */
export async function expectNarrow(page: Page): Promise<void> {
  await lookAs(page, { scheme: 'light', width: 320 });
  expect(await layoutFaults(page)).toEqual([]);
}

/** Returns `rule: element reason` for each fault. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run(document, { rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`;
  return (await page.evaluate(run)) as string[];
}

export async function layoutFaults(page: Page): Promise<string[]> {
  const look = `(() => {
    const faults = [];
    if (document.documentElement.scrollWidth > window.innerWidth) faults.push('the page is wider than the window');
    for (const element of document.querySelectorAll('a, button, input:not([type=hidden], [hidden])')) {
      if (!element.checkVisibility()) continue;
      const { height, width } = element.getBoundingClientRect();
      if (height < 44 || width < 44) faults.push('too small, ' + width + ' x ' + height + ': ' + element.outerHTML);
    }
    return faults;
  })()`;
  return (await page.evaluate(look)) as string[];
}
