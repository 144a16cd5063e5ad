import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, FormData, request as send } from 'undici';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

export interface Asked {
  token?: string;
  /** The Idempotency-Key, which retries repeat. */
  key?: string;
  body?: object;
  headers?: Record<string, string>;
}

export interface FaultClient {
  /** `path` can be a whole URL. @throws if no response arrives. */
  once(method: 'DELETE' | 'GET' | 'POST' | 'PUT', path: string, asked?: Asked): Promise<Answer>;
  /**
   * Retries after a broken connection, a 503, or a 409 because the idempotency key is in use.
   * @throws after two minutes without any other response.
   */
  call(method: 'DELETE' | 'GET' | 'POST' | 'PUT', path: string, asked?: Asked): Promise<Answer>;
  /** Violations of the contract: responses of 500 or above, except 503 in the right form. */
  readonly wrongs: readonly string[];
  /** Responses by status. For `call`, requests without a response count under status 0. */
  readonly seen: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

const AGAIN_MS = 250;
const GIVE_UP_MS = 120_000;

/** Sends the requests to `urls` in turn. */
export function openFaultClient({ urls, ca }: { urls: readonly string[]; ca: string }): FaultClient {
  const agent = new Agent({ connect: { ca: readFileSync(ca), minVersion: 'TLSv1.3' }, connections: 100 });
  const wrongs: string[] = [];
  const seen = new Map<number, number>();
  let turn = 0;

  const once: FaultClient['once'] = async (method, path, { token, key, body, headers } = {}) => {
    const url = new URL(path, urls[(turn += 1) % urls.length]);
    const answer = await ask(agent, url, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body),
    });
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    const wrong = wrongIn(answer);
    if (wrong !== undefined) wrongs.push(`${method} ${path}: ${wrong}`);
    return answer;
  };

  return {
    once,
    wrongs,
    seen,
    async call(method, path, asked) {
      const deadline = Date.now() + GIVE_UP_MS;
      for (;;) {
        let last: string;
        try {
          const answer = await once(method, path, asked);
          if (!isForNow(answer)) return answer;
          last = `${answer.status} ${JSON.stringify(answer.body)}`;
        } catch (error) {
          seen.set(0, (seen.get(0) ?? 0) + 1);
          last = String(error);
        }
        if (Date.now() > deadline)
          throw new Error(`${method} ${path} was not answered within ${GIVE_UP_MS / 1000} s: ${last}`);
        await sleep(AGAIN_MS);
      }
    },
    close: () => agent.destroy(),
  };
}

interface Sending {
  method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body: string | FormData | null;
}

async function ask(agent: Agent, url: URL, options: Sending): Promise<Answer> {
  const { statusCode, headers, body } = await send(url, { ...options, dispatcher: agent, headersTimeout: 40_000 });
  const text = await body.text();
  const isJson = String(headers['content-type']).includes('json');
  return { status: statusCode, headers, body: isJson && text !== '' ? (JSON.parse(text) as unknown) : text };
}

function isForNow({ status, body }: Answer): boolean {
  return status === 503 || (status === 409 && codeOf(body) === 'idempotency-key-in-use');
}

function wrongIn({ status, headers, body }: Answer): string | undefined {
  if (status < 500) return undefined;
  const promised =
    status === 503 &&
    ['dependency-unavailable', 'restoring'].includes(codeOf(body)) &&
    String(headers['content-type']).includes('application/problem+json') &&
    Number(headers['retry-after']) > 0;
  return promised ? undefined : `${status} ${JSON.stringify(body)}`;
}

function codeOf(body: unknown): string {
  const { code } = (body ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
