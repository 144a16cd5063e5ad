import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { DERIVED_KEYS, type BlindIndex } from '../../domain/frozen-strings.ts';

/** HMAC-SHA-256 as 43 base64url characters. HKDF (RFC 5869) derives a separate key for each kind. */
export function blindIndexer(secret: KeyObject): (kind: BlindIndex, value: string) => string {
  const derived = new Map<string, KeyObject>();
  const keyOf = (kind: BlindIndex) => {
    const known = derived.get(kind);
    if (known) return known;
    const bytes = hkdfSync('sha256', secret, new Uint8Array(), DERIVED_KEYS.blindIndex + kind, 32);
    const key = createSecretKey(new Uint8Array(bytes));
    derived.set(kind, key);
    return key;
  };
  return (kind, value) => createHmac('sha256', keyOf(kind)).update(value, 'utf8').digest('base64url');
}
