import type { Response } from 'express';
import type { Principal } from '../../domain/auth.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import type { OperationId } from './operations.ts';

interface VaultRefusal {
  operation: OperationId;
  params: Readonly<Record<string, string>>;
  principal: Principal | undefined;
  code: ErrorCode;
  address: string;
}

/** Returns the error to send: the given error, or the error that prevented the recording. */
export type RecordVaultRefusal = (thrown: unknown, response: Response) => Promise<unknown>;

export function vaultRefusals(record: (refusal: VaultRefusal) => Promise<void>): RecordVaultRefusal {
  return async (thrown, { locals }) => {
    const { operation, principal, address, params = {} } = locals;
    if (operation?.credential !== 'vault') return thrown;
    const code = thrown instanceof DomainError ? thrown.code : 'internal-error';
    return record({ operation: operation.id, params, principal, code, address }).then(
      () => thrown,
      (instead: unknown) => instead,
    );
  };
}
