import { newSigningKey, publicPart, type SigningKey } from '../../infra/credential/keys.ts';
import * as queries from '../../infra/db/queries/credential.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { PublicKey } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

export type CredentialKeys = ReturnType<typeof credentialKeys>;

/** A retired key stays published at least this long, and its status lists are valid for less time. */
const SIGNED_LISTS_MS = 25 * 3_600_000;
const SUBJECT = 'credential-key';
const SERVICE = 'credential-workflow';

type Needs = Pick<Services, 'db' | 'keys' | 'newId'>;

/**
 * Caches decrypted keys, but reads from the database which key is current. Another process may have created a newer
 * key.
 */
export function credentialKeys(services: Needs) {
  const { db } = services;
  const opened = new Map<string, SigningKey>();
  return {
    /** Creates a key on first use. */
    async current(): Promise<SigningKey> {
      const { kid } = (await db.maybe(queries.currentKid())) ?? (await makeFirst(services));
      const known = opened.get(kid);
      if (known) return known;
      const row = await db.one(queries.currentKey());
      const privateJwk = JSON.parse(
        await services.keys.open(row.sealed, contextOf(row.kid)),
      ) as SigningKey['privateJwk'];
      const key = { kid: row.kid, privateJwk };
      opened.set(key.kid, key);
      return key;
    },
    /** Also finds keys that no longer sign. */
    publicKeyOf: async (kid: string) => (await db.maybe(queries.keyByKid(kid)))?.public_jwk,
  };
}

/** Deletes the old private key from the database. The old public key still verifies earlier signatures. */
export async function rotateCredentialKey(
  services: Needs,
  { actor }: { actor: string },
): Promise<{ kid: string; retired: string | null }> {
  const made = await makeKey(services);
  return services.db.transaction(async (tx) => {
    await tx.many(queries.lockKeys());
    const retired = await tx.maybe(queries.retireKey(new Date()));
    const { kid } = await storeKey(tx, made);
    const data = { kid, retired: retired?.kid ?? null };
    await audit(tx, services, { subject: SUBJECT, kind: 'credential-key.rotated', actor, data });
    return data;
  });
}

export async function listCredentialKeys({ db, clock }: Pick<Services, 'db' | 'clock'>) {
  const rows = await db.many(queries.allKeys(await clock.now(db)));
  return { items: rows.map((row) => ({ ...row, status: row.retired_at === null ? 'current' : 'retired' })) };
}

/** Includes retired keys whose signatures may still be valid. */
export async function publishedKeys({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<{ keys: PublicKey[] }> {
  const signedListsSince = new Date(Date.now() - SIGNED_LISTS_MS);
  const rows = await db.many(queries.keysInUse(await clock.now(db), signedListsSince));
  const published = rows.map(({ kid, public_jwk: { kty, crv, x, y } }) => ({ kty, crv, x, y, kid }));
  return { keys: published.map((key) => ({ ...key, alg: 'ES256', use: 'sig' })) };
}

async function makeFirst(services: Needs): Promise<{ kid: string }> {
  const made = await makeKey(services);
  return services.db.transaction(async (tx) => {
    await tx.many(queries.lockKeys());
    const meanwhile = await tx.maybe(queries.currentKid());
    if (meanwhile) return meanwhile;
    const { kid } = await storeKey(tx, made);
    const data = { kid };
    await audit(tx, services, { subject: SUBJECT, kind: 'credential-key.made', actor: SERVICE, data });
    return { kid };
  });
}

type MadeKey = Awaited<ReturnType<typeof makeKey>>;

async function makeKey({ keys }: Pick<Services, 'keys'>) {
  const key = await newSigningKey();
  const { kid } = key;
  const { sealed } = await keys.seal(JSON.stringify(key.privateJwk), contextOf(kid));
  return { kid, public_jwk: publicPart(key), sealed };
}

async function storeKey(tx: Tx, { kid, public_jwk, sealed }: MadeKey): Promise<{ kid: string }> {
  await tx.run(queries.insertKey({ kid, public_jwk }, sealed, new Date()));
  return { kid };
}

function contextOf(kid: string) {
  return { use: SEAL_USES.credentialKey, kid };
}
