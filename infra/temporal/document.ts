import type { Client } from '@temporalio/client';
import { MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';
import { documentWorkflowId, TASK_QUEUES } from '../../workflows/ids.ts';
import type { readPayslip } from '../../workflows/legacy.ts';

/** What the outbox holds of a document that is to be read. */
export interface DocumentMessage {
  doc_id: string;
  owner_id: string;
}

/** Starts the reading of a document, or joins the one that is under way. */
export async function startDocument(client: Client, { doc_id, owner_id }: DocumentMessage): Promise<void> {
  await client.workflow.start<typeof readPayslip>('readPayslip', {
    workflowId: documentWorkflowId(doc_id),
    taskQueue: TASK_QUEUES.documents,
    args: [{ doc_id }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Read a document: ${doc_id}`,
    memo: { doc_id, owner_id },
    typedSearchAttributes: [
      { key: OWNER, value: owner_id },
      { key: MODULE, value: 'legacy' },
      { key: STATUS, value: 'processing' },
    ],
  });
}
