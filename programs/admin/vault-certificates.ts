import { audit } from '../../activities/audit.ts';
import { actorOf, requireApplication } from '../../activities/auth/applications.ts';
import { issueVaultCertificate } from '../../infra/keys/vault-certificates.ts';
import type { Tools } from './command.ts';
import { OperatorError, UsageError } from './errors.ts';

const DAYS = { by_default: 90, most: 825 };

/** Does not store the private key, which is only in the result. */
export async function createVaultCertificate(
  services: Tools,
  { app_id: appId, days = DAYS.by_default }: { app_id: string; days?: number | undefined },
) {
  const { vaultClientCa: caFile, vaultClientCaKey: caKeyFile } = services.config.api;
  if (caKeyFile === undefined) {
    throw new OperatorError(
      'VAULT_CLIENT_CA_KEY is not set. Run this command on the machine that has the private key of the certificate authority in VAULT_CLIENT_CA, and set VAULT_CLIENT_CA_KEY to the file with that key.',
    );
  }
  if (days < 1 || days > DAYS.most) throw new UsageError(`--days must be a whole number from 1 to ${DAYS.most}.`);
  await requireApplication(services, appId);
  const issued = await issueVaultCertificate({ caFile, caKeyFile }, { appId, days });
  const { serial, expires_at } = issued;
  const event = { subject: appId, actor: actorOf(services), data: { serial, expires_at }, at: new Date() };
  await audit(services.db, services, { ...event, kind: 'vault-certificate.issued' });
  return { app_id: appId, ...issued };
}
