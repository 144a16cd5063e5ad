import { errors, Provider, type Context } from 'oidc-provider';
import type { JsonWebKey } from 'node:crypto';
import { cookieKey, permitLocalAddresses } from '../authorization.ts';
import type { Database } from '../database.ts';
import { adapterOver } from '../oidc-adapter.ts';
import { errorPage, sendPage } from '../page.ts';
import { reportFailure } from '../report.ts';
import type { TrueLayerConsents } from './consents.ts';
import { SCOPES, isProvider } from './providers.ts';
import type { Switches } from './switches.ts';

export interface AuthorizationServerSettings {
  issuer: string;
  /** Private. No token is signed with it, but the library wants one. */
  signingKey: JsonWebKey;
  client: { clientId: string; secret: string; redirectUri: string };
}

interface Books {
  db: Database;
  consents: TrueLayerConsents;
  switches: Switches;
}

const DAY_S = 86_400;
const TTL_S = {
  AccessToken: 3_600,
  AuthorizationCode: 300,
  // The consent ends earlier, by the bank's clock.
  Grant: 3_650 * DAY_S,
  Interaction: 1_800,
  // From its last use on, because it rotates.
  RefreshToken: 30 * DAY_S,
  Session: 1_800,
};
/** Keeps what this server stores apart from the bank's own server. */
const MODELS = 'truelayer ';
export const TOKEN_PATH = '/connect/token';

/** An authorization server for a client with a secret, with codes and PKCE. */
export function openAuthorizationServer(books: Books, settings: AuthorizationServerSettings): Provider {
  const { db, consents } = books;
  const { issuer, signingKey, client } = settings;
  const keep = adapterOver(db);
  const provider = new Provider(issuer, {
    adapter: (model: string) => keep(`${MODELS}${model}`),
    jwks: { keys: [signingKey] },
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.secret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [client.redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
        scope: SCOPES.join(' '),
        id_token_signed_response_alg: 'PS256',
      },
    ],
    clientAuthMethods: ['client_secret_post'],
    responseTypes: ['code'],
    scopes: [...SCOPES],
    routes: { authorization: '/', token: TOKEN_PATH },
    extraParams: {
      providers: null,
      provider_id(_context: Context, providerId: string | undefined) {
        if (providerId !== undefined && !isProvider(providerId))
          throw new errors.InvalidRequest('provider_id is not a provider of this client');
      },
    },
    pkce: { required: () => true },
    ttl: TTL_S,
    cookies: { keys: [cookieKey(db)] },
    enabledJWA: { idTokenSigningAlgValues: ['PS256'] },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
    },
    interactions: {
      url: (_context: Context, { uid }: { uid: string }) => `${new URL(issuer).pathname}/interaction/${uid}`,
    },
    expiresWithSession: () => false,
    rotateRefreshToken: () => true,
    loadExistingGrant({ oidc: { result, provider: library } }: Context) {
      const grantId = result?.consent?.grantId;
      return grantId === undefined ? undefined : library.Grant.find(grantId);
    },
    // No account means `invalid_grant`, for a code and for a refresh token.
    findAccount(_context: Context, accountId: string, token?: { grantId?: string }) {
      const isOver = token?.grantId !== undefined && consents.ofGrant(token.grantId)?.isOver !== false;
      return isOver ? undefined : { accountId, claims: () => ({ sub: accountId }) };
    },
    renderError({ res }: Context, { error, error_description: detail }: Record<string, string>) {
      sendPage(res, 400, errorPage(`${error}: ${detail ?? ''}`));
    },
  });
  permitLocalAddresses(provider);
  actAsTrueLayer(provider, books);
  provider.on('server_error', (_context, error) => reportFailure(error));
  return provider;
}

/** Where TrueLayer differs from what the library does. */
function actAsTrueLayer(provider: Provider, { db: { sql }, consents, switches }: Books): void {
  const dropOthers = sql.prepare('DELETE FROM authorizations WHERE model = ? AND grant_id = ? AND id <> ?');
  // So that it works once more, and only once.
  const revive = sql.prepare(`UPDATE authorizations
    SET payload = json_set(json_remove(payload, '$.consumed'), '$.revived', json('true'))
    WHERE model = ? AND id = ? AND json_extract(payload, '$.revived') IS NULL`);

  provider.on('access_token.saved', ({ jti, grantId = '' }) => {
    dropOthers.run(`${MODELS}AccessToken`, grantId, jti);
    consents.redeemed(grantId);
  });
  provider.use(async (context, next) => {
    await next();
    leaveOutIssuer(context);
    const { RotatedRefreshToken: rotated, Account: account } = context.oidc?.entities ?? {};
    if (rotated === undefined || account === undefined || context.status !== 200) return;
    if (!switches.spend(account.accountId, 'lost_refresh')) return;
    revive.run(`${MODELS}RefreshToken`, rotated.jti);
    context.req.socket.destroy();
  });
}

/** TrueLayer's answers do not name it. */
function leaveOutIssuer(context: Omit<Context, 'oidc'>): void {
  const to = URL.parse(context.response.get('location'));
  if (to?.searchParams.has('iss')) {
    to.searchParams.delete('iss');
    context.redirect(to.href);
  } else if (typeof context.body === 'string')
    context.body = context.body.replace(/<input type="hidden" name="iss"[^>]*>/, '');
}

/** Ends the access tokens of a customer. The client has to refresh. */
export function accessTokensIn({ sql }: Database) {
  const remove = sql.prepare(`DELETE FROM authorizations WHERE model = ?
    AND grant_id IN (SELECT grant_id FROM truelayer_consents WHERE owner_id = ?)`);
  return { end: (ownerId: string) => void remove.run(`${MODELS}AccessToken`, ownerId) };
}

/** Returns false if the link was opened before: each works once. */
export function linksIn({ sql }: Database) {
  const add = sql.prepare(`INSERT INTO authorizations VALUES (?, ?, '{}', ?, NULL, NULL) ON CONFLICT DO NOTHING`);
  return {
    open: (link: string): boolean => add.run(`${MODELS}Link`, link, Date.now() + DAY_S * 1000).changes > 0,
  };
}
