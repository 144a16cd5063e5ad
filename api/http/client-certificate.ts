import { X509Certificate as OpenSslCertificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { X509Certificate } from '@peculiar/x509';
import { parseItem, parseList, type BareItem } from 'structured-headers';
import { ConfigError, contentOf } from '../../infra/config/settings.ts';
import { loadX509 } from '../../infra/keys/pki.ts';
import { applicationsNamedIn } from '../../infra/keys/vault-certificates.ts';
import { isProxied, type TrustsProxy } from './proxies.ts';

/** For how long what was found out about a certificate is taken as given, where it does not expire before. */
const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 1_000;

/** A valid client certificate. `applications` are those whose keys may use it; null allows all. */
export interface ClientCertificate {
  applications: readonly string[] | null;
}

/** What is known of a certificate for clients; it counts from `from` to `to`, in milliseconds since 1970. */
interface Known extends ClientCertificate {
  from: number;
  to: number;
}

/** The extended key usage clientAuth (RFC 5280, 4.2.1.12). */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/**
 * Gives the client certificate that a request shows, if an authority of the file signed it for clients, and it is good now. By TLS
 * that is the connection's own; by the plain listener what a trusted proxy says in `Client-Cert` (RFC 9440), which is verified
 * here. From anybody else the header counts for nothing.
 * @throws ConfigError when the file cannot be read, or holds no certificate.
 */
export function clientCertificates(
  caFile: string,
  trusts: TrustsProxy,
): (request: IncomingMessage) => Promise<ClientCertificate | undefined> {
  const authorities = readAuthorities(caFile);
  const verify = remembering(headerVerifier(authorities));
  return async (request) => {
    const { socket } = request;
    const known = isTls(socket)
      ? ofConnection(socket)
      : isProxied(request, trusts)
        ? await verify(request.headers)
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

/** OpenSSL has verified the chain at the handshake; a connection may live, or be resumed, for longer than its certificate. */
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

/** Null for a certificate that is not made for clients. OpenSSL takes one that names no purpose at all; this does not. */
function knownOf(certificate: OpenSslCertificate): Known | null {
  // Node names the extended key usages so; it gives nothing where there are none.
  if (!(certificate.keyUsage as string[] | undefined)?.includes(CLIENT_AUTH)) return null;
  return {
    from: certificate.validFromDate.getTime(),
    to: certificate.validToDate.getTime(),
    applications: applicationsNamedIn(certificate),
  };
}

/** What is known of a certificate with those above it; null for one that does not count. */
type Verifier = (leaf: string, chain: string) => Promise<Known | null>;

/** Keeps each answer for a minute at most, and never beyond the certificate's end. */
function remembering(verify: Verifier) {
  const known = new Map<string, { is: Promise<Known | null>; askAgainAt: number }>();
  return async (headers: IncomingMessage['headers']): Promise<Known | null> => {
    const leaf = headers['client-cert'];
    const chain = headers['client-cert-chain'] ?? '';
    if (typeof leaf !== 'string' || typeof chain !== 'string') return null;
    const now = Date.now();
    const key = `${leaf}\n${chain}`;
    let found = known.get(key);
    if (found === undefined || found.askAgainAt <= now) {
      if (known.size >= MOST_REMEMBERED) known.clear();
      found = { is: verify(leaf, chain), askAgainAt: now + REMEMBERED_MS };
      known.set(key, found);
    }
    return found.is;
  };
}

function headerVerifier(authorities: string): Verifier {
  let loaded: Promise<{ x509: X509Library; trusted: X509Certificate[] }> | undefined;
  const load = async () => {
    const x509 = await loadX509();
    const trusted = x509.PemConverter.decode(authorities).map((bytes) => new x509.X509Certificate(bytes));
    return { x509, trusted };
  };
  return async (leafHeader, chainHeader) => {
    const { x509, trusted } = await (loaded ??= load());
    try {
      const leaf = new x509.X509Certificate(certificateIn(leafHeader));
      const others = certificatesIn(chainHeader).map((bytes) => new x509.X509Certificate(bytes));
      const chain = await new x509.X509ChainBuilder({ certificates: [...trusted, ...others] }).build(leaf);
      if (!isGoodChain(x509, chain, trusted)) return null;
      const known = knownOf(new OpenSslCertificate(new Uint8Array(leaf.rawData)));
      return known && { ...known, to: endOf(chain) };
    } catch {
      // Not a structured field, not a certificate, or an unknown chain: none of these is a known client.
      return null;
    }
  };
}

/** `Client-Cert` is one byte sequence (RFC 9440, 2.2). @throws when it is anything else. */
function certificateIn(header: string): ArrayBuffer {
  return bytesOf(parseItem(header)[0]);
}

/** `Client-Cert-Chain` is a list of byte sequences (RFC 9440, 2.3). @throws when it is anything else. */
function certificatesIn(header: string): ArrayBuffer[] {
  return parseList(header).map(([value]) => bytesOf(value));
}

function bytesOf(value: BareItem): ArrayBuffer {
  if (value instanceof ArrayBuffer) return value;
  throw new TypeError('not a byte sequence');
}

type X509Library = Awaited<ReturnType<typeof loadX509>>;
type Chain = readonly X509Certificate[];

/** RFC 5280, 4.2: the extensions that this check understands. A certificate with another critical extension is refused. */
const UNDERSTOOD = new Set(['2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.37']);
const NAME_CONSTRAINTS = '2.5.29.30';

/** RFC 5280, 6.1, as OpenSSL holds it for clients. */
function isGoodChain(x509: X509Library, chain: Chain, trusted: Chain): boolean {
  const [leaf, ...issuers] = chain;
  const root = issuers.at(-1);
  if (leaf === undefined || root === undefined || !trusted.some((authority) => authority.equal(root))) return false;
  return (
    isSigned(chain) &&
    mayAuthenticate(x509, leaf) &&
    issuers.every((issuer, place) => mayIssue(x509, issuer, place)) &&
    chain.every((certificate) => isPlain(x509, certificate))
  );
}

/** Each by the next, byte for byte: the library that finds the way is lenient in how certificates are encoded, OpenSSL is not. */
function isSigned(chain: Chain): boolean {
  const links = chain.map(({ rawData }) => new OpenSslCertificate(new Uint8Array(rawData)));
  return links.slice(0, -1).every((link, place) => {
    const issuer = links[place + 1]!;
    return link.checkIssued(issuer) && link.verify(issuer.publicKey);
  });
}

/** With a key that may authenticate. */
function mayAuthenticate(x509: X509Library, leaf: X509Certificate): boolean {
  const { digitalSignature, keyAgreement } = x509.KeyUsageFlags;
  const usage = leaf.getExtension(x509.KeyUsagesExtension)?.usages;
  return usage === undefined || (usage & (digitalSignature | keyAgreement)) !== 0;
}

/** An authority, below which there may be `below` more of them. */
function mayIssue(x509: X509Library, issuer: X509Certificate, below: number): boolean {
  const constraints = issuer.getExtension(x509.BasicConstraintsExtension);
  const usage = issuer.getExtension(x509.KeyUsagesExtension)?.usages;
  return (
    constraints?.ca === true &&
    below <= (constraints.pathLength ?? Infinity) &&
    (usage === undefined || (usage & x509.KeyUsageFlags.keyCertSign) !== 0)
  );
}

/** Begun, made for clients where it names purposes, and signed and extended in ways that are understood here. */
function isPlain(x509: X509Library, certificate: X509Certificate): boolean {
  const purposes = certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages;
  const { hash } = certificate.signatureAlgorithm as { hash?: { name: string } };
  return (
    certificate.notBefore.getTime() <= Date.now() &&
    (purposes === undefined || purposes.includes(x509.ExtendedKeyUsage.clientAuth)) &&
    hash?.name !== 'SHA-1' &&
    certificate.extensions.every(
      ({ type, critical }) => type !== NAME_CONSTRAINTS && (!critical || UNDERSTOOD.has(type)),
    )
  );
}

/** When the first of them expires. */
function endOf(chain: Chain): number {
  return Math.min(...chain.map(({ notAfter }) => notAfter.getTime()));
}
