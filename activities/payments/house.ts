import { BankError, type Bank, type ConsentAccess } from '../../infra/bank/interface.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Services } from '../../infra/services.ts';

/** @throws DomainError before anything moves, if no bank could pay. */
export function requirePayer({ banks: { house } }: Pick<Services, 'banks'>): void {
  if (house === null) throw new DomainError('bank-not-connected', 'The owner has connected no bank that could pay.');
}

/** @throws BankError if no bank pays for this deployment. A payment then waits until an operator names one. */
export function paidBy({ banks: { house } }: Pick<Services, 'banks'>): { port: Bank; access: ConsentAccess } {
  if (house === null) throw new BankError('configuration', 'no bank is configured that pays for owners');
  const { bank, consentRef } = house;
  return { port: bank.port, access: { kind: 'payments', consentRef, secret: null, present: null } };
}
