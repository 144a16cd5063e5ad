import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { bankActivities } from './at-bank.ts';
import { removeProvider, renameProvider } from './payee-changes.ts';
import { payeeActivities } from './payees.ts';
import { getPayment, listPayments } from './read.ts';
import { restartStalledPayments } from './record.ts';

export function paymentActivities(services: Services) {
  return {
    ...bind(services, { getPayment, listPayments, restartStalledPayments, renameProvider, removeProvider }),
    ...payeeActivities(services),
    ...bankActivities(services),
  };
}

export type PaymentWorkflowActivities = ReturnType<typeof bankActivities>;
export type { SubmissionResult } from './submission.ts';
