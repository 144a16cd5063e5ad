import type { BankExchange } from './exchange.ts';
import { faultOfSignature, type ClientKeys } from './signing.ts';

export interface SignedDesk {
  /** The client's public keys. */
  clientKeys: ClientKeys;
}

/** Returns the idempotency key of a signed request. Otherwise responds, and returns null. */
export async function requireSigned({ clientKeys }: SignedDesk, exchange: BankExchange): Promise<string | null> {
  const { header, body, fail } = exchange;
  const key = header('x-idempotency-key') ?? '';
  if (!/^\S(.{0,38}\S)?$/.test(key)) {
    const message = 'The idempotency key must have 1 to 40 characters.';
    await fail(400, { code: 'U006', message, path: 'x-idempotency-key' });
    return null;
  }
  const signature = header('x-jws-signature');
  const fault =
    signature === undefined ? 'the message has no signature' : await faultOfSignature(body, signature, clientKeys);
  if (fault === null) return key;
  await fail(400, { code: signature === undefined ? 'U019' : 'U015', message: fault, path: 'x-jws-signature' });
  return null;
}
