import type { Client } from '@temporalio/client';
import { MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';
import type { credential } from '../../workflows/credential.ts';
import { credentialWorkflowId, TASK_QUEUES } from '../../workflows/ids.ts';

/** What the outbox holds of a credential that is to be signed. */
export interface CredentialMessage {
  credential_id: string;
  owner_id: string;
}

/** Starts what signs a credential, or leaves the one that runs alone. */
export async function startCredential(client: Client, { credential_id, owner_id }: CredentialMessage): Promise<void> {
  await client.workflow.start<typeof credential>('credential', {
    workflowId: credentialWorkflowId(credential_id),
    taskQueue: TASK_QUEUES.upkeep,
    args: [{ credential_id }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Sign a credential: ${credential_id}`,
    memo: { credential_id, owner_id },
    typedSearchAttributes: [
      { key: OWNER, value: owner_id },
      { key: MODULE, value: 'credential' },
      { key: STATUS, value: 'processing' },
    ],
  });
}
