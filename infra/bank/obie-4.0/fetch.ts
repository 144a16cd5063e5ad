import { answerOf } from './errors.ts';
import type { Transport } from './transport.ts';

const WITHOUT_BODY = [204, 205];

/** The `fetch` of `openid-client` and `jose`, with the same certificate and limits. @throws BankError */
export function fetchOver(transport: Transport, timeoutMs: number) {
  return async (url: string, asked: FetchRequest): Promise<Response> => {
    const sent = await transport.exchange({
      method: asked.method === 'POST' ? 'POST' : 'GET',
      url,
      headers: Object.fromEntries(new Headers(asked.headers)),
      ...(asked.body == null ? {} : { body: textOf(asked.body) }),
      timeoutMs,
    });
    const { status, headers, body } = answerOf(sent);
    const fields = Object.entries(headers).filter((field): field is [string, string] => field[1] !== undefined);
    return new Response(WITHOUT_BODY.includes(status) ? null : Uint8Array.from(body), { status, headers: fields });
  };
}

interface FetchRequest {
  method: string;
  headers: Headers | Record<string, string>;
  body?: unknown;
}

function textOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the body of a request is neither text nor a form');
}
