import { type Principal } from '../../domain/auth.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { addressGroup } from '../../infra/limits.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { accessBy, eventOf } from './record.ts';

export interface Refused {
  operation: string;
  vault_ref: string | undefined;
  /** The caller, or undefined if the request had no valid credential. */
  principal: Principal | undefined;
  code: ErrorCode;
  address: string;
}

/**
 * Records in the audit log that the vault refused a request. So that nobody can flood the log, limits how often an IP
 * address can send requests without a valid credential or the required scope. Does not store the IP address.
 * @throws DomainError `rate-limited`, which the caller gets instead of the original error.
 */
export async function recordRefusal(
  services: Pick<Services, 'db' | 'newId' | 'limits'>,
  { operation, vault_ref, principal, code, address }: Refused,
): Promise<void> {
  if (principal === undefined || code === 'insufficient-scope')
    await services.limits.take('vault-door', addressGroup(address));
  const told = { operation, code };
  const access = principal === undefined ? { actor: 'anonymous', data: told } : accessBy(principal, told);
  await audit(services, eventOf(vault_ref ?? 'vault', 'vault.refused', access));
}
