import type { RequestHandler } from 'express';
import type { Services } from '../../../infra/services.ts';
import type { Operation } from '../contract.ts';
import type { OperationId } from '../handlers.ts';

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** A browser opens these addresses, and they store something. */
const WRITING_PAGES: readonly OperationId[] = [
  'authorize',
  'signInWithProvider',
  'completeProviderSignIn',
  'receiveBankAnswer',
  'finishBankJourney',
];

/** @throws DomainError `restoring` to requests that write, while an operator has not released a restored database */
export function refuseWhileRestoring(
  { id, method }: Operation,
  { restoring }: Pick<Services, 'restoring'>,
): RequestHandler[] {
  if (READS.includes(method) && !(WRITING_PAGES as readonly string[]).includes(id)) return [];
  return [
    async (_request, _response, next) => {
      await restoring.requireNone();
      next();
    },
  ];
}
