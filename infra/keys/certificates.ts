import { X509Certificate } from 'node:crypto';

/** Reads all certificates from PEM text, in order. Other PEM blocks and plain text are ignored. */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
