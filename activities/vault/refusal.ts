import { type Principal } from '../../domain/auth.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { addressGroup } from '../../infra/limits.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { accessBy, eventOf } from './record.ts';

/** A request at the vault that was not served. */
export interface Refused {
  operation: string;
  vault_ref: string | undefined;
  /** Undefined where the caller did not get so far as to be known. */
  principal: Principal | undefined;
  code: ErrorCode;
  address: string;
}

/**
 * Puts a refusal on record. Strangers get so many per address and minute; after that they are refused without more ado, so that
 * nobody fills the log from outside. Their address is counted, but not written down.
 * @throws DomainError `rate-limited`, to be answered instead.
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
