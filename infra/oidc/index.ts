import { HOUR_MS } from '../../domain/dates.ts';
import * as client from 'openid-client';
import { isSafe, openTransport } from './transport.ts';

export interface OidcProvider {
  identityProviderId: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export type SignInChecks = ReturnType<typeof newSignInChecks>;

export interface OidcIdentity {
  /** The provider's permanent id for the person. */
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
}

export type Oidc = ReturnType<typeof openOidc>;

/** `code` is for the log, and contains no personal data. */
export class OidcError extends Error {
  override readonly name = 'OidcError';
  /** `unavailable`: the provider cannot be used now. `refused`: the provider or the service's checks refused. */
  readonly kind: 'unavailable' | 'refused';
  readonly code: string;

  constructor(kind: OidcError['kind'], code: string) {
    super(`${kind}: ${code}`);
    this.kind = kind;
    this.code = code;
  }
}

const TIMEOUT_S = 10;

/** New random values for each sign-in. They bind the provider's redirect to the sign-in. */
export function newSignInChecks() {
  return {
    state: client.randomState(),
    nonce: client.randomNonce(),
    /** The code verifier of PKCE (RFC 7636). */
    verifier: client.randomPKCECodeVerifier(),
  };
}

export function openOidc({ caFile }: { caFile: string | undefined }) {
  const transport = openTransport(caFile);
  const found = new Map<string, { at: number; configuration: Promise<client.Configuration> }>();

  const configurationOf = (provider: OidcProvider): Promise<client.Configuration> => {
    const known = found.get(provider.identityProviderId);
    if (known && Date.now() - known.at < HOUR_MS) return known.configuration;
    const configuration = discover(provider, transport);
    found.set(provider.identityProviderId, { at: Date.now(), configuration });
    configuration.catch(() => found.delete(provider.identityProviderId));
    return configuration;
  };

  return {
    /** @throws OidcError */
    async authorizationUrl(provider: OidcProvider, redirectUri: string, { state, nonce, verifier }: SignInChecks) {
      const url = client.buildAuthorizationUrl(await configurationOf(provider), {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      if (!isSafe(url)) throw new OidcError('unavailable', 'AUTHORIZATION_ENDPOINT_UNSAFE');
      return url.href;
    },
    /** `answer` is the query of the provider's redirect back to the service. @throws OidcError */
    async identify(
      provider: OidcProvider,
      redirectUri: string,
      answer: Readonly<Record<string, string>>,
      checks: SignInChecks,
    ) {
      const configuration = await configurationOf(provider);
      return exchange(configuration, redirectUri, answer, checks).catch(rethrown);
    },
    close: () => transport.close(),
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcProvider, transport: ReturnType<typeof openTransport>) {
  const server = new URL(issuer);
  // Checks signatures of ID tokens, although the provider sends them over TLS.
  const execute = [client.enableNonRepudiationChecks];
  // Registration allows issuers without TLS only on this machine.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  if (server.protocol === 'http:') execute.push(client.allowInsecureRequests);
  try {
    return await client.discovery(server, clientId, {}, secretAs(clientSecret), {
      [client.customFetch]: transport.fetch,
      timeout: TIMEOUT_S,
      execute,
    });
  } catch (error) {
    throw new OidcError('unavailable', codeOf(error));
  }
}

/** HTTP Basic is the default (OpenID Connect Discovery 1.0, section 3). */
function secretAs(secret: string): client.ClientAuth {
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (server, ...rest) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
    (takesPost ? post : basic)(server, ...rest);
  };
}

async function exchange(
  configuration: client.Configuration,
  redirectUri: string,
  answer: Readonly<Record<string, string>>,
  { state, nonce, verifier }: SignInChecks,
): Promise<OidcIdentity> {
  const cameBackTo = new URL(redirectUri);
  cameBackTo.search = new URLSearchParams(answer).toString();
  const tokens = await client.authorizationCodeGrant(configuration, cameBackTo, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  // Some providers put the email address only into the UserInfo response.
  const hasEmail = claims.email !== undefined && claims.email_verified !== undefined;
  const person =
    hasEmail || configuration.serverMetadata().userinfo_endpoint === undefined
      ? claims
      : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return {
    subject: claims.sub,
    email: typeof person.email === 'string' ? person.email : undefined,
    emailVerified: person.email_verified === true,
  };
}

const OUT_OF_REACH = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);

function rethrown(error: unknown): never {
  const status = statusOf(error);
  const isAway =
    OUT_OF_REACH.has(codeOf(error)) ||
    (error instanceof TypeError && /fetch failed/.test(error.message)) ||
    status >= 500;
  throw new OidcError(isAway ? 'unavailable' : 'refused', codeOf(error) + answeredError(error));
}

/** The provider's messages can contain personal data, so the log gets only a code. */
function codeOf(error: unknown): string {
  const { code, name, cause } = error as { code?: unknown; name?: unknown; cause?: { code?: unknown } };
  const inner = typeof cause?.code === 'string' ? cause.code : undefined;
  return typeof code === 'string' ? code : (inner ?? String(name));
}

/** The error code of RFC 6749 that the provider sent, such as `invalid_client` for a wrong secret. */
function answeredError(error: unknown): string {
  const { error: answered } = error as { error?: unknown };
  return typeof answered === 'string' && /^[a-z_]{1,64}$/.test(answered) ? ` ${answered}` : '';
}

function statusOf(error: unknown): number {
  const { status, cause } = error as { status?: unknown; cause?: { status?: unknown } };
  const found = status ?? cause?.status;
  return typeof found === 'number' ? found : 0;
}
