import type { Response } from 'express';
import type { Refused } from '../../activities/vault/refusal.ts';
import { DomainError } from '../../domain/errors.ts';

/** Returns the error to send: the given error, or the error that prevented the recording. */
export type RecordVaultRefusal = (thrown: unknown, response: Response) => Promise<unknown>;

export function vaultRefusals(record: (refused: Refused) => Promise<void>): RecordVaultRefusal {
  return async (thrown, { locals }) => {
    const { operation, principal, address, params = {} } = locals;
    if (operation?.credential !== 'vault') return thrown;
    const code = thrown instanceof DomainError ? thrown.code : 'internal-error';
    return record({ operation: operation.id, vault_ref: params.vault_ref, principal, code, address }).then(
      () => thrown,
      (instead: unknown) => instead,
    );
  };
}
