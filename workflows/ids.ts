/** Task queues. Payments have their own, so that nothing slow holds them up. */
export const TASK_QUEUES = { payments: 'payments', upkeep: 'upkeep', batch: 'batch', documents: 'documents' } as const;
export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];

/** The rotation of the master keys; only one runs at a time. */
export const MASTER_KEY_ROTATION = 'vault-keys/rotation';

/** The workflow of one attempt at a payment. Starting it again while it runs does nothing. */
export function paymentWorkflowId(paymentId: string, attempt: number): string {
  return attempt === 1 ? `payment/${paymentId}` : `payment/${paymentId}/attempt/${attempt}`;
}

/** The workflow that signs a credential. Starting it again while it runs does nothing. */
export function credentialWorkflowId(credentialId: string): string {
  return `credential/${credentialId}`;
}

/** The workflow that reads a document. Starting it again while it runs does nothing. */
export function documentWorkflowId(docId: string): string {
  return `legacy/${docId}`;
}

/**
 * The run that posts interest up to a day, requested by hand or by the business clock. Only one runs at a time for each
 * day.
 */
export function accrualWorkflowId(asOf: string): string {
  return `yield/accrue/${asOf}`;
}
