import type { Services } from '../../infra/services.ts';
import type { CredentialVerification as Verification } from '../../openapi/types.ts';
import { bind } from '../bind.ts';
import { credentialExports } from './export.ts';
import { awaitCredential, issueCredential, prepareCredential, restartUnsignedCredentials } from './generate.ts';
import { credentialKeys, publishedKeys, rotateCredentialKey } from './keys.ts';
import { holderOf } from './holder.ts';
import { issuerMetadata, typeMetadata } from './metadata.ts';
import { statusLists } from './status-lists.ts';
import { verifyCredential, verifyPresented } from './verify.ts';

export { LIST_TTL_S } from './status-lists.ts';

const issuing = { prepareCredential, awaitCredential, restartUnsignedCredentials, holderOf };
const publishing = { publishedKeys, rotateCredentialKey, issuerMetadata, typeMetadata };

export function credentialActivities(services: Services) {
  const keys = credentialKeys(services);
  return {
    ...bind(services, { ...issuing, ...publishing }),
    verifyCredential: async (request: { credential_id: string }) =>
      counted(services, await verifyCredential(services, keys, request)),
    verifyPresented: async (request: { credential: string }) =>
      counted(services, await verifyPresented(services, keys, request)),
    ...credentialExports(services, keys),
    ...statusLists(services, keys),
    ...credentialWorkflowActivities(services),
  };
}

export function credentialWorkflowActivities(services: Services) {
  const keys = credentialKeys(services);
  return {
    issueCredential: (request: { credential_id: string }) => issueCredential(services, keys, request),
  };
}

export type CredentialWorkflowActivities = ReturnType<typeof credentialWorkflowActivities>;

function counted<Found extends Verification>({ metrics }: Services, found: Found): Found {
  metrics.credentials.inc({ event: found.valid ? 'verified' : `not valid: ${found.status}` });
  return found;
}
