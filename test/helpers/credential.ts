import { createHash } from 'node:crypto';
import { paymentActivities } from '../../activities/payments/index.ts';
import type { CalendarDate } from '../../domain/dates.ts';
import type { Services } from '../../infra/services.ts';
import { query } from '../../infra/db/sql.ts';
import { anyKey, fund } from './money.ts';
import { bankIdOf, type PlayedBank } from './played-bank.ts';

/** Pays a bill of an owner that the bank settles at once, or refuses. @returns its id. */
export async function payBill(
  services: Services,
  bank: PlayedBank,
  {
    owner,
    due,
    missed = false,
    payee = 'prov_sandbox_instant',
  }: { owner: string; due?: CalendarDate; missed?: boolean; payee?: string },
): Promise<string> {
  const payments = paymentActivities(services);
  const { allocationId } = await fund(services, owner, 1_000);
  const { payment_id } = await payments.executePayment({
    principal: anyKey,
    vault_allocation_id: allocationId,
    amount: 1_000,
    currency: 'GBP',
    provider_id: payee,
    ...(due === undefined ? {} : { due_date: due }),
  });
  const bankPaymentId = bankIdOf({ paymentId: payment_id, attempt: 1 });
  bank.answers = [
    missed
      ? { kind: 'refused', reason: { code: 'AM04', detail: 'no funds' } }
      : { kind: 'accepted', bankPaymentId, status: 'ACSC', reason: null },
  ];
  await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  return payment_id;
}

const unguard = query('test.unguardCredentials', 'alter table credentials disable trigger user');
const guard = query('test.guardCredentials', 'alter table credentials enable trigger user');

/** Changes a credential's row behind the service's back, as somebody with the database's password could. */
export async function tamper({ db }: Services, credentialId: string, set: string): Promise<void> {
  await db.run(unguard);
  await db.run(
    query(
      `test.tamper ${createHash('sha256').update(set).digest('hex').slice(0, 16)}`,
      `update credentials set ${set} where credential_id = $1`,
    ),
    [credentialId],
  );
  await db.run(guard);
}
