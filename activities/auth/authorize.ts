import {
  AUTHORIZE_PARAMETERS,
  isFault,
  judgeAuthorization,
  parameter,
  redirectUriOf,
  withParameters,
  type AuthorizeFault,
  type GivenQuery,
} from '../../domain/authorize.ts';
import type { Scope } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { clientById, holdClient, insertCode, type ClientRow } from '../../infra/db/statements/sign-in.ts';
import { hashOf, newAuthorizationCode } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { Session } from './sessions.ts';

/*
 * Of @node-oauth/oauth2-server the token side is used, not its authorize(). That one takes a code_challenge without a method for
 * S256 and any text for a challenge, knows no iss (RFC 9207), writes the registered address anew instead of adding to it, loses
 * what it adds where the address has a query of its own and something is wrong, and hides a failure of the database, so that a
 * transaction is not run again. Called with what is judged here already it would only write the row.
 */

/** An authorization request in which nothing is wrong. */
export interface AuthorizationRequest {
  clientId: string;
  clientName: string;
  redirectUri: string;
  scopes: readonly Scope[];
  codeChallenge: string | null;
  state: string | undefined;
  /** The query of the request in our own writing: what our forms carry along, to be judged again at each step. */
  continue: string;
}

/** What to do with a request: ask the person, or send it back to the client with what is wrong. */
export type Judged = { kind: 'ask'; request: AuthorizationRequest } | { kind: 'refuse'; location: string };

const CODE_LIFETIME_MS = 60_000;

type Needs = Pick<Services, 'db' | 'config'>;

/**
 * Judges the query of an authorization request (RFC 6749, 4.1.1).
 * @throws DomainError `invalid-request` where nobody may be sent anywhere: unknown client, or an address that is not its own.
 */
export async function judgeAuthorizationRequest(services: Needs, { query }: { query: GivenQuery }): Promise<Judged> {
  const client = await knownClient(services, query);
  const registered = { redirectUris: client.redirect_uris, scopes: client.scopes, isPublic: client.is_public };
  const redirectUri = redirectUriOf(query, registered);
  if (redirectUri === undefined) {
    throw dead('/query/redirect_uri', 'must be, letter by letter, an address that the client was registered with');
  }
  const state = parameter(query, 'state');
  const judged = judgeAuthorization(query, registered);
  if (isFault(judged)) return { kind: 'refuse', location: refusalAddress(services, { redirectUri, state }, judged) };
  const { client_id: clientId, name: clientName } = client;
  return {
    kind: 'ask',
    request: { clientId, clientName, redirectUri, state, ...judged, continue: rewritten(query) },
  };
}

/** Where a refusal is told to the client (RFC 6749, 4.1.2.1; RFC 9207). */
export function refusalAddress(
  { config }: Pick<Services, 'config'>,
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  { error, description }: AuthorizeFault,
): string {
  return withParameters(redirectUri, { error, error_description: description, state, iss: config.api.publicUrl });
}

/**
 * Issues a code of 60 seconds, in the transaction that is open.
 * @returns where it is told to the client.
 */
export async function issueCode(
  { db, config }: Needs,
  { request, session, at }: { request: AuthorizationRequest; session: Session; at: Date },
): Promise<string> {
  const { clientId, redirectUri, scopes, codeChallenge, state } = request;
  const code = newAuthorizationCode();
  await db.run(
    insertCode({
      code_hash: hashOf(code),
      client_id: clientId,
      user_id: session.userId,
      redirect_uri: redirectUri,
      scopes,
      code_challenge: codeChallenge,
      session_hash: session.sessionHash,
      created_at: at.toISOString(),
      expires_at: new Date(at.getTime() + CODE_LIFETIME_MS).toISOString(),
    }),
  );
  return withParameters(redirectUri, { code, state, iss: config.api.publicUrl });
}

/**
 * Holds the client until the transaction ends, in the transaction that is open: whoever removes it waits, and so ends what is written
 * here. @throws DomainError `invalid-request` where it was removed since the request was judged.
 */
export async function requireHeldClient(
  { db }: Pick<Services, 'db'>,
  { clientId }: Pick<AuthorizationRequest, 'clientId'>,
): Promise<void> {
  if (!(await db.maybe(holdClient(clientId)))) throw unknownClient();
}

async function knownClient({ db }: Needs, query: GivenQuery): Promise<ClientRow> {
  const clientId = parameter(query, 'client_id');
  const storable = clientId !== undefined && /^[\x21-\x7e]{1,128}$/.test(clientId);
  const client = storable ? await db.maybe(clientById(clientId)) : undefined;
  if (client) return client;
  throw unknownClient();
}

function unknownClient(): DomainError {
  return dead('/query/client_id', 'must be the client_id of an application that is registered here');
}

function dead(pointer: string, detail: string): DomainError {
  return new DomainError(
    'invalid-request',
    'The application that sent you here is not registered with this service, or its link is damaged. Go back and try again; if that does not help, tell whoever runs the application.',
    { errors: [{ pointer, detail }] },
  );
}

function rewritten(query: GivenQuery): string {
  const known = AUTHORIZE_PARAMETERS.map((name) => [name, parameter(query, name)] as const);
  return new URLSearchParams(
    known.filter((pair): pair is [(typeof pair)[0], string] => pair[1] !== undefined),
  ).toString();
}
