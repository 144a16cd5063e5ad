import type { Client } from '@temporalio/client';
import { MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';
import { credentialWorkflowId, documentWorkflowId, paymentWorkflowId, TASK_QUEUES } from '../../workflows/ids.ts';
import type { TaskQueue } from '../../workflows/ids.ts';

interface Job {
  type: string;
  workflowId: string;
  taskQueue: TaskQueue;
  args: readonly object[];
  summary: string;
  memo?: Readonly<Record<string, unknown>>;
  module: string;
  ownerId?: string;
  status?: 'processing' | 'pending';
  eager?: boolean;
}

export function attributesOf(module: string, status = 'processing', ownerId?: string) {
  return [
    ...(ownerId === undefined ? [] : [{ key: OWNER, value: ownerId }]),
    { key: MODULE, value: module },
    { key: STATUS, value: status },
  ];
}

/** Joins the running workflow with the same id, if there is one. */
export async function startWorkflow(client: Client, job: Job): Promise<{ workflowId: string; runId: string }> {
  const { type, workflowId, taskQueue, args, summary, memo, module, ownerId, status, eager = false } = job;
  const { firstExecutionRunId } = await client.workflow.start(type, {
    workflowId,
    requestEagerStart: eager,
    taskQueue,
    args: [...args],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: summary,
    ...(memo !== undefined && { memo }),
    typedSearchAttributes: attributesOf(module, status, ownerId),
  });
  return { workflowId, runId: firstExecutionRunId };
}

export interface PaymentMessage {
  payment_id: string;
  attempt: number;
  execute_on: string | null;
  owner_id: string;
  status: string;
}

export function paymentJob({ payment_id, attempt, execute_on, owner_id }: PaymentMessage, eager: boolean): Job {
  return {
    type: 'payment',
    workflowId: paymentWorkflowId(payment_id, attempt),
    taskQueue: TASK_QUEUES.payments,
    args: [{ payment_id, attempt, execute_on }],
    summary: `Pay a bill: ${payment_id}, attempt ${attempt}`,
    memo: { payment_id, attempt, owner_id, execute_on },
    module: 'payments',
    ownerId: owner_id,
    status: execute_on === null ? 'processing' : 'pending',
    eager,
  };
}

export function credentialJob({ credential_id, owner_id }: { credential_id: string; owner_id: string }): Job {
  return {
    type: 'credential',
    workflowId: credentialWorkflowId(credential_id),
    taskQueue: TASK_QUEUES.upkeep,
    args: [{ credential_id }],
    summary: `Sign a credential: ${credential_id}`,
    memo: { credential_id, owner_id },
    module: 'credential',
    ownerId: owner_id,
  };
}

export function documentJob({ doc_id, owner_id }: { doc_id: string; owner_id: string }): Job {
  return {
    type: 'readPayslip',
    workflowId: documentWorkflowId(doc_id),
    taskQueue: TASK_QUEUES.documents,
    args: [{ doc_id }],
    summary: `Read a document: ${doc_id}`,
    memo: { doc_id, owner_id },
    module: 'legacy',
    ownerId: owner_id,
  };
}
