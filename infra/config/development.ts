import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { certificatesIn } from '../keys/certificates.ts';

/** The organisation in every development certificate. */
export const DEVELOPMENT = 'Ringfence development';
/** The development authority of versions before 25 November 2026, without an organisation. */
const UNMARKED_AUTHORITY = 'CN=Ringfence local CA';
/** Marks every development key file. In PEM it is a line before the key, which parsers skip. */
export const KEY_MARK = 'Made for development by Ringfence. Production refuses this key.';

/** The passwords of the two roles in every development database. */
export const DEVELOPMENT_PASSWORDS: readonly string[] = ['ringfence', 'ringfence_service'];
/** The consent that the sandbox bank knows. */
export const SANDBOX_CONSENT = 'sandbox-consent';

/** Whether a PEM text holds a development certificate, or one issued by a development authority. */
export function hasDevelopmentCertificate(pem: string): boolean {
  return certificatesIn(pem).some(({ subject, issuer }) =>
    [subject, issuer].some((name) => {
      const parts = (name ?? '').split('\n');
      return parts.includes(`O=${DEVELOPMENT}`) || name === UNMARKED_AUTHORITY;
    }),
  );
}

/**
 * Whether a key file was made for development. Either the key has a mark, or its folder is that of the development
 * authority, or next to the folder `pki`. Keys of earlier versions have no mark.
 */
export function isDevelopmentKey(file: string, content: string): boolean {
  const folder = dirname(file);
  const beside = [join(folder, 'ca.crt'), join(folder, '..', 'pki', 'ca.crt')];
  return (
    content.includes(KEY_MARK) ||
    beside.some((ca) => existsSync(ca) && hasDevelopmentCertificate(readFileSync(ca, 'utf8')))
  );
}
