import type { Agent, Dispatcher } from 'undici';

export interface BankRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** By default `USUAL_ANSWER_BYTES`, and at most `LARGEST_ANSWER_BYTES`. */
  mostBytes?: number;
  timeoutMs: number;
}

export interface Answer {
  kind: 'answered';
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/** `not-sent`: no byte was written. `lost`: a part may have been sent, but no complete response arrived. */
export type Exchange =
  Answer | { kind: 'not-sent'; detail: string } | { kind: 'lost'; detail: string; timedOut: boolean };

export type Transport = ReturnType<typeof mutualTls>;

const USUAL_ANSWER_BYTES = 1_048_576;
/** About 10,000 transactions. */
export const LARGEST_ANSWER_BYTES = 16 * 1_048_576;
const CONNECTIONS = 64;

/** Without a CA, the bank's certificate must be of a public one. */
export function mutualTls(pem: { ca?: string; cert: string; key: string }, connectTimeoutMs: number) {
  const options: Agent.Options = {
    connect: { ...pem, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', timeout: connectTimeoutMs },
    connections: CONNECTIONS,
    // Sends one request at a time on a connection, so that a lost connection leaves one payment unclear.
    pipelining: 1,
    keepAliveTimeout: 30_000,
    // The timeout of each exchange also covers headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: LARGEST_ANSWER_BYTES,
    allowH2: false,
  };
  // Imports undici on the first request, because many processes never call the bank.
  const open = async (): Promise<Agent> => {
    const { Agent } = await import('undici');
    return new Agent(options);
  };
  let agent: Promise<Agent> | undefined;
  return {
    /** Returns network failures as outcomes instead of throwing. */
    exchange: async (request: BankRequest): Promise<Exchange> => exchange(await (agent ??= open()), request),
    close: async () => (await agent)?.destroy(),
  };
}

function exchange(agent: Agent, request: BankRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    let sent = false;
    let over = false;
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Record<string, string | undefined> = {};
    const chunks: Buffer[] = [];
    const { mostBytes = USUAL_ANSWER_BYTES } = request;
    let bytes = 0;

    const settle = (outcome: Exchange) => {
      over = true;
      clearTimeout(timer);
      resolve(outcome);
    };
    const failed = (detail: string, timedOut = false) => {
      settle(sent ? { kind: 'lost', detail, timedOut } : { kind: 'not-sent', detail });
    };
    const timer = setTimeout(() => {
      failed(`no response within ${request.timeoutMs} ms`, true);
      controller?.abort(new Error('given up'));
    }, request.timeoutMs);

    const handler: Dispatcher.DispatchHandler = {
      // undici calls this right before it writes the first byte. Until then, the outcome is certainly `not-sent`.
      onRequestStart(starting) {
        if (over || sent) {
          starting.abort(new Error('given up'));
          return;
        }
        sent = true;
        controller = starting;
      },
      onResponseStart(_controller, statusCode, fields) {
        status = statusCode;
        headers = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value?.toString()]));
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > mostBytes) controller?.abort(new Error(`the response is larger than ${mostBytes} bytes`));
      },
      onResponseEnd() {
        settle({ kind: 'answered', status, headers, body: Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        failed(describeFailure(error));
      },
    };
    const { method, headers: fields = {}, body = null } = request;
    const { origin, pathname, search } = new URL(request.url);
    agent.dispatch({ origin, path: pathname + search, method, headers: fields, body }, handler);
  });
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message === '' ? code : `${code}: ${error.message}`;
}
