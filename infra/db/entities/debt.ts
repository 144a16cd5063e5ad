import { defineEntity, p } from '@mikro-orm/core';
import type { Strategy } from '../../../domain/debt/simulation.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

export type PlanStatus = 'active' | 'completed';

export interface PlanDebtJson {
  name: string;
  balance: number;
  rate: number;
  minimum: number;
  accrued: number;
  provider_id: string | null;
  is_given: boolean;
}

export const DebtPlan = defineEntity({
  name: 'DebtPlan',
  tableName: 'debt_plans',
  properties: {
    planId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    startDate: calendarDate(),
    status: text().$type<PlanStatus>(),
    revision: p.integer(),
    createdAt: createdAt(),
    closedAt: instant().nullable(),
  },
  indexes: [{ name: 'debt_plans_owner', properties: ['ownerId', 'seq'] }],
});

export const DebtPlanRevision = defineEntity({
  name: 'DebtPlanRevision',
  tableName: 'debt_plan_revisions',
  properties: {
    planId: text().primary(),
    revision: p.integer().primary(),
    name: text().nullable(),
    strategy: text().$type<Strategy>(),
    monthlyBudget: pence(),
    debts: p.json<PlanDebtJson[]>(),
    startsOn: calendarDate(),
    totalMonths: p.integer(),
    totalInterest: pence(),
    debtFreeDate: calendarDate(),
    madeOn: calendarDate(),
    createdAt: createdAt(),
  },
});

/** A payment towards a debt, made outside this service. */
export const DebtPayment = defineEntity({
  name: 'DebtPayment',
  tableName: 'debt_payments',
  properties: {
    paymentId: text().primary(),
    seq: sequence(),
    planId: text(),
    debt: text(),
    amount: pence(),
    paidOn: calendarDate(),
    createdAt: createdAt(),
  },
  indexes: [{ name: 'debt_payments_plan', properties: ['planId', 'seq'] }],
});
