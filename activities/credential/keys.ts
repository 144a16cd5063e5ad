import { newSigningKey, publicPart, type SigningKey } from '../../infra/credential/keys.ts';
import * as statements from '../../infra/db/statements/credential.ts';
import type { Services } from '../../infra/services.ts';
import type { PublicKey } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

/** A retired key stays published at least this long, and its status lists are valid for less time. */
const SIGNED_LISTS_MS = 25 * 3_600_000;
const SUBJECT = 'credential-key';
const SERVICE = 'credential-workflow';

type Needs = Pick<Services, 'db' | 'keys' | 'newId'>;

/** Creates a key on first use. */
export async function signingKey(services: Needs): Promise<SigningKey> {
  const { kid, sealed } = (await services.db.maybe(statements.currentKey())) ?? (await makeFirst(services));
  const privateJwk = JSON.parse(await services.keys.open(sealed, contextOf(kid))) as SigningKey['privateJwk'];
  return { kid, privateJwk };
}

/** Deletes the old private key from the database. The old public key still verifies earlier signatures. */
export async function rotateCredentialKey(
  services: Needs,
  { actor }: { actor: string },
): Promise<{ kid: string; retired: string | null }> {
  const { db } = services;
  return db.transaction(async () => {
    await db.many(statements.lockKeys());
    const retired = await db.maybe(statements.retireKey(new Date()));
    const { kid } = await makeKey(services);
    const data = { kid, retired: retired?.kid ?? null };
    await audit(services, { subject: SUBJECT, kind: 'credential-key.rotated', actor, data });
    return data;
  });
}

export async function listCredentialKeys({ db, clock }: Pick<Services, 'db' | 'clock'>) {
  const rows = await db.many(statements.allKeys(await clock.now()));
  return { items: rows.map((row) => ({ ...row, status: row.retired_at === null ? 'current' : 'retired' })) };
}

/** Includes retired keys whose signatures may still be valid. */
export async function publishedKeys({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<{ keys: PublicKey[] }> {
  const signedListsSince = new Date(Date.now() - SIGNED_LISTS_MS);
  const rows = await db.many(statements.keysInUse(await clock.now(), signedListsSince));
  const published = rows.map(({ kid, public_jwk: { kty, crv, x, y } }) => ({ kty, crv, x, y, kid }));
  return { keys: published.map((key) => ({ ...key, alg: 'ES256', use: 'sig' })) };
}

async function makeFirst(services: Needs) {
  const { db } = services;
  return db.transaction(async () => {
    await db.many(statements.lockKeys());
    const meanwhile = await db.maybe(statements.currentKey());
    if (meanwhile) return meanwhile;
    const made = await makeKey(services);
    const data = { kid: made.kid };
    await audit(services, { subject: SUBJECT, kind: 'credential-key.made', actor: SERVICE, data });
    return made;
  });
}

async function makeKey({ db, keys }: Needs): Promise<{ kid: string; sealed: string }> {
  const key = await newSigningKey();
  const { kid } = key;
  const { sealed } = await keys.seal(JSON.stringify(key.privateJwk), contextOf(kid));
  await db.run(statements.insertKey({ kid, public_jwk: publicPart(key) }, sealed, new Date()));
  return { kid, sealed };
}

function contextOf(kid: string) {
  return { use: SEAL_USES.credentialKey, kid };
}
