/** Payments have their own queue, so that slow work of other kinds, and banks that read slowly, do not delay them. */
export const TASK_QUEUES = {
  payments: 'payments',
  bank: 'bank',
  upkeep: 'upkeep',
  batch: 'batch',
  documents: 'documents',
} as const;
export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];

/** Temporal runs one workflow with this id at a time. */
export const MASTER_KEY_ROTATION = 'vault-keys/rotation';

export function paymentWorkflowId(paymentId: string, attempt: number): string {
  return attempt === 1 ? `payment/${paymentId}` : `payment/${paymentId}/attempt/${attempt}`;
}

export function bankJourneyWorkflowId(journeyId: string): string {
  return `bank/journey/${journeyId}`;
}

export function consentEndWorkflowId(consentId: string): string {
  return `bank/end/${consentId}`;
}

export function bankSyncWorkflowId(connectionId: string): string {
  return `bank/sync/${connectionId}`;
}

export function bankLookWorkflowId(consentId: string): string {
  return `bank/look/${consentId}`;
}

export function paydayWorkflowId(wageId: string): string {
  return `payday/${wageId}`;
}

export function credentialWorkflowId(credentialId: string): string {
  return `credential/${credentialId}`;
}

export function documentWorkflowId(docId: string): string {
  return `legacy/${docId}`;
}

export function accrualWorkflowId(asOf: string): string {
  return `yield/accrue/${asOf}`;
}
