import { invalidInput } from '../../domain/errors.ts';
import { failedPayments } from '../../infra/db/queries/watch.ts';
import type { Services } from '../../infra/services.ts';

const MOST = 500;
const USUALLY = 100;

/** Newest first. `attention` is true if an operator should look at the payment. */
export async function listFailedPayments(
  { db }: Pick<Services, 'db'>,
  { limit = USUALLY }: { limit?: number | undefined } = {},
) {
  if (limit < 1 || limit > MOST) throw invalidInput('/limit', `The limit must be from 1 to ${MOST}.`);
  const rows = await db.many(failedPayments(limit));
  const payments = rows.map(({ failure, failed_at, ...row }) => ({
    ...row,
    failure_code: failure?.code ?? null,
    failure_detail: failure?.detail ?? null,
    retryable: failure?.retryable ?? true,
    failed_at: failed_at!,
  }));
  return { payments };
}
