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

export function bankJourneyJob({ journey_id }: { journey_id: string }): Job {
  return {
    type: 'bankJourney',
    workflowId: bankJourneyWorkflowId(journey_id),
    taskQueue: TASK_QUEUES.bank,
    args: [{ journey_id }],
    staticSummary: `Follow a person to their bank: ${journey_id}`,
    memo: { journey_id },
    typedSearchAttributes: attributesOf('bank'),
  };
}

export function bankSyncJob({ connection_id, owner_id }: { connection_id: string; owner_id: string }): Job {
  return {
    type: 'bankSync',
    workflowId: bankSyncWorkflowId(connection_id),
    taskQueue: TASK_QUEUES.bank,
    args: [{ connection_id }],
    staticSummary: `Read the accounts of a connection: ${connection_id}`,
    memo: { connection_id, owner_id },
    typedSearchAttributes: attributesOf('bank', 'processing', owner_id),
  };
}

export function bankLookJob({ consent_id, owner_id }: { consent_id: string; owner_id: string }): Job {
  return {
    type: 'lookAtBank',
    workflowId: bankLookWorkflowId(consent_id),
    taskQueue: TASK_QUEUES.bank,
    args: [{ consent_id }],
    staticSummary: `Ask a bank about a consent: ${consent_id}`,
    memo: { consent_id, owner_id },
    typedSearchAttributes: attributesOf('bank', 'processing', owner_id),
  };
}

export function paydayJob({ wage_id, owner_id }: { wage_id: string; owner_id: string }): Job {
  return {
    type: 'payday',
    workflowId: paydayWorkflowId(wage_id),
    taskQueue: TASK_QUEUES.payments,
    args: [{ wage_id }],
    staticSummary: `Split a wage and pay bills: ${wage_id}`,
    memo: { wage_id, owner_id },
    typedSearchAttributes: attributesOf('paycheck', 'processing', owner_id),
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

export function credentialJob({ credential_id, owner_id }: { credential_id: string; owner_id: string }): Job {
  return {
    type: 'credential',
    workflowId: credentialWorkflowId(credential_id),
    taskQueue: TASK_QUEUES.upkeep,
    args: [{ credential_id }],
    staticSummary: `Sign a credential: ${credential_id}`,
    memo: { credential_id, owner_id },
    typedSearchAttributes: attributesOf('credential', 'processing', owner_id),
  };
}

export function documentJob({ doc_id, owner_id }: { doc_id: string; owner_id: string }): Job {
  return {
    type: 'readPayslip',
    workflowId: documentWorkflowId(doc_id),
    taskQueue: TASK_QUEUES.documents,
    args: [{ doc_id }],
    staticSummary: `Read a document: ${doc_id}`,
    memo: { doc_id, owner_id },
    typedSearchAttributes: attributesOf('legacy', 'processing', owner_id),
  };
}

export function consentEndJob({ consent_id, owner_id }: { consent_id: string; owner_id: string }): Job {
  return {
    type: 'endBankConsent',
    workflowId: consentEndWorkflowId(consent_id),
    taskQueue: TASK_QUEUES.bank,
    args: [{ consent_id }],
    staticSummary: `End a consent at the bank: ${consent_id}`,
    memo: { consent_id, owner_id },
    typedSearchAttributes: attributesOf('bank', 'processing', owner_id),
  };
}
