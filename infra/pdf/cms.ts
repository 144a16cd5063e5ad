import { createPrivateKey, hash, webcrypto, type X509Certificate } from 'node:crypto';
import * as asn1 from 'asn1js';
import * as pkijs from 'pkijs';
import { certificatesIn } from '../keys/certificates.ts';

/** PEM texts: the signing certificate with its chain, and its key (PKCS#8, EC P-256 or RSA). */
export interface SigningPair {
  certificate: string;
  key: string;
}

const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
/** ESS signing-certificate-v2 (RFC 5035), which binds the signature to its certificate. */
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const HASH = 'SHA-256';
const ALGORITHMS = {
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: HASH },
  rsa: { name: 'RSASSA-PKCS1-v1_5', hash: HASH },
} as const;

/** Signs bytes for PAdES (ETSI EN 319 142-1, level B-B). Returns a detached CMS SignedData in DER. */
export async function signDetached(bytes: Uint8Array, signing: SigningPair): Promise<Buffer> {
  const engine = new pkijs.CryptoEngine({ name: 'node', crypto: webcrypto });
  const chain = certificatesOf(signing.certificate);
  const certificate = chain[0]!;
  const attributes = inOrder([
    attribute(CONTENT_TYPE, new asn1.ObjectIdentifier({ value: pkijs.id_ContentType_Data })),
    attribute(MESSAGE_DIGEST, octets(hash('sha256', bytes, 'buffer'))),
    attribute(SIGNING_CERTIFICATE_V2, signingCertificate(certificate)),
  ]);
  const signed = new pkijs.SignedData({
    version: 1,
    encapContentInfo: new pkijs.EncapsulatedContentInfo({ eContentType: pkijs.id_ContentType_Data }),
    certificates: chain.map((one) => pkijs.Certificate.fromBER(one.raw)),
    signerInfos: [
      new pkijs.SignerInfo({
        version: 1,
        sid: issuerAndSerial(certificate),
        signedAttrs: new pkijs.SignedAndUnsignedAttributes({ type: 0, attributes }),
      }),
    ],
  });
  await signed.sign(await keyOf(signing.key, certificate), 0, HASH, undefined, engine);
  const content = signed.toSchema(true) as asn1.Sequence;
  const cms = new pkijs.ContentInfo({ contentType: pkijs.ContentInfo.SIGNED_DATA, content });
  return Buffer.from(cms.toSchema().toBER());
}

export function certificatesOf(pem: string): X509Certificate[] {
  const certificates = certificatesIn(pem);
  if (certificates.length === 0) throw new Error('the certificate that signs credentials has no PEM block');
  return certificates;
}

async function keyOf(pem: string, certificate: X509Certificate): Promise<webcrypto.CryptoKey> {
  const key = createPrivateKey(pem);
  if (!certificate.checkPrivateKey(key))
    throw new Error('the key that signs credentials does not match its certificate');
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const isP256 = type === 'ec' && details?.namedCurve === 'prime256v1';
  if (!isP256 && type !== 'rsa') throw new Error('the key that signs credentials must be EC P-256 or RSA');
  const der = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }));
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHMS[type], false, ['sign']);
}

/** Omits the hash algorithm, because SHA-256 is the default. */
function signingCertificate(certificate: X509Certificate): asn1.Sequence {
  const { issuer, serialNumber } = issuerAndSerial(certificate);
  const directoryName = new asn1.Constructed({
    idBlock: { tagClass: 3, tagNumber: 4 },
    value: [issuer.toSchema()],
  });
  const issuerSerial = sequence([sequence([directoryName]), serialNumber]);
  return sequence([sequence([sequence([octets(hash('sha256', certificate.raw, 'buffer')), issuerSerial])])]);
}

function issuerAndSerial(certificate: X509Certificate): pkijs.IssuerAndSerialNumber {
  const { issuer, serialNumber } = pkijs.Certificate.fromBER(certificate.raw);
  return new pkijs.IssuerAndSerialNumber({ issuer, serialNumber });
}

function attribute(type: string, value: asn1.BaseBlock): pkijs.Attribute {
  return new pkijs.Attribute({ type, values: [value] });
}

/** DER requires sorted sets. */
function inOrder(attributes: pkijs.Attribute[]): pkijs.Attribute[] {
  const encoded = (one: pkijs.Attribute) => Buffer.from(one.toSchema().toBER());
  return attributes.toSorted((a, b) => Buffer.compare(encoded(a), encoded(b)));
}

function sequence(value: asn1.BaseBlock[]): asn1.Sequence {
  return new asn1.Sequence({ value: value });
}

function octets(bytes: Buffer): asn1.OctetString {
  return new asn1.OctetString({ valueHex: new Uint8Array(bytes).buffer });
}
