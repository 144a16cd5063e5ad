import { BankError, type Bank, type ConsentAccess } from '../../infra/bank/interface.ts';
import type { Services } from '../../infra/services.ts';

/** @throws BankError if no bank pays for this deployment. A payment then waits until an operator names one. */
export function paidBy({ banks: { house } }: Pick<Services, 'banks'>): { port: Bank; access: ConsentAccess } {
  if (house === null) throw new BankError('configuration', 'no bank is configured that pays for owners');
  const { bank, consentRef } = house;
  return { port: bank.port, access: { kind: 'payments', consentRef, secret: null, present: null } };
}
