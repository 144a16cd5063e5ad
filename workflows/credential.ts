import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { CredentialWorkflowActivities } from '../activities/credential/index.ts';
import { STATUS } from './attributes.ts';

export interface CredentialArgs {
  credential_id: string;
}

export interface CredentialResult {
  status: 'issued';
}

const records = proxyActivities<CredentialWorkflowActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** Retries until signing succeeds. */
export async function credential({ credential_id }: CredentialArgs): Promise<CredentialResult> {
  setCurrentDetails('The figures are stored; the credential is being signed.');
  await records.issueCredential.executeWithOptions({ summary: 'Sign the credential and store it' }, [
    { credential_id },
  ]);
  setCurrentDetails('The credential is issued.');
  upsertSearchAttributes([{ key: STATUS, value: 'issued' }]);
  return { status: 'issued' };
}
