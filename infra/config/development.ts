import { certificatesIn } from '../keys/certificates.ts';

/** The organisation in the subject of development certificates. */
export const DEVELOPMENT = 'Ringfence development';
/** PEM parsers skip this line, because the line comes before the key. */
export const KEY_MARK = 'Made for development by Ringfence. Production refuses this key.';

export const DEVELOPMENT_PASSWORDS: readonly string[] = ['ringfence', 'ringfence_service'];
export const SANDBOX_CONSENT = 'sandbox-consent';

/** Also true for a certificate that a development CA issued. */
export function hasDevelopmentCertificate(pem: string): boolean {
  return certificatesIn(pem).some(({ subject, issuer }) =>
    [subject, issuer].some((name) => (name ?? '').split('\n').includes(`O=${DEVELOPMENT}`)),
  );
}

export function isDevelopmentKey(content: string): boolean {
  return content.includes(KEY_MARK);
}
