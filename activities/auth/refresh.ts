import { judgeRefresh, LOST_REPLY_SECONDS, narrowedScopes, type Scope } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { forgetSpent, lockRefresh, rotateRefresh, type RefreshRow } from '../../infra/db/queries/auth.ts';
import { endFamilies } from '../../infra/db/queries/sign-in.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import { openUnder, sealUnder } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';
import type { TokenSet } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { issueTokens } from './tokens.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

type Needs = Pick<Services, 'newId' | 'keys'>;

interface RefreshGiven {
  token: string;
  /** Undefined if no OAuth client sent the token. */
  clientId: string | undefined;
  /** The requested scopes, separated by spaces. If undefined, the access token gets all granted scopes. */
  scope?: string;
}

/**
 * If a refresh token is used again within 30 seconds of its first use, the caller gets the same new tokens again. So a
 * lost response or a second tab signs nobody out. Later use, or use by another OAuth client, ends all tokens of the sign-in.
 */
export async function refreshTokens(
  services: Needs & Pick<Services, 'db'>,
  { refresh_token: token, client_id: clientId }: { refresh_token: string; client_id?: string },
): Promise<TokenSet> {
  const tokens = await services.db.transaction((tx) => exchangeRefreshToken(tx, services, { token, clientId }));
  if (tokens) return tokens;
  throw new DomainError(
    'invalid-refresh-token',
    'The refresh token is unknown, expired, revoked or already used. Sign in again.',
  );
}

/** Returns undefined for a refused token. An error would roll back the end of the family. */
export async function exchangeRefreshToken(
  tx: Tx,
  services: Needs,
  given: RefreshGiven,
): Promise<TokenSet | undefined> {
  const now = new Date();
  const row = await tx.maybe(lockRefresh(hashOf(services, given.token)));
  if (!row) return undefined;
  switch (judgeRefresh(row, given.clientId, now)) {
    case 'rotate':
      return rotate(tx, services, row, given.token, { now, narrowedTo: narrowing(given, row) });
    case 'replay':
      narrowing(given, row);
      return replay(row, given.token);
    case 'end':
      await endReused(tx, services, row, now);
      return undefined;
    case 'refuse':
      return undefined;
  }
}

function narrowing({ scope }: RefreshGiven, { scopes }: RefreshRow): Scope[] | undefined {
  return scope === undefined ? undefined : narrowedScopes(scope, scopes);
}

async function rotate(
  tx: Tx,
  services: Needs,
  row: RefreshRow,
  token: string,
  { now, narrowedTo }: { now: Date; narrowedTo: Scope[] | undefined },
): Promise<TokenSet> {
  const { family_id: familyId, scopes } = row;
  const family = { familyId, familyExpiresAt: new Date(row.family_expires_at), scopes, narrowedTo };
  const tokens = await issueTokens(tx, services, family, now);
  const sealed = await sealUnder(token, JSON.stringify(tokens), successorContext(row));
  await tx.run(rotateRefresh(hashOf(services, token), { at: now, successor_sealed: sealed }));
  const repliesBefore = new Date(now.getTime() - LOST_REPLY_SECONDS * 1_000);
  await tx.run(forgetSpent(familyId, { at: now, repliesBefore }));
  return tokens;
}

async function replay(row: RefreshRow, token: string): Promise<TokenSet | undefined> {
  if (row.successor_sealed === null) return undefined;
  return JSON.parse(await openUnder(token, row.successor_sealed, successorContext(row))) as TokenSet;
}

async function endReused(
  tx: Tx,
  services: Needs,
  { family_id: familyId, user_id: userId }: RefreshRow,
  now: Date,
): Promise<void> {
  await tx.run(endFamilies({ family_id: familyId }, now, 'reused'));
  const data = { family_id: familyId };
  await audit(tx, services, { subject: userId, kind: 'refresh-token.reused', actor: 'anonymous', data });
}

function successorContext({ family_id: familyId }: RefreshRow): Record<string, string> {
  return { use: SEAL_USES.successor, family_id: familyId };
}
