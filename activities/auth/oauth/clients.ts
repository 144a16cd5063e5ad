import { timingSafeEqual } from 'node:crypto';
import basicAuth from 'basic-auth';
import { DomainError } from '../../../domain/errors.ts';
import type { Queries } from '../../../infra/db/connection.ts';
import { clientById, type ClientRow } from '../../../infra/db/queries/oauth.ts';
import { hashOf, hashOfNothing, type Hashing } from '../../../infra/keys/credentials.ts';

interface ClientGiven {
  authorization: string | undefined;
  client_id?: string;
  client_secret?: string;
}

interface PresentedClient {
  clientId: string;
  secret: string | undefined;
}

/** Stands in for an unknown client, so that the check takes as long as for a known client. */
const NOBODY: ClientRow = { client_id: '', secret_hash: hashOfNothing() };

/** RFC 6749, appendix A.1 and A.2. */
const VSCHARS = /^[\x20-\x7e]+$/;

export function presentedClient({ authorization, client_id, client_secret }: ClientGiven): PresentedClient {
  if (authorization === undefined) {
    if (client_id === undefined) throw invalidClient();
    return { clientId: client_id, secret: client_secret };
  }
  const basic = basicClient(authorization);
  if (client_secret !== undefined || (client_id !== undefined && client_id !== basic.clientId)) {
    throw new DomainError(
      'invalid-request',
      'Send the client id and secret either in the Authorization header or in the body, but not in both.',
    );
  }
  return basic;
}

/** The id and secret are form-encoded before they are joined (RFC 6749, 2.3.1). */
function basicClient(authorization: string): PresentedClient {
  const given = basicAuth({ headers: { authorization } });
  if (!given) throw invalidClient();
  const [clientId, secret] = [formDecoded(given.name), formDecoded(given.pass)];
  if (!VSCHARS.test(clientId) || (secret !== '' && !VSCHARS.test(secret))) throw invalidClient();
  return { clientId, secret: secret === '' ? undefined : secret };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidClient();
  }
}

/** Refuses a wrong secret even if `secretRequired` is false. @throws DomainError `invalid-client`. */
export async function requireClient(
  db: Queries,
  hashing: Hashing,
  presented: PresentedClient,
  { secretRequired }: { secretRequired: boolean },
): Promise<ClientRow> {
  const client = await db.maybe(clientById({ client_id: presented.clientId }));
  const isRight = isAuthentic(hashing, client ?? NOBODY, { secret: presented.secret, secretRequired });
  if (client && isRight) return client;
  throw invalidClient();
}

function isAuthentic(
  hashing: Hashing,
  { secret_hash: hash }: ClientRow,
  { secret, secretRequired }: { secret: string | undefined; secretRequired: boolean },
): boolean {
  if (hash === null) return secret === undefined;
  if (secret === undefined) return !secretRequired;
  const [given, stored] = [Buffer.from(hashOf(hashing, secret)), Buffer.from(hash)];
  return given.length === stored.length && timingSafeEqual(given, stored);
}

/** One error for all failures of client authentication, so that the cause stays hidden. */
export function invalidClient(): DomainError {
  return new DomainError(
    'invalid-client',
    'The client is unknown, or did not authenticate correctly. A confidential client must send its secret, except to refresh tokens. A public client must not send a secret.',
  );
}

/** A parameter without a value counts as not sent (RFC 6749, 3.2). */
export function withoutEmpty<T extends object>(parameters: T): T {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== '')) as T;
}
