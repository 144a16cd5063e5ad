import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { pence, type Ratio } from '../../domain/money.ts';
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
import * as statements from '../../infra/db/statements/paycheck.ts';
import type { CalculationRow } from '../../infra/db/statements/paycheck.ts';
import type { Services } from '../../infra/services.ts';
import { drawSplit, type ShownSplit } from './chart.ts';
import { DEFAULT_LIMIT, pagesOf } from '../page.ts';
import { book } from './book.ts';
import { bookedOf, calculationOf, figures, obligationOf, sourceOf, splitOf } from './rows.ts';

/** A paycheck as it is asked for; amounts in pence. */
export interface PaycheckRequest {
  employee_id: string;
  gross_pay: number;
  /** The document that shows it, where one does. */
  payslip_doc_id?: string;
  obligations: readonly { type: string; amount: number; category: VaultType }[];
  pay_date?: CalendarDate;
  buffer_rate?: Ratio;
  include_history?: boolean;
}

export interface PaycheckListRequest {
  employee_id: string;
  from?: CalendarDate;
  to?: CalendarDate;
  limit?: number;
  cursor?: string;
}

type PaycheckServices = Pick<Services, 'db' | 'clock' | 'keys' | 'newId' | 'threads'>;

/** The paycheck engine: takes wages apart and books them. */
export const paycheckActivities = (services: PaycheckServices) => ({
  /**
   * Calculates a paycheck and moves its money, or revises the one of that employee and pay date.
   * @throws DomainError `obligations-exceed-income`, `paycheck-already-committed`, `balance-limit`, `invalid-request`.
   */
  async calculatePaycheck(request: PaycheckRequest) {
    const { obligations, payDate, now } = await readRequest(services, request);
    return services.db.transaction(async () => {
      const opened = await openPaycheck(services, request.employee_id, now, payDate, obligations);
      const previous = request.include_history ? await latestOf(services, request.employee_id) : undefined;
      const bufferRate = request.buffer_rate ?? opened.bufferRate ?? DEFAULT_BUFFER_RATE;
      const split = splitPaycheck(pence(request.gross_pay), obligations, bufferRate);
      const plan = planPaycheck(opened.booked, split, obligations, opened.held);
      requireWithinLimit(opened.received, plan.gross);
      const calculation = await book(services, {
        ownerId: request.employee_id,
        at: now,
        payDate,
        revision: opened.revision + 1,
        bufferRate,
        split,
        plan,
        vaultIds: opened.vaultIds,
        payslipDocId: request.payslip_doc_id,
      });
      return { ...calculation, ...history(split, previous) };
    });
  },

  /** The figures of a calculation without storing anything. @throws DomainError `obligations-exceed-income`, `invalid-request`. */
  async simulatePaycheck(request: PaycheckRequest) {
    const { obligations, payDate, now } = await readRequest(services, request);
    const known = await services.db.one(statements.peekPaycheck, [request.employee_id, payDate]);
    const bufferRate = request.buffer_rate ?? known.buffer_rate ?? DEFAULT_BUFFER_RATE;
    const split = splitPaycheck(pence(request.gross_pay), obligations, bufferRate);
    const previous = request.include_history ? await latestOf(services, request.employee_id) : undefined;
    return {
      simulated: true as const,
      employee_id: request.employee_id,
      pay_date: payDate,
      revision: known.revision + 1,
      ...figures(split),
      vaults: obligations.map(({ type, amount, category }) => ({ type, amount, category })),
      buffer_rate: bufferRate,
      ...sourceOf(request.payslip_doc_id),
      calculated_at: now.toISOString(),
      ...history(split, previous),
    };
  },

  /** A stored calculation with the way to its figures; `owner_id` where it must be of that owner. @throws DomainError `not-found`. */
  async explainPaycheck({ id, owner_id }: { id: string; owner_id?: string }) {
    const row = await services.db.maybe(statements.calculationById, [id]);
    if (!row || (owner_id !== undefined && row.owner_id !== owner_id))
      throw new DomainError('not-found', 'There is no calculation with this id.');
    const obligations = row.obligations.map(obligationOf);
    return { calculation: calculationOf(row), ...explainPaycheck(splitOf(row), obligations, row.buffer_rate) };
  },

  /** A calculation or simulation as a picture, an SVG. @throws DomainError `dependency-unavailable` when too many wait for theirs. */
  drawPaycheck: (shown: ShownSplit) => drawSplit(services.threads, shown),

  /** An employee's calculations, newest first; `from` and `to` are pay dates. @throws DomainError `invalid-request`. */
  async listPaychecks({ employee_id, from, to, limit = DEFAULT_LIMIT, cursor }: PaycheckListRequest) {
    const pages = pagesOf(services, { operation: 'listPaychecks', filter: { employee_id, from, to } });
    const bounds = [employee_id, pages.after(cursor), from ?? null, to ?? null, limit + 1];
    return pages.page(await services.db.many(statements.calculationsOfOwner, bounds), limit, calculationOf);
  },
});

async function readRequest({ clock }: PaycheckServices, request: PaycheckRequest) {
  const now = await clock.now();
  const today = londonDateOf(now);
  const payDate = request.pay_date ?? today;
  requirePayDate(payDate, today);
  const obligations = request.obligations.map(obligationOf);
  return { obligations, payDate, now };
}

async function openPaycheck(
  { db }: PaycheckServices,
  ownerId: string,
  at: Date,
  payDate: CalendarDate,
  obligations: readonly Obligation[],
) {
  const vaults = obligations.map(({ category, type }) => [category, type]);
  const row = await db.open(statements.openPaycheck, [ownerId, at, payDate, vaults]);
  return {
    bufferRate: row.buffer_rate,
    held: { safeToSpend: pence(row.safe_to_spend), buffer: pence(row.buffer) },
    received: pence(row.received),
    vaultIds: row.vault_ids,
    revision: row.revision,
    booked: row.booked && bookedOf(row.booked),
  };
}

/** null where there is none. */
async function latestOf({ db }: PaycheckServices, ownerId: string): Promise<CalculationRow | null> {
  return (await db.maybe(statements.latestCalculation, [ownerId])) ?? null;
}

/** What `include_history` adds; `previous` is undefined where it was not asked for. */
function history(split: Split, previous: CalculationRow | null | undefined) {
  if (previous === undefined) return {};
  if (previous === null) return { previous: null, comparison: null };
  return { previous: calculationOf(previous), comparison: figures(comparePaychecks(split, splitOf(previous))) };
}
