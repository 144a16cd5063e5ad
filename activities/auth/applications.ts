import { LOGIN_SCOPES, type Scope } from '../../domain/auth.ts';
import { DomainError, invalidInput } from '../../domain/errors.ts';
import { requireOwnerPrefix } from '../../domain/owners.ts';
import { isOwnMachine } from '../../domain/own-machine.ts';
import { Application } from '../../infra/db/entities/auth.ts';
import { insertClient, lockApplications } from '../../infra/db/statements/auth.ts';
import type { Row } from '../../infra/db/tables.ts';
import { hashOf, newClientSecret } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';

type Needs = Pick<Services, 'db' | 'newId'>;

/** The actor in the audit log for the operators' command line. */
export const OPERATOR = 'operator';

/**
 * Registers an application, which keys and clients belong to. With `owner_prefix` it gets all owner ids that begin so,
 * and no others.
 * @throws DomainError `invalid-request` if the prefix overlaps another application's, or the service's own ids.
 */
export async function createApplication(
  services: Needs,
  { name, owner_prefix: prefix = null }: { name: string; owner_prefix?: string | null },
): Promise<{ app_id: string }> {
  const { db } = services;
  const appId = services.newId('app');
  const at = new Date();
  await db.transaction(async () => {
    if (prefix !== null) {
      await db.run(lockApplications());
      const taken = await ownerPrefixes(services);
      requireOwnerPrefix(
        prefix,
        taken.map(({ owner_prefix }) => owner_prefix),
      );
    }
    const application = { appId, name: checkName(name), createdAt: at.toISOString(), ownerPrefix: prefix };
    await db.entities().insert(Application, application);
    const data = prefix === null ? {} : { owner_prefix: prefix };
    await audit(services, { subject: appId, kind: 'application.created', actor: OPERATOR, data });
  });
  return { app_id: appId };
}

/** All applications, newest first. */
export async function listApplications({ db }: Pick<Services, 'db'>): Promise<{ items: Row<'applications'>[] }> {
  const found = await db.entities().findAll(Application, { orderBy: { createdAt: 'desc', appId: 'desc' } });
  const items = found.map(({ appId, name, createdAt, ownerPrefix }) => {
    return { app_id: appId, name, created_at: createdAt, owner_prefix: ownerPrefix ?? null };
  });
  return { items };
}

/** The owner-id prefix of each application that has one. */
export async function ownerPrefixes({ db }: Pick<Services, 'db'>): Promise<{ app_id: string; owner_prefix: string }[]> {
  const found = await db.entities().find(Application, { ownerPrefix: { $ne: null } });
  return found.map(({ appId, ownerPrefix }) => ({ app_id: appId, owner_prefix: ownerPrefix! }));
}

/** @throws DomainError `not-found`. */
export async function requireApplication({ db }: Pick<Services, 'db'>, appId: string): Promise<void> {
  if ((await db.entities().count(Application, { appId })) > 0) return;
  throw new DomainError('not-found', `There is no application ${appId}. "app list" shows those that there are.`);
}

export interface NewClient {
  app_id: string;
  name: string;
  redirect_uris: readonly string[];
  scopes: readonly Scope[];
  /** Of the pages from which it calls in a browser. */
  origins?: readonly string[];
  /** A public client, such as an app on a person's device, cannot keep a secret and gets none. */
  public: boolean;
}

/** Registers an OAuth client. @returns its secret, which is shown only once; null for a public one. */
export async function createClient(
  services: Needs,
  client: NewClient,
): Promise<{ client_id: string; client_secret: string | null }> {
  const { db, newId } = services;
  const { app_id: appId, name, redirect_uris: redirectUris, scopes, origins = [] } = client;
  await requireApplication(services, appId);
  redirectUris.forEach(checkRedirectUri);
  scopes.forEach(checkUserScope);
  origins.forEach(checkOrigin);
  const clientId = newId('client');
  const secret = client.public ? null : newClientSecret();
  const at = new Date();
  await db.transaction(async () => {
    await db.run(
      insertClient({
        client_id: clientId,
        app_id: appId,
        name: checkName(name),
        redirect_uris: redirectUris,
        scopes,
        secret_hash: secret === null ? null : hashOf(secret),
        created_at: at.toISOString(),
        origins,
      }),
    );
    const data = { app_id: appId, scopes, ...(origins.length > 0 && { origins }) };
    await audit(services, { subject: clientId, kind: 'client.created', actor: OPERATOR, data });
  });
  return { client_id: clientId, client_secret: secret };
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (/^[^\p{C}]{1,128}$/u.test(trimmed)) return trimmed;
  throw invalidInput('/name', 'A name is 1 to 128 printable characters.');
}

/** A client acts for users, so it gets no more than a user has. */
function checkUserScope(scope: Scope): void {
  if (LOGIN_SCOPES.includes(scope)) return;
  throw invalidInput(
    '/scopes',
    `No user has the scope ${scope}, so no client can act with it. Users have: ${LOGIN_SCOPES.join(' ')}.`,
  );
}

/** An origin as browsers send it (RFC 6454): scheme, host, and a port that is not the scheme's own. In the clear on localhost only. */
function checkOrigin(origin: string): void {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isOwnMachine(url.hostname));
  if (isSafe && url.origin === origin) return;
  throw invalidInput('/origins', `${origin} is no origin such as https://app.example.com, or http://localhost:5173.`);
}

/**
 * RFC 6749, 3.1.2, and RFC 8252: absolute and without a fragment; plain http only on the user's own machine. It must be
 * printable ASCII (RFC 3986), because it is sent unchanged in a header.
 */
function checkRedirectUri(uri: string): void {
  const url = /^[\x21-\x7e]{1,2048}$/.test(uri) && !uri.includes('#') && URL.canParse(uri) ? new URL(uri) : undefined;
  const site = uri.startsWith('https://') && url?.username === '' && url.password === '';
  const loopback = uri.startsWith('http://') && isOwnMachine(url?.hostname ?? '');
  const ownScheme = url !== undefined && /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/.test(url.protocol);
  if (url && (site || loopback || ownScheme)) return;
  throw invalidInput(
    '/redirect_uris',
    `${uri} cannot be redirected to: it takes https://, http:// on localhost only, or an app's own scheme like com.example.app:/, in ASCII and without a fragment.`,
  );
}
