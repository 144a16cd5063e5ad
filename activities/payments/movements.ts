import { move, type EntryKind, type TransferKind } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import type { PaymentStatus } from '../../domain/payments.ts';
import type { PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Movement } from '../ledger.ts';

/** The movement has no legs if no money moves. */
export function movementOf(payment: PaymentRow, to: PaymentStatus, at: Date): Movement {
  const vault: Side = { account: 'vault', vaultId: payment.vault_id };
  if (to === 'completed')
    return moving(payment, at, 'payment_completed', { account: 'in_flight' }, { account: 'payees' }, 'payment');
  if (to === 'failed' || to === 'cancelled') {
    return intoAllocation(
      payment,
      moving(payment, at, `payment_${to}`, { account: 'in_flight' }, vault, 'payment_returned'),
    );
  }
  if (to === 'returned') {
    return intoAllocation(
      payment,
      moving(payment, at, 'payment_returned', { account: 'payees' }, vault, 'payment_returned'),
    );
  }
  return { ...moving(payment, at, 'payment', vault, { account: 'in_flight' }, 'payment'), legs: [] };
}

/** Takes the payment's amount out of its allocation, for a new payment or a new attempt. */
export function outOfVault(payment: PaymentRow, at: Date): Movement {
  const vault: Side = { account: 'vault', vaultId: payment.vault_id };
  const allocationChanges = [{ allocationId: payment.allocation_id, available: pence(-payment.amount) }];
  return { ...moving(payment, at, 'payment', vault, { account: 'in_flight' }, 'payment'), allocationChanges };
}

function intoAllocation(payment: PaymentRow, movement: Movement): Movement {
  return {
    ...movement,
    allocationChanges: [{ allocationId: payment.allocation_id, available: pence(payment.amount) }],
  };
}

function moving(payment: PaymentRow, at: Date, kind: TransferKind, from: Side, into: Side, entry: EntryKind): Movement {
  const legs = move(pence(payment.amount), { ...from, kind: entry }, { ...into, kind: entry });
  return { kind, subjectId: payment.payment_id, at, legs };
}

type Side = { account: 'in_flight' | 'payees' } | { account: 'vault'; vaultId: string };
