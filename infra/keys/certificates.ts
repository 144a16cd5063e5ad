import { X509Certificate } from 'node:crypto';

/** The certificates in a text of PEM blocks, in its order; keys and words between them are passed over. */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
