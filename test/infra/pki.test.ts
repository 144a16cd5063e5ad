import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { ensurePki, issue, loadX509 } from '../../infra/keys/pki.ts';

const LEAVES = ['server', 'vault-client', 'bank-client', 'bank-signing', 'bank-server-signing', 'credential-signing'];
const DAY_MS = 86_400_000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ringfence-pki-'));
});
afterEach(async () => {
  mock.timers.reset();
  await rm(dir, { recursive: true });
});

const certificate = async (name: string) => new X509Certificate(await readFile(join(dir, `${name}.crt`)));
const authorityOf = (name: string) => certificate(name === 'vault-client' ? 'vault-client-ca' : 'ca');
const everything = async () =>
  Object.fromEntries(
    await Promise.all((await readdir(dir)).map(async (name) => [name, await readFile(join(dir, name), 'utf8')])),
  );

describe('ensurePki', () => {
  it('makes two authorities, and certificates signed by them, each for its key', async () => {
    await ensurePki(dir);
    for (const name of LEAVES) {
      const [leaf, ca] = [await certificate(name), await authorityOf(name)];
      expect(ca.ca).toBe(true);
      expect(leaf.ca).toBe(false);
      expect(leaf.verify(ca.publicKey)).toBe(true);
      expect(leaf.checkPrivateKey(createPrivateKey(await readFile(join(dir, `${name}.key`))))).toBe(true);
      expect(leaf.validToDate.getTime() - leaf.validFromDate.getTime()).toBeLessThanOrEqual(825 * DAY_MS);
    }
    expect((await certificate('server')).subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect((await certificate('bank-client')).subject).toBe('O=Ringfence development\nCN=ringfence');
  });

  it('protects every private key from other users, and changes nothing if everything is in place', async () => {
    await ensurePki(dir);
    for (const name of (await readdir(dir)).filter((file) => file.endsWith('.key')))
      expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    const before = await everything();
    await ensurePki(dir);
    expect(await everything()).toEqual(before);
  });

  it('renews certificates less than 30 days before they expire, for the same keys', async () => {
    await ensurePki(dir);
    const before = await everything();
    mock.timers.enable({ apis: ['Date'], now: Date.now() + (825 - 29) * DAY_MS });
    await ensurePki(dir);
    const after = await everything();
    for (const name of LEAVES) {
      expect(after[`${name}.key`]).toBe(before[`${name}.key`]);
      expect(after[`${name}.crt`]).not.toBe(before[`${name}.crt`]);
    }
    for (const name of ['ca.crt', 'vault-client-ca.crt']) expect(after[name]).toBe(before[name]);
  });

  it('repairs an interrupted run: a key without its certificate, a broken file, another CA', async () => {
    await ensurePki(dir);
    for (const file of ['ca.crt', 'ca.key', 'server.crt']) await rm(join(dir, file));
    await writeFile(join(dir, 'vault-client.crt'), 'broken');
    await ensurePki(dir);
    for (const name of LEAVES) expect((await certificate(name)).verify((await authorityOf(name)).publicKey)).toBe(true);
  });

  it('reissues the vault clients’ certificate if the main CA had signed it', async () => {
    await ensurePki(dir);
    const read = async (file: string) => createPrivateKey(await readFile(join(dir, file)));
    const key = await read('vault-client.key');
    const issuer = { key: await read('ca.key'), certificate: await certificate('ca') };
    const ofBefore = await issue({ commonName: 'ringfence', days: 825, key, issuer, purpose: 'client' });
    await writeFile(join(dir, 'vault-client.crt'), ofBefore);
    for (const file of ['vault-client-ca.crt', 'vault-client-ca.key']) await rm(join(dir, file));
    await ensurePki(dir);
    const now = await certificate('vault-client');
    expect(now.verify((await certificate('ca')).publicKey)).toBe(false);
    expect(now.verify((await certificate('vault-client-ca')).publicKey)).toBe(true);
    expect(now.checkPrivateKey(key)).toBe(true);
  });

  it('reissues certificates of another authority, even with the same key', async () => {
    await ensurePki(dir, { authority: 'Another' });
    const before = await everything();
    await rm(join(dir, 'ca.crt'));
    await ensurePki(dir);
    const after = await everything();
    expect(after['ca.key']).toBe(before['ca.key']);
    for (const name of LEAVES) expect((await certificate(name)).checkIssued(await authorityOf(name))).toBe(true);
  });

  it("makes a key for signing documents, with the CA's certificate after its own", async () => {
    await ensurePki(dir);
    const x509 = await loadX509();
    const pem = await readFile(join(dir, 'credential-signing.crt'), 'utf8');
    const [own, above, ...more] = pem.split(/(?=-----BEGIN)/).map((block) => new X509Certificate(block));
    expect(own!.verify(above!.publicKey)).toBe(true);
    expect(above!.raw).toEqual((await certificate('ca')).raw);
    expect(more).toEqual([]);
    const { usages } = new x509.X509Certificate(own!.raw).getExtension(x509.KeyUsagesExtension)!;
    expect(usages).toBe(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.nonRepudiation);
  });
});
