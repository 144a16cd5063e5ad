import { parseSetCookie } from 'cookie';
import type { TestAnswer, TestApi, TestUser } from './api.ts';

export const SESSION = '__Host-rf_session';

/** A person's browser, simulated at the HTTP level: it keeps cookies, and submits the forms of received pages. */
export interface Visitor {
  /** Set by the service or by a test. */
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<TestAnswer>;
  /** A list of pairs can send a field twice. */
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<TestAnswer>;
  /** Submits the page's form for `action`. */
  submit(
    page: TestAnswer,
    action: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<TestAnswer>;
}

type Fields = Record<string, string> | [string, string][];

export function newVisitor(api: Pick<TestApi, 'request'>): Visitor {
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, body: string | undefined, headers: Record<string, string>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await api.request(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(cookie === '' ? {} : { cookie }),
        ...headers,
      },
    });
    for (const { name, value, maxAge } of setCookies(answer)) {
      if (maxAge === 0) cookies.delete(name);
      else cookies.set(name, value ?? '');
    }
    return answer;
  };
  const visitor: Visitor = {
    cookies,
    get: (path, headers = {}) => send('GET', path, undefined, headers),
    post: (path, fields, headers = {}) => send('POST', path, new URLSearchParams(fields).toString(), headers),
    submit: (page, action, fields = {}, headers = {}) =>
      visitor.post(action, { ...hiddenFields(page, action), ...fields }, headers),
  };
  return visitor;
}

/** Signs the person in at a page, and opens it. */
export async function signIn(
  api: Pick<TestApi, 'request'>,
  page: string,
  { email, password }: Pick<TestUser, 'email' | 'password'>,
  visitor = newVisitor(api),
) {
  const answer = await visitor.submit(await visitor.get(page), '/api/v1/auth/sign-in', { email, password });
  expect(answer).toMatchObject({ status: 303, headers: { location: page } });
  return { visitor, shown: await visitor.get(page) };
}

export function setCookies({ headers }: TestAnswer) {
  const given = headers['set-cookie'] ?? [];
  return (Array.isArray(given) ? given : [given]).map((header) => parseSetCookie(header));
}

export function hiddenFields({ text }: TestAnswer, action: string): Record<string, string> {
  const form = text.split('<form ').find((part) => part.includes(`action="${action}"`));
  if (form === undefined) throw new Error(`the page has no form for ${action}: ${text.slice(0, 2_000)}`);
  const [inside = ''] = form.split('</form>', 1);
  const inputs = inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name, value]) => [name!, unescaped(value!)]));
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
