import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { exportAsJson, exportAsPdf, exportAsSdJwt } from './export.ts';
import {
  awaitCredential,
  beginCredential,
  issueCredential,
  prepareCredential,
  restartUnsignedCredentials,
} from './generate.ts';
import { publishedKeys, rotateCredentialKey } from './keys.ts';
import { issuerMetadata, typeMetadata } from './metadata.ts';
import { revokeCredential } from './revoke.ts';
import { statusLists } from './status-lists.ts';
import { verifyCredential, verifyPresented } from './verify.ts';

export { LIST_TTL_S } from './status-lists.ts';

const issuing = { prepareCredential, beginCredential, awaitCredential, restartUnsignedCredentials, revokeCredential };
const publishing = { publishedKeys, rotateCredentialKey, issuerMetadata, typeMetadata };
const showing = { verifyCredential, verifyPresented, exportAsJson, exportAsSdJwt, exportAsPdf };

export const credentialActivities = (services: Services) => ({
  ...bind(services, { ...issuing, ...publishing, ...showing, issueCredential }),
  ...statusLists(services),
});

export const credentialWorkflowActivities = (services: Services) => bind(services, { issueCredential });

export type CredentialWorkflowActivities = ReturnType<typeof credentialWorkflowActivities>;
