import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { certificatesIn } from '../keys/certificates.ts';

/** The organisation in the subject of every development certificate. */
export const DEVELOPMENT = 'Ringfence development';
/** The subject of development CAs made before 25 November 2026, which had no organisation. */
const UNMARKED_AUTHORITY = 'CN=Ringfence local CA';
/** Marks every development key file. PEM parsers skip this line, because it comes before the key. */
export const KEY_MARK = 'Made for development by Ringfence. Production refuses this key.';

/** The passwords of the two database roles in development. */
export const DEVELOPMENT_PASSWORDS: readonly string[] = ['ringfence', 'ringfence_service'];
/** The id of the consent that the sandbox bank accepts. */
export const SANDBOX_CONSENT = 'sandbox-consent';

/** Whether a PEM text contains a development certificate, or one issued by a development CA. */
export function hasDevelopmentCertificate(pem: string): boolean {
  return certificatesIn(pem).some(({ subject, issuer }) =>
    [subject, issuer].some((name) => {
      const parts = (name ?? '').split('\n');
      return parts.includes(`O=${DEVELOPMENT}`) || name === UNMARKED_AUTHORITY;
    }),
  );
}

/**
 * Whether a key file was made for development. Key files that earlier versions of the service made have no mark. So a
 * key also counts as a development key if a development CA's certificate is in its folder or in `../pki`.
 */
export function isDevelopmentKey(file: string, content: string): boolean {
  const folder = dirname(file);
  const beside = [join(folder, 'ca.crt'), join(folder, '..', 'pki', 'ca.crt')];
  return (
    content.includes(KEY_MARK) ||
    beside.some((ca) => existsSync(ca) && hasDevelopmentCertificate(readFileSync(ca, 'utf8')))
  );
}
