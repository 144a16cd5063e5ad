import { DAY_MS } from '../../domain/dates.ts';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEVELOPMENT, KEY_MARK } from '../config/development.ts';

const CA_DAYS = 3_650;
/** Apple systems refuse server certificates that are valid for longer. */
const LEAF_DAYS = 825;
const RENEW_BEFORE_DAYS = 30;

const RSA_KEY = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

type Purpose = 'authority' | 'server' | 'client' | 'signing' | 'documents';

/** A key and its certificate. `file` has no extension. */
interface Wanted {
  file: string;
  commonName: string;
  purpose: Purpose;
}

const LEAVES: readonly Wanted[] = [
  { file: 'server', commonName: 'localhost', purpose: 'server' },
  { file: 'bank-client', commonName: 'ringfence', purpose: 'client' },
  { file: 'bank-signing', commonName: 'ringfence', purpose: 'signing' },
  { file: 'bank-server-signing', commonName: 'sandbox-bank', purpose: 'signing' },
  { file: 'credential-signing', commonName: 'Ringfence local credentials', purpose: 'documents' },
];

export interface Pair {
  key: KeyObject;
  certificate: X509Certificate;
}

/**
 * Creates missing keys and certificates, and a client secret. Renews certificates that expire within 30 days or have
 * another issuer. Safe to interrupt and repeat. Without `authority`, marks the files as made for development, which
 * production refuses.
 */
export async function ensurePki(dir: string, { authority }: { authority?: string } = {}): Promise<void> {
  await mkdir(dir, { recursive: true });
  const ensure = (wanted: Wanted, issuer?: Pair) => ensurePair(dir, authority === undefined, wanted, issuer);
  // Vault clients have their own CA, so no other local certificate gives access to the vault.
  const [ca, vaultClients] = await Promise.all([
    ensure({ file: 'ca', commonName: authority ?? 'Ringfence local CA', purpose: 'authority' }),
    ensure({ file: 'vault-client-ca', commonName: 'Ringfence local vault clients', purpose: 'authority' }),
  ]);
  await Promise.all([
    ensure({ file: 'vault-client', commonName: 'ringfence', purpose: 'client' }, vaultClients),
    ...LEAVES.map((leaf) => ensure(leaf, ca)),
    ensureSecret(join(dir, 'truelayer-client-secret')),
  ]);
}

/** Of a client that has no certificate: one line. */
async function ensureSecret(file: string): Promise<void> {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known.trim() === '') await writeAtomically(file, `${randomBytes(32).toString('base64url')}\n`, 0o600);
}

/** Without an issuer, the certificate is self-signed. */
async function ensurePair(dir: string, development: boolean, { file, commonName, purpose }: Wanted, issuer?: Pair) {
  const { key: known, certificate } = await readPair(dir, file);
  if (known && certificate && lives(certificate) && (!issuer || isIssuedBy(certificate, issuer.certificate)))
    return { key: known, certificate };
  // The key first: a key without a certificate can be repaired, but not a certificate without its key.
  const key = known ?? newKey(purpose);
  if (!known) await writeKey(join(dir, `${file}.key`), key, development);
  const days = issuer ? LEAF_DAYS : CA_DAYS;
  const pem = await issue({ commonName, development, days, key, issuer, purpose });
  const chain = issuer && purpose === 'documents' ? `${pem}${issuer.certificate.toString()}` : pem;
  await writeAtomically(join(dir, `${file}.crt`), chain, 0o644);
  return { key, certificate: new X509Certificate(pem) };
}

/** Ignores a certificate of another key. */
async function readPair(dir: string, file: string): Promise<Partial<Pair>> {
  const [key, certificate] = await Promise.all([
    readFile(join(dir, `${file}.key`))
      .then(createPrivateKey)
      .catch(() => undefined),
    readFile(join(dir, `${file}.crt`))
      .then((pem) => new X509Certificate(pem))
      .catch(() => undefined),
  ]);
  if (key === undefined) return {};
  return certificate?.checkPrivateKey(key) === true ? { key, certificate } : { key };
}

/** Compares the CA's name too, because a re-created CA might have the same key under another name. */
function isIssuedBy(certificate: X509Certificate, ca: X509Certificate): boolean {
  return certificate.issuer === ca.subject && certificate.verify(ca.publicKey);
}

function lives(certificate: X509Certificate): boolean {
  return certificate.validToDate.getTime() - Date.now() > RENEW_BEFORE_DAYS * DAY_MS;
}

/** RSA for signing bank messages, EC P-256 for everything else. */
export function newKey(purpose: Purpose): KeyObject {
  if (purpose === 'signing') return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

async function writeKey(file: string, key: KeyObject, development: boolean): Promise<void> {
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  await writeAtomically(file, development ? `# ${KEY_MARK}\n${pem}` : pem, 0o600);
}

async function writeAtomically(file: string, content: string, mode: number): Promise<void> {
  const temporary = `${file}.${process.pid}.new`;
  await writeFile(temporary, content, { mode, flush: true });
  await rename(temporary, file);
}

interface Order {
  commonName: string;
  development?: boolean;
  /** A URI in the subject alternative name. */
  uri?: string;
  days: number;
  key: KeyObject;
  /** Undefined for a self-signed certificate. */
  issuer: Pair | undefined;
  purpose: Purpose;
}

/** Returns PEM. @throws RangeError if the issuer's key is neither RSA nor EC on a NIST curve. */
export async function issue(order: Order): Promise<string> {
  const { commonName, development = false, uri, days, key, issuer, purpose } = order;
  const x509 = await loadX509();
  const publicKey = publicKeyOf(key);
  const signer = issuer?.key ?? key;
  const now = Date.now();
  const subject = development ? `O=${DEVELOPMENT}, CN=${commonName}` : `CN=${commonName}`;
  const certificate = await x509.X509CertificateGenerator.create({
    // A serial number must be positive and have at most 20 octets (RFC 5280, 4.1.2.2).
    serialNumber: `40${randomBytes(15).toString('hex')}`,
    subject,
    issuer: issuer === undefined ? subject : new x509.X509Certificate(issuer.certificate.raw).subjectName,
    // An hour ago, for clients whose clock is slow.
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now - 3_600_000 + days * DAY_MS),
    signingAlgorithm: algorithmOf(signer),
    publicKey,
    signingKey: signer.toCryptoKey(algorithmOf(signer), false, ['sign']),
    extensions: [
      ...extensionsFor(x509, purpose),
      ...(uri === undefined ? [] : [new x509.SubjectAlternativeNameExtension([{ type: 'url', value: uri }])]),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(publicKeyOf(signer)),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

function extensionsFor(x509: X509Library, purpose: Purpose) {
  const { KeyUsageFlags, KeyUsagesExtension, BasicConstraintsExtension, ExtendedKeyUsageExtension, ExtendedKeyUsage } =
    x509;
  if (purpose === 'authority') {
    return [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ];
  }
  const usages =
    purpose === 'documents'
      ? new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation, true)
      : new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true);
  const common = [new BasicConstraintsExtension(false, undefined, true), usages];
  if (purpose === 'signing' || purpose === 'documents') return common;
  if (purpose === 'client') return [...common, new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])];
  const names = new x509.SubjectAlternativeNameExtension([
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
    { type: 'ip', value: '::1' },
  ]);
  return [...common, new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]), names];
}

function publicKeyOf(key: KeyObject) {
  return createPublicKey(key).toCryptoKey(algorithmOf(key), true, ['verify']);
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject) {
  if (type === 'rsa') return RSA_KEY;
  const namedCurve = type === 'ec' ? CURVES[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (namedCurve === undefined) throw new RangeError('the key is neither RSA nor EC on a NIST curve');
  return { name: 'ECDSA', namedCurve, hash: 'SHA-256' };
}

type X509Library = typeof import('@peculiar/x509');

/** Loads the library on use, because the import takes 200 ms. */
export async function loadX509(): Promise<X509Library> {
  // The library's import requires the Reflect metadata API, but never reads stored metadata.
  const reflect = Reflect as unknown as Record<string, unknown>;
  for (const name of ['getMetadata', 'getOwnMetadata', 'defineMetadata']) reflect[name] ??= () => undefined;
  return import('@peculiar/x509');
}
