import { X509Certificate as OpenSslCertificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { X509Certificate } from '@peculiar/x509';
import { parseItem, parseList, type InnerList, type Item } from 'structured-headers';
import { ConfigError, contentOf } from '../../../infra/config/settings.ts';
import { loadX509 } from '../../../infra/keys/pki.ts';
import { applicationsNamedIn } from '../../../infra/keys/vault-certificates.ts';
import type { TrustsProxy } from './proxies.ts';

const MOST_REMEMBERED = 1_000;

/** Only API keys of `applications` may use the certificate. Null stands for any application. */
export interface ClientCertificate {
  applications: readonly string[] | null;
}

/** The certificate is valid from `from` to `to`, in milliseconds since 1970. */
interface Known extends ClientCertificate {
  from: number;
  to: number;
}

/** RFC 5280, 4.2.1.12 */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/**
 * Finds a request's client certificate, which must be valid and lead to a CA in `caFile`. The certificate comes from
 * the TLS connection, or from a trusted proxy in `Client-Cert` (RFC 9440). `Client-Cert` from other senders is ignored.
 */
export function clientCertificates(
  caFile: string,
  trusts: TrustsProxy,
): (request: IncomingMessage) => Promise<ClientCertificate | undefined> {
  const authorities = readAuthorities(caFile);
  const verify = remembering(headerVerifier(authorities));
  return async (request) => {
    const { socket, headers } = request;
    const known = isTls(socket)
      ? ofConnection(socket)
      : trusts(socket.remoteAddress ?? '')
        ? await verify(headers)
        : null;
    return known !== null && known.from <= Date.now() && Date.now() <= known.to ? known : undefined;
  };
}

function readAuthorities(caFile: string): string {
  const text = contentOf('VAULT_CLIENT_CA', caFile);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new ConfigError(`VAULT_CLIENT_CA names ${caFile}, which contains no PEM certificate.`);
}

function isTls(socket: object): socket is TLSSocket {
  return 'encrypted' in socket;
}

const ofConnections = new WeakMap<TLSSocket, Known | null>();

/** Keeps the dates, because a connection can outlive its certificate. */
function ofConnection(socket: TLSSocket): Known | null {
  if (!socket.authorized) return null;
  let known = ofConnections.get(socket);
  if (known === undefined) {
    const certificate = socket.getPeerX509Certificate();
    known = certificate === undefined ? null : knownOf(certificate);
    ofConnections.set(socket, known);
  }
  return known;
}

/** Requires clientAuth by name, because OpenSSL also accepts a certificate without an extended key usage. */
function knownOf(certificate: OpenSslCertificate): Known | null {
  // Node stores the extended key usages as `keyUsage`.
  if (!(certificate.keyUsage as string[] | undefined)?.includes(CLIENT_AUTH)) return null;
  return {
    from: certificate.validFromDate.getTime(),
    to: certificate.validToDate.getTime(),
    applications: applicationsNamedIn(certificate),
  };
}

type Verifier = (leaf: string, chain: string) => Promise<Known | null>;

/** Each request still checks the certificate's dates. */
function remembering(verify: Verifier) {
  const known = new Map<string, Promise<Known | null>>();
  return async (headers: IncomingMessage['headers']): Promise<Known | null> => {
    const leaf = headers['client-cert'];
    const chain = headers['client-cert-chain'] ?? '';
    if (typeof leaf !== 'string' || typeof chain !== 'string') return null;
    const key = `${leaf}\n${chain}`;
    let found = known.get(key);
    if (found === undefined) {
      if (known.size >= MOST_REMEMBERED) known.clear();
      found = verify(leaf, chain);
      known.set(key, found);
      // A failure might pass, so only a certificate that we know stays.
      void found.then((certificate) => certificate ?? known.delete(key));
    }
    return found;
  };
}

function headerVerifier(authorities: string): Verifier {
  return async (leafHeader, chainHeader) => {
    const x509 = await loadX509();
    const trusted = x509.PemConverter.decode(authorities).map((bytes) => new x509.X509Certificate(bytes));
    try {
      // `Client-Cert` is a byte sequence, and `Client-Cert-Chain` a list of them (RFC 9440).
      const certificateIn = ([value]: Item | InnerList) => new x509.X509Certificate(bytesOf(value));
      const leaf = certificateIn(parseItem(leafHeader));
      const others = parseList(chainHeader).map(certificateIn);
      const chain = await new x509.X509ChainBuilder({ certificates: [...trusted, ...others] }).build(leaf);
      if (!isGoodChain(x509, chain, trusted)) return null;
      const known = knownOf(new OpenSslCertificate(new Uint8Array(leaf.rawData)));
      return known && { ...known, ...datesOf(chain) };
    } catch {
      return null;
    }
  };
}

function bytesOf(value: unknown): ArrayBuffer {
  if (value instanceof ArrayBuffer) return value;
  throw new TypeError('not a byte sequence');
}

type X509Library = Awaited<ReturnType<typeof loadX509>>;
type Chain = readonly X509Certificate[];

/** Other critical extensions are refused (RFC 5280, 4.2). */
const UNDERSTOOD = new Set(['2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.37']);
const NAME_CONSTRAINTS = '2.5.29.30';

/** See RFC 5280, 6.1. */
function isGoodChain(x509: X509Library, chain: Chain, trusted: Chain): boolean {
  const [leaf, ...issuers] = chain;
  const root = issuers.at(-1);
  if (leaf === undefined || root === undefined || !trusted.some((authority) => authority.equal(root))) return false;
  return (
    isSigned(chain) &&
    mayAuthenticate(x509, leaf) &&
    issuers.every((issuer, depth) => mayIssue(x509, issuer, depth)) &&
    chain.every((certificate) => isPlain(x509, certificate))
  );
}

/** OpenSSL checks the signatures, because the X.509 library accepts lax encodings. */
function isSigned(chain: Chain): boolean {
  const links = chain.map(({ rawData }) => new OpenSslCertificate(new Uint8Array(rawData)));
  return links.slice(0, -1).every((link, index) => {
    const issuer = links[index + 1]!;
    return link.checkIssued(issuer) && link.verify(issuer.publicKey);
  });
}

function mayAuthenticate(x509: X509Library, leaf: X509Certificate): boolean {
  const { digitalSignature, keyAgreement } = x509.KeyUsageFlags;
  const usage = leaf.getExtension(x509.KeyUsagesExtension)?.usages;
  return usage === undefined || (usage & (digitalSignature | keyAgreement)) !== 0;
}

/** `below` is the number of CAs between `issuer` and the client's certificate. */
function mayIssue(x509: X509Library, issuer: X509Certificate, below: number): boolean {
  const constraints = issuer.getExtension(x509.BasicConstraintsExtension);
  const usage = issuer.getExtension(x509.KeyUsagesExtension)?.usages;
  return (
    constraints?.ca === true &&
    below <= (constraints.pathLength ?? Infinity) &&
    (usage === undefined || (usage & x509.KeyUsageFlags.keyCertSign) !== 0)
  );
}

function isPlain(x509: X509Library, certificate: X509Certificate): boolean {
  const purposes = certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages;
  const { hash } = certificate.signatureAlgorithm as { hash?: { name: string } };
  return (
    (purposes === undefined || purposes.includes(x509.ExtendedKeyUsage.clientAuth)) &&
    hash?.name !== 'SHA-1' &&
    certificate.extensions.every(
      ({ type, critical }) => type !== NAME_CONSTRAINTS && (!critical || UNDERSTOOD.has(type)),
    )
  );
}

function datesOf(chain: Chain) {
  return {
    from: Math.max(...chain.map(({ notBefore }) => notBefore.getTime())),
    to: Math.min(...chain.map(({ notAfter }) => notAfter.getTime())),
  };
}
