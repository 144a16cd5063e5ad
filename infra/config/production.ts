import ipaddr from 'ipaddr.js';
import { isOwnMachine } from '../../domain/own-machine.ts';
import { SANDBOX_CONSENT } from './banks.ts';
import { memberOf } from './banks-file.ts';
import { certificateFaults, keyFaults } from './files.ts';
import type { SettingGroup } from './groups/index.ts';
import type { Config, ConfigOf, SettingReader } from './process-settings.ts';
import { ConfigError, type Environment } from './settings.ts';

const DEVELOPMENT_PASSWORDS = ['ringfence', 'ringfence_service'];

/** Members of a bank, whatever its API. */
const ADDRESSES = ['issuer', 'resource_url', 'jwks_url', 'auth_url', 'api_url'];
const CERTIFICATES = ['ca_file', 'transport_cert_file'];
const KEYS = ['transport_key_file', 'signing_key_file'];

interface Reading {
  reader: SettingReader;
  uses: ReadonlySet<SettingGroup>;
  env: Environment;
}

/** @throws ConfigError with all refusals, one per line. */
export function requireProduction(config: Partial<Config>, { reader, uses, env }: Reading): void {
  if (reader === 'sandbox-bank')
    throw new ConfigError(
      'In production RINGFENCE_ENV does not permit the sandbox bank, because it moves no real money. Set RINGFENCE_ENV to "sandbox" to start it.',
    );
  const found = Object.entries(REFUSALS).flatMap(([group, refusals]) =>
    uses.has(group as SettingGroup) ? [...refusals(config as Config)] : [],
  );
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    found.push('NODE_TLS_REJECT_UNAUTHORIZED must not be "0", because Node would then check no certificates.');
  if (found.length > 0) throw new ConfigError(found.map((refusal) => `In production ${refusal}`).join('\n'));
}

/** Each sentence begins with the setting's name. */
const REFUSALS: { [G in SettingGroup]?: (config: ConfigOf<G>) => Iterable<string> } = {
  *site({ api }) {
    if (!api.publicUrl.startsWith('https:'))
      yield `RINGFENCE_PUBLIC_URL must begin with https://, because it is the issuer of tokens, but is ${api.publicUrl}.`;
  },
  *api({ api }) {
    yield* certificateFaults('TLS_CERT', api.tls.cert);
    yield* keyFaults('TLS_KEY', api.tls.key);
    yield* certificateFaults('VAULT_CLIENT_CA', api.vaultClientCa);
    const everybody = api.proxied.trusted.find(trustsEverybody);
    if (everybody !== undefined)
      yield `RINGFENCE_TRUSTED_PROXIES must not contain ${everybody}, because any caller could then claim to have somebody else's address and certificate.`;
  },
  *database({ database }) {
    yield* databaseUrl('DATABASE_URL', database.url);
  },
  *migration({ database }) {
    if (database.migrationUrl !== undefined) yield* databaseUrl('DATABASE_MIGRATION_URL', database.migrationUrl);
  },
  *temporal({ temporal }) {
    const { address, tls, tlsClient, apiKey } = temporal;
    if (tlsClient !== undefined) {
      yield* certificateFaults('TEMPORAL_TLS_CERT', tlsClient.cert);
      yield* keyFaults('TEMPORAL_TLS_KEY', tlsClient.key);
    }
    if (temporal.tlsCa !== undefined) yield* certificateFaults('TEMPORAL_TLS_CA', temporal.tlsCa);
    if (isSameMachine(address.replace(/:\d+$/, ''))) return;
    if (!tls) yield `TEMPORAL_TLS must be "true", because ${address} is another machine.`;
    else if (tlsClient === undefined && apiKey === undefined)
      yield `TEMPORAL_TLS_CERT with TEMPORAL_TLS_KEY, or TEMPORAL_API_KEY, must be set, because otherwise anyone who can connect to Temporal could give work to the workers.`;
  },
  *bank({ bank: { entries, house }, stack }) {
    for (const entry of entries) {
      const named: Readonly<Partial<Record<string, unknown>>> = entry;
      const textOf = (member: string) => (typeof named[member] === 'string' ? [[member, named[member]] as const] : []);
      for (const [member, url] of ADDRESSES.flatMap(textOf)) {
        const { hostname, port } = new URL(url);
        if (isSameMachine(hostname) && Number(port) === stack.bankPort)
          yield `${memberOf(entry, member)} must not be ${url}, because that is the sandbox bank.`;
      }
      for (const [member, file] of CERTIFICATES.flatMap(textOf))
        yield* certificateFaults(memberOf(entry, member), file);
      for (const [member, file] of KEYS.flatMap(textOf)) yield* keyFaults(memberOf(entry, member), file);
    }
    if (house?.consentRef === SANDBOX_CONSENT)
      yield `BANK_CONSENT_ID must not be "${SANDBOX_CONSENT}", because that is the consent of the sandbox bank.`;
  },
  *keys({ keys }) {
    if (keys.service === 'transit' && !keys.transit.url.startsWith('https:'))
      yield `TRANSIT_URL must begin with https://, because keys would otherwise travel unencrypted, but is ${keys.transit.url}.`;
    if (keys.service === 'file') yield* keyFaults('MASTER_KEY_FILE', keys.masterKeyFile, { mayBeMissing: true });
  },
  *witness(config) {
    if (config.witness.folder === undefined)
      yield 'CHECKPOINTS must be set, because otherwise nobody would notice that the database was changed or is a restored backup.';
    // Other processes only read the folder.
    const signs = (config as Partial<Config>).worker?.loops.includes('witness') === true;
    yield* keyFaults('CHECKPOINT_KEY', config.witness.keyFile, { mayBeMissing: !signs });
  },
  *mail({ mail }) {
    if (mail.smtpUrl === undefined)
      yield `SMTP_URL must be set, because emails with secret links would otherwise stay in a folder, and nobody would receive them.`;
  },
  *paymentLimits({ paymentLimits: { payment, ownerPerDay, ownerCountPerDay, appCountPerDay } }) {
    if (payment === undefined)
      yield 'LIMIT_PAYMENT must be set, because otherwise a stolen key or sign-in could be used to pay out everything at once.';
    if (ownerPerDay === undefined)
      yield 'LIMIT_OWNER_PAYMENTS_PER_DAY must be set, because otherwise a stolen key or sign-in could be used to pay out everything in several payments.';
    if (ownerCountPerDay === undefined)
      yield 'LIMIT_OWNER_PAYMENT_COUNT_PER_DAY must be set, because otherwise one owner could keep the bank and everybody’s payments busy.';
    if (appCountPerDay === undefined)
      yield 'LIMIT_APP_PAYMENT_COUNT_PER_DAY must be set, because otherwise a stolen key could keep the bank and everybody’s payments busy.';
  },
  *credentials({ credentials }) {
    yield* certificateFaults('CREDENTIAL_PDF_CERT', credentials.pdfCertificate);
    yield* keyFaults('CREDENTIAL_PDF_KEY', credentials.pdfKey);
  },
};

function* databaseUrl(name: string, text: string): Iterable<string> {
  const url = new URL(text);
  const host = url.searchParams.getAll('host').at(-1) ?? decodeURIComponent(url.hostname);
  if (DEVELOPMENT_PASSWORDS.includes(decodeURIComponent(url.password)))
    yield `${name} must not have the password of the development database. Give the role a different password.`;
  if (!isSameMachine(host) && !verifiesServer(url))
    yield `${name} must end with ?sslmode=verify-full, because ${host || 'its host'} is another machine.`;
}

/** PostgreSQL's client uses the last value of a repeated parameter. */
function verifiesServer({ searchParams }: URL): boolean {
  return searchParams.getAll('sslmode').at(-1) === 'verify-full';
}

/** A loopback address or a Unix socket. */
function isSameMachine(host: string): boolean {
  return host.startsWith('/') || host === '::1' || isOwnMachine(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

const WIDEST = { ipv4: 8, ipv6: 7 };
const IPV4_IN_IPV6 = 96;

/** Wider than the largest private networks, 10.0.0.0/8 and fc00::/7. */
function trustsEverybody(network: string): boolean {
  const [address = '', bits] = network.split('/');
  const first = ipaddr.parse(address);
  if (first instanceof ipaddr.IPv4) return bits !== undefined && Number(bits) < WIDEST.ipv4;
  const length = Number(bits ?? 128);
  const mapped = ipaddr.IPv6.parse('::ffff:0:0').match(first, Math.min(length, IPV4_IN_IPV6));
  return length < (mapped ? IPV4_IN_IPV6 + WIDEST.ipv4 : WIDEST.ipv6);
}
