import { parseSetCookie } from 'cookie';
import type { Fetch } from '../../client/src/retry.ts';
import { OperatorError } from '../admin/errors.ts';

/** A page that a person sees. */
export interface Page {
  url: URL;
  html: string;
}

interface Form {
  action: string;
  /** What the page has filled in or ticked. */
  given: [name: string, value: string][];
}

const REDIRECTS = 20;

/** A person's browser, as far as HTTP goes: it keeps cookies for each site, follows redirects and submits forms. */
export function openBrowser(send: Fetch) {
  const jars = new Map<string, Map<string, string>>();

  async function load(url: URL, form?: URLSearchParams): Promise<Response> {
    const jar = jars.get(url.origin) ?? new Map<string, string>();
    jars.set(url.origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }) };
    const response = await send(new Request(url, { headers, ...(form && { method: 'POST', body: form }) }));
    for (const { name, value = '', maxAge } of response.headers.getSetCookie().map((set) => parseSetCookie(set))) {
      if (maxAge === 0) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  async function follow(start: URL, form?: URLSearchParams): Promise<Page> {
    let [url, response] = [start, await load(start, form)];
    for (let redirect = 0; redirect < REDIRECTS; redirect += 1) {
      const location = response.headers.get('location');
      if (location === null) return { url, html: await response.text() };
      await response.body?.cancel();
      url = new URL(location, url);
      const fragment = new URLSearchParams(url.hash.slice(1));
      url.hash = '';
      // The script of the service's page sends on what the bank put behind the `#`.
      response = await load(url, fragment.has('state') ? fragment : undefined);
    }
    throw new OperatorError(`${start.origin} redirects without end.`);
  }

  return {
    visit: (url: string) => follow(new URL(url)),
    /** Submits the form that leads to `action`, or the only form without one. */
    submit({ url, html }: Page, action: string, fields: Readonly<Record<string, string>>): Promise<Page> {
      const form = formsIn(html).find((each) => each.action === action);
      if (form === undefined) throw new OperatorError(`The page ${url.origin}${url.pathname} has no such form.`);
      const body = new URLSearchParams(form.given);
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      return follow(new URL(action, url), body);
    },
  };
}

function formsIn(html: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/g)].map(([, attributes = '', inside = '']) => ({
    action: valueOf(attributes, 'action') ?? '',
    given: [...inside.matchAll(/<input\b([^>]*)>/g)].flatMap(([, input = '']): [string, string][] => {
      const name = valueOf(input, 'name');
      const isChoice = ['radio', 'checkbox'].includes(valueOf(input, 'type') ?? '');
      const isGiven = !isChoice || /\schecked\b/.test(input);
      return name !== undefined && isGiven ? [[name, valueOf(input, 'value') ?? '']] : [];
    }),
  }));
}

const SIGNS: Readonly<Record<string, string>> = { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' };

function valueOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
  return found?.replace(/&(quot|#39|lt|gt|amp);/g, (_sign, word: string) => SIGNS[word]!);
}

/** Approves a connection: signs in on the service's page, continues to the sandbox bank, and agrees there. */
export async function approveAtBank(
  send: Fetch,
  { authoriseUrl, email, password, customer }: Record<'authoriseUrl' | 'email' | 'password' | 'customer', string>,
): Promise<void> {
  const browser = openBrowser(send);
  const signIn = await browser.visit(authoriseUrl);
  const asked = await browser.submit(signIn, '/api/v1/auth/sign-in', { email, password });
  const bank = await browser.submit(asked, new URL(authoriseUrl).pathname, {});
  const choice = await browser.submit(bank, '', { customer });
  const end = await browser.submit(choice, '', { customer, decision: 'approve' });
  const [, title = ''] = /<h1>([^<]*)<\/h1>/.exec(end.html) ?? [];
  if (title !== 'Your bank is connected') throw new OperatorError(`The journey to the bank ended with: ${title}`);
}
