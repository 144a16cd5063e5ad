import { randomBytes, webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Extension, KeyUsageFlags, X509Certificate } from '@peculiar/x509';
import { loadX509 } from '../../infra/keys/pki.ts';
import { testEnvironment } from './environment.ts';

type X509Library = Awaited<ReturnType<typeof loadX509>>;

export interface Certified {
  certificate: X509Certificate;
  keys: webcrypto.CryptoKeyPair;
}

/** By default, a client certificate that is valid for a day. */
interface Wanted {
  name?: string;
  /** Without an issuer, the certificate is self-signed. */
  by?: Certified;
  /** In seconds from now. */
  from?: number;
  to?: number;
  /** Null omits the extension. */
  purposes?: readonly string[] | null;
  /** Null omits the extension. */
  usage?: KeyUsageFlags | null;
  /** `below` is the path length constraint. */
  authority?: boolean | { below: number };
  hash?: 'SHA-1' | 'SHA-256' | 'SHA-384';
  algorithm?: 'ECDSA' | 'RSASSA-PKCS1-v1_5' | 'Ed25519';
  extensions?: readonly Extension[];
}

const SECOND_MS = 1_000;
const DAY_S = 86_400;

export async function certify(wanted: Wanted = {}): Promise<Certified> {
  const x509 = await loadX509();
  const { name = 'client', from = -60, to = DAY_S, hash = 'SHA-256', by } = wanted;
  const keys = await newKeys(wanted.algorithm ?? 'ECDSA');
  const signer = by ?? { keys };
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: `40${randomBytes(15).toString('hex')}`,
    subject: `CN=${name}`,
    issuer: by?.certificate.subject ?? `CN=${name}`,
    notBefore: new Date(Date.now() + from * SECOND_MS),
    notAfter: new Date(Date.now() + to * SECOND_MS),
    publicKey: keys.publicKey,
    signingKey: signer.keys.privateKey,
    signingAlgorithm: { ...signer.keys.privateKey.algorithm, hash } as never,
    extensions: extensionsOf(x509, wanted),
  });
  return { certificate, keys };
}

function extensionsOf(x509: X509Library, wanted: Wanted): Extension[] {
  const { authority = false, extensions = [] } = wanted;
  const { keyCertSign, digitalSignature } = x509.KeyUsageFlags;
  const { usage = authority === false ? digitalSignature : keyCertSign } = wanted;
  const { purposes = authority === false ? [x509.ExtendedKeyUsage.clientAuth] : null } = wanted;
  const below = typeof authority === 'object' ? authority.below : undefined;
  return [
    new x509.BasicConstraintsExtension(authority !== false, below, true),
    ...(usage === null ? [] : [new x509.KeyUsagesExtension(usage, true)]),
    ...(purposes === null ? [] : [new x509.ExtendedKeyUsageExtension([...purposes])]),
    ...extensions,
  ];
}

async function newKeys(algorithm: NonNullable<Wanted['algorithm']>): Promise<webcrypto.CryptoKeyPair> {
  const parameters =
    algorithm === 'ECDSA'
      ? { name: algorithm, namedCurve: 'P-256' }
      : algorithm === 'Ed25519'
        ? { name: algorithm }
        : { name: algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
  return (await webcrypto.subtle.generateKey(parameters, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

export async function asTls({ certificate, keys }: Certified, above: readonly Certified[] = []) {
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: [certificate, ...above.map((other) => other.certificate)].map((each) => each.toString('pem')).join('\n'),
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`,
  };
}

/** RFC 9440: the headers in which a proxy forwards a certificate. */
export function asHeaders({ certificate }: Certified, above: readonly Certified[] = []): Record<string, string> {
  const bytesOf = (each: X509Certificate) => `:${Buffer.from(each.rawData).toString('base64')}:`;
  const chain = above.map((other) => bytesOf(other.certificate)).join(', ');
  return { 'client-cert': bytesOf(certificate), ...(chain !== '' && { 'client-cert-chain': chain }) };
}

/** Reads a certificate that `ensurePki` made. `file` has no extension. */
export async function localCertificate(file: string): Promise<Certified> {
  const x509 = await loadX509();
  const path = join(testEnvironment().dir, 'pki', file);
  const [cert, key] = await Promise.all([readFile(`${path}.crt`, 'utf8'), readFile(`${path}.key`, 'utf8')]);
  const certificate = new x509.X509Certificate(cert);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const bytes = x509.PemConverter.decodeFirst(key);
  const privateKey = await webcrypto.subtle.importKey('pkcs8', bytes, algorithm, true, ['sign']);
  const publicKey = await certificate.publicKey.export(algorithm, ['verify'], webcrypto as never);
  return { certificate, keys: { privateKey, publicKey } };
}

export async function untilItEnds({ certificate }: Certified): Promise<void> {
  await sleep(certificate.notAfter.getTime() + 1_000 - Date.now());
}
