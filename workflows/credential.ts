import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { CredentialWorkflowActivities } from '../activities/credential/index.ts';
import { STATUS } from './attributes.ts';

const records = proxyActivities<CredentialWorkflowActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** Retries until signing succeeds. */
export async function credential({ credential_id }: { credential_id: string }) {
  setCurrentDetails('The figures are stored; the credential is being signed.');
  await records.issueCredential.executeWithOptions({ summary: 'Sign the credential and store it' }, [
    { credential_id },
  ]);
  setCurrentDetails('The credential is issued.');
  upsertSearchAttributes([{ key: STATUS, value: 'issued' }]);
  return { status: 'issued' };
}
