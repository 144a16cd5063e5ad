import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { issue, newKey, type Pair } from './pki.ts';
import { ConfigError, contentOf } from '../config/settings.ts';
import { certificatesIn } from './certificates.ts';

/** The beginning of a URI. The application's id follows. */
const APPLICATION = 'urn:ringfence:application:';

/** Null if the certificate names no application, and so allows any API key. */
export function applicationsNamedIn({ subjectAltName }: X509Certificate): readonly string[] | null {
  // Node quotes ambiguous names. An application's name is never ambiguous, so quoted names are dropped.
  const plain = (subjectAltName ?? '').replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  const named = plain.split(', ').filter((name) => name.startsWith(`URI:${APPLICATION}`));
  return named.length === 0 ? null : named.map((name) => name.slice(`URI:${APPLICATION}`.length));
}

/** Returns the certificate and its key in PEM. */
export async function issueVaultCertificate(
  { caFile, caKeyFile }: { caFile: string; caKeyFile: string },
  { appId, days }: { appId: string; days: number },
) {
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
