import { isEnded, type ConnectionStatus } from '../../domain/bank/connections.ts';
import { pence } from '../../domain/money.ts';
import { connectionById, type ConnectionRow } from '../../infra/db/queries/bank.ts';
import { payeeById } from '../../infra/db/queries/payees.ts';
import type { Services } from '../../infra/services.ts';
import { maskedEmailOf } from '../auth/address.ts';
import type { Session } from '../auth/sessions.ts';
import { payeeViews } from '../payments/payees.ts';
import { nameOfInstitution, requireBank } from './banks.ts';
import { isOpen } from './journeys.ts';

/** What the connection lets the service do, for the page on which its owner decides. */
export interface ConnectionTerms {
  bankName: string;
  regulated: { name: string; termsUrl: string };
  asked:
    | { kind: 'accounts'; daysBack: number }
    | {
        kind: 'payments';
        payee: MaskedPayee;
        limits: { perPayment: number; perMonth: number; validUntil: string | null };
      };
}

interface MaskedPayee {
  name: string;
  sortCode: string;
  accountNumber: string;
}

/** `open`: the person may go to the bank now. `signedInAs` is masked. */
export type Described =
  | { kind: 'not-yours'; signedInAs: string }
  | { kind: 'yours'; signedInAs: string; row: ConnectionRow; isOpen: boolean };

/** Says the same of a connection of somebody else and of one that does not exist. */
export async function describeConnection(
  services: Services,
  { connectionId, session }: { connectionId: string; session: Session },
): Promise<Described> {
  const { userId } = session;
  const signedInAs = await maskedEmailOf(services, userId);
  const row = await services.db.maybe(connectionById(connectionId));
  if (row?.owner_id !== userId) return { kind: 'not-yours', signedInAs };
  return { kind: 'yours', signedInAs, row, isOpen: isOpen(row) && services.banks.find(row.bank_id) !== undefined };
}

export async function termsOf(services: Services, row: ConnectionRow): Promise<ConnectionTerms> {
  const bank = requireBank(services, row.bank_id);
  const shared = { bankName: await nameOfBank(services, row), regulated: bank.regulated };
  if (row.kind === 'accounts') return { ...shared, asked: { kind: 'accounts', daysBack: bank.port.traits.freshDays } };
  const [payee] = await payeeViews(services, [await services.db.one(payeeById(row.provider_id!))], row.owner_id);
  const { name, sort_code: sortCode, account_number: accountNumber } = payee!;
  const limits = { perPayment: pence(row.per_payment!), perMonth: pence(row.per_month!), validUntil: row.valid_until };
  return { ...shared, asked: { kind: 'payments', payee: { name, sortCode, accountNumber }, limits } };
}

export async function nameOfBank(
  services: Pick<Services, 'banks'>,
  { bank_id, institution_id }: Pick<ConnectionRow, 'bank_id' | 'institution_id'>,
): Promise<string> {
  const bank = services.banks.find(bank_id);
  if (!bank) return 'your bank';
  return (institution_id !== null && (await nameOfInstitution(bank, institution_id))) || bank.name;
}

export function endedStatus({ status }: { status: ConnectionStatus }): 'rejected' | 'revoked' | 'expired' | undefined {
  return isEnded(status) ? (status as 'rejected' | 'revoked' | 'expired') : undefined;
}
