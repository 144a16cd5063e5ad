import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { payBill } from './pay-bill.ts';
import { endPayday, splitWage } from './split-wage.ts';

export const paydayWorkflowActivities = (services: Services) => bind(services, { splitWage, payBill, endPayday });

export type PaydayWorkflowActivities = ReturnType<typeof paydayWorkflowActivities>;
