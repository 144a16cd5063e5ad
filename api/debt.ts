import { createDebtPlan, debtActivities, recordDebtPayment } from '../activities/debt/index.ts';
import { ownerFor } from '../domain/auth.ts';
import type { Services } from '../infra/services.ts';
import type { LongJson } from '../infra/threads/long-json.ts';
import type { DebtPlan } from '../openapi/types.ts';
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
  const created = (plan_id: string, body: LongJson<DebtPlan>) => {
    const headers = { ETag: revisionTag(1), Location: `/api/v1/engine/debt/${plan_id}` };
    return { status: 201, body, headers } as const;
  };
  return {
    async simulateDebts({ body, accepts }) {
      if (wantsPicture(accepts)) return picture(await debts.drawDebts(body));
      return { status: 200, body: await debts.simulateDebts(body), headers: VARIES };
    },
    async createDebtPlan(call) {
      const request = newPlan(call);
      const prepared = await debts.prepareDebtPlan(request);
      call.space(prepared.json.byteLength);
      const { plan_id } = await call.begin(async (tx) => {
        await createDebtPlan(tx, services, request, prepared);
        return { plan_id: prepared.plan.plan_id };
      });
      // The response has up to 60,000 entries, so it is not stored: a repeated request calculates them again.
      const isOurs = plan_id === prepared.plan.plan_id;
      return created(plan_id, isOurs ? prepared.json : await debts.readNewPlan({ plan_id }));
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
    async closeDebtPlan({ params, principal }) {
      await debts.closeDebtPlan({ ...params, principal });
      return { status: 204 };
    },
    async readDebtProgress({ params }) {
      const { progress, revision } = await debts.readDebtProgress({ plan_id: params.plan_id });
      return { status: 200, body: progress, headers: { ETag: revisionTag(revision) } };
    },
    recordDebtPayment: ({ once, params, body, principal }) =>
      once((tx) => json(201, recordDebtPayment(tx, services, { ...body, ...params, principal }))),
  } satisfies Module;
};
