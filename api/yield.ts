import { accrueYield } from '../activities/yield/accrue.ts';
import { yieldActivities } from '../activities/yield/read.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';
import { picture, VARIES, wantsPicture } from './http/reply/picture.ts';

export const yieldHandlers = (services: Services) => {
  const yields = yieldActivities(services);
  return {
    accrueYield: ({ once, body }) =>
      once(async (tx) => {
        const { posted, accrual } = await accrueYield(tx, services, body);
        return { status: posted ? 201 : 200, body: accrual };
      }),
    aggregateYield: ({ params }) => json(200, yields.aggregateYield({ user_id: params.user_id })),
    getVaultYield: ({ params, query }) => json(200, yields.getVaultYield({ ...query, vault_id: params.vault_id })),
    async forecastYield({ body, accepts }) {
      if (wantsPicture(accepts)) return picture(await yields.drawYieldForecast(body));
      return { status: 200, body: await yields.forecastYield(body), headers: VARIES };
    },
  } satisfies Module;
};
