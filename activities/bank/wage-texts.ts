import { isNamedIn } from '../../domain/bank/names.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';
import type { PayerRow, SealedCredit, WageRow } from '../../infra/db/queries/bank-wages.ts';
import { openUnder, sealUnder } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';
import { openAccountSecret, openTexts, type TransactionTexts } from './accounts.ts';

/*
 * Names of payers. That of a wage is sealed under the secret of the account, and goes with it. That of a payer whom the person
 * named stays, and is sealed by the master keys.
 */

type Keys = Pick<Services, 'keys'>;

/** What the texts of credits say. */
export interface ReadCredits {
  /** By account. */
  secrets: ReadonlyMap<string, string>;
  /** By transaction. */
  payers: ReadonlyMap<string, string | null>;
  /** The transactions whose texts name a known payer. */
  naming: ReadonlySet<string>;
}

/** Needs no transaction, because the key service may be slow. */
export async function readCredits(
  services: Keys,
  rows: readonly SealedCredit[],
  known: readonly PayerRow[],
): Promise<ReadCredits> {
  const names = await openPayerNames(services, known);
  const secrets = new Map<string, string>();
  const payers = new Map<string, string | null>();
  const naming = new Set<string>();
  for (const [accountId, ofAccount] of Map.groupBy(rows, ({ account_id }) => account_id)) {
    secrets.set(accountId, await openAccountSecret(services, ofAccount[0]!));
    const texts = await openTexts(services, ofAccount[0]!, ofAccount);
    for (const [index, { transaction_id }] of ofAccount.entries()) {
      payers.set(transaction_id, texts[index]!.payer);
      if (names.some((name) => isNamed(name, texts[index]!))) naming.add(transaction_id);
    }
  }
  return { secrets, payers, naming };
}

function isNamed(name: string, { counterparty, reference }: TransactionTexts): boolean {
  return [counterparty, reference].some((text) => text !== null && isNamedIn(name, text));
}

const payerContext = (ownerId: string, payer_hash: string) => ({
  use: SEAL_USES.bankPayer,
  owner_id: ownerId,
  payer_hash,
});

export async function sealPayerName({ keys }: Keys, ownerId: string, payerHash: string, name: string): Promise<string> {
  return (await keys.seal(name, payerContext(ownerId, payerHash))).sealed;
}

function openPayerNames({ keys }: Keys, payers: readonly PayerRow[]): Promise<string[]> {
  const opened = payers.flatMap(({ owner_id, payer_hash, name_sealed }) =>
    name_sealed === null ? [] : [keys.open(name_sealed, payerContext(owner_id, payer_hash))],
  );
  return Promise.all(opened);
}

const wageContext = (wage_id: string) => ({ use: SEAL_USES.bankPayer, wage_id });

export function sealWagePayer(secret: string, wageId: string, name: string | null): Promise<string | null> {
  return name === null ? Promise.resolve(null) : sealUnder(secret, name, wageContext(wageId));
}

type Sealed = Pick<WageRow, 'wage_id' | 'account_id' | 'payer_sealed'> & { key_sealed: string | null };

/** The payers' names, in the order of the wages. Opens each account's secret once. */
export async function openWagePayers(services: Keys, wages: readonly Sealed[]): Promise<(string | null)[]> {
  const secrets = new Map<string, Promise<string>>();
  const secretOf = ({ account_id }: Sealed, key_sealed: string) => {
    const secret = secrets.get(account_id) ?? openAccountSecret(services, { account_id, key_sealed });
    secrets.set(account_id, secret);
    return secret;
  };
  return Promise.all(
    wages.map(async (wage) => {
      const { wage_id, payer_sealed, key_sealed } = wage;
      if (payer_sealed === null || key_sealed === null) return null;
      return openUnder(await secretOf(wage, key_sealed), payer_sealed, wageContext(wage_id));
    }),
  );
}
