import type { IncomingMessage } from 'node:http';
import { covers, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { Operation } from './contract.ts';

/** How callers show who they are. */
export interface Door {
  /** Finds out who sent a credential. @throws DomainError `invalid-token` or `wrong-environment-key`. */
  authenticate: (given: { token: string }) => Promise<Principal>;
  /** The certificate of a client of the vault that the connection, or the trusted proxy in front of it, shows. */
  clientCertificate: (request: IncomingMessage) => Promise<ClientCertificate | undefined>;
}

/**
 * Who asks for the operation, once the credential is good; undefined where it is public.
 * @throws DomainError `credentials-missing`, `client-certificate-missing`, `client-certificate-of-another-application`,
 * `invalid-token`, `wrong-environment-key`.
 */
export async function principalOf(
  { scopes, credential }: Operation,
  request: IncomingMessage,
  door: Door,
): Promise<Principal | undefined> {
  if (scopes === 'public') return undefined;
  return credential === 'vault' ? vaultCaller(request, door) : bearer(request, door);
}

/** @throws DomainError `insufficient-scope` with `scope` where the caller has none of those that the operation takes. */
export function requireScope({ scopes }: Operation, principal: Principal | undefined): void {
  if (scopes === 'public' || scopes === 'any') return;
  if (principal !== undefined && scopes.some((scope) => covers(principal.scopes, scope))) return;
  const scope = scopes[0]!;
  throw new DomainError(
    'insufficient-scope',
    `This needs the scope ${scopes.join(' or ')}, which the credential was not granted.`,
    { scope },
  );
}

async function bearer({ headers }: IncomingMessage, { authenticate }: Door): Promise<Principal> {
  const token = /^bearer +([\x21-\x7e]{1,512}) *$/i.exec(headers.authorization ?? '')?.[1];
  if (token !== undefined) return authenticate({ token });
  throw new DomainError(
    'credentials-missing',
    'Send an access token or an API key as Authorization: Bearer, followed by it.',
  );
}

async function vaultCaller(request: IncomingMessage, door: Door): Promise<Principal> {
  const certificate = await door.clientCertificate(request);
  if (certificate === undefined) {
    throw new DomainError(
      'client-certificate-missing',
      'The PII vault is reached by mutual TLS: present a client certificate that the configured authority signed.',
    );
  }
  const given = request.headers['x-vault-api-key'];
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,512}$/.test(given)) {
    throw new DomainError('credentials-missing', 'Send an API key with a vault scope as X-Vault-API-Key.');
  }
  const principal = await door.authenticate({ token: given });
  if (principal.kind !== 'api_key')
    throw new DomainError('invalid-token', "The PII vault takes API keys only, not a user's token.");
  requireOwnCertificate(principal, certificate);
  return principal;
}

function requireOwnCertificate({ appId }: { appId: string }, { applications }: ClientCertificate): void {
  if (applications === null || applications.includes(appId)) return;
  throw new DomainError(
    'client-certificate-of-another-application',
    'The client certificate was issued for another application than the one of this API key.',
  );
}
