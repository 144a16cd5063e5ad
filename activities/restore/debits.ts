import { DomainError } from '../../domain/errors.ts';
import type { Keys } from '../../infra/keys/index.ts';
import * as queries from '../../infra/db/queries/restore-steps.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';

/** Money that left an account after the backup, of which the database knows no payment. */
export interface Unexplained {
  /** The command `restore explain` takes it. */
  debit_id: string;
  booked_on: string;
  amount: number;
  bank_reference: string | null;
  /** If the booking names a payment of this service. */
  payment_id: string | null;
}

/** The same bookings get the same ids, in each comparison. Bookings that say the same get different ones. */
export function debitIds({ blindIndex }: Pick<Keys, 'blindIndex'>, bookings: readonly unknown[]): string[] {
  const seen = new Map<string, number>();
  return bookings.map((booking) => {
    const said = JSON.stringify(booking);
    const nth = seen.get(said) ?? 0;
    seen.set(said, nth + 1);
    return `deb_${blindIndex('restore debit', `${nth} ${said}`)}`;
  });
}

/** A new order of the same amount might be the payment of such a debit. @returns those that no operator has explained. */
export async function keepDebits(
  tx: Tx,
  restoreId: string,
  debits: readonly Unexplained[],
): Promise<readonly Unexplained[]> {
  if (debits.length === 0) return [];
  await tx.run(
    queries.insertDebits(
      restoreId,
      debits.map(({ debit_id, amount, booked_on }) => ({ debit_id, amount, booked_on })),
    ),
  );
  const open = new Set((await tx.many(queries.openDebits())).map(({ debit_id }) => debit_id));
  return debits.filter(({ debit_id }) => open.has(debit_id));
}

/** An operator says that no further order can be the debit's payment. @throws DomainError `not-found` */
export async function explainDebit(
  services: Pick<Services, 'clock' | 'db' | 'newId'>,
  { debit_id, reason, actor }: { debit_id: string; reason: string; actor: string },
): Promise<{ debit_id: string }> {
  return services.db.transaction(async (tx) => {
    const explained = await tx.maybe(queries.explainDebit(debit_id, { at: await services.clock.real(tx), actor }));
    if (explained === undefined)
      throw new DomainError('not-found', 'No such debit is unexplained. "restore show" lists them.');
    const { restore_id: subject } = explained;
    await audit(tx, services, { subject, kind: 'restore.explained', actor, data: { debit_id, reason } });
    return { debit_id };
  });
}
