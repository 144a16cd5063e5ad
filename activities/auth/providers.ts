import { DomainError, invalidInput } from '../../domain/errors.ts';
import {
  insertProvider,
  listProviders as listProvidersStatement,
  providerById,
  removeProvider as removeProviderStatement,
  type ProviderRow,
} from '../../infra/db/statements/providers.ts';
import type { OidcProvider } from '../../infra/oidc/index.ts';
import { isSafe } from '../../infra/oidc/transport.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { OPERATOR } from './applications.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

/** Another provider that people may sign in with, as an operator registers it. */
export interface NewProvider {
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
}

/**
 * Registers an OpenID Connect provider. Its secret is kept sealed.
 * @returns the address to register at the provider. @throws DomainError `invalid-request`.
 */
export async function createProvider(
  services: Pick<Services, 'db' | 'keys' | 'newId' | 'config'>,
  given: NewProvider,
): Promise<{ provider_id: string; redirect_uri: string }> {
  const { db, keys, newId } = services;
  const name = checkText('/name', given.name.trim(), /^[^\p{C}]{1,64}$/u, 'A name is 1 to 64 printable characters.');
  const issuer = checkIssuer(given.issuer.trim());
  const [clientId, secret] = [
    checkCredential('/client_id', given.client_id),
    checkCredential('/client_secret', given.client_secret),
  ];
  const providerId = newId('sip');
  const { sealed } = await keys.seal(secret, secretContext(providerId));
  const at = new Date();
  await db.transaction(async () => {
    const written = await db.run(insertProvider, [providerId, name, issuer, clientId, sealed, at]);
    if (written === 0) throw invalidInput('/issuer', `There is a provider with the issuer ${issuer}; remove it first.`);
    await audit(services, { subject: providerId, kind: 'provider.created', actor: OPERATOR, data: { issuer }, at });
  });
  return { provider_id: providerId, redirect_uri: redirectUriOf(services, providerId) };
}

/** All providers, those removed as well, newest first; never their secrets. */
export async function listProviders(services: Pick<Services, 'db' | 'config'>) {
  const rows = await services.db.many(listProvidersStatement);
  return { items: rows.map((row) => ({ ...row, redirect_uri: redirectUriOf(services, row.provider_id) })) };
}

/**
 * Ends signing in with a provider, at once; who is signed in stays so, and accounts stay. Its secret is forgotten.
 * @throws DomainError `not-found`.
 */
export async function removeProvider(
  services: Pick<Services, 'db' | 'newId'>,
  { provider_id: providerId }: { provider_id: string },
): Promise<{ provider_id: string; removed_at: string }> {
  const at = new Date();
  await services.db.transaction(async () => {
    const removed = await services.db.run(removeProviderStatement, [providerId, at]);
    if (removed === 0)
      throw new DomainError('not-found', `There is no provider ${providerId}. "provider list" shows them.`);
    await audit(services, { subject: providerId, kind: 'provider.removed', actor: OPERATOR, data: {}, at });
  });
  return { provider_id: providerId, removed_at: at.toISOString() };
}

/** A provider that is there to be used, and who we are to it. @throws DomainError `not-found`. */
export async function requireProvider(
  { db, keys }: Pick<Services, 'db' | 'keys'>,
  providerId: string,
): Promise<OidcProvider & { name: string }> {
  const row = await db.maybe(providerById, [providerId]);
  if (!row) throw new DomainError('not-found', 'There is no such provider to sign in with.');
  const clientSecret = await keys.open(row.client_secret_sealed, secretContext(providerId));
  return asProvider(row, clientSecret);
}

/** Where a provider sends browsers back to. */
export function redirectUriOf({ config }: Pick<Services, 'config'>, providerId: string): string {
  return `${config.api.publicUrl}/api/v1/auth/sign-in/${providerId}/callback`;
}

function asProvider({ provider_id: providerId, name, issuer, client_id: clientId }: ProviderRow, clientSecret: string) {
  return { providerId, name, issuer, clientId, clientSecret };
}

function secretContext(providerId: string): Record<string, string> {
  return { use: SEAL_USES.signInProvider, provider_id: providerId };
}

/** OpenID Connect Core 1.0, section 2: https, without query or fragment; in the clear on this machine only. */
function checkIssuer(issuer: string): string {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const plain = url && !/[?#@]/.test(issuer) && !issuer.includes('/.well-known/') && issuer.length <= 512;
  if (url && plain && isSafe(url)) return url.pathname === '/' ? url.origin : url.href;
  throw invalidInput(
    '/issuer',
    'An issuer is the https:// address that the provider names itself by (http:// on localhost only), without query, fragment or /.well-known/.',
  );
}

function checkCredential(pointer: string, value: string): string {
  return checkText(
    pointer,
    value.trim(),
    /^[\x20-\x7e]{1,512}$/,
    'That is 1 to 512 printable ASCII characters, as the provider gave it.',
  );
}

function checkText(pointer: string, value: string, pattern: RegExp, fault: string): string {
  if (pattern.test(value)) return value;
  throw invalidInput(pointer, fault);
}
