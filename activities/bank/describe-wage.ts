import { asPaid, OWN_MOVE_DAYS, ownCredits } from '../../domain/bank/wages.ts';
import { maskAccountNumber } from '../../domain/vault/masks.ts';
import { accountById } from '../../infra/db/queries/bank-accounts.ts';
import * as queries from '../../infra/db/queries/bank-wages.ts';
import type { SealedCredit } from '../../infra/db/queries/bank-wages.ts';
import type { Services } from '../../infra/services.ts';
import { maskedEmailOf } from '../auth/address.ts';
import type { Session } from '../auth/sessions.ts';
import { openDetails, openTexts } from './accounts.ts';
import { creditOf, debitOf } from './wage-rows.ts';

/** What the person sees of a credit, in pence. What the bank does not say is null. */
export interface ShownCredit {
  amount: number;
  receivedOn: string;
  payer: string | null;
  reference: string | null;
  accountName: string;
  /** Masked. */
  accountNumber: string | null;
}

/** `named`: the person has confirmed it, signed in here. */
export type WageState = 'open' | 'named' | 'debit' | 'own' | 'reversed';

export type DescribedWage =
  | { kind: 'not-yours'; signedInAs: string }
  | { kind: 'yours'; signedInAs: string; state: WageState; credit: ShownCredit };

/** Says the same of a transaction of somebody else and of one that does not exist. */
export async function describeWage(
  services: Services,
  { transaction_id, session }: { transaction_id: string; session: Session },
): Promise<DescribedWage> {
  const { userId } = session;
  const signedInAs = await maskedEmailOf(services, userId);
  const row = await services.db.maybe(queries.sealedTransaction(transaction_id));
  if (row?.owner_id !== userId) return { kind: 'not-yours', signedInAs };
  const [state, credit] = await Promise.all([stateOf(services, row), shownCredit(services, row)]);
  return { kind: 'yours', signedInAs, state, credit };
}

async function stateOf({ db }: Pick<Services, 'db'>, row: SealedCredit): Promise<WageState> {
  if (row.amount <= 0) return 'debit';
  const wage = (await db.many(queries.wagesLike(row))).find((one) => one.transaction_id === row.transaction_id);
  if (wage?.status === 'confirmed' && wage.matched_by === 'person' && wage.own_sign_in) return 'named';
  const debits = (await db.many(queries.debitsLike(row, OWN_MOVE_DAYS))).map(debitOf);
  const ownNumbers = new Set((await db.many(queries.ownNumbersOf(row.owner_id))).map(({ number_hash }) => number_hash));
  if (ownCredits({ debits, ownNumbers })(asPaid(creditOf(row)))) return 'own';
  return wage?.status === 'reversed' ? 'reversed' : 'open';
}

async function shownCredit(services: Pick<Services, 'db' | 'keys'>, row: SealedCredit): Promise<ShownCredit> {
  const [texts] = await openTexts(services, row, [row]);
  const { name, accountNumber, last4 } = await openDetails(
    services,
    await services.db.one(accountById(row.account_id)),
  );
  const masked = accountNumber === null ? last4 && `****${last4}` : maskAccountNumber(accountNumber);
  const { payer, reference } = texts!;
  return { amount: row.amount, receivedOn: row.booked_on, payer, reference, accountName: name, accountNumber: masked };
}
