import { DomainError } from '../../domain/errors.ts';
import { signStatusList } from '../../infra/credential/status-list.ts';
import * as queries from '../../infra/db/queries/credential.ts';
import type { Services } from '../../infra/services.ts';
import { addressesOf } from './addresses.ts';
import type { CredentialKeys } from './keys.ts';

/** Verifiers may cache a list for this long, so a revocation can take as long. */
export const LIST_TTL_S = 60;
const COUNTS_FOR_S = 24 * 3_600;
const KEPT_FOR_S = COUNTS_FOR_S / 2;

interface Kept {
  version: number;
  iat: number;
  token: Promise<string>;
}

export function statusLists(services: Services, keys: CredentialKeys) {
  const { db, clock } = services;
  const kept = new Map<number, Kept>();

  const signed = (listId: number, version: number, now: number): Kept => {
    const known = kept.get(listId);
    if (known?.version === version && now >= known.iat && now < known.iat + KEPT_FOR_S) return known;
    const token = sign(services, keys, listId, now);
    const fresh = { version, iat: now, token };
    kept.set(listId, fresh);
    token.catch(() => {
      if (kept.get(listId) === fresh) kept.delete(listId);
    });
    return fresh;
  };

  return {
    /** `version` changes if the content changes or the list is signed again. */
    async readStatusList({ list_id }: { list_id: number }) {
      const list = await db.maybe(queries.listVersion(list_id));
      if (!list) throw new DomainError('not-found', 'There is no status list with this number.');
      const now = Math.floor((await clock.real(db)).getTime() / 1_000);
      const { version, iat, token } = signed(list_id, list.version, now);
      return { token: await token, version: `${list_id}-${version}-${iat}` };
    },
  };
}

async function sign(services: Services, keys: CredentialKeys, listId: number, now: number): Promise<string> {
  const { issuer, statusList } = addressesOf(services);
  // The list can include revocations newer than the version read. Then the next version has the same content.
  const rows = await services.db.many(queries.revokedOfList(listId));
  return signStatusList(services.threads, await keys.current(), {
    uri: statusList(listId),
    issuer,
    revoked: rows.map(({ list_index }) => list_index),
    iat: now,
    exp: now + COUNTS_FOR_S,
    ttl: LIST_TTL_S,
  });
}
