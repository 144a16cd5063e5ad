import type { Client, WorkflowStartOptions } from '@temporalio/client';
import { MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';
import {
  bankJourneyWorkflowId,
  bankLookWorkflowId,
  bankSyncWorkflowId,
  consentEndWorkflowId,
  credentialWorkflowId,
  documentWorkflowId,
  paydayWorkflowId,
  paymentWorkflowId,
  TASK_QUEUES,
  type TaskQueue,
} from '../../workflows/ids.ts';

type Job = WorkflowStartOptions & { type: string };

export function attributesOf(module: string, status = 'processing', ownerId?: string) {
  return [
    ...(ownerId === undefined ? [] : [{ key: OWNER, value: ownerId }]),
    { key: MODULE, value: module },
    { key: STATUS, value: status },
  ];
}

/** Joins the running workflow with the same id, if there is one. */
export async function startWorkflow(client: Client, { type, ...options }: Job) {
  const { firstExecutionRunId: runId } = await client.workflow.start(type, {
    ...options,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  return { workflowId: options.workflowId, runId };
}

/** Starts the workflow if it does not run. */
export async function signalOrStart(client: Client, { type, ...options }: Job, signal: string): Promise<void> {
  await client.workflow.signalWithStart(type, { ...options, signal, workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
}

type Kind = readonly [queue: TaskQueue, module: string, id: string, workflowId: (id: string) => string, says: string];

/** By the workflow's type. The third column names the only argument. */
const KINDS = {
  bankJourney: ['bank', 'bank', 'journey_id', bankJourneyWorkflowId, 'Follow a person to their bank'],
  bankSync: ['bank', 'bank', 'connection_id', bankSyncWorkflowId, 'Read the accounts of a connection'],
  lookAtBank: ['bank', 'bank', 'consent_id', bankLookWorkflowId, 'Ask a bank about a consent'],
  endBankConsent: ['bank', 'bank', 'consent_id', consentEndWorkflowId, 'End a consent at the bank'],
  payday: ['payments', 'paycheck', 'wage_id', paydayWorkflowId, 'Split a wage and pay bills'],
  credential: ['upkeep', 'credential', 'credential_id', credentialWorkflowId, 'Sign a credential'],
  readPayslip: ['documents', 'legacy', 'doc_id', documentWorkflowId, 'Read a document'],
} as const satisfies Record<string, Kind>;

/** @param payload has the argument, and the owner if the workflow has one. */
export function jobOf(type: keyof typeof KINDS, payload: Readonly<Record<string, unknown>>): Job {
  const [queue, module, name, workflowIdOf, says] = KINDS[type];
  const { [name]: id, owner_id } = payload as Readonly<Record<string, string>>;
  return {
    type,
    workflowId: workflowIdOf(id!),
    taskQueue: TASK_QUEUES[queue],
    args: [{ [name]: id }],
    staticSummary: `${says}: ${id}`,
    memo: { [name]: id, ...(owner_id !== undefined && { owner_id }) },
    typedSearchAttributes: attributesOf(module, 'processing', owner_id),
  };
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
    staticSummary: `Pay a bill: ${payment_id}, attempt ${attempt}`,
    memo: { payment_id, attempt, owner_id, execute_on },
    typedSearchAttributes: attributesOf('payments', execute_on === null ? 'processing' : 'pending', owner_id),
    requestEagerStart: eager,
  };
}
