import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import type { YieldServices } from './post.ts';
import { aggregateYield, drawYieldForecast, forecastYield, getVaultYield } from './read.ts';

export const yieldActivities = (services: YieldServices & Pick<Services, 'threads'>) =>
  bind(services, { aggregateYield, getVaultYield, forecastYield, drawYieldForecast });
