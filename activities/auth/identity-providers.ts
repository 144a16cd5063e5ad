import { isEmail, mailDomainOf, normaliseEmail } from '../../domain/auth.ts';
import { DomainError, invalidInput } from '../../domain/errors.ts';
import * as queries from '../../infra/db/queries/identity-providers.ts';
import * as signIns from '../../infra/db/queries/sign-in.ts';
import { isSafe } from '../../infra/oidc/transport.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { actorOf, checkName, type Operated } from './applications.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

export interface NewIdentityProvider {
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  /** Allowed email domains. An empty list allows all domains. */
  domains?: readonly string[];
}

const LONGEST_NAME = 64;

export async function createIdentityProvider(
  services: Pick<Services, 'db' | 'keys' | 'newId' | 'config'> & Operated,
  given: NewIdentityProvider,
): Promise<{ provider_id: string; redirect_uri: string }> {
  const { db, keys, newId } = services;
  const name = checkName(given.name, LONGEST_NAME);
  const issuer = checkIssuer(given.issuer.trim());
  const [clientId, secret] = [
    checkCredential('/client_id', given.client_id),
    checkCredential('/client_secret', given.client_secret),
  ];
  const domains = [...new Set((given.domains ?? []).map(checkDomain))];
  const identityProviderId = newId('sip');
  const { sealed } = await keys.seal(secret, secretContext(identityProviderId));
  const at = new Date();
  await db.transaction(async (tx) => {
    const written = await tx.run(
      queries.insertIdentityProvider({
        provider_id: identityProviderId,
        name,
        issuer,
        client_id: clientId,
        client_secret_sealed: sealed,
        created_at: at.toISOString(),
        domains,
      }),
    );
    if (written === 0)
      throw invalidInput(
        '/issuer',
        `A provider with the issuer ${issuer} already exists. To replace that provider, remove it first.`,
      );
    await audit(tx, services, {
      subject: identityProviderId,
      kind: 'provider.created',
      actor: actorOf(services),
      data: { issuer, domains },
    });
  });
  return { provider_id: identityProviderId, redirect_uri: redirectUriOf(services, identityProviderId) };
}

/** Newest first, including removed identity providers. */
export async function listIdentityProviders(services: Pick<Services, 'db' | 'config'>) {
  const rows = await services.db.many(queries.listIdentityProviders());
  return { items: rows.map((row) => ({ ...row, redirect_uri: redirectUriOf(services, row.provider_id) })) };
}

/** Ends the sessions that began through the identity provider, and their codes and tokens. Accounts remain. */
export async function removeIdentityProvider(
  services: Pick<Services, 'db' | 'newId'> & Operated,
  { provider_id: identityProviderId }: { provider_id: string },
): Promise<{ provider_id: string; removed_at: string; sessions_ended: number; token_families_ended: number }> {
  const { db } = services;
  const at = new Date();
  return db.transaction(async (tx) => {
    const removed = await tx.run(queries.removeIdentityProvider(identityProviderId, at));
    if (removed === 0)
      throw new DomainError(
        'not-found',
        `There is no provider ${identityProviderId}, or it was already removed. The command "provider list" shows all providers.`,
      );
    const sessions_ended = await tx.run(signIns.endSessions({ signed_in_with: identityProviderId }, at));
    // Waits for code exchanges in progress. The next statement ends the tokens of these exchanges.
    await tx.run(signIns.endCodesOfIdentityProvider(identityProviderId, at));
    const token_families_ended = await tx.run(
      signIns.endFamilies({ signed_in_with: identityProviderId }, at, 'provider-removed'),
    );
    const data = { sessions_ended, token_families_ended };
    await audit(tx, services, {
      subject: identityProviderId,
      kind: 'provider.removed',
      actor: actorOf(services),
      data,
    });
    return { provider_id: identityProviderId, removed_at: at.toISOString(), ...data };
  });
}

export async function requireIdentityProvider({ db, keys }: Pick<Services, 'db' | 'keys'>, identityProviderId: string) {
  const { name, issuer, client_id: clientId, client_secret_sealed, domains } = await requireRow(db, identityProviderId);
  const clientSecret = await keys.open(client_secret_sealed, secretContext(identityProviderId));
  return { identityProviderId, name, issuer, clientId, clientSecret, domains };
}

export async function nameOfIdentityProvider(
  { db }: Pick<Services, 'db'>,
  identityProviderId: string,
): Promise<string> {
  return (await requireRow(db, identityProviderId)).name;
}

async function requireRow(db: Services['db'], identityProviderId: string): Promise<queries.IdentityProviderRow> {
  const row = await db.maybe(queries.identityProviderById(identityProviderId));
  if (row) return row;
  throw new DomainError('not-found', 'This sign-in provider does not exist. Start again from the sign-in page.');
}

export function redirectUriOf({ config }: Pick<Services, 'config'>, identityProviderId: string): string {
  return `${config.api.publicUrl}/api/v1/auth/sign-in/${identityProviderId}/callback`;
}

function secretContext(identityProviderId: string): Record<string, string> {
  return { use: SEAL_USES.signInProvider, provider_id: identityProviderId };
}

/** Requires an issuer URL as in OpenID Connect Core 1.0, section 2. */
function checkIssuer(issuer: string): string {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const plain = url && !/[?#@]/.test(issuer) && !issuer.includes('/.well-known/') && issuer.length <= 512;
  if (url && plain && isSafe(url)) return url.pathname === '/' ? url.origin : url.href;
  throw invalidInput(
    '/issuer',
    'An issuer must be the https:// URL by which the provider identifies itself (http:// only on localhost). The URL can have at most 512 characters, and must not contain ?, #, @ or /.well-known/.',
  );
}

function checkDomain(domain: string): string {
  const email = normaliseEmail(`x@${domain.trim()}`);
  if (isEmail(email)) return mailDomainOf(email);
  throw invalidInput('/domains', `${domain} is not a valid email domain. An email domain looks like example.org.`);
}

function checkCredential(pointer: string, value: string): string {
  const trimmed = value.trim();
  if (/^[\x20-\x7e]{1,512}$/.test(trimmed)) return trimmed;
  throw invalidInput(
    pointer,
    'The client id and the client secret must each have 1 to 512 printable ASCII characters, exactly as the provider issued them.',
  );
}
