import type { BankInstruction } from '../../domain/bank/payments.ts';
import { BankError, type Bank, type ConsentAccess } from '../../infra/bank/interface.ts';
import { consentToPay } from '../../infra/db/queries/payment-consents.ts';
import type { PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import { settleConsent } from '../bank/look.ts';
import { openAgreedPayee } from '../bank/record.ts';
import { secretHolder } from '../bank/secret.ts';
import { houseAccess } from './house.ts';

/** The bank that an attempt went to, or goes to. @throws BankError until an operator has put the bank back. */
export function bankOf({ banks }: Pick<Services, 'banks'>, bankId: string): Bank {
  const bank = banks.find(bankId);
  if (bank) return bank.port;
  throw new BankError('configuration', `the bank ${bankId} of a payment is not configured`);
}

/** Whose account pays an attempt. */
export type PaidFrom = Pick<PaymentRow, 'connection_id'> & { bank_id: string };

/** @throws BankError if no bank could take the attempt now, so that it is not marked as perhaps sent. */
export function requireSendable(services: Pick<Services, 'banks'>, { connection_id, bank_id }: PaidFrom): void {
  bankOf(services, bank_id);
  if (connection_id !== null || services.banks.house?.bank.bankId === bank_id) return;
  throw new BankError('configuration', `the house account is no longer at the bank ${bank_id}`);
}

export interface PayingConsent {
  /** Null if the connection's consent has ended here. */
  access: ConsentAccess | null;
  agreed: BankInstruction['agreed'];
  /** Asks the bank, and stores what that means for the connection. @throws BankError while the bank is away. */
  isAuthorised(): Promise<boolean>;
}

/** What the bank takes for an attempt: the consent of the person's connection, or that of the house account. */
export async function consentOf(services: Services, { connection_id, bank_id }: PaidFrom): Promise<PayingConsent> {
  if (connection_id === null) {
    const access = await houseAccess(services);
    const isAuthorised = async () => (await bankOf(services, bank_id).look(access)) === 'authorised';
    return { access, agreed: null, isAuthorised };
  }
  const row = await services.db.maybe(consentToPay({ connection_id, bank_id }));
  if (!row) throw new BankError('configuration', `the connection ${connection_id} has no consent at ${bank_id}`);
  const secret = await secretHolder(services, row);
  return {
    access: secret && { kind: 'payments', consentRef: row.consent_ref, secret, present: null },
    agreed: { payee: await openAgreedPayee(services, row), vrpType: row.vrp_type },
    async isAuthorised() {
      const status = await settleConsent(services, { consent_id: row.consent_id, isOver: false });
      // Without a status, the connection has another consent by now, which the next try takes.
      return status === null || status === 'authorised';
    },
  };
}
