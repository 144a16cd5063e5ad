import fc from 'fast-check';
import { scanned } from '../../activities/macs.ts';
import { MAC_KINDS } from '../../domain/frozen-strings.ts';
import { openKeys, type Keys } from '../../infra/keys/index.ts';
import type { MacFields } from '../../infra/keys/macs.ts';
import { withDatabase } from '../helpers/database.ts';
import { sqlOf } from '../helpers/oauth.ts';

const services = withDatabase({ env: { KEY_RELOAD_MS: '100' } });
const { many, run } = sqlOf(services);
const another = async (): Promise<Keys> => {
  const { keys, environment } = services.config;
  return openKeys(keys, environment, services.db);
};

const field = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string(), { maxLength: 3 }));
const fields = fc.array(field, { minLength: 1, maxLength: 6 });

test('a MAC fits only the same fields in the same order, of the same kind', async () => {
  const fits = async (made: MacFields, given: MacFields, kind = MAC_KINDS[0] as (typeof MAC_KINDS)[number]) =>
    services.keys.verifyMac(kind, given, await services.keys.mac(MAC_KINDS[0], made));
  await fc.assert(
    fc.asyncProperty(fields, fields, async (one, other) => {
      expect(await fits(one, one)).toBe(true);
      expect(await fits(one, other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      expect(await fits(one, one, MAC_KINDS[1])).toBe(false);
    }),
  );
  expect(await fits(['a', 'b'], ['a,b'])).toBe(false);
  expect(await fits(['1'], [1])).toBe(false);
  const { mac, version } = await services.keys.mac('api key', ['a']);
  for (const forged of ['', 'A', mac.slice(1), `${mac}AA`, `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`])
    expect([forged, await services.keys.verifyMac('api key', ['a'], { mac: forged, version })]).toEqual([
      forged,
      false,
    ]);
});

test('processes that start at once share the first secret, and learn of a later one from a row that names it', async () => {
  await run(`delete from sealed_secrets where name like 'mac %'`);
  const all = await Promise.all(Array.from({ length: 6 }, another));
  const macs = await Promise.all(all.map(({ mac }) => mac('payee', ['x'])));
  expect(new Set(macs.map(({ mac }) => mac)).size).toBe(1);
  const later = macs[0]!.version + 1;
  await all[0]!.addMacSecret(later);
  await all[1]!.addMacSecret(later);
  const newer = await all[0]!.mac('payee', ['x']);
  expect(newer.version).toBe(later);
  for (const { verifyMac } of all)
    for (const mac of [newer, macs[0]!]) expect(await verifyMac('payee', ['x'], mac)).toBe(true);
  expect(await all[2]!.verifyMac('payee', ['x'], { ...newer, version: later + 1 })).toBe(false);
  all.forEach(({ closeMacs }) => closeMacs());
});

test('a secret that the database role writes makes no MAC, and a removed secret verifies none', async () => {
  const old = await services.keys.mac('payee', ['x']);
  await services.keys.addMacSecret(old.version + 1);
  const [known] = await many<{ sealed: string }>('select sealed from sealed_secrets where name = $1', [
    `mac ${old.version}`,
  ]);
  // The ciphertext of another version, which the role knows nothing about, and one that the role sealed itself.
  for (const [name, sealed] of [
    ['mac 900', known!.sealed],
    ['mac 901', known!.sealed.replace(/"wrapped":"..../, '"wrapped":"AAAA')],
    ['mac 902x', '{}'],
  ])
    await run('insert into sealed_secrets (name, sealed, created_at) values ($1, $2, now())', [name, sealed]);
  await run('delete from sealed_secrets where name = $1', [`mac ${old.version}`]);
  const keys = await another();
  expect(await keys.mac('payee', ['x'])).toMatchObject({ version: old.version + 1 });
  expect(await keys.verifyMac('payee', ['x'], old)).toBe(false);
  keys.closeMacs();
});

test('rows that name unknown versions cost one more reading of the secrets together, not one each', async () => {
  await services.keys.macsReady();
  const rows = Array.from({ length: 6 }, (_, index) => ({ id: String(index), mac: 'x', mac_version: 5_000 + index }));
  const kind = { what: 'payee', idOf: ({ id }: { id: string }) => id, fieldsOf: () => [] } as const;
  const startedAt = performance.now();
  expect((await scanned(services.keys, kind, rows, { limit: 6 })).faults).toHaveLength(6);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
