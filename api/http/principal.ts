import { covers, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Operation } from './contract.ts';

/** Finds out who sent a bearer credential. @throws DomainError `invalid-token` or `wrong-environment-key`. */
export type Authenticate = (given: { token: string }) => Promise<Principal>;

/**
 * Who asks for the operation, once the credential is good and has one of its scopes; undefined where it is public.
 * @throws DomainError `credentials-missing`, `invalid-token`, `wrong-environment-key`, `insufficient-scope` with `scope`.
 */
export async function principalFor(
  { scopes }: Operation,
  authorization: string | undefined,
  authenticate: Authenticate,
): Promise<Principal | undefined> {
  if (scopes === 'public') return undefined;
  const principal = await authenticate({ token: bearerOf(authorization) });
  if (scopes === 'any' || scopes.some((scope) => covers(principal.scopes, scope))) return principal;
  const scope = scopes[0]!;
  throw new DomainError(
    'insufficient-scope',
    `This needs the scope ${scopes.join(' or ')}, which the credential was not granted.`,
    { scope },
  );
}

function bearerOf(authorization: string | undefined): string {
  const token = /^bearer +([\x21-\x7e]{1,512}) *$/i.exec(authorization ?? '')?.[1];
  if (token !== undefined) return token;
  throw new DomainError(
    'credentials-missing',
    'Send an access token or an API key as Authorization: Bearer, followed by it.',
  );
}
