import type { WageStatus } from '../../domain/bank/wages.ts';
import type { CalendarDate } from '../../domain/dates.ts';
import { DomainError, invalidInput } from '../../domain/errors.ts';
import type { Queries } from '../../infra/db/connection.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import { lockWage, wageById, type WageRow } from '../../infra/db/queries/bank-wages.ts';

/** A wage that is no income yet, and cannot become one before the transaction ends. */
export interface LockedWage {
  /** Whether the person named the wage while signed in here. */
  ownSignIn: boolean;
}

interface WageRequest {
  employee_id: string;
  wage_id: string;
  pay_date?: CalendarDate;
}

/** @throws DomainError `unknown-wage`, `wage-not-confirmed`, or `invalid-request` for another pay date than the wage's. */
export async function readWage(db: Queries, { employee_id, wage_id, pay_date }: WageRequest) {
  const wage = requireOwned(employee_id, await db.maybe(wageById(wage_id)));
  requireConfirmed(wage.status);
  if (pay_date === undefined || pay_date === wage.received_on) return wage;
  throw invalidInput('/pay_date', `must be left out, because the wage was received on ${wage.received_on}`);
}

/** @throws DomainError `wage-already-calculated`, `wage-not-confirmed`. */
export async function lockUncounted({ id, tx }: LockedOwner, wageId: string): Promise<LockedWage> {
  const { status, calculation_id, own_sign_in } = requireOwned(id, await tx.maybe(lockWage(wageId)));
  if (calculation_id !== null) {
    throw new DomainError('wage-already-calculated', 'The paycheck of this wage was calculated before.', {
      calculation_id,
    });
  }
  requireConfirmed(status);
  return { ownSignIn: own_sign_in };
}

function requireOwned(ownerId: string, wage: WageRow | undefined): WageRow {
  if (wage?.owner_id === ownerId) return wage;
  throw new DomainError('unknown-wage', 'The owner has no wage with this id.');
}

function requireConfirmed(status: WageStatus): void {
  if (status === 'confirmed') return;
  const detail =
    status === 'suggested'
      ? 'The wage is only suggested. The person must confirm it first.'
      : 'The wage was reversed, so it is no income.';
  throw new DomainError('wage-not-confirmed', detail, { wage_status: status });
}
