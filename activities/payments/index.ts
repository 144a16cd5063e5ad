import type { Services } from '../../infra/services.ts';
import { bankActivities } from './at-bank.ts';
import { paymentCommands } from './commands.ts';
import { providerActivities } from './providers.ts';
import { paymentReads } from './read.ts';
import { paymentUpkeep } from './upkeep.ts';

export function paymentActivities(services: Services) {
  return {
    ...paymentCommands(services),
    ...paymentReads(services),
    ...providerActivities(services),
    ...bankActivities(services),
    ...paymentUpkeep(services),
  };
}

export type PaymentWorkflowActivities = ReturnType<typeof bankActivities>;
export type { SubmissionResult } from './submission.ts';
