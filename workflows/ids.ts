/** Task queues. Payments have their own queue, so that slow work of other kinds does not delay them. */
export const TASK_QUEUES = { payments: 'payments', upkeep: 'upkeep', batch: 'batch', documents: 'documents' } as const;
export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];

/** The id of the master key rotation. Temporal runs only one workflow with this id at a time. */
export const MASTER_KEY_ROTATION = 'vault-keys/rotation';

/** The id of the workflow for one attempt at a payment. Starting a running workflow again does nothing. */
export function paymentWorkflowId(paymentId: string, attempt: number): string {
  return attempt === 1 ? `payment/${paymentId}` : `payment/${paymentId}/attempt/${attempt}`;
}

/** The id of the workflow that signs a credential. Starting a running workflow again does nothing. */
export function credentialWorkflowId(credentialId: string): string {
  return `credential/${credentialId}`;
}

/** The id of the workflow that reads a document. Starting a running workflow again does nothing. */
export function documentWorkflowId(docId: string): string {
  return `legacy/${docId}`;
}

/** The id of the run that posts interest up to a day. Temporal runs only one workflow with this id at a time. */
export function accrualWorkflowId(asOf: string): string {
  return `yield/accrue/${asOf}`;
}
