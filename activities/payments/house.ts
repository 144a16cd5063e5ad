import { HOUSE_ACCOUNT } from '../../domain/owners.ts';
import { BankError, type Banks, type ConsentAccess } from '../../infra/bank/interface.ts';
import { houseConsent } from '../../infra/db/queries/bank-house.ts';
import type { Services } from '../../infra/services.ts';
import { secretHolder } from '../bank/secret.ts';

/** With the token of the operator's journey. Without one, the bank must take the service's own credentials. */
export async function houseAccess(services: Pick<Services, 'banks' | 'db' | 'keys'>): Promise<ConsentAccess> {
  const { bank, consentRef } = requireHouse(services);
  const found = await services.db.maybe(houseConsent({ bankId: bank.bankId, consentRef, owner: HOUSE_ACCOUNT }));
  const secret = found === undefined ? null : await secretHolder(services, found);
  return { kind: 'payments', consentRef, secret, present: null };
}

function requireHouse({ banks: { house } }: Pick<Services, 'banks'>): NonNullable<Banks['house']> {
  if (house === null) throw new BankError('configuration', 'no bank is configured that pays for owners');
  return house;
}
