import { createHash, randomBytes } from 'node:crypto';
import type { BankExchange } from './exchange.ts';

const LIFETIME_S = 300;

export function openAccess(clientId: string) {
  const issued = new Map<string, { certificate: string; untilMs: number }>();

  return {
    /** Client credentials of OAuth 2.0. The client certificate authenticates the client (RFC 8705). */
    token({ header, body, clientCertificate, answer }: BankExchange): void {
      const form = header('content-type')?.startsWith('application/x-www-form-urlencoded') ? body.toString('utf8') : '';
      const request = new URLSearchParams(form);
      if (clientCertificate === null || request.get('client_id') !== clientId) {
        answer(401, { error: 'invalid_client' });
        return;
      }
      if (request.get('grant_type') !== 'client_credentials') {
        answer(400, { error: 'unsupported_grant_type' });
        return;
      }
      if (request.get('scope') !== 'payments') {
        answer(400, { error: 'invalid_scope' });
        return;
      }
      const token = randomBytes(32).toString('base64url');
      for (const [hash, { untilMs }] of issued) if (untilMs < Date.now()) issued.delete(hash);
      issued.set(hashOf(token), { certificate: clientCertificate, untilMs: Date.now() + LIFETIME_S * 1000 });
      answer(200, { access_token: token, token_type: 'Bearer', expires_in: LIFETIME_S, scope: 'payments' });
    },
    /** The token must have been issued for the certificate of the connection. Otherwise responds with 401. */
    allows({ header, clientCertificate, answer }: BankExchange): boolean {
      const token = /^Bearer (\S+)$/.exec(header('authorization') ?? '')?.[1] ?? '';
      const grant = issued.get(hashOf(token));
      if (grant && grant.untilMs > Date.now() && grant.certificate === clientCertificate) return true;
      answer(401, null, { 'www-authenticate': 'Bearer error="invalid_token"' });
      return false;
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
