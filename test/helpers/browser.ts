import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { chromiumPath, missingPrograms } from './required-programs.ts';

const LAUNCH_TIMEOUT_MS = 30_000;

/** A real Chromium for the tests of this file; each test gets new pages without cookies. */
export function withBrowser(): { newPage(options?: { javaScript?: boolean }): Promise<Page> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await puppeteer.launch({
      executablePath: requireChromium(),
      // The certificate's authority was made for the tests.
      acceptInsecureCerts: true,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
      timeout: LAUNCH_TIMEOUT_MS,
    });
  }, 2 * LAUNCH_TIMEOUT_MS);
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

/** Somebody else's application, on its own origin: the requests it received, and the pages it serves. */
export interface OtherSite {
  origin: string;
  /** Queries with which browsers came back to `/callback`, oldest first. */
  callbacks: Record<string, string>[];
  /** Serves this HTML at the given path. */
  serve(path: string, html: string): void;
}

/** Starts such an application for the tests of this file. */
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

/** The ways to display a page: on a desktop, on a phone. */
export const LOOKS = (['light', 'dark'] as const).flatMap((scheme) =>
  ([1_280, 375] as const).map((width) => ({ scheme, width })),
);

export async function lookAs(page: Page, { scheme, width }: { scheme: string; width: number }): Promise<void> {
  await page.setViewport({ width, height: 800 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
}

/**
 * Goes to a page of ours. Expects that it is accessible in every look, breaks no policy, and loads nothing from
 * elsewhere.
 */
export async function expectSound(page: Page, go: (page: Page) => Promise<unknown>): Promise<void> {
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    // A person who came through a provider was on one of its pages.
    if (!request.isNavigationRequest()) requests.push(request.url());
  });
  page.on('console', (message) => complaints.push(message.text()));
  await go(page);
  const ours = new URL(page.url()).origin;
  expect(requests.filter((url) => new URL(url).origin !== ours)).toEqual([]);
  // A status of 4xx is reported there too; a breach of the policy must not be.
  expect(complaints.filter((text) => !/Failed to load resource.*status of 4\d\d/.test(text))).toEqual([]);
  for (const look of LOOKS) {
    await lookAs(page, look);
    expect({ ...look, faults: await axeFaults(page) }).toEqual({ ...look, faults: [] });
  }
}

/** Expects that a page fits a window of 320 pixels, which 1280 pixels are at a zoom of 400%. */
export async function expectNarrow(page: Page): Promise<void> {
  await lookAs(page, { scheme: 'light', width: 320 });
  expect(await layoutFaults(page)).toEqual([]);
}

/** The faults that axe finds in a page, as `rule: element`, by all its rules. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run(document, { rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`;
  return (await page.evaluate(run)) as string[];
}

/** Shown elements that are too small to hit, or too wide for the window. */
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
