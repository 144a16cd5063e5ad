import { type Principal } from '../../domain/auth.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { accessBy, eventOf } from './record.ts';

interface Refused {
  operation: string;
  vault_ref: string | undefined;
  /** Undefined if the request had no valid credential. */
  principal: Principal | undefined;
  code: ErrorCode;
  address: string;
}

/**
 * The rate limit keeps callers without a valid credential or scope from flooding the audit log. The log gets no IP
 * address.
 */
export async function recordRefusal(
  services: Pick<Services, 'db' | 'newId' | 'limits'>,
  { operation, vault_ref, principal, code, address }: Refused,
): Promise<void> {
  if (principal === undefined || code === 'insufficient-scope')
    await services.limits.takeFrom('vault-refusals', address, 'vault');
  const data = { operation, code };
  const access = principal === undefined ? { actor: 'anonymous', data } : accessBy(principal, data);
  await audit(services.db, services, eventOf(vault_ref ?? 'vault', 'vault.refused', access));
}
