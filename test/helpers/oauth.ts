import { createHash, randomBytes } from 'node:crypto';
import { authActivities } from '../../activities/auth.ts';
import type { Scope } from '../../domain/auth.ts';
import { textQuery } from './text-query.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { insertCode } from '../../infra/db/queries/sign-in.ts';
import { hashOf, newAuthorizationCode } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { TestAnswer, TestApi } from './api.ts';

const FORM = 'application/x-www-form-urlencoded';
export const REDIRECT_URI = 'https://app.example.org/callback?from=ringfence';
export const TOKEN = '/api/v1/auth/token';

export interface TestClient {
  clientId: string;
  /** Empty for a public client. */
  secret: string;
}

const SCOPES: readonly Scope[] = ['read:profile', 'write:debt', 'write:payments'];

export interface ClientParts {
  isPublic?: boolean;
  redirectUris?: readonly string[];
  scopes?: readonly Scope[];
  origins?: readonly string[];
}

export async function newClient(
  services: Services,
  { isPublic = false, redirectUris = [REDIRECT_URI], scopes = SCOPES, origins = [] }: ClientParts = {},
): Promise<TestClient> {
  const auth = authActivities(services);
  const { app_id } = await auth.createApplication({ name: 'Test' });
  const wanted = { app_id, name: 'A client', redirect_uris: redirectUris, scopes, origins, public: isPublic };
  const client = await auth.createClient(wanted);
  return { clientId: client.client_id, secret: client.client_secret ?? '' };
}

/** RFC 7636, 4.2. */
export function newPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export interface CodeParts {
  clientId: string;
  userId: string;
  redirectUri?: string;
  scopes?: readonly Scope[];
  challenge?: string | null;
  sessionHash?: string | null;
  /** In seconds. */
  livesS?: number;
}

export async function newCode(services: Services, parts: CodeParts): Promise<string> {
  const { clientId, userId, redirectUri = REDIRECT_URI, scopes = SCOPES, livesS = 60 } = parts;
  const { challenge = null, sessionHash = null } = parts;
  const code = newAuthorizationCode();
  const at = new Date();
  const expiresAt = new Date(at.getTime() + livesS * 1_000);
  await services.db.run(
    insertCode({
      code_hash: hashOf(services, code),
      client_id: clientId,
      user_id: userId,
      redirect_uri: redirectUri,
      scopes,
      code_challenge: challenge,
      session_hash: sessionHash,
      created_at: at.toISOString(),
      expires_at: expiresAt.toISOString(),
    }),
  );
  return code;
}

/** RFC 6749, 2.3.1: both parts are form-encoded first. */
export function basic({ clientId, secret }: TestClient): string {
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString('base64')}`;
}

/** A list of pairs can send a parameter twice. */
export function postForm(
  api: Pick<TestApi, 'post'>,
  path: string,
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  return api.post(path, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': FORM, ...headers },
  });
}

/** Exchanges a code for tokens, with the client's secret in the body. */
export const redeem = (
  api: Pick<TestApi, 'post'>,
  client: TestClient,
  code: string,
  more: Record<string, string> = {},
): Promise<TestAnswer> => postForm(api, TOKEN, { ...codeGrant(code), ...byPost(client), ...more });

export const byPost = ({ clientId, secret }: TestClient) => ({ client_id: clientId, client_secret: secret });
export const codeGrant = (code: string) => ({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI });

export function sqlOf({ db }: { db: Queries }) {
  const nameOf = (text: string) => `test.${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  return {
    run: (text: string, values: unknown[] = []) => db.run(textQuery(nameOf(text), text)(...values)),
    many: <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
      db.many(textQuery<Row>(nameOf(text), text)(...values)),
  };
}
