import { requireWithinVaultLimit, type VaultsHeld } from '../../domain/allocations.ts';
import type { Ratio } from '../../domain/money.ts';
import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { paycheckLegs, type PaycheckPlan, type Split } from '../../domain/paycheck.ts';
import type { IncomeEvidence } from '../../domain/paycheck/evidence.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import { vaultById } from '../../infra/db/queries/allocations.ts';
import * as queries from '../../infra/db/queries/paycheck.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { movedBy, type Movement, type NewVault } from '../ledger.ts';
import { macColumns } from '../macs.ts';
import { INCOME_MACS } from './income-macs.ts';
import { calculationOf } from './rows.ts';

type BookServices = Pick<Services, 'newId' | 'keys'>;

interface Booking {
  at: Date;
  payDate: CalendarDate;
  number: number;
  revision: number;
  bufferRate: Ratio;
  split: Split;
  plan: PaycheckPlan;
  /** The vault of each obligation, or null if the vault does not exist yet. */
  vaultIds: readonly (string | null)[];
  vaultsHeld: VaultsHeld;
  payslipDocId: string | undefined;
  wageId: string | undefined;
  incomeEvidence: IncomeEvidence;
  calculatedBy: string;
}

/** Does not wait for the database, like `postMovement`. */
export async function book(owner: LockedOwner, services: BookServices, booking: Booking) {
  const { at, payDate, revision, bufferRate, split, plan } = booking;
  const { vaultIds, newVaults } = nameVaults(services, booking);
  requireWithinVaultLimit(booking.vaultsHeld, newVaults.length);
  const funded = plan.obligations.map(({ obligation, allocation }, index) => ({
    type: obligation.type,
    amount: obligation.amount,
    category: obligation.category,
    vault_id: vaultIds[index]!,
    allocation_id: allocation?.allocationId ?? services.newId('alloc'),
  }));
  const movement: Movement = {
    at,
    newVaults,
    kind: revision === 1 ? 'paycheck' : 'paycheck_revision',
    subjectId: services.newId('calc'),
    legs: paycheckLegs(plan, vaultIds),
    newAllocations: funded
      .filter((_, index) => !plan.obligations[index]!.allocation)
      .map((entry) => ({
        allocationId: entry.allocation_id,
        vaultId: entry.vault_id,
        source: 'paycheck',
        amount: entry.amount,
      })),
    allocationChanges: [...plan.obligations, ...plan.removed]
      .filter(({ allocation, change }) => allocation && change !== 0)
      .map(({ allocation, change }) => ({ allocationId: allocation!.allocationId, amount: change, available: change })),
  };
  const calculation = {
    calculation_id: movement.subjectId,
    owner_id: owner.id,
    pay_date: payDate,
    number: booking.number,
    revision,
    gross_income: split.grossIncome,
    locked_for_bills: split.lockedForBills,
    locked_buffer: split.lockedBuffer,
    safe_to_spend: split.safeToSpend,
    buffer_rate: bufferRate,
    payslip_doc_id: booking.payslipDocId ?? null,
    wage_id: booking.wageId ?? null,
    income_evidence: booking.incomeEvidence,
    calculated_by: booking.calculatedBy,
    calculated_at: at.toISOString(),
  };
  const noMac = { mac: null, mac_version: null };
  const isAsserted = booking.incomeEvidence === 'asserted';
  const mac = isAsserted ? await macColumns(services.keys, INCOME_MACS, calculation) : noMac;
  const moved = movedBy(owner, services, movement);
  void owner.run(
    queries.bookPaycheck({
      moved,
      calculation: { ...calculation, ...mac },
      obligations: funded,
      day: londonDateOf(at),
    }),
  );
  return calculationOf({ ...calculation, ...mac, obligations: funded });
}

/** @throws DomainError `vault-closed` if a bill would put more money into a vault that the owner closed. */
export async function requireOpenVaults(tx: Tx, { plan, vaultIds }: Pick<Booking, 'plan' | 'vaultIds'>): Promise<void> {
  for (const [index, { allocation, change }] of plan.obligations.entries()) {
    if (allocation === null || change <= 0 || allocation.vaultId === vaultIds[index]) continue;
    if ((await tx.one(vaultById(allocation.vaultId))).closed_at === null) continue;
    throw new DomainError(
      'vault-closed',
      `The vault with the money for /obligations/${index} is closed. Use another type for the additional money.`,
    );
  }
}

function nameVaults({ newId }: Pick<Services, 'newId'>, { plan, vaultIds }: Booking) {
  const newVaults = new Map<string, NewVault>();
  const named = plan.obligations.map(({ obligation: { category, type }, allocation }, index) => {
    // An allocation stays in its vault, also after the vault got another label or was closed.
    const known = allocation?.vaultId ?? vaultIds[index];
    if (known) return known;
    const name = `${category} ${type}`;
    const made = newVaults.get(name) ?? { vaultId: newId('vlt'), vaultType: category, label: type };
    newVaults.set(name, made);
    return made.vaultId;
  });
  return { vaultIds: named, newVaults: [...newVaults.values()] };
}
