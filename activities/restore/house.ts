import { paymentWords } from '../../domain/reconciliation/words.ts';
import { isNamedIn, normalisedName } from '../../domain/bank/names.ts';
import type { Bookable, Debit } from '../../domain/restore/match.ts';
import { paymentsNamedIn } from '../../infra/bank/obie-4.0/identifiers.ts';
import { payeeById } from '../../infra/db/queries/payees.ts';
import { paidByHouse, type DoubtedRow } from '../../infra/db/queries/restore-steps.ts';
import type { Services } from '../../infra/services.ts';
import type { Entry, Statement } from '../../infra/statements/index.ts';
import { payeeAccount } from '../payments/payees.ts';

const HOUSE = 'house';

/** The entries that took money from the account, each under an id of its own. */
export function debitsIn({ entries }: Statement): Map<string, Entry> {
  return new Map(entries.flatMap((entry, index) => (entry.amount < 0 ? [[String(index), entry] as const] : [])));
}

const creditsIn = ({ entries }: Statement) => entries.filter(({ amount }) => amount > 0);

interface Words {
  key: string;
  reference: string;
  payee: string;
  /** Six and eight digits. */
  account: string;
}

/**
 * The payments of the house account that a statement can show, and its debits with the words that they say. The account pays for
 * many people, so an entry must show the payment's id, or its reference together with its payee. `cameBack`: payments whose money a
 * credit might have brought back.
 */
export async function houseBookables(
  services: Services,
  { since, statement }: { since: Date; statement: Statement },
): Promise<{ payments: Bookable[]; debits: Debit[]; cameBack: ReadonlySet<string> }> {
  const entries = debitsIn(statement);
  const amounts = new Set([...entries.values()].map(({ amount }) => -amount));
  const rows = (await services.db.many(paidByHouse(since))).filter(({ amount }) => amounts.has(amount));
  const words = new Map<string, Words | null>();
  const [firstDay = ''] = statement.entries.map(({ bookedOn }) => bookedOn).toSorted();
  // The debit of what was paid before the statement begins is not in it, but one of a lost payment can have the same words.
  const isEarlier = ({ doubted_by, sent_on }: DoubtedRow) => doubted_by === null && sent_on < firstDay;
  for (const row of rows)
    words.set(row.payment_id, row.status === 'failed' || isEarlier(row) ? null : await wordsOf(services, row));
  const byAmount = Map.groupBy(
    rows.filter(({ payment_id }) => words.get(payment_id) !== null),
    ({ amount }) => amount,
  );
  const isBack = ({ payment_id, amount }: DoubtedRow, { amount: credited, texts }: Entry) => {
    if (credited !== amount) return false;
    const own = words.get(payment_id) ?? null;
    return texts.flatMap(paymentsNamedIn).includes(payment_id) || (own !== null && isSaid(own, texts));
  };
  const credits = creditsIn(statement);
  const back = rows.filter((row) => credits.some((credit) => isBack(row, credit)));
  const cameBack = new Set(back.map(({ payment_id }) => payment_id));
  // What failed might have been retried since the backup, so its debit explains nothing unless the money came back.
  const explaining = rows.filter(({ status, payment_id }) => status !== 'failed' || cameBack.has(payment_id));
  return {
    cameBack,
    payments: explaining.map(({ payment_id: paymentId, amount, sent_on: sentOn }) => {
      return { paymentId, account: HOUSE, amount, words: words.get(paymentId)?.key ?? null, sentOn };
    }),
    debits: [...entries].map(([id, { amount, bookedOn, texts }]) => {
      const possible = (byAmount.get(-amount) ?? []).map(({ payment_id }) => words.get(payment_id)!);
      const says = new Set(possible.filter((one) => isSaid(one, texts)).map(({ key }) => key));
      const names = [...new Set(texts.flatMap(paymentsNamedIn))];
      return { id, account: HOUSE, amount: -amount, bookedOn, names, says };
    }),
  };
}

async function wordsOf(services: Services, { owner_id, reference, provider_id }: DoubtedRow): Promise<Words | null> {
  const said = paymentWords(reference, null).reference;
  if (said === null) return null;
  const { name, sortCode, accountNumber } = await payeeAccount(services, await services.db.one(payeeById(provider_id)));
  const account = `${sortCode}${accountNumber}`;
  return { key: JSON.stringify([owner_id, said, account]), reference: said, payee: normalisedName(name), account };
}

function isSaid({ reference, payee, account }: Words, texts: readonly string[]): boolean {
  const said = texts.map(normalisedName);
  if (!said.some((text) => text.includes(reference))) return false;
  const digits = texts.map((text) => text.replaceAll(/\D/g, ''));
  return digits.some((text) => text.endsWith(account)) || said.some((text) => isNamedIn(payee, text));
}
