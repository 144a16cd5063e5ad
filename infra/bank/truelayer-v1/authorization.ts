import * as client from 'openid-client';
import type { BankEntryOf } from '../../config/index.ts';
import { BankError, type ConsentAccess, type SecretHolder } from '../interface.ts';
import { secretOf, tokensIn } from '../tokens.ts';
import { asBankError, errorOf } from './errors.ts';
import { Unanswered, type Answer, type Http, type Request } from './http.ts';

const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;

export type Authorization = ReturnType<typeof authorizationAt>;

/** The provider has no discovery document, so its addresses are known. */
export function authorizationAt(entry: BankEntryOf<'truelayer-v1'>, clientSecret: string, http: Http) {
  const base = entry.auth_url;
  const metadata: client.ServerMetadata = {
    issuer: base,
    authorization_endpoint: `${base}/`,
    token_endpoint: `${base}/connect/token`,
  };
  const fetch: client.CustomFetch = async (url, { method, headers, body }) => {
    const form = body == null ? {} : { body: textOf(body) };
    const answer = await http.send({ method: method === 'POST' ? 'POST' : 'GET', url, headers, ...form });
    if (answer.status >= 500 || answer.status === TOO_MANY_REQUESTS) throw errorOf(answer, { list: false });
    const fields = Object.entries(answer.headers).filter((field): field is [string, string] => field[1] !== undefined);
    return new Response(answer.text, { status: answer.status, headers: fields });
  };

  /** `through` sees the requests of this configuration alone. */
  function configuration(through = fetch): client.Configuration {
    const secret = client.ClientSecretPost(clientSecret);
    const made = new client.Configuration(metadata, entry.client_id, {}, secret);
    made[client.customFetch] = through;
    made.timeout = Math.ceil(http.timeoutMs / 1_000) + 1;
    return made;
  }

  /** @throws BankError */
  async function refresh(secret: string): Promise<string> {
    const before = tokensIn(secret);
    const { refresh: token } = before;
    if (token === undefined) throw new BankError('reauthorise', 'the provider granted no refresh token');
    const ask = () => client.refreshTokenGrant(configuration(), token).catch(rejectAsBankError);
    // The provider may have replaced the token although its reply was lost. It may then take the old one once more.
    const granted = await ask().catch((error: unknown) => {
      if (error instanceof Unanswered) return ask();
      throw error;
    });
    return secretOf(granted, before);
  }

  /** Proves that the provider still knows the grant. @returns the access token. @throws BankError `reauthorise` */
  const renew = async (secret: SecretHolder) => tokensIn(await secret.renew(refresh)).access;

  return {
    base,
    fetch,
    configuration,
    renew,
    /** Asks with a token of the person: once more if the provider refuses it, because only the newest one works. */
    async asPerson({ secret }: Pick<ConsentAccess, 'secret'>, request: Request): Promise<Answer> {
      const holder = requireSecret(secret);
      const { access, goodUntilMs } = tokensIn(holder.current);
      const first = await http.send(withToken(request, goodUntilMs > Date.now() ? access : await renew(holder)));
      return first.status === UNAUTHORIZED ? http.send(withToken(request, await renew(holder))) : first;
    },
    /** @throws BankError if the client's credentials are refused, or if the provider does not respond. */
    async proveClient(): Promise<void> {
      const unknown = 'a-token-that-nobody-granted';
      const error = await client.refreshTokenGrant(configuration(), unknown).then(() => undefined, asBankError);
      if (error !== undefined && error.kind !== 'reauthorise') throw error;
    },
  };
}

export function requireSecret(secret: SecretHolder | null): SecretHolder {
  if (secret === null) throw new BankError('configuration', 'this API takes no consent without a token of the person');
  return secret;
}

export function withToken({ headers, ...request }: Request, token: string): Request {
  return { ...request, headers: { accept: 'application/json', ...headers, authorization: `Bearer ${token}` } };
}

const rejectAsBankError = (error: unknown) => Promise.reject(asBankError(error));

function textOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the body of a request is neither text nor a form');
}
