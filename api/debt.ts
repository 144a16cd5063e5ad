import { debtActivities } from '../activities/debt/index.ts';
import { requireOwner, type Principal } from '../domain/auth.ts';
import { invalidInput } from '../domain/errors.ts';
import type { Services } from '../infra/services.ts';
import type { HandlersOf } from './http/operations.ts';
import { picture, VARIES, wantsPicture } from './http/picture.ts';
import { revisionsOf, revisionTag } from './http/preconditions.ts';

type DebtOperation =
  | 'simulateDebts'
  | 'createDebtPlan'
  | 'listDebtPlans'
  | 'getDebtPlan'
  | 'changeDebtPlan'
  | 'readDebtProgress'
  | 'recordDebtPayment';

export const debtHandlers = (services: Services): HandlersOf<DebtOperation> => {
  const debts = debtActivities(services);
  return {
    async simulateDebts({ body, headers }) {
      if (wantsPicture(headers.accept)) return picture(await debts.drawDebts(body));
      return { status: 200, long: await debts.simulateDebts(body), headers: VARIES };
    },
    async createDebtPlan({ body, principal }) {
      const user_id = ownerOf(principal, body.user_id, '/user_id');
      const { plan_id, revision, json } = await debts.createDebtPlan({ ...body, user_id, principal });
      const headers = { ETag: revisionTag(revision), Location: `/api/v1/engine/debt/${plan_id}` };
      return { status: 201, long: json, headers };
    },
    async listDebtPlans({ query, principal }) {
      const user_id = ownerOf(principal, query.user_id, '/query/user_id');
      return { status: 200, body: await debts.listDebtPlans({ ...query, user_id }) };
    },
    async getDebtPlan({ params, headers, principal }) {
      const ref = { plan_id: params.plan_id, ...ofCaller(principal) };
      if (wantsPicture(headers.accept)) return picture(await debts.drawDebtPlan(ref));
      const { revision, json } = await debts.getDebtPlan(ref);
      return { status: 200, long: json, headers: { ...VARIES, ETag: revisionTag(revision) } };
    },
    async changeDebtPlan({ params, body, headers, principal }) {
      const ref = { plan_id: params.plan_id, ...ofCaller(principal) };
      const revisions = revisionsOf(headers['if-match']);
      const { revision, json } = await debts.changeDebtPlan({ ...body, ...ref, principal, revisions });
      return { status: 200, long: json, headers: { ETag: revisionTag(revision) } };
    },
    async readDebtProgress({ params, principal }) {
      const { progress, revision } = await debts.readDebtProgress({
        plan_id: params.plan_id,
        ...ofCaller(principal),
      });
      return { status: 200, body: progress, headers: { ETag: revisionTag(revision) } };
    },
    async recordDebtPayment({ params, body, principal }) {
      const ref = { plan_id: params.plan_id, ...ofCaller(principal) };
      return { status: 201, body: await debts.recordDebtPayment({ ...body, ...ref, principal }) };
    },
  };
};

/** Whose it is to be: whom the request names, else the user who calls. */
function ownerOf(principal: Principal, named: string | undefined, pointer: string): string {
  if (named === undefined && principal.kind === 'user') return principal.userId;
  if (named === undefined) throw invalidInput(pointer, 'must be there: an API key says whose plans it means');
  requireOwner(principal, named);
  return named;
}

/** A user sees its own plans only; a key those of everybody. */
function ofCaller(principal: Principal): { owner_id?: string } {
  return principal.kind === 'user' ? { owner_id: principal.userId } : {};
}
