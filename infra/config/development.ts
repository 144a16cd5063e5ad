import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { certificatesIn } from '../keys/certificates.ts';

/** The organisation in every certificate that is made for development. */
export const DEVELOPMENT = 'Ringfence development';
/** The authority that versions before 25 November 2026 made for development, without an organisation. */
const UNMARKED_AUTHORITY = 'CN=Ringfence local CA';
/** In every file of keys that is made for development. In PEM it is a line before the key, which readers pass over. */
export const KEY_MARK = 'Made for development by Ringfence. Production refuses this key.';

/** The passwords of the two roles in every database that is made for development. */
export const DEVELOPMENT_PASSWORDS: readonly string[] = ['ringfence', 'ringfence_service'];
/** The consent that the sandbox bank knows. */
export const SANDBOX_CONSENT = 'sandbox-consent';

/** Whether a PEM text holds a certificate that was made for development, or issued by an authority that was. */
export function hasDevelopmentCertificate(pem: string): boolean {
  return certificatesIn(pem).some(({ subject, issuer }) =>
    [subject, issuer].some((name) => {
      const parts = (name ?? '').split('\n');
      return parts.includes(`O=${DEVELOPMENT}`) || name === UNMARKED_AUTHORITY;
    }),
  );
}

/**
 * Whether a key file was made for development. Either it says so, or it lies beside the authority of development: in the same
 * folder, or in one beside the folder `pki`. Earlier versions did not mark keys, which are known by that alone.
 */
export function isDevelopmentKey(file: string, content: string): boolean {
  const folder = dirname(file);
  const beside = [join(folder, 'ca.crt'), join(folder, '..', 'pki', 'ca.crt')];
  return (
    content.includes(KEY_MARK) ||
    beside.some((ca) => existsSync(ca) && hasDevelopmentCertificate(readFileSync(ca, 'utf8')))
  );
}
