import { randomBytes, type JsonWebKey, type X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { Provider, type Context } from 'oidc-provider';
import type { Consents } from './consents.ts';
import type { Database } from './database.ts';
import { adapterOver } from './oidc-adapter.ts';
import { errorPage, sendPage } from './page.ts';
import { reportFailure } from './report.ts';

export interface ClientRegistration {
  clientId: string;
  redirectUri: string;
  /** The public keys that verify the client's assertions and request objects. */
  keys: readonly JsonWebKey[];
  /** The subject of the client certificate, for the client that authenticates by TLS alone. */
  certificateSubject: string;
}

export interface AuthorizationSettings {
  issuer: string;
  /** Private, with its id. */
  signingKey: JsonWebKey;
  client: ClientRegistration;
}

const DAY_S = 86_400;
const TTL_S = {
  AccessToken: 300,
  AuthorizationCode: 60,
  ClientCredentials: 300,
  Grant: 3_650 * DAY_S,
  IdToken: 300,
  Interaction: 1_800,
  PushedAuthorizationRequest: 60,
  RefreshToken: 3_650 * DAY_S,
  Session: 1_800,
};
/** The claim of the ID token that names the consent. */
export const INTENT = 'openbanking_intent_id';
/** Strong customer authentication, as the standard names it. */
export const SCA = 'urn:openbanking:psd2:sca';
const PERMITTED = ['implicit-force-https', 'implicit-forbid-localhost'];

/** An authorization server by FAPI 1.0 Advanced, as UK Open Banking asks for. */
export function openAuthorization(db: Database, consents: Consents, settings: AuthorizationSettings): Provider {
  const { issuer, signingKey, client } = settings;
  const provider = new Provider(issuer, {
    adapter: adapterOver(db),
    jwks: { keys: [signingKey] },
    clients: clientsOf(client),
    clientAuthMethods: ['private_key_jwt', 'tls_client_auth'],
    responseTypes: ['code id_token'],
    scopes: ['openid', 'accounts', 'payments'],
    acrValues: [SCA],
    claims: { [INTENT]: null },
    ttl: TTL_S,
    cookies: { keys: [cookieKey(db)], names: { session: SESSION_COOKIE } },
    enabledJWA: {
      clientAuthSigningAlgValues: ['PS256'],
      idTokenSigningAlgValues: ['PS256'],
      requestObjectSigningAlgValues: ['PS256'],
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      claimsParameter: { enabled: true },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      requestObjects: { enabled: true, requireSignedRequestObject: true },
      fapi: { enabled: true, profile: '1.0 Final' },
      mTLS: {
        enabled: true,
        certificateBoundAccessTokens: true,
        tlsClientAuth: true,
        getCertificate: certificateOf,
        certificateAuthorized: ({ req: { socket } }: Context) => socket instanceof TLSSocket && socket.authorized,
        certificateSubjectMatches: (context: Context, property: string, expected: string) =>
          property === 'tls_client_auth_subject_dn' && subjectOf(certificateOf(context)) === expected,
      },
    },
    interactions: { url: (_context: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    expiresWithSession: () => false,
    rotateRefreshToken: () => true,
    // Each journey makes a grant of its own, so that one consent's tokens never serve another.
    loadExistingGrant({ oidc: { result, provider: library } }: Context) {
      const grantId = result?.consent?.grantId;
      return grantId === undefined ? undefined : library.Grant.find(grantId);
    },
    findAccount: ({ oidc }: Context, accountId: string) => ({
      accountId,
      claims() {
        const grant = oidc.entities.Grant ?? oidc.grant;
        const intent = grant === undefined ? undefined : consents.ofGrant(grant.jti)?.id;
        return { sub: accountId, [INTENT]: intent };
      },
    }),
    renderError({ res }: Context, { error, error_description: detail }: Record<string, string>) {
      sendPage(res, 400, errorPage(`${error}: ${detail ?? ''}`));
    },
  });
  permitLocalAddresses(provider);
  provider.on('server_error', (_context, error) => reportFailure(error));
  return provider;
}

export const SESSION_COOKIE = '_session';

function clientsOf({ clientId, redirectUri, keys, certificateSubject }: ClientRegistration) {
  const common = {
    redirect_uris: [redirectUri],
    response_types: ['code id_token'],
    grant_types: ['authorization_code', 'implicit', 'refresh_token', 'client_credentials'],
    scope: 'openid accounts payments',
    id_token_signed_response_alg: 'PS256',
    request_object_signing_alg: 'PS256',
    tls_client_certificate_bound_access_tokens: true,
    jwks: { keys },
  };
  return [
    {
      ...common,
      client_id: clientId,
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'PS256',
    },
    {
      ...common,
      client_id: `${clientId}-tls`,
      token_endpoint_auth_method: 'tls_client_auth',
      tls_client_auth_subject_dn: certificateSubject,
    },
  ];
}

/** A local client has an address that the library permits to no web application. */
export function permitLocalAddresses({ Client }: Provider): void {
  const { prototype } = Client.Schema;
  const invalidate = prototype.invalidate;
  prototype.invalidate = function (message, code) {
    if (code === undefined || !PERMITTED.includes(code)) invalidate.call(this, message, code);
  };
}

function certificateOf({ req: { socket } }: Context): X509Certificate | undefined {
  return socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
}

/** For `tls_client_auth_subject_dn`. Node writes one attribute a line, the most significant first. */
export function subjectOf(certificate: X509Certificate | undefined): string {
  return certificate?.subject.split('\n').reverse().join(',') ?? '';
}

export function cookieKey({ sql }: Database): string {
  sql
    .prepare("INSERT INTO settings VALUES ('cookie-key', ?) ON CONFLICT DO NOTHING")
    .run(randomBytes(32).toString('hex'));
  return (sql.prepare("SELECT value FROM settings WHERE name = 'cookie-key'").get() as { value: string }).value;
}
