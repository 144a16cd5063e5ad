import { calculatePaycheck, paycheckActivities } from '../activities/paycheck/index.ts';
import { readIncome } from '../activities/paycheck/income.ts';
import { ownerFor } from '../domain/auth.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';
import { picture, VARIES, wantsPicture } from './http/reply/picture.ts';

export const paycheckHandlers = (services: Services) => {
  const paychecks = paycheckActivities(services);
  return {
    async calculatePaycheck({ once, body, principal, newOwner }) {
      const income = await readIncome(services, { ...body, principal });
      return once((tx) => json(201, calculatePaycheck(tx, services, { ...body, ...income, principal, newOwner })));
    },
    async simulatePaycheck({ body, principal, accepts }) {
      const asPicture = wantsPicture(accepts);
      const income = await readIncome(services, { ...body, principal });
      const simulated = await paychecks.simulatePaycheck({ ...body, ...income, principal });
      if (asPicture) return picture(await paychecks.drawPaycheck(simulated));
      return { status: 200, body: simulated, headers: VARIES };
    },
    async explainPaycheck({ params, accepts }) {
      const asPicture = wantsPicture(accepts);
      const explained = await paychecks.explainPaycheck({ id: params.id });
      if (asPicture) return picture(await paychecks.drawPaycheck(explained.calculation));
      return { status: 200, body: explained, headers: VARIES };
    },
    async listPaychecks({ query, principal }) {
      const employee_id = ownerFor(principal, query.employee_id, '/query/employee_id');
      return { status: 200, body: await paychecks.listPaychecks({ ...query, employee_id }) };
    },
  } satisfies Module;
};
