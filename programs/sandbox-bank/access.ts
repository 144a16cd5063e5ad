import type { Provider } from 'oidc-provider';
import type { Consent, ConsentKind, Consents } from './consents.ts';
import type { BankExchange } from './exchange.ts';

/** `consent` is null if the client acts for itself, by its client credentials. */
export interface Access {
  clientId: string;
  consent: Consent | null;
  scopes: ReadonlySet<string>;
}

/** Null unless the token is good, and was issued for the certificate of this connection (RFC 8705). */
export async function accessOf(
  { provider, consents }: { provider: Provider; consents: Consents },
  { header, clientCertificate }: BankExchange,
): Promise<Access | null> {
  const value = /^Bearer (\S+)$/i.exec(header('authorization') ?? '')?.[1];
  if (value === undefined || clientCertificate === null) return null;
  const own = await provider.ClientCredentials.find(value);
  const token = own ?? (await provider.AccessToken.find(value));
  if (token?.['x5t#S256'] !== clientCertificate) return null;
  const { clientId, scopes, grantId } = token;
  if (own) return { clientId, scopes, consent: null };
  // The token of an ended grant lives on, so that the consent decides.
  const consent = grantId === undefined ? undefined : consents.ofGrant(grantId);
  return consent === undefined ? null : { clientId, scopes, consent };
}

export function refuseToken({ answer }: BankExchange): void {
  answer(401, null, { 'www-authenticate': 'Bearer error="invalid_token"' });
}

/** Whether the client itself asks, for a scope. Otherwise responds with 403. */
export function isClientItself({ consent, scopes }: Access, exchange: BankExchange, scope: ConsentKind): boolean {
  if (consent === null && scopes.has(scope)) return true;
  exchange.answer(403, null, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` });
  return false;
}
