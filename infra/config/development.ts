import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { certificatesIn } from '../keys/certificates.ts';

/** The organisation in the subject of development certificates. */
export const DEVELOPMENT = 'Ringfence development';
/** The subject of development CAs made before 25 November 2026. */
const UNMARKED_AUTHORITY = 'CN=Ringfence local CA';
/** PEM parsers skip this line, because the line comes before the key. */
export const KEY_MARK = 'Made for development by Ringfence. Production refuses this key.';

export const DEVELOPMENT_PASSWORDS: readonly string[] = ['ringfence', 'ringfence_service'];
export const SANDBOX_CONSENT = 'sandbox-consent';

/** Also true for a certificate that a development CA issued. */
export function hasDevelopmentCertificate(pem: string): boolean {
  return certificatesIn(pem).some(({ subject, issuer }) =>
    [subject, issuer].some((name) => {
      const parts = (name ?? '').split('\n');
      return parts.includes(`O=${DEVELOPMENT}`) || name === UNMARKED_AUTHORITY;
    }),
  );
}

/** Key files of earlier versions have no mark, so a development CA's certificate nearby counts too. */
export function isDevelopmentKey(file: string, content: string): boolean {
  const folder = dirname(file);
  const beside = [join(folder, 'ca.crt'), join(folder, '..', 'pki', 'ca.crt')];
  return (
    content.includes(KEY_MARK) ||
    beside.some((ca) => existsSync(ca) && hasDevelopmentCertificate(readFileSync(ca, 'utf8')))
  );
}
