import { createHeaderAndPayload, StatusList } from '@sd-jwt/jwt-status-list';
import { importJWK, SignJWT } from 'jose';
import type { Threads } from '../threads/index.ts';
import { task } from '../threads/task.ts';
import type { SigningKey } from './keys.ts';

export const LIST_SIZE = 2 ** 17;

/** Times are in seconds since 1970. */
interface StatusListContent {
  /** The list's own URL. */
  uri: string;
  issuer: string;
  /** Indices in the list. */
  revoked: readonly number[];
  iat: number;
  exp: number;
  /** How many seconds callers may cache the list. */
  ttl: number;
}

const VALID = 0;
const REVOKED = 1;
const BITS = 1;

const packTask = task<typeof packStatusList>(import.meta.url, 'packStatusList');

/** Packs the list in a thread, because packing would block the event loop. */
export async function signStatusList(threads: Threads, key: SigningKey, content: StatusListContent): Promise<string> {
  const { header, payload } = await threads.run(packTask, content);
  return new SignJWT({ ...payload })
    .setProtectedHeader({ ...header, alg: 'ES256', kid: key.kid })
    .sign(await importJWK(key.privateJwk, 'ES256'));
}

export function packStatusList({ uri, issuer, revoked, iat, exp, ttl }: StatusListContent) {
  const entries = new Array<number>(LIST_SIZE).fill(VALID);
  for (const index of revoked) entries[index] = REVOKED;
  const list = new StatusList(entries, BITS);
  return createHeaderAndPayload(
    list,
    { sub: uri, iss: issuer, iat, exp, ttl },
    { typ: 'statuslist+jwt', alg: 'ES256' },
  );
}
