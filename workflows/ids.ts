/** Task queues: payments are kept apart from everything that is slow. */
export const TASK_QUEUES = { payments: 'payments' } as const;

/** The workflow of one attempt at a payment. A second start of it while it runs does nothing. */
export function paymentWorkflowId(paymentId: string, attempt: number): string {
  return attempt === 1 ? `payment/${paymentId}` : `payment/${paymentId}/attempt/${attempt}`;
}
