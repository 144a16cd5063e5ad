import type { AccrualRequest } from '../../openapi/types.ts';
import { accrueYield } from './accrue.ts';
import type { Services } from '../../infra/services.ts';
import type { YieldServices } from './post.ts';
import { aggregateYield, drawOwnerYield, forecastOwnerYield, getVaultYield, type ForecastRequest } from './read.ts';

export const yieldActivities = (services: YieldServices & Pick<Services, 'threads'>) => ({
  accrueYield: (request: AccrualRequest) => accrueYield(services, request),
  aggregateYield: (request: { user_id: string }) => aggregateYield(services, request),
  getVaultYield: (request: Parameters<typeof getVaultYield>[1]) => getVaultYield(services, request),
  forecastYield: (request: ForecastRequest) => forecastOwnerYield(services, request),
  drawYieldForecast: (request: ForecastRequest) => drawOwnerYield(services, request),
});
