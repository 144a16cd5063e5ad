import { randomUUID } from 'node:crypto';
import type { Present } from '../interface.ts';
import type { Trusted } from './message-signing.ts';
import { verifyMessage } from './message-signing.ts';
import { answerOf } from './errors.ts';
import type { ownTokens, Scope, TokenSource } from './tokens.ts';
import type { Answer, BankRequest, Exchange, Transport } from './transport.ts';

const UNAUTHORIZED = 401;
/** Where the standard puts the resources of a scope, under the address of the API. */
const GROUP = { accounts: '/aisp', payments: '/pisp' } as const;

export type Resources = ReturnType<typeof resourcesOf>;

type Ask = Omit<BankRequest, 'url' | 'timeoutMs'> & {
  /** Such as `/domestic-vrps`. */
  path: string;
  scope: Scope;
  /** By default, the service's own. */
  tokens?: TokenSource;
  /** False if the path is in no group of resources. */
  grouped?: boolean;
  present?: Present | null;
  timeoutMs?: number;
};

/** The bank's API, by the service's own credentials. */
export function resourcesOf(
  transport: Transport,
  own: ReturnType<typeof ownTokens>,
  { base, timeoutMs, trusted }: { base: string; timeoutMs: number; trusted: Trusted },
) {
  async function send(
    token: string,
    { path, scope, grouped = true, present, ...request }: Omit<Ask, 'tokens'>,
  ): Promise<Exchange> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'x-fapi-interaction-id': randomUUID(),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...headersOf(present ?? null),
      ...request.headers,
    };
    const url = `${base}${grouped ? GROUP[scope] : ''}${path}`;
    return transport.exchange({ timeoutMs, ...request, url, headers });
  }
  /** Asks once more after a 401, because the bank then has not looked at the request. @throws BankError for want of a token. */
  async function exchange(ask: Ask): Promise<Exchange> {
    const { tokens = own(ask.scope), ...request } = ask;
    const token = await tokens.current();
    const first = await send(token, request);
    if (first.kind !== 'answered' || first.status !== UNAUTHORIZED) return first;
    tokens.discard(token);
    return send(await tokens.current(), request);
  }
  return {
    exchange,
    /** @throws BankError unless the API itself answered, even if with a refusal. */
    ask: async (ask: Ask): Promise<Answer> => answerOf(await exchange(ask)),
    /** @throws SignatureError unless the bank signed the answer. */
    verify: ({ body, headers }: Answer) => verifyMessage(body, headers['x-jws-signature'], trusted),
  };
}

/** Tells the bank that the person is there. Without the person, it must not be told so. */
function headersOf(present: Present | null): Record<string, string> {
  if (present === null) return {};
  const { ip, userAgent } = present;
  return {
    'x-fapi-customer-ip-address': ip,
    ...(userAgent === undefined ? {} : { 'x-customer-user-agent': userAgent }),
  };
}
