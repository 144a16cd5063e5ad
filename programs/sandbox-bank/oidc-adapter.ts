import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { Database } from './database.ts';

const SWEEP_EVERY = 100;

/** Keeps what oidc-provider stores: grants, tokens, codes and interactions. */
export function adapterOver({ sql }: Database): AdapterFactory {
  const put = sql.prepare(`INSERT INTO authorizations VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    payload = excluded.payload, expires_ms = excluded.expires_ms, grant_id = excluded.grant_id, uid = excluded.uid`);
  const get = sql.prepare('SELECT payload FROM authorizations WHERE model = ? AND id = ?');
  const getByUid = sql.prepare('SELECT payload FROM authorizations WHERE model = ? AND uid = ?');
  const consume = sql.prepare(
    "UPDATE authorizations SET payload = json_set(payload, '$.consumed', ?) WHERE model = ? AND id = ?",
  );
  const remove = sql.prepare('DELETE FROM authorizations WHERE model = ? AND id = ?');
  const removeOfGrant = sql.prepare('DELETE FROM authorizations WHERE model = ? AND grant_id = ?');
  const sweep = sql.prepare('DELETE FROM authorizations WHERE expires_ms < ?');
  let written = 0;

  const found = (row: unknown) =>
    row === undefined ? undefined : (JSON.parse((row as { payload: string }).payload) as AdapterPayload);

  return (model): Adapter => ({
    async upsert(id, payload, expiresIn) {
      const expiresMs = expiresIn === undefined ? null : Date.now() + expiresIn * 1000;
      put.run(model, id, JSON.stringify(payload), expiresMs, payload.grantId ?? null, payload.uid ?? null);
      // The library refuses what has expired, so that the sweep only saves space.
      if (++written % SWEEP_EVERY === 0) sweep.run(Date.now() - 60_000);
      return Promise.resolve();
    },
    find: (id) => Promise.resolve(found(get.get(model, id))),
    findByUid: (uid) => Promise.resolve(found(getByUid.get(model, uid))),
    findByUserCode: () => Promise.resolve(undefined),
    async consume(id) {
      consume.run(Math.floor(Date.now() / 1000), model, id);
      return Promise.resolve();
    },
    async destroy(id) {
      remove.run(model, id);
      return Promise.resolve();
    },
    async revokeByGrantId(grantId) {
      removeOfGrant.run(model, grantId);
      return Promise.resolve();
    },
  });
}

/** Ends a grant with all its tokens. */
export function grantsIn({ sql }: Database) {
  const remove = sql.prepare("DELETE FROM authorizations WHERE grant_id = ?1 OR (model = 'Grant' AND id = ?1)");
  return { end: (grantId: string) => void remove.run(grantId) };
}
