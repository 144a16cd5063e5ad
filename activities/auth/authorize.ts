import {
  AUTHORIZE_PARAMETERS,
  judgeAuthorization,
  parameter,
  redirectUriOf,
  withParameters,
  type AuthorizeFault,
  type GivenQuery,
} from '../../domain/authorize.ts';
import type { Scope } from '../../domain/auth.ts';
import {
  addressAfterSignIn,
  addressOfBankPage,
  bankPageOf,
  continueTo,
  type BankPage,
} from '../../domain/destinations.ts';
import { DomainError } from '../../domain/errors.ts';
import { clientById, insertCode } from '../../infra/db/queries/sign-in.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf, newAuthorizationCode } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { Session } from './sessions.ts';

/*
 * We do not use authorize() of @node-oauth/oauth2-server. That function accepts a code_challenge without a method,
 * sends no iss (RFC 9207), and rewrites the registered redirect URI. It also hides database failures, so our code could
 * not retry the transaction.
 */

export interface AuthorizationRequest {
  clientId: string;
  clientName: string;
  redirectUri: string;
  scopes: readonly Scope[];
  codeChallenge: string | null;
  state: string | undefined;
  /** The request's query string. The service validates the string again when a form returns it. */
  continue: string;
}

/** `address` is a path on this service. Only an application has a `request`. */
export interface Destination {
  address: string;
  /** The query that a form returns to continue here. */
  continue: string;
  request: AuthorizationRequest | undefined;
}

type Refused = { kind: 'refuse'; location: string };
type Judged = { kind: 'ask'; request: AuthorizationRequest } | Refused;

const CODE_LIFETIME_MS = 60_000;

type Needs = Pick<Services, 'db' | 'config'>;

/** Throws instead of redirecting if the client or the redirect URI is not registered (RFC 6749, 4.1.2.1). */
export async function judgeAuthorizationRequest(services: Needs, { query }: { query: GivenQuery }): Promise<Judged> {
  const client = await knownClient(services, query);
  const registered = { redirectUris: client.redirect_uris, scopes: client.scopes, isPublic: client.is_public };
  const redirectUri = redirectUriOf(query, registered);
  if (redirectUri === undefined) {
    throw dead(
      '/query/redirect_uri',
      'must exactly match a redirect URI that is registered for the client, except for the port of 127.0.0.1 or [::1]',
    );
  }
  const state = parameter(query, 'state');
  const judged = judgeAuthorization(query, registered);
  if ('error' in judged) return { kind: 'refuse', location: refusalAddress(services, { redirectUri, state }, judged) };
  const { client_id: clientId, name: clientName } = client;
  return {
    kind: 'ask',
    request: { clientId, clientName, redirectUri, state, ...judged, continue: rewritten(query) },
  };
}

/** Where a sign-in or sign-out continues. @throws as `judgeAuthorizationRequest`. */
export async function judgeDestination(
  services: Needs,
  { query }: { query: GivenQuery },
): Promise<{ kind: 'go'; destination: Destination } | Refused> {
  const page = bankPageOf(query);
  if (page !== undefined) return { kind: 'go', destination: destinationOfBankPage(page) };
  const judged = await judgeAuthorizationRequest(services, { query });
  return judged.kind === 'refuse' ? judged : { kind: 'go', destination: destinationOfRequest(judged.request) };
}

export function destinationOfRequest(request: AuthorizationRequest): Destination {
  return { address: addressAfterSignIn(request.continue), continue: request.continue, request };
}

export function destinationOfBankPage(page: BankPage): Destination {
  return { address: addressOfBankPage(page), continue: continueTo(page), request: undefined };
}

/** The redirect URI with the error for the client (RFC 6749, 4.1.2.1, and RFC 9207). */
export function refusalAddress(
  { config }: Pick<Services, 'config'>,
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  { error, description }: AuthorizeFault,
): string {
  return withParameters(redirectUri, { error, error_description: description, state, iss: config.api.publicUrl });
}

/** Returns the redirect URI with the code. */
export async function issueCode(
  tx: Tx,
  services: Pick<Services, 'config' | 'keys'>,
  { request, session, at }: { request: AuthorizationRequest; session: Session; at: Date },
): Promise<string> {
  const { clientId, redirectUri, scopes, codeChallenge, state } = request;
  const code = newAuthorizationCode();
  await tx.run(
    insertCode({
      code_hash: hashOf(services, code),
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
  return withParameters(redirectUri, { code, state, iss: services.config.api.publicUrl });
}

async function knownClient({ db }: Needs, query: GivenQuery) {
  const clientId = parameter(query, 'client_id');
  const storable = clientId !== undefined && /^[\x21-\x7e]{1,128}$/.test(clientId);
  const client = storable ? await db.maybe(clientById(clientId)) : undefined;
  if (client) return client;
  throw unknownClient();
}

export function unknownClient(): DomainError {
  return dead('/query/client_id', 'must be the client_id of a registered OAuth client');
}

function dead(pointer: string, detail: string): DomainError {
  return new DomainError(
    'invalid-request',
    'The application that sent you here is not registered with this service, or the link to this page is incomplete or wrong. Go back to the application and try again. If that does not help, contact the provider of the application.',
    { errors: [{ pointer, detail }] },
  );
}

function rewritten(query: GivenQuery): string {
  const known = AUTHORIZE_PARAMETERS.map((name) => [name, parameter(query, name)] as const);
  return new URLSearchParams(
    known.filter((pair): pair is [(typeof pair)[0], string] => pair[1] !== undefined),
  ).toString();
}
