import { createDebtPlan, debtActivities, recordDebtPayment, type PreparedPlan } from '../activities/debt/index.ts';
import { ownerFor } from '../domain/auth.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Call, Module } from './http/handlers.ts';
import { picture, VARIES, wantsPicture } from './http/reply/picture.ts';
import { revisionsOf, revisionTag } from './http/request/preconditions.ts';

export const debtHandlers = (services: Services) => {
  const debts = debtActivities(services);
  const newPlan = ({ body, principal, newOwner }: Pick<Call<'createDebtPlan'>, 'body' | 'principal' | 'newOwner'>) => {
    const user_id = ownerFor(principal, body.user_id, '/user_id');
    return { ...body, user_id, principal, newOwner };
  };
  const created = ({ plan_id, json: body }: Awaited<ReturnType<typeof debts.readNewPlan>>) => {
    const headers = { ETag: revisionTag(1), Location: `/api/v1/engine/debt/${plan_id}` };
    return { status: 201 as const, body, headers };
  };
  return {
    async simulateDebts({ body, accepts }) {
      if (wantsPicture(accepts)) return picture(await debts.drawDebts(body));
      return { status: 200, body: await debts.simulateDebts(body), headers: VARIES };
    },
    createDebtPlan: {
      // The response has up to 60,000 entries. A repeated request calculates them again.
      keepsAnswer: false,
      prepare: async (call) => debts.prepareDebtPlan(newPlan(call)),
      async begin(call, prepared: Promise<PreparedPlan>) {
        const plan = await createDebtPlan(call.tx, services, newPlan(call), await prepared);
        return { underWay: { plan_id: plan.plan_id }, ready: created(plan) };
      },
      finish: async (_call, { plan_id }) => created(await debts.readNewPlan({ plan_id: String(plan_id) })),
    },
    async listDebtPlans({ query, principal }) {
      const user_id = ownerFor(principal, query.user_id, '/query/user_id');
      return { status: 200, body: await debts.listDebtPlans({ ...query, user_id }) };
    },
    async getDebtPlan({ params, accepts }) {
      const ref = { plan_id: params.plan_id };
      if (wantsPicture(accepts)) return picture(await debts.drawDebtPlan(ref));
      const { revision, json: body } = await debts.getDebtPlan(ref);
      return { status: 200, body, headers: { ...VARIES, ETag: revisionTag(revision) } };
    },
    async changeDebtPlan({ params, body, headers, principal }) {
      const revisions = revisionsOf(headers['if-match']);
      const changed = await debts.changeDebtPlan({ ...body, ...params, principal, revisions });
      return { status: 200, body: changed.json, headers: { ETag: revisionTag(changed.revision) } };
    },
    async readDebtProgress({ params }) {
      const { progress, revision } = await debts.readDebtProgress({ plan_id: params.plan_id });
      return { status: 200, body: progress, headers: { ETag: revisionTag(revision) } };
    },
    recordDebtPayment: ({ tx, params, body, principal }) =>
      json(201, recordDebtPayment(tx, services, { ...body, ...params, principal })),
  } satisfies Module;
};
