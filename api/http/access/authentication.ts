import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import { authenticate as authenticateToken } from '../../../activities/auth/authenticate.ts';
import { covers, type Principal } from '../../../domain/auth.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { Operation } from '../contract.ts';
import type { Parts } from '../parts.ts';

export function authenticate(operation: Operation, parts: Parts): RequestHandler[] {
  if (operation.scopes === 'public') return [];
  return [
    async (request, response, next) => {
      response.locals.principal = await principalOf(operation, request, parts);
      next();
    },
  ];
}

/** Undefined for public operations. @throws DomainError for example if the token or key has ended. */
export async function principalOf(
  { scopes, credential }: Operation,
  request: IncomingMessage,
  parts: Parts,
): Promise<Principal | undefined> {
  if (scopes === 'public') return undefined;
  return credential === 'vault' ? vaultCaller(request, parts) : bearer(request, parts);
}

export function requireScope({ scopes }: Operation): RequestHandler[] {
  if (scopes === 'public' || scopes === 'any') return [];
  return [
    (_request, response, next) => {
      const { principal } = response.locals;
      if (principal === undefined || !scopes.some((scope) => covers(principal.scopes, scope)))
        throw new DomainError(
          'insufficient-scope',
          `This operation needs the scope ${scopes.join(' or ')}, which the access token or API key does not have.`,
          { scope: scopes[0]! },
        );
      next();
    },
  ];
}

async function bearer({ headers }: IncomingMessage, { services }: Parts): Promise<Principal> {
  const token = /^bearer +([\x21-\x7e]{1,512}) *$/i.exec(headers.authorization ?? '')?.[1];
  if (token !== undefined) return authenticateToken(services, { token });
  throw new DomainError(
    'credentials-missing',
    'Send an access token or an API key in the Authorization header, after the word Bearer.',
  );
}

async function vaultCaller(request: IncomingMessage, { services, clientCertificate }: Parts): Promise<Principal> {
  const certificate = await clientCertificate(request);
  if (certificate === undefined) {
    throw new DomainError(
      'client-certificate-missing',
      'The PII vault requires mutual TLS. Present a client certificate that the certificate authority of the vault issued.',
    );
  }
  const given = request.headers['x-vault-api-key'];
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,512}$/.test(given)) {
    throw new DomainError('credentials-missing', 'Send an API key with a vault scope in the X-Vault-API-Key header.');
  }
  const principal = await authenticateToken(services, { token: given });
  if (principal.kind !== 'api_key')
    throw new DomainError('invalid-token', "The PII vault accepts only API keys, not a user's access token.");
  requireOwnCertificate(principal, certificate);
  return principal;
}

function requireOwnCertificate({ appId }: { appId: string }, { applications }: ClientCertificate): void {
  if (applications === null || applications.includes(appId)) return;
  throw new DomainError(
    'client-certificate-of-another-application',
    'The client certificate and the API key belong to different applications. Use the client certificate of the application that owns the API key.',
  );
}
