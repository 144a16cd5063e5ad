import type { Agent } from 'undici';
import { BankError } from '../interface.ts';

export interface Request {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

/** No whole response arrived, although the request may have. */
export class Unanswered extends BankError {
  constructor(cause: unknown) {
    super('away', `the provider does not respond: ${codeOf(cause)}`);
  }
}

/** The API has no pages, and a year of a busy account has some 10,000 transactions. */
const LARGEST_ANSWER_BYTES = 16 * 1_048_576;
const CONNECTIONS = 32;

export type Http = ReturnType<typeof openHttp>;

/** Without a CA, the provider's certificate must be of a public one. */
export function openHttp({ ca, timeoutMs }: { ca?: string; timeoutMs: number }) {
  const options: Agent.Options = {
    connect: { ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2', timeout: timeoutMs },
    connections: CONNECTIONS,
    maxResponseSize: LARGEST_ANSWER_BYTES,
    allowH2: false,
  };
  // Imports undici on the first request, because many processes never call a bank.
  const open = async () => {
    const { Agent, request } = await import('undici');
    return { agent: new Agent(options), request };
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    timeoutMs,
    /** @throws Unanswered */
    async send({ url, ...asked }: Request): Promise<Answer> {
      const { agent, request } = await (opened ??= open());
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const { statusCode, headers, body } = await request(url, { ...asked, dispatcher: agent, signal });
        const fields = new Map(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
        return { status: statusCode, headers: Object.fromEntries(fields), text: await body.text() };
      } catch (error) {
        throw new Unanswered(error);
      }
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}

/** The message of an error of undici can hold an address. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
