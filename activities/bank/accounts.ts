import { randomBytes } from 'node:crypto';
import { SEAL_USES } from '../../domain/frozen-strings.ts';
import type { BankAccount, BankRow } from '../../infra/bank/interface.ts';
import type { AccountRow, TransactionRow } from '../../infra/db/queries/bank-reading.ts';
import { openUnder, sealUnder } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';

/*
 * Details of an account and texts of its transactions are sealed under a secret of the account. The key service opens one
 * secret an account, however many texts are read.
 */

export type AccountDetails = Pick<BankAccount, 'name' | 'sortCode' | 'accountNumber' | 'iban' | 'last4'>;
export type TransactionTexts = Pick<BankRow, 'counterparty' | 'payer' | 'debtorAccount' | 'reference'>;

type WithKey = Pick<AccountRow, 'account_id' | 'key_sealed'>;
type Keys = Pick<Services, 'keys'>;

const keyContext = (account_id: string) => ({ use: SEAL_USES.bankAccountKey, account_id });
const detailsContext = (account_id: string) => ({ use: SEAL_USES.bankAccountDetails, account_id });
const textsContext = (account_id: string, transaction_id: string) => ({
  use: SEAL_USES.bankTexts,
  account_id,
  transaction_id,
});

export async function newAccountSecret({ keys }: Keys, accountId: string): Promise<{ secret: string; sealed: string }> {
  const secret = randomBytes(32).toString('base64url');
  return { secret, sealed: (await keys.seal(secret, keyContext(accountId))).sealed };
}

export function openAccountSecret({ keys }: Keys, { account_id, key_sealed }: WithKey): Promise<string> {
  return keys.open(key_sealed, keyContext(account_id));
}

export function sealDetails(secret: string, accountId: string, details: AccountDetails): Promise<string> {
  const { name, sortCode, accountNumber, iban, last4 } = details;
  return sealUnder(secret, JSON.stringify({ name, sortCode, accountNumber, iban, last4 }), detailsContext(accountId));
}

export async function openDetails(
  services: Keys,
  account: WithKey & Pick<AccountRow, 'details_sealed'>,
): Promise<AccountDetails> {
  const secret = await openAccountSecret(services, account);
  const text = await openUnder(secret, account.details_sealed, detailsContext(account.account_id));
  return JSON.parse(text) as AccountDetails;
}

export function sealTexts(
  secret: string,
  { account_id, transaction_id }: Pick<TransactionRow, 'account_id' | 'transaction_id'>,
  { counterparty, payer, debtorAccount, reference }: TransactionTexts,
): Promise<string> {
  const texts = { counterparty, payer, debtorAccount, reference };
  return sealUnder(secret, JSON.stringify(texts), textsContext(account_id, transaction_id));
}

/** In the order of the rows, which are the account's. */
export async function openTexts(
  services: Keys,
  account: WithKey,
  rows: readonly SealedTexts[],
): Promise<TransactionTexts[]> {
  return openTextsUnder(await openAccountSecret(services, account), account, rows);
}

type SealedTexts = Pick<TransactionRow, 'transaction_id' | 'texts_sealed'>;

/** As `openTexts`, without the key service. */
export async function openTextsUnder(
  secret: string,
  { account_id }: Pick<AccountRow, 'account_id'>,
  rows: readonly SealedTexts[],
): Promise<TransactionTexts[]> {
  const opened = rows.map(({ transaction_id, texts_sealed }) =>
    openUnder(secret, texts_sealed, textsContext(account_id, transaction_id)),
  );
  return (await Promise.all(opened)).map((text) => JSON.parse(text) as TransactionTexts);
}
