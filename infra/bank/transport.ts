import type { Agent, Dispatcher } from 'undici';

interface BankRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body: string | null;
  timeoutMs: number;
}

/**
 * The outcome of one request.
 * - `not-sent`: no byte was written to a connection.
 * - `lost`: at least a part of the request may have been sent, but no complete response arrived. `timedOut` is true
 *   if the time limit was the cause.
 */
export type Exchange =
  | { kind: 'answered'; status: number; headers: Readonly<Record<string, string | undefined>>; body: Buffer }
  | { kind: 'not-sent'; detail: string }
  | { kind: 'lost'; detail: string; timedOut: boolean };

export type Transport = ReturnType<typeof mutualTls>;

const LARGEST_ANSWER_BYTES = 1_048_576;
const CONNECTIONS = 64;

/** Sends HTTPS requests with a client certificate. `pem` contains PEM texts. */
export function mutualTls(pem: { ca: string; cert: string; key: string }, connectTimeoutMs: number) {
  const options: Agent.Options = {
    connect: { ...pem, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', timeout: connectTimeoutMs },
    connections: CONNECTIONS,
    // Sends one request at a time on each connection, so that a lost connection leaves only one payment with an unknown
    // outcome.
    pipelining: 1,
    keepAliveTimeout: 30_000,
    // These timeouts are off, because the timeout of each exchange already covers headers and body.
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
    /** Sends a request. Never throws: failures are returned as outcomes. */
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
      },
      onResponseEnd() {
        settle({ kind: 'answered', status, headers, body: Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        failed(describeFailure(error));
      },
    };
    const { origin, pathname, search } = request.url;
    const { method, body } = request;
    agent.dispatch({ origin, path: pathname + search, method, headers: request.headers, body }, handler);
  });
}

/** Describes a network failure in one line. The code comes first, because some errors have no message. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message === '' ? code : `${code}: ${error.message}`;
}
