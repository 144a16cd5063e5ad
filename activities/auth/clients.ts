import { LOGIN_SCOPES, type Scope } from '../../domain/auth.ts';
import { DomainError, invalidInput } from '../../domain/errors.ts';
import { isOwnMachine } from '../../domain/own-machine.ts';
import * as queries from '../../infra/db/queries/oauth.ts';
import { endCodes, endFamilies } from '../../infra/db/queries/sign-in.ts';
import { hashOf, hashOfNothing, newClientSecret } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { actorOf, checkName, requireApplication, type Operated } from './applications.ts';

type Needs = Pick<Services, 'db' | 'newId'> & Operated;

interface NewClient {
  app_id: string;
  name: string;
  redirect_uris: readonly string[];
  scopes: readonly Scope[];
  /** Origins of the web pages that call the service for this client. */
  origins?: readonly string[];
  /** A public client gets no secret, because an app on a person's device cannot keep one. */
  public: boolean;
}

export async function createClient(services: Needs & Pick<Services, 'keys'>, client: NewClient) {
  const { db, newId } = services;
  const { app_id: appId, name, redirect_uris: redirectUris, scopes, origins = [] } = client;
  await requireApplication(services, appId);
  redirectUris.forEach(checkRedirectUri);
  scopes.forEach(checkUserScope);
  origins.forEach(checkOrigin);
  const clientId = newId('client');
  const secret = client.public ? null : newClientSecret();
  const at = new Date();
  await db.transaction(async (tx) => {
    await tx.run(
      queries.insertClient({
        client_id: clientId,
        app_id: appId,
        name: checkName(name),
        redirect_uris: redirectUris,
        scopes,
        secret_hash: secret === null ? null : hashOf(services, secret),
        created_at: at.toISOString(),
        origins,
      }),
    );
    const data = { app_id: appId, scopes, ...(origins.length > 0 && { origins }) };
    await audit(tx, services, { subject: clientId, kind: 'client.created', actor: actorOf(services), data });
  });
  return { client_id: clientId, client_secret: secret };
}

/** Newest first, including removed clients. */
export async function listClients({ db }: Pick<Services, 'db'>, { app_id }: { app_id?: string | undefined } = {}) {
  return { items: await db.many(queries.listClients(app_id)) };
}

export async function removeClient(services: Needs, { client_id: clientId }: { client_id: string }) {
  const { db } = services;
  const at = new Date();
  return db.transaction(async (tx) => {
    const removed = await tx.run(queries.removeClient(clientId, at, hashOfNothing()));
    if (removed === 0)
      throw new DomainError(
        'not-found',
        `There is no client ${clientId}, or it was already removed. The command "client list" shows all clients.`,
      );
    // Waits for code exchanges in progress, so that the tokens that they issue end too.
    await tx.run(endCodes({ client_id: clientId }, at));
    const token_families_ended = await tx.run(endFamilies({ client_id: clientId }, at, 'client-removed'));
    const consents_ended = await tx.run(queries.deleteConsentsOfClient(clientId));
    const data = { token_families_ended, consents_ended };
    await audit(tx, services, { subject: clientId, kind: 'client.removed', actor: actorOf(services), data });
    return { client_id: clientId, removed_at: at.toISOString(), ...data };
  });
}

function checkUserScope(scope: Scope): void {
  if (LOGIN_SCOPES.includes(scope)) return;
  throw invalidInput(
    '/scopes',
    `A client cannot have the scope ${scope}, because users cannot have this scope. A client can have these scopes: ${LOGIN_SCOPES.join(' ')}.`,
  );
}

/** Requires the form in which browsers send an origin (RFC 6454). */
function checkOrigin(origin: string): void {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isOwnMachine(url.hostname));
  if (isSafe && url.origin === origin) return;
  throw invalidInput(
    '/origins',
    `${origin} is not a valid origin. An origin looks like https://app.example.com or http://localhost:5173.`,
  );
}

/**
 * Requires a redirect URI as in RFC 6749, 3.1.2, and RFC 8252. The URI must be printable ASCII, because we send the URI
 * unchanged in a header.
 */
function checkRedirectUri(uri: string): void {
  const url = /^[\x21-\x7e]{1,2048}$/.test(uri) && !uri.includes('#') && URL.canParse(uri) ? new URL(uri) : undefined;
  const site = uri.startsWith('https://') && url?.username === '' && url.password === '';
  const loopback = uri.startsWith('http://') && isOwnMachine(url?.hostname ?? '');
  const ownScheme = url !== undefined && /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/.test(url.protocol);
  if (url && (site || loopback || ownScheme)) return;
  throw invalidInput(
    '/redirect_uris',
    `${uri} is not a valid redirect URI. It must begin with https://, with http:// on localhost, or with an app's own scheme such as com.example.app:/. It must have at most 2,048 printable ASCII characters, and no fragment.`,
  );
}
