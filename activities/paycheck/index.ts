import { callerOf, mayAssertIncome, type Principal } from '../../domain/auth.ts';
import { londonDateOf, type CalendarDate, type Period } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { pence, type Pence, type Ratio } from '../../domain/money.ts';
import {
  comparePaychecks,
  DEFAULT_BUFFER_RATE,
  explainPaycheck,
  planPaycheck,
  requirePayDate,
  requireWithinLimit,
  splitPaycheck,
  type Obligation,
  type Split,
} from '../../domain/paycheck.ts';
import {
  assertedDifference,
  evidenceOf,
  requireRevisable,
  requireSpentEvidenced,
  type IncomeEvidence,
} from '../../domain/paycheck/evidence.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/paycheck.ts';
import type { CalculationRow } from '../../infra/db/queries/paycheck.ts';
import { wageCalculated } from '../../infra/db/queries/bank-wages.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { splitChartTask, type ShownSplit } from './chart.ts';
import { requireWithinDay } from '../day-limits.ts';
import type { Authentic } from '../macs.ts';
import { DEFAULT_LIMIT, pagesOf, type QueryOf } from '../page.ts';
import { bindOwner, type NewOwner } from '../reach.ts';
import { book, requireOpenVaults } from './book.ts';
import { countAsserted, hasUnpostedInterest } from './evidence.ts';
import { evidenceIn, evidenceOfOwner } from './income-macs.ts';
import { bookedOf, calculationOf, figures, obligationOf, sourceOf, splitOf } from './rows.ts';
import { lockUncounted, readWage, type LockedWage } from './wages.ts';

/** Amounts are in pence. */
export interface PaycheckRequest {
  /** Null for a payday, which calculates in the employee's name. */
  principal: Principal | null;
  employee_id: string;
  /** Absent with a `wage_id`. */
  gross_pay?: number;
  payslip_doc_id?: string;
  /** Null if the document does not state the days that it covers. */
  document_period?: Period | null;
  wage_id?: string;
  obligations: readonly { type: string; amount: number; category: VaultType }[];
  pay_date?: CalendarDate;
  buffer_rate?: Ratio;
  include_history?: boolean;
  newOwner?: NewOwner | undefined;
}

type PaycheckServices = Pick<Services, 'db' | 'clock' | 'keys' | 'threads'>;
type CalculateServices = Pick<Services, 'clock' | 'newId' | 'config' | 'keys' | 'metrics' | 'log'>;

export const paycheckActivities = (services: PaycheckServices) => ({
  async simulatePaycheck(request: PaycheckRequest) {
    const { obligations, grossPay, payDate, now } = await readRequest(services.db, services, request);
    const known = await services.db.one(
      queries.peekPaycheck({
        owner_id: request.employee_id,
        pay_date: payDate,
        payslip_doc_id: request.payslip_doc_id ?? null,
        wage_id: request.wage_id ?? null,
      }),
    );
    const bufferRate = request.buffer_rate ?? known.buffer_rate ?? DEFAULT_BUFFER_RATE;
    const split = splitPaycheck(grossPay, obligations, bufferRate);
    const previous = request.include_history ? await latestOf(services.db, request.employee_id) : undefined;
    return {
      simulated: true as const,
      employee_id: request.employee_id,
      pay_date: payDate,
      revision: known.revision + 1,
      ...figures(split),
      vaults: obligations.map(({ type, amount, category }) => ({ type, amount, category })),
      buffer_rate: bufferRate,
      income_evidence: incomeEvidence(request, payDate, known.document_used),
      ...sourceOf(request),
      calculated_at: now.toISOString(),
      ...history(split, previous),
    };
  },

  async explainPaycheck({ id }: { id: string }) {
    const row = await services.db.maybe(queries.calculationById(id));
    if (!row) throw new DomainError('not-found', 'There is no calculation with this id.');
    const obligations = row.obligations.map(obligationOf);
    return { calculation: calculationOf(row), ...explainPaycheck(splitOf(row), obligations, row.buffer_rate) };
  },

  drawPaycheck: (shown: ShownSplit) => services.threads.run(splitChartTask, shown),

  /** `from` and `to` are pay dates. */
  async listPaychecks(request: QueryOf<'listPaychecks'> & { employee_id: string }) {
    const { employee_id, from, to, limit = DEFAULT_LIMIT, cursor } = request;
    const pages = pagesOf(services, { operation: 'listPaychecks', filter: { employee_id, from, to } });
    const before = await pages.after(cursor);
    const wanted = { owner_id: employee_id, before, from, to, most: limit + 1 };
    return pages.page(await services.db.many(queries.calculationsOfOwner(wanted)), limit, calculationOf);
  },
});

async function readRequest(db: Queries, { clock }: Pick<Services, 'clock'>, request: PaycheckRequest) {
  const now = await clock.now(db);
  const today = londonDateOf(now);
  const wage = request.wage_id === undefined ? null : await readWage(db, { ...request, wage_id: request.wage_id });
  const payDate = wage?.received_on ?? request.pay_date ?? today;
  requirePayDate(payDate, today);
  const obligations = request.obligations.map(obligationOf);
  const grossPay = pence(wage?.amount ?? request.gross_pay!);
  return { obligations, grossPay, payDate, now, today };
}

/** Revises the employee's paycheck for the same pay date, if there is one. A further wage of a day is a paycheck of its own. */
export async function calculatePaycheck(tx: Tx, services: CalculateServices, request: PaycheckRequest) {
  const { obligations, grossPay, payDate, now, today } = await readRequest(tx, services, request);
  const opened = await openPaycheck(tx, services, request, { at: now, payDate, obligations });
  const wage = request.wage_id === undefined ? null : await lockUncounted(opened.owner, request.wage_id);
  await bindOwner(tx, request.newOwner);
  const previous = request.include_history ? await latestOf(tx, request.employee_id) : undefined;
  const bufferRate = request.buffer_rate ?? opened.bufferRate ?? DEFAULT_BUFFER_RATE;
  const split = splitPaycheck(grossPay, obligations, bufferRate);
  await requireRevision(request.principal, opened, { grossPay, wage, payDate, today });
  if (request.principal !== null) {
    const storing = { by: request.principal, ownerId: request.employee_id, kind: 'revisions', at: now } as const;
    requireWithinDay(services.config.limits, { used: opened.revisionsToday + 1, ...storing });
  }
  const plan = planPaycheck(opened.booked, split, obligations, opened.held);
  requireWithinLimit(opened.received, plan.gross);
  await requireOpenVaults(tx, { plan, vaultIds: opened.vaultIds });
  const evidence = incomeEvidence(request, payDate, opened.documentUsed);
  const before = { evidence: opened.evidence, grossIncome: opened.booked?.grossIncome ?? pence(0) };
  const revised = { evidence, grossIncome: split.grossIncome };
  const difference = assertedDifference(revised, before);
  const { principal } = request;
  await countAsserted(opened.owner, { principal, number: opened.number, payDate, difference, at: now });
  const calculation = await book(opened.owner, services, {
    at: now,
    payDate,
    number: opened.number,
    revision: opened.revision + 1,
    bufferRate,
    split,
    plan,
    vaultIds: opened.vaultIds,
    vaultsHeld: opened.vaultsHeld,
    payslipDocId: request.payslip_doc_id,
    wageId: request.wage_id,
    incomeEvidence: evidence,
    calculatedBy: principal === null ? request.employee_id : callerOf(principal),
  });
  if (request.wage_id !== undefined) await tx.run(wageCalculated(request.wage_id, calculation.id));
  if (difference < 0 && services.config.environment === 'production') {
    requireSpentEvidenced(revised, await evidenceOfOwner(opened.owner, services));
  }
  return { ...calculation, ...history(split, previous) };
}

interface RevisedIncome {
  grossPay: Pence;
  wage: LockedWage | null;
  payDate: CalendarDate;
  today: CalendarDate;
}

/** Reads unposted interest only if the income becomes smaller. */
async function requireRevision(
  principal: Principal | null,
  { owner, number, booked, evidence, hasEarned }: Awaited<ReturnType<typeof openPaycheck>>,
  { grossPay, wage, payDate, today }: RevisedIncome,
) {
  const isSmaller = booked !== null && grossPay < booked.grossIncome;
  const paycheck = { owner_id: owner.id, pay_date: payDate, number };
  const earned = hasEarned || (isSmaller && (await hasUnpostedInterest(owner.tx, paycheck, today)));
  requireRevisable(booked, { evidence, hasEarned: earned }, { grossPay, mayAssert: mayAssertIncome(principal), wage });
}

async function openPaycheck(
  tx: Tx,
  services: Authentic,
  { employee_id, payslip_doc_id, wage_id }: PaycheckRequest,
  { at, payDate, obligations }: { at: Date; payDate: CalendarDate; obligations: readonly Obligation[] },
) {
  const row = await lockOne(
    tx,
    queries.openPaycheck({
      owner_id: employee_id,
      at,
      pay_date: payDate,
      payslip_doc_id: payslip_doc_id ?? null,
      wage_id: wage_id ?? null,
      vaults: obligations.map(({ category, type }) => ({ vault_type: category, label: type })),
      today: londonDateOf(at),
    }),
  );
  return {
    owner: row.owner,
    bufferRate: row.buffer_rate,
    held: { safeToSpend: pence(row.safe_to_spend), buffer: pence(row.buffer) },
    received: pence(row.received),
    vaultIds: row.vault_ids,
    vaultsHeld: row.vaults_held,
    revisionsToday: row.revisions_today,
    number: row.number,
    revision: row.revision,
    booked: row.booked && bookedOf(row.booked),
    evidence: await evidenceIn(services, row),
    documentUsed: row.document_used,
    hasEarned: row.has_earned,
  };
}

function incomeEvidence(
  { principal, payslip_doc_id, document_period, wage_id }: PaycheckRequest,
  payDate: CalendarDate,
  documentUsed: boolean,
): IncomeEvidence {
  return evidenceOf({
    mayAssert: mayAssertIncome(principal),
    isWage: wage_id !== undefined,
    isFromDocument: payslip_doc_id !== undefined,
    period: document_period ?? null,
    documentUsed,
    payDate,
  });
}

async function latestOf(db: Queries, ownerId: string): Promise<CalculationRow | null> {
  return (await db.maybe(queries.latestCalculation(ownerId))) ?? null;
}

/** Undefined `previous` means that the caller did not ask for the history. */
function history(split: Split, previous: CalculationRow | null | undefined) {
  if (previous === undefined) return {};
  if (previous === null) return { previous: null, comparison: null };
  return { previous: calculationOf(previous), comparison: figures(comparePaychecks(split, splitOf(previous))) };
}
