import type { Services } from '../../infra/services.ts';
import { bankActivities } from './at-bank.ts';
import { paymentCommands } from './commands.ts';
import { providerActivities } from './providers.ts';
import { paymentReads } from './read.ts';
import { paymentUpkeep } from './upkeep.ts';

/** The whole payments module: for callers, the workflow and operators. */
export function paymentActivities(services: Services) {
  return {
    ...paymentCommands(services),
    ...paymentReads(services),
    ...providerActivities(services),
    ...bankActivities(services),
    ...paymentUpkeep(services),
  };
}

/** The activities of a payment's workflow. */
export type PaymentWorkflowActivities = ReturnType<typeof bankActivities>;
export type { SubmissionResult } from './submission.ts';
