import type { Response } from 'express';
import type { Principal } from '../../domain/auth.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import type { OperationId } from './operations.ts';

/** A request that the PII vault did not serve. */
export interface VaultRefusal {
  operation: OperationId;
  params: Readonly<Record<string, string>>;
  /** Undefined where the caller did not get so far as to be known. */
  principal: Principal | undefined;
  code: ErrorCode;
  address: string;
}

/** @returns what is to be answered: what was thrown, or that it could not be recorded. */
export type RecordVaultRefusal = (thrown: unknown, response: Response) => Promise<unknown>;

/** A refusal at the PII vault is on record before it is answered; other operations' are left as they are. */
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
