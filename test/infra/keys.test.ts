import fc from 'fast-check';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../infra/config.ts';
import { isCommonPassword } from '../../infra/common-passwords.ts';
import { hashOf, newAccessToken, newApiKey, newRefreshToken, shapeOf } from '../../infra/keys/credentials.ts';
import { openKeys, type Keys } from '../../infra/keys/index.ts';
import { SealBrokenError } from '../../infra/keys/seal.ts';
import { createPasswords } from '../../infra/passwords.ts';

let dir: string;
let keys: Keys;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ringfence-keys-'));
  keys = await openKeys({ masterKeyFile: join(dir, 'a', 'master.json') }, 'sandbox');
});
afterAll(() => rm(dir, { recursive: true }));

const CONTEXT = { vault_ref: 'vault:user_email:1', pii_type: 'user_email', owner_id: 'usr_1' };

describe('the master key file', () => {
  const fresh = (name: string) => join(dir, name, 'master.json');

  test('is made once, however many start at the same time, and only its owner can read it', async () => {
    const path = fresh('race');
    const opened = await Promise.all(Array.from({ length: 20 }, () => openKeys({ masterKeyFile: path }, 'sandbox')));
    const { sealed } = await opened[0]!.seal('text', CONTEXT);
    for (const other of opened) {
      expect(await other.open(sealed, CONTEXT)).toBe('text');
      expect(other.blindIndex('k', 'v')).toBe(opened[0]!.blindIndex('k', 'v'));
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(dir, 'race'))).toEqual(['master.json']);
  });

  test('is never made in production; its absence is one clear sentence', async () => {
    const opening = openKeys({ masterKeyFile: fresh('absent') }, 'production');
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(/^MASTER_KEY_FILE names .*absent\/master\.json, which does not exist\./);
  });

  test.each(['', '{}', 'null', '{"format":"ringfence-master-keys/1","current":2,"versions":[{"version":1}]}'])(
    'that holds %j is refused without showing it',
    async (content) => {
      const path = join(dir, 'broken.json');
      await writeFile(path, content, { mode: 0o600 });
      await expect(openKeys({ masterKeyFile: path }, 'sandbox')).rejects.toThrow(
        /is not a master key file of this service/,
      );
    },
  );

  test('with a key of the wrong length is refused', async () => {
    const path = join(dir, 'short.json');
    const file = {
      format: 'ringfence-master-keys/1',
      current: 1,
      versions: [{ version: 1, key: 'AAAA' }],
      index_secret: 'AAAA',
    };
    await writeFile(path, JSON.stringify(file), { mode: 0o600 });
    await expect(openKeys({ masterKeyFile: path }, 'sandbox')).rejects.toThrow(/not 32 bytes long/);
  });

  test.each([0o604, 0o620, 0o666])('that others can reach (mode %o) is refused', async (mode) => {
    const path = fresh(`mode-${mode}`);
    await openKeys({ masterKeyFile: path }, 'sandbox');
    await chmod(path, mode);
    await expect(openKeys({ masterKeyFile: path }, 'sandbox')).rejects.toThrow(/run chmod 600/);
  });

  test('opens what an older master key sealed, and seals with the current one', async () => {
    const path = fresh('rotated');
    const before = await openKeys({ masterKeyFile: path }, 'sandbox');
    const old = await before.seal('old', CONTEXT);
    const file = JSON.parse(await readFile(path, 'utf8')) as {
      current: number;
      versions: { version: number; key: string }[];
    };
    file.versions.push({ version: 2, key: Buffer.alloc(32, 7).toString('base64url') });
    file.current = 2;
    await writeFile(path, JSON.stringify(file));
    const after = await openKeys({ masterKeyFile: path }, 'sandbox');
    expect(await after.open(old.sealed, CONTEXT)).toBe('old');
    expect((await after.seal('new', CONTEXT)).keyVersion).toBe(2);
    expect(after.blindIndex('k', 'v')).toBe(before.blindIndex('k', 'v'));
  });
});

describe('a sealed record', () => {
  test('opens to what was sealed, whatever it was and in whatever order the context is named', async () => {
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

  test('is a JWE with A256KW and A256CBC-HS512 that names its master key', async () => {
    const { sealed } = await keys.seal('text', CONTEXT);
    const { protected: header } = JSON.parse(sealed) as { protected: string };
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'A256KW',
      enc: 'A256CBC-HS512',
      kid: '1',
    });
  });

  test('has a content key and a vector of its own each time', async () => {
    const [one, other] = await Promise.all([keys.seal('text', CONTEXT), keys.seal('text', CONTEXT)]);
    const parts = [one, other].map(({ sealed }) => JSON.parse(sealed) as Record<string, string>);
    for (const part of ['encrypted_key', 'iv', 'ciphertext', 'tag']) expect(parts[0]![part]).not.toBe(parts[1]![part]);
  });

  test.each([
    ['another reference', { ...CONTEXT, vault_ref: 'vault:user_email:2' }],
    ['another type', { ...CONTEXT, pii_type: 'payee_bank' }],
    ['another owner', { ...CONTEXT, owner_id: 'usr_2' }],
    ['one member less', { vault_ref: CONTEXT.vault_ref, pii_type: CONTEXT.pii_type }],
    ['one member more', { ...CONTEXT, more: '' }],
    ['no context', {}],
  ])('does not open for %s', async (_name, context) => {
    const { sealed } = await keys.seal('text', CONTEXT);
    await expect(keys.open(sealed, context as Record<string, string>)).rejects.toThrow(SealBrokenError);
  });

  test.each(['protected', 'encrypted_key', 'iv', 'ciphertext', 'tag'])(
    'does not open with one bit of its %s changed',
    async (part) => {
      const { sealed } = await keys.seal('a text that spans more than one block', CONTEXT);
      const jwe = JSON.parse(sealed) as Record<string, string>;
      const bytes = Buffer.from(jwe[part]!, 'base64url');
      for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1;
        const tampered = JSON.stringify({ ...jwe, [part]: changed.toString('base64url') });
        await expect(keys.open(tampered, CONTEXT)).rejects.toThrow(SealBrokenError);
      }
    },
  );

  test.each(['', 'text', '{}', 'null', '{"protected":"e30"}'])('%j is none', async (text) => {
    await expect(keys.open(text, CONTEXT)).rejects.toThrow(SealBrokenError);
  });

  test('of another deployment does not open, and the error does not show what was in it', async () => {
    const others = await openKeys({ masterKeyFile: join(dir, 'b', 'master.json') }, 'sandbox');
    const { sealed } = await others.seal('very secret', CONTEXT);
    await expect(keys.open(sealed, CONTEXT)).rejects.toThrow(/changed, or belongs elsewhere/);
  });

  test('under a secret opens with that secret and context only, not with the master key', async () => {
    const secret = newRefreshToken();
    const sealed = await keys.sealUnder(secret, 'reply', CONTEXT);
    expect(await keys.openUnder(secret, sealed, CONTEXT)).toBe('reply');
    await expect(keys.openUnder(newRefreshToken(), sealed, CONTEXT)).rejects.toThrow(SealBrokenError);
    await expect(keys.openUnder(secret, sealed, { ...CONTEXT, owner_id: 'usr_2' })).rejects.toThrow(SealBrokenError);
    await expect(keys.open(sealed, CONTEXT)).rejects.toThrow(SealBrokenError);
    await expect(keys.openUnder(secret, (await keys.seal('x', CONTEXT)).sealed, CONTEXT)).rejects.toThrow(
      SealBrokenError,
    );
  });
});

describe('blind indexes', () => {
  test('are the same for the same value, and differ by value, kind and deployment', async () => {
    const others = await openKeys({ masterKeyFile: join(dir, 'c', 'master.json') }, 'sandbox');
    const index = keys.blindIndex('user_email', 'ada@example.org');
    expect(index).toMatch(/^[\w-]{43}$/);
    expect(keys.blindIndex('user_email', 'ada@example.org')).toBe(index);
    expect(keys.blindIndex('user_email', 'bob@example.org')).not.toBe(index);
    expect(keys.blindIndex('user_phone', 'ada@example.org')).not.toBe(index);
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
  });

  test('any one wrong character, and any two exchanged, are seen before anything is looked up', () => {
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

  test('a key with the other prefix is told apart by it, and is not intact', () => {
    const key = newApiKey('sandbox').replace('sk_test_', 'sk_live_');
    expect(shapeOf(key)).toEqual({ kind: 'api_key', environment: 'production', intact: false });
  });

  test.each(['', 'sk_', 'Bearer', newRefreshToken(), `${newAccessToken()}A`, 'x'.repeat(10_000)])(
    '%s is no credential of ours',
    (text) => {
      expect(shapeOf(text).kind).toBe('unknown');
    },
  );

  test('a token is known by its looks, and by its hash only', () => {
    const token = newAccessToken();
    expect(shapeOf(token)).toEqual({ kind: 'access_token' });
    expect(hashOf(token)).toMatch(/^[\w-]{43}$/);
    expect(hashOf(token)).not.toBe(hashOf(newAccessToken()));
  });
});

describe('password hashes', () => {
  const passwords = createPasswords({ concurrentHashes: 2, queuedHashes: 2 });

  test('are Argon2id with the recommended cost, salted', async () => {
    const [one, other] = await Promise.all([passwords.hash('correct'), passwords.hash('correct')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
  });

  test('match the same characters in any form, and nothing else', async () => {
    const hashed = await passwords.hash('zoe\u0308 has a long password');
    expect(await passwords.verify(hashed, 'zo\u00eb has a long password')).toBe(true);
    expect(await passwords.verify(hashed, 'zoe has a long password')).toBe(false);
    expect(await passwords.verifyDummy('zoe has a long password')).toBe(false);
  });

  test('beyond the queue one more is refused, and the rest is served', async () => {
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => passwords.hash('crowd')));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    for (const result of results.slice(4)) expect(result).toHaveProperty('reason.code', 'dependency-unavailable');
    await expect(passwords.hash('later')).resolves.toContain('argon2id');
  });
});

describe('common passwords', () => {
  test.each(['password1234', 'passwordpassword', '123456789012', 'qwertyuiop123', 'aaaaaaaaaaaa', 'iloveyou1234'])(
    '%s is one',
    (password) => {
      expect(isCommonPassword(password)).toBe(true);
    },
  );

  test.each(['seven green lanterns', '', '# passwords', 'constructor'])('%j is none', (password) => {
    expect(isCommonPassword(password)).toBe(false);
  });
});
