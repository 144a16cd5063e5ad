import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { issue, newKey, type Pair } from './pki.ts';
import { ConfigError, contentOf } from '../config/settings.ts';
import { certificatesIn } from './certificates.ts';

/** Stands in a certificate before the id of the application that it is for, as a URI among its names. */
const APPLICATION = 'urn:ringfence:application:';

/** The applications whose keys may use a certificate; null where it names none, so that those of every application may. */
export function applicationsNamedIn({ subjectAltName }: X509Certificate): readonly string[] | null {
  // Node quotes a name that holds what could be taken for another one, as a string of JSON.
  const plain = (subjectAltName ?? '').replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  const named = plain.split(', ').filter((name) => name.startsWith(`URI:${APPLICATION}`));
  return named.length === 0 ? null : named.map((name) => name.slice(`URI:${APPLICATION}`.length));
}

/** A certificate for clients of the vault and its key, in PEM. */
export interface VaultCertificate {
  certificate: string;
  private_key: string;
  serial: string;
  expires_at: string;
}

/** Issues a certificate that only keys of the application may use. @throws ConfigError where the files cannot be used. */
export async function issueVaultCertificate(
  { caFile, caKeyFile }: { caFile: string; caKeyFile: string },
  { appId, days }: { appId: string; days: number },
): Promise<VaultCertificate> {
  const issuer = await readAuthority(caFile, caKeyFile);
  const key = newKey('client');
  const uri = `${APPLICATION}${appId}`;
  const pem = await issue({ commonName: appId, uri, days, key, issuer, purpose: 'client' }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError(`VAULT_CLIENT_CA_KEY names ${caKeyFile}, but ${error.message}.`);
  });
  const { serialNumber, validToDate } = new X509Certificate(pem);
  return {
    certificate: pem,
    private_key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    serial: serialNumber,
    expires_at: validToDate.toISOString(),
  };
}

/** The key, and which of the certificates in the file belongs to it. */
async function readAuthority(caFile: string, caKeyFile: string): Promise<Pair> {
  const key = await readFile(caKeyFile)
    .then(createPrivateKey)
    .catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw new ConfigError(
        `VAULT_CLIENT_CA_KEY names ${caKeyFile}, which cannot be read as a key (${code ?? 'not PEM'}).`,
      );
    });
  const certificates = certificatesIn(contentOf('VAULT_CLIENT_CA', caFile));
  const certificate = certificates.find((each) => each.checkPrivateKey(key));
  if (certificate !== undefined) return { key, certificate };
  throw new ConfigError(`VAULT_CLIENT_CA_KEY names ${caKeyFile}, which belongs to no certificate in ${caFile}.`);
}
