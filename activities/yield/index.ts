import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { accrueYield } from './accrue.ts';
import type { YieldServices } from './post.ts';
import { aggregateYield, drawOwnerYield, forecastOwnerYield, getVaultYield } from './read.ts';

const forecasts = { forecastYield: forecastOwnerYield, drawYieldForecast: drawOwnerYield };

export const yieldActivities = (services: YieldServices & Pick<Services, 'threads'>) =>
  bind(services, { accrueYield, aggregateYield, getVaultYield, ...forecasts });
