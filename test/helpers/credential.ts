import type { Principal } from '../../domain/auth.ts';
import type { CalendarDate } from '../../domain/dates.ts';
import type { Services } from '../../infra/services.ts';
import { paymentsOf } from './activities.ts';
import { anyKey, fund } from './money.ts';
import { ownerSql } from './owner.ts';
import { bankIdOf, type PlayedBank } from './played-bank.ts';

export async function payBill(
  services: Services,
  bank: PlayedBank,
  {
    owner,
    due,
    missed = false,
    payee = 'prov_sandbox_instant',
    amount = 1_000,
    principal = anyKey,
  }: { owner: string; due?: CalendarDate; missed?: boolean; payee?: string; amount?: number; principal?: Principal },
): Promise<string> {
  const payments = paymentsOf(services);
  const { allocationId } = await fund(services, owner, amount);
  const { payment_id } = await payments.executePayment({
    principal,
    vault_allocation_id: allocationId,
    amount,
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

export async function tamper(services: Services, credentialId: string, set: string): Promise<void> {
  await ownerSql(services, 'alter table credentials disable trigger user');
  await ownerSql(services, `update credentials set ${set} where credential_id = $1`, [credentialId]);
  await ownerSql(services, 'alter table credentials enable trigger user');
}
