import { spawn } from 'node:child_process';
import { hash, randomBytes, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import fc from 'fast-check';
import { flattenedDecrypt, type FlattenedJWE } from 'jose';
import { isCommonPassword } from '../../infra/passwords/common.ts';
import { decrypt, encrypt } from '../../infra/keys/content-encryption.ts';
import { hashOf, newAccessToken, newApiKey, newRefreshToken, shapeOf } from '../../infra/keys/credentials.ts';
import { lockFile } from '../../infra/keys/file-lock.ts';
import { openKeys, openMasterKeys, type Keys } from '../../infra/keys/index.ts';
import { openFileService } from '../../infra/keys/file-service.ts';
import {
  openFileUnder,
  openUnder,
  openWith,
  SealBrokenError,
  sealFileUnder,
  sealUnder,
  sealWith,
} from '../../infra/keys/seal.ts';
import { createPasswords } from '../../infra/passwords/index.ts';
import { fileKeys, partsOf, type StoredParts } from '../helpers/keys.ts';

let dir: string;
let keys: Keys;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ringfence-keys-'));
  keys = await openKeys(fileKeys(join(dir, 'a', 'master.json')), 'sandbox');
});
afterAll(() => rm(dir, { recursive: true }));

const AWAY = { code: 'dependency-unavailable', extra: { dependency: 'key service' } };
const CONTEXT = { vault_ref: 'vault:user_email:1', pii_type: 'user_email', owner_id: 'usr_1' };

describe('the master key file', () => {
  const fresh = (name: string) => join(dir, name, 'master.json');

  test('is made once, however many processes start together, and only its owner can read it', async () => {
    const path = fresh('race');
    const opened = await Promise.all(Array.from({ length: 20 }, () => openKeys(fileKeys(path), 'sandbox')));
    const { sealed } = await opened[0]!.seal('text', CONTEXT);
    for (const other of opened) {
      expect(await other.open(sealed, CONTEXT)).toBe('text');
      expect(other.blindIndex('cursor', 'v')).toBe(opened[0]!.blindIndex('cursor', 'v'));
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(dir, 'race'))).toEqual(['master.json']);
  });

  test('is made neither in production nor by a read command, and a missing file gives one clear sentence', async () => {
    const missing = /^MASTER_KEY_FILE names .*absent\/master\.json, which does not exist\./;
    for (const opening of [
      () => openKeys(fileKeys(fresh('absent')), 'production'),
      () => openMasterKeys(fileKeys(fresh('absent'))),
    ])
      await expect(opening()).rejects.toThrow(
        expect.objectContaining({ name: 'ConfigError', message: expect.stringMatching(missing) as string }),
      );
  });

  const version = { version: 1, key: Buffer.alloc(32).toString('base64url'), created_at: '2026-01-01T00:00:00.000Z' };
  const file = { format: 'ringfence-master-keys/1', current: 1, versions: [version], index_secret: version.key };

  test.each<[string, object | string | null, RegExp]>([
    ['nothing', '', /is not a master key file of this service/],
    ['an empty object', {}, /is not a master key file of this service/],
    ['null', null, /is not a master key file of this service/],
    ['versions without keys', { ...file, versions: [{ version: 1 }] }, /is not a master key file of this service/],
    ['a version twice', { ...file, versions: [version, version] }, /is not a master key file/],
    ['a key of the wrong length', { ...file, versions: [{ ...version, key: 'AAAA' }] }, /not 32 bytes long/],
  ])('that holds %s is refused', async (_what, content, words) => {
    const path = join(dir, 'broken.json');
    await writeFile(path, content === '' ? '' : JSON.stringify(content), { mode: 0o600 });
    await expect(openKeys(fileKeys(path), 'sandbox')).rejects.toThrow(words);
  });

  test.each([0o604, 0o620, 0o666])('that others can read (mode %o) is refused', async (mode) => {
    const path = fresh(`mode-${mode}`);
    await openKeys(fileKeys(path), 'sandbox');
    await chmod(path, mode);
    await expect(openKeys(fileKeys(path), 'sandbox')).rejects.toThrow(/Run chmod 600/);
  });
});

describe('a rotation of the master key file', () => {
  const fresh = (name: string) => join(dir, 'rotation', name, 'master.json');
  const open = (path: string, reloadMs = 0) => openKeys(fileKeys(path, reloadMs), 'sandbox');

  test('adds a current version, data under the old version still decrypts, and the file keeps its permissions', async () => {
    const path = fresh('plain');
    const keys = await open(path);
    await chmod(path, 0o640);
    const old = await keys.seal('old', CONTEXT);
    const index = keys.blindIndex('cursor', 'v');
    // A rotation that was already done is not repeated.
    expect([await keys.masterKeys.rotate(1), await keys.masterKeys.rotate(1)]).toEqual([2, 2]);
    const { keyVersion, sealed } = await keys.seal('new', CONTEXT);
    expect(keyVersion).toBe(2);
    expect(await keys.open(old.sealed, CONTEXT)).toBe('old');
    expect(await keys.open(sealed, CONTEXT)).toBe('new');
    expect(keys.blindIndex('cursor', 'v')).toBe(index);
    const created_at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const versions = [1, 2].map((version) => ({ version, created_at }));
    expect(await keys.masterKeys.versions()).toEqual({ current: 2, versions });
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(await readdir(join(path, '..'))).toEqual(['master.json']);
  });

  test('a process with an old copy loads a new version when it meets one, and an absent file is an outage', async () => {
    const path = fresh('met');
    const [stale, other] = [await open(path, 3_600_000), await open(path)];
    const { sealed: old } = await stale.seal('old', CONTEXT);
    await other.masterKeys.rotate(1);
    const { sealed } = await other.seal('new', CONTEXT);
    expect((await stale.seal('x', CONTEXT)).keyVersion).toBe(1);
    await rename(path, `${path}.away`);
    await expect(stale.open(sealed, CONTEXT)).rejects.toMatchObject(AWAY);
    await rename(`${path}.away`, path);
    expect(await stale.open(sealed, CONTEXT)).toBe('new');
    expect((await stale.seal('x', CONTEXT)).keyVersion).toBe(2);

    // A rotation tells a process with an old copy which version to use.
    await other.masterKeys.rotate(2);
    expect(await stale.rewrap([old], 3)).toMatchObject([{ keyVersion: 3 }]);
    await expect(stale.rewrap([old], 4)).rejects.toMatchObject(AWAY);
  });

  test('a process encrypts with the new version after its reload interval', async () => {
    const path = fresh('time');
    const [stale, other] = [await open(path, 300), await open(path)];
    await stale.seal('x', CONTEXT);
    await other.masterKeys.rotate(1);
    await new Promise((done) => setTimeout(done, 320));
    expect((await stale.seal('x', CONTEXT)).keyVersion).toBe(2);
  });

  test('repeated by several processes, one of them killed, loses no version and makes none twice', async () => {
    const path = fresh('many');
    const keys = await open(path);
    const program = resolve(import.meta.dirname, '../helpers/rotating-process.ts');
    const children = [25, 25, 1_000].map((times) =>
      spawn(process.execPath, [program, path, String(times)], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    const [one, two, killed] = children;
    killed!.stdout.once('data', () => setTimeout(() => killed!.kill('SIGKILL'), 40));
    const ended = Promise.all(children.map((child) => once(child, 'exit')));
    const said = await Promise.all(children.map(({ stdout }) => textOf(stdout)));
    await ended;
    expect([one!.exitCode, two!.exitCode, killed!.signalCode]).toEqual([0, 0, 'SIGKILL']);

    const lines = said.flatMap((output) => output.split('\n').slice(0, -1));
    expect(lines.length).toBeGreaterThan(50);
    for (const sealed of lines) expect(await keys.open(sealed, { use: 'test' })).toBe('kept');
    const { current, versions } = await keys.masterKeys.versions();
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: current }, (_, index) => index + 1));
    expect(await keys.masterKeys.rotate(current)).toBe(current + 1);
  });

  test('the lock of a dead process is taken over once', async () => {
    const path = join(dir, 'dead.lock');
    const dead = { host: hostname(), pid: process.pid, startedAt: 'long ago', token: '' };
    await writeFile(path, JSON.stringify(dead));
    let inside = 0;
    const entered = Array.from({ length: 8 }, () =>
      lockFile(path, async () => {
        expect((inside += 1)).toBe(1);
        await new Promise((done) => setTimeout(done, 10));
        inside -= 1;
      }),
    );
    await Promise.all(entered);
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  test('the lock of another machine is not taken over, and the refusal says what to do', async () => {
    const path = join(dir, 'foreign.lock');
    await writeFile(path, JSON.stringify({ host: 'elsewhere', pid: 1, token: '' }));
    await expect(lockFile(path, () => Promise.resolve(), 100)).rejects.toThrow(
      /is locked by process 1 of elsewhere\. If that process is no longer running, remove .*foreign\.lock/,
    );
  });

  test('while the file is missing the loaded keys still work, a rotation is refused, and the health check reports it', async () => {
    const path = fresh('away');
    const keys = await open(path);
    const { sealed } = await keys.seal('text', CONTEXT);
    await expect(keys.check()).resolves.toBeUndefined();
    await rename(path, `${path}.away`);
    expect(await keys.open(sealed, CONTEXT)).toBe('text');
    await expect(keys.check()).rejects.toMatchObject(AWAY);
    await expect(keys.masterKeys.rotate(1)).rejects.toMatchObject(AWAY);
    expect(await readdir(join(path, '..'))).toEqual(['master.json.away']);
    await rename(`${path}.away`, path);
    await expect(keys.check()).resolves.toBeUndefined();
  });

  test('after the file was missing for long nothing is encrypted, because the key may be retired, but data decrypts', async () => {
    const path = fresh('long away');
    const { service } = await openFileService({ path, reloadMs: 0, create: true, unseenMs: 1_500 });
    const { sealed } = await sealWith(service, 'text', CONTEXT);
    await rename(path, `${path}.away`);
    expect((await sealWith(service, 'text', CONTEXT)).keyVersion).toBe(1);
    await new Promise((done) => setTimeout(done, 1_600));
    await expect(sealWith(service, 'text', CONTEXT)).rejects.toMatchObject(AWAY);
    expect(await openWith(service, sealed, CONTEXT)).toBe('text');
    await rename(`${path}.away`, path);
    expect((await sealWith(service, 'text', CONTEXT)).keyVersion).toBe(1);
  });

  test('a file of another deployment is not accepted', async () => {
    const path = fresh('replaced');
    const keys = await open(path);
    const { sealed } = await keys.seal('text', CONTEXT);
    await open(fresh('other'));
    await rename(fresh('other'), path);
    expect(await keys.open(sealed, CONTEXT)).toBe('text');
    await expect(keys.check()).rejects.toThrow(/belongs to a different deployment/);
  });

  test('retiring ends a version and all before it, in every process, but never the current one', async () => {
    const path = fresh('retired');
    const [keys, other] = [await open(path), await open(path)];
    const records = [await keys.seal('1', CONTEXT)];
    for (const from of [1, 2]) {
      await keys.masterKeys.rotate(from);
      records.push(await keys.seal(String(from + 1), CONTEXT));
    }
    const { key, content } = partsOf(records[1]!.sealed);
    const asIfOf3 = JSON.stringify({ key: { ...key, version: 3 }, content });
    await expect(other.open(asIfOf3, CONTEXT)).rejects.toThrow(SealBrokenError);
    await keys.masterKeys.retire(2);
    for (const { sealed } of records.slice(0, 2))
      await expect(other.open(sealed, CONTEXT)).rejects.toThrow(SealBrokenError);
    await keys.masterKeys.retire(3);
    expect(await other.open(records[2]!.sealed, CONTEXT)).toBe('3');
    expect(await readFile(path, 'utf8')).not.toMatch(/"version": [12],/);
    expect(await keys.masterKeys.rotate(3)).toBe(4);
  });
});

describe('a sealed record', () => {
  test('decrypts to the original, for any content and any order of the context', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 500 }), async (text) => {
        const { sealed, keyVersion } = await keys.seal(text, CONTEXT);
        expect(keyVersion).toBe(1);
        const { vault_ref, pii_type, owner_id } = CONTEXT;
        expect(await keys.open(sealed, { owner_id, vault_ref, pii_type })).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  test('has a content key and a vector of its own each time', async () => {
    const [one, other] = (await Promise.all([keys.seal('text', CONTEXT), keys.seal('text', CONTEXT)])).map(
      ({ sealed }) => partsOf(sealed),
    );
    expect(one!.key.wrapped).not.toBe(other!.key.wrapped);
    for (const part of ['iv', 'ciphertext', 'tag'] as const) expect(one!.content[part]).not.toBe(other!.content[part]);
  });

  test('decrypts only in its original context', async () => {
    const { sealed } = await keys.seal('text', CONTEXT);
    const { vault_ref, pii_type, owner_id } = CONTEXT;
    const others: Record<string, string>[] = [
      { ...CONTEXT, vault_ref: 'vault:user_email:2' },
      { ...CONTEXT, pii_type: 'payee_bank' },
      { ...CONTEXT, owner_id: 'usr_2' },
      { ...CONTEXT, owner_id: pii_type, pii_type: owner_id },
      { vault_ref, pii_type },
      { ...CONTEXT, more: '' },
      { vault_ref, pii_type: `${pii_type}","owner_id":"${owner_id}` },
      {},
    ];
    for (const context of others) await expect(keys.open(sealed, context)).rejects.toThrow(SealBrokenError);
  });

  test('does not decrypt with any byte changed, removed or added', async () => {
    const records = await Promise.all(
      ['', 'a', 'a text that spans more than one block'].map(async (text) => (await keys.seal(text, CONTEXT)).sealed),
    );
    const changes = fc.record({
      sealed: fc.constantFrom(...records),
      at: fc.nat({ max: 10_000 }),
      byte: fc.integer({ min: 1, max: 255 }),
      how: fc.constantFrom('xor', 'drop', 'insert'),
    });
    await fc.assert(
      fc.asyncProperty(changes, async ({ sealed, at, byte, how }) => {
        const bytes = Buffer.from(sealed);
        const place = at % bytes.length;
        const put = how === 'xor' ? [bytes[place]! ^ byte] : how === 'drop' ? [] : [byte];
        const rest = bytes.subarray(how === 'insert' ? place : place + 1);
        const changed = Buffer.concat([bytes.subarray(0, place), Buffer.from(put), rest]).toString('latin1');
        await expect(keys.open(changed, CONTEXT)).rejects.toThrow(SealBrokenError);
      }),
      { numRuns: 300 },
    );
  });

  test('does not decrypt in another base64 spelling that decoders tolerate', async () => {
    // The text fits in one cipher block, so the base64 texts of ciphertext, IV and tag each end in unused bits.
    const { sealed } = await keys.seal('text', CONTEXT);
    const { key, content } = partsOf(sealed);
    const loose = (encoded: string) => {
      const bytes = Buffer.from(encoded, 'base64url');
      const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const same = Array.from(digits, (digit) => encoded.slice(0, -1) + digit).filter(
        (other) => other !== encoded && Buffer.from(other, 'base64url').equals(bytes),
      );
      return [...same, `${encoded}=`, ` ${encoded}`, `${encoded.slice(0, 4)}\n${encoded.slice(4)}`];
    };
    const parts = (['iv', 'ciphertext', 'tag'] as const).flatMap((part) =>
      loose(content[part]).map((text) => JSON.stringify({ key, content: { ...content, [part]: text } })),
    );
    const forms = [
      ...parts,
      ...loose(key.wrapped).map((wrapped) => JSON.stringify({ key: { ...key, wrapped }, content })),
      ...[
        { content, key },
        { key, content, more: 1 },
        { key: { ...key, more: 1 }, content },
        { key, content: { ...content, header: {} } },
        { key: { ...key, version: '1' }, content },
      ].map((form) => JSON.stringify(form)),
      ...['1.0', '1e0', '2,"version":1'].map((version) => sealed.replace('"version":1', `"version":${version}`)),
      sealed.replace('"version"', '"\\u0076ersion"'),
      sealed.replace(/}$/, ',"__proto__":{}}'),
      ` ${sealed}`,
      `${sealed}\n`,
    ];
    expect(forms.length).toBeGreaterThan(40);
    for (const form of forms) await expect(keys.open(form, CONTEXT)).rejects.toThrow(SealBrokenError);
    expect(await keys.open(JSON.stringify({ key, content }), CONTEXT)).toBe('text');
  });

  test('does not decrypt with any part of another record', async () => {
    const { content, key } = partsOf((await keys.seal('text', CONTEXT)).sealed);
    for (const [text, context] of [
      ['text', CONTEXT],
      ['other', { ...CONTEXT, owner_id: 'usr_2' }],
    ] as const) {
      const other = partsOf((await keys.seal(text, context)).sealed);
      const mixed: StoredParts[] = (['iv', 'ciphertext', 'tag'] as const).map((part) => ({
        key,
        content: { ...content, [part]: other.content[part] },
      }));
      mixed.push({ key, content: other.content }, { key: other.key, content });
      for (const one of mixed) await expect(keys.open(JSON.stringify(one), CONTEXT)).rejects.toThrow(SealBrokenError);
    }
  });

  test('of another deployment does not decrypt, nor what is no record, and the error does not show the content', async () => {
    const others = await openKeys(fileKeys(join(dir, 'b', 'master.json')), 'sandbox');
    const { sealed } = await others.seal('very secret', CONTEXT);
    await expect(keys.open(sealed, CONTEXT)).rejects.toThrow(/changed, or was copied from a different record/);
    for (const text of ['', 'text', '{}', 'null', '{"protected":"e30"}'])
      await expect(keys.open(text, CONTEXT)).rejects.toThrow(SealBrokenError);
  });

  test('under a secret decrypts only with this secret and context, not with the master key', async () => {
    const secret = newRefreshToken();
    const sealed = await sealUnder(secret, 'reply', CONTEXT);
    expect(await openUnder(secret, sealed, CONTEXT)).toBe('reply');
    await expect(openUnder(newRefreshToken(), sealed, CONTEXT)).rejects.toThrow(SealBrokenError);
    await expect(openUnder(secret, sealed, { ...CONTEXT, owner_id: 'usr_2' })).rejects.toThrow(SealBrokenError);
    await expect(keys.open(sealed, CONTEXT)).rejects.toThrow(SealBrokenError);
    const underMaster = (await keys.seal('x', CONTEXT)).sealed;
    await expect(openUnder(secret, underMaster, CONTEXT)).rejects.toThrow(SealBrokenError);
  });

  test('of a file decrypts only with its secret and context', async () => {
    const [secret, file] = [newRefreshToken(), randomBytes(100_000)];
    const sealed = await sealFileUnder(secret, file, CONTEXT);
    expect(sealed.length).toBeLessThan(file.length + 70);
    expect(Buffer.from(await openFileUnder(secret, sealed, CONTEXT)).equals(file)).toBe(true);
    const changed = Buffer.from(sealed);
    changed[50_000]! ^= 1;
    for (const opening of [
      openFileUnder(newRefreshToken(), sealed, CONTEXT),
      openFileUnder(secret, sealed, { ...CONTEXT, owner_id: 'usr_2' }),
      openFileUnder(secret, changed, CONTEXT),
    ])
      await expect(opening).rejects.toThrow(SealBrokenError);
  });
});

describe('the encryption is the one that the standards describe', () => {
  const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
  // The test vector of RFC 7518, appendix B.3.
  const vector = {
    key: Buffer.from(Array.from({ length: 64 }, (_, byte) => byte)),
    iv: hex('1af38c2dc2b96ffdd86694092341bc04'),
    additional: Buffer.from('The second principle of Auguste Kerckhoffs'),
    plaintext:
      'A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy without inconvenience',
    ciphertext: hex(`
      4affaaadb78c31c5da4b1b590d10ffbd3dd8d5d302423526912da037ecbcc7bd822c301dd67c373bccb584ad3e9279c2
      e6d12a1374b77f077553df829410446b36ebd97066296ae6427ea75c2e0846a11a09ccf5370dc80bfecbad28c73f09b3
      a3b75e662a2594410ae496b2e2e6609e31e6e02cc837f053d21f37ff4f51950bbe2638d09dd7a4930930806d0703b1f6`),
    tag: hex('4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5'),
  };
  const { key, iv, additional, plaintext, ciphertext, tag } = vector;

  test('of a file matches a test vector both ways, in one piece', async () => {
    const sealed = Buffer.concat([iv, ciphertext, tag]);
    expect(await encrypt(key, additional, Buffer.from(plaintext), iv)).toEqual(sealed);
    expect(Buffer.from((await decrypt(key, additional, sealed))!).toString()).toBe(plaintext);
  });

  test('of a file is decrypted by us and by jose, with a new initialisation vector each time', async () => {
    const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256CBC-HS512' })).toString('base64url');
    for (const length of [0, 1, 15, 16, 17, 300_000]) {
      const file = randomBytes(length);
      const [sealed, other] = [
        await encrypt(key, Buffer.from(header), file),
        await encrypt(key, Buffer.from(header), file),
      ];
      expect(sealed.subarray(0, 16).equals(other.subarray(0, 16))).toBe(false);
      expect(Buffer.from((await decrypt(key, Buffer.from(header), sealed))!).equals(file)).toBe(true);
      const parts = { iv: sealed.subarray(0, 16), ciphertext: sealed.subarray(16, -32), tag: sealed.subarray(-32) };
      const encoded = Object.entries(parts).map(([name, part]) => [name, part.toString('base64url')]);
      const jwe = { protected: header, ...Object.fromEntries(encoded) } as FlattenedJWE;
      expect(Buffer.from((await flattenedDecrypt(jwe, key)).plaintext).equals(file)).toBe(true);
    }
  });

  test('of a file decrypts nothing with a changed bit, a missing byte or an extra byte', async () => {
    const sealed = Buffer.concat([iv, ciphertext, tag]);
    const others = [sealed.subarray(1), sealed.subarray(0, -1), sealed.subarray(0, 47), Buffer.alloc(0)];
    others.push(Buffer.concat([sealed, Buffer.of(0)]));
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const other = Buffer.from(sealed);
      other[bit >> 3]! ^= 1 << (bit & 7);
      others.push(other);
    }
    for (const other of others) expect(await decrypt(key, additional, other)).toBeUndefined();
    expect(await decrypt(key, Buffer.from('another'), sealed)).toBeUndefined();
    await expect(decrypt(key.subarray(1), additional, sealed)).rejects.toThrow(RangeError);
    await expect(encrypt(key.subarray(1), additional, sealed)).rejects.toThrow(RangeError);
  });

  test('a sealed record is a JWE that another implementation opens, its key unwrapped by another of RFC 3394', async () => {
    const path = join(dir, 'by-the-book', 'master.json');
    const keys = await openKeys(fileKeys(path), 'sandbox');
    const { key, content } = partsOf((await keys.seal('a text that spans more than one block', CONTEXT)).sealed);
    const file = JSON.parse(await readFile(path, 'utf8')) as { versions: { key: string }[] };
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    const { subtle } = webcrypto;
    const master = await subtle.importKey('raw', bytes(file.versions[0]!.key), 'AES-KW', false, ['unwrapKey']);
    const hmac = { name: 'HMAC', hash: 'SHA-512' };
    const unwrapped = await subtle.unwrapKey('raw', bytes(key.wrapped), master, 'AES-KW', hmac, true, ['sign']);
    const contentKey = new Uint8Array(await subtle.exportKey('raw', unwrapped));
    expect(contentKey).toHaveLength(64);

    const context = JSON.stringify(Object.entries(CONTEXT).sort(([a], [b]) => (a < b ? -1 : 1)));
    const aad = Buffer.from(context).toString('base64url');
    const { plaintext, protectedHeader } = await flattenedDecrypt({ ...content, aad }, contentKey);
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256CBC-HS512', kid: '1' });
    expect(Buffer.from(plaintext).toString()).toBe('a text that spans more than one block');
  });
});

describe('blind indexes', () => {
  test('are the same for the same value, and differ by value, kind and deployment', async () => {
    const others = await openKeys(fileKeys(join(dir, 'c', 'master.json')), 'sandbox');
    const index = keys.blindIndex('user_email', 'ada@example.org');
    expect(index).toMatch(/^[\w-]{43}$/);
    expect(keys.blindIndex('user_email', 'ada@example.org')).toBe(index);
    expect(keys.blindIndex('user_email', 'bob@example.org')).not.toBe(index);
    expect(keys.blindIndex('account number', 'ada@example.org')).not.toBe(index);
    expect(others.blindIndex('user_email', 'ada@example.org')).not.toBe(index);
  });
});

describe('credentials', () => {
  test('an API key has its prefix, 43 digits of base 62 and a checksum of 6, and no two are alike', () => {
    const made = Array.from({ length: 500 }, () => newApiKey('sandbox'));
    expect(new Set(made).size).toBe(500);
    for (const key of made) {
      expect(key).toMatch(/^sk_test_[0-9A-Za-z]{49}$/);
      expect(shapeOf(key)).toEqual({ kind: 'api_key', environment: 'sandbox', intact: true });
    }
    expect(shapeOf(newApiKey('production'))).toEqual({ kind: 'api_key', environment: 'production', intact: true });
    const otherPrefix = newApiKey('sandbox').replace('sk_test_', 'sk_live_');
    expect(shapeOf(otherPrefix)).toEqual({ kind: 'api_key', environment: 'production', intact: false });
  });

  test('any wrong character, and any two swapped ones, are detected without the database', () => {
    fc.assert(
      fc.property(fc.nat(48), fc.nat(48), fc.constantFrom('0', 'a', 'Z', '_', '-', 'é', ' '), (at, other, wrong) => {
        const key = newApiKey('sandbox');
        const swap = (i: number) => (i === at + 8 ? key[other + 8]! : i === other + 8 ? key[at + 8]! : key[i]!);
        const typo = key.slice(0, at + 8) + wrong + key.slice(at + 9);
        const swapped = Array.from(key, (_, i) => swap(i)).join('');
        for (const given of [typo, swapped]) {
          expect(shapeOf(given)).toEqual({ kind: 'api_key', environment: 'sandbox', intact: given === key });
        }
      }),
    );
  });

  test('a token is recognised by its form, and stored only as a hash', () => {
    const token = newAccessToken();
    expect(shapeOf(token)).toEqual({ kind: 'access_token' });
    expect(hashOf({ keys }, token)).toMatch(/^[\w-]{43}$/);
    expect(hashOf({ keys }, token)).not.toBe(hash('sha256', token, 'base64url'));
    for (const other of ['', 'sk_', 'Bearer', newRefreshToken(), `${newAccessToken()}A`])
      expect([other, shapeOf(other).kind]).toEqual([other, 'unknown']);
  });
});

describe('password hashes', () => {
  const passwords = createPasswords({ concurrentHashes: 2, queuedHashes: 2 });

  test('are Argon2id with the recommended cost, salted', async () => {
    const [one, other] = await Promise.all([passwords.hash('correct'), passwords.hash('correct')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
  });

  test('match the same characters in any Unicode form, and nothing else', async () => {
    const hashed = await passwords.hash('zoe\u0308 has a long password');
    expect(await passwords.verify(hashed, 'zo\u00eb has a long password')).toBe(true);
    expect(await passwords.verify(hashed, 'zoe has a long password')).toBe(false);
    expect(await passwords.verifyDummy('zoe has a long password')).toBe(false);
  });

  test('beyond the queue requests are refused, and the queued ones are served', async () => {
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => passwords.hash('crowd')));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, false]);
    for (const result of results.slice(4)) expect(result).toHaveProperty('reason.code', 'dependency-unavailable');
    await expect(passwords.hash('later')).resolves.toContain('argon2id');
  });
});

test('common passwords are recognised', () => {
  for (const password of ['password1234', 'passwordpassword', '123456789012', 'qwertyuiop123', 'iloveyou1234'])
    expect([password, isCommonPassword(password)]).toEqual([password, true]);
  for (const password of ['seven green lanterns', '', '# passwords', 'constructor'])
    expect([password, isCommonPassword(password)]).toEqual([password, false]);
});
