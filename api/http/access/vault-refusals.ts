import type { Response } from 'express';
import { recordRefusal } from '../../../activities/vault/refusal.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Services } from '../../../infra/services.ts';

/** Returns the error to send: the given error, or the error that prevented the recording. */
export async function recordVaultRefusal(services: Services, thrown: unknown, { locals }: Response): Promise<unknown> {
  const { operation, principal, address, params = {} } = locals;
  if (operation?.credential !== 'vault') return thrown;
  const code = thrown instanceof DomainError ? thrown.code : 'internal-error';
  try {
    await recordRefusal(services, { operation: operation.id, vault_ref: params.vault_ref, principal, code, address });
    return thrown;
  } catch (instead) {
    return instead;
  }
}
