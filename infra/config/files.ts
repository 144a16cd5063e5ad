import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { certificatesIn } from '../keys/certificates.ts';
import { DEVELOPMENT, KEY_MARK } from './development.ts';

export function contentOf(file: string): string | { code: string } {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown error' };
  }
}

export function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** What is wrong with a certificate in production. `name` names the setting. */
export function* certificateFaults(name: string, file: string): Iterable<string> {
  const text = contentOf(file);
  if (typeof text !== 'string') yield `${name} names ${file}, which cannot be read (${text.code}).`;
  else if (certificateIn(text) === undefined) yield `${name} names ${file}, which contains no PEM certificate.`;
  else if (hasDevelopmentCertificate(text))
    yield `${name} must not name ${file}, because that certificate is for development.`;
}

/** What is wrong with a key in production. */
export function* keyFaults(name: string, file: string, { mayBeMissing = false } = {}): Iterable<string> {
  const text = contentOf(file);
  if (typeof text === 'string') {
    if (text.includes(KEY_MARK)) yield `${name} must not name ${file}, because that key is for development.`;
  } else if (!mayBeMissing) yield `${name} names ${file}, which cannot be read (${text.code}).`;
}

/** Also true for a certificate that a development CA issued. */
function hasDevelopmentCertificate(pem: string): boolean {
  return certificatesIn(pem).some(({ subject, issuer }) =>
    [subject, issuer].some((name) => (name ?? '').split('\n').includes(`O=${DEVELOPMENT}`)),
  );
}
