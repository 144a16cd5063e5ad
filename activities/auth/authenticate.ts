import type { Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { principalOfKey, principalOfToken } from '../../infra/db/queries/auth.ts';
import { hashOf, shapeOf } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { limitsOf } from './api-keys.ts';
import { isGenuine } from '../macs.ts';
import { KEY_MACS } from './key-macs.ts';

type Needs = Pick<Services, 'db' | 'config' | 'keys' | 'keyUse' | 'metrics' | 'log'>;

/** Reads the credential's row each time, so a revocation takes effect immediately. */
export async function authenticate(services: Needs, { token }: { token: string }): Promise<Principal> {
  const { db, config, keyUse } = services;
  const shape = shapeOf(token);
  if (shape.kind === 'access_token') {
    const row = await db.maybe(principalOfToken({ token_hash: hashOf(services, token) }));
    if (row) {
      const { user_id: userId, family_id: familyId, client_id: clientId, scopes } = row;
      return { kind: 'user', userId, familyId, clientId, scopes };
    }
  }
  if (shape.kind === 'api_key') {
    if (shape.environment !== config.environment) throw wrongEnvironment(config.environment);
    const row = shape.intact ? await db.maybe(principalOfKey({ secret_hash: hashOf(services, token) })) : undefined;
    if (row?.environment === config.environment && (await isGenuine(services, KEY_MACS, row))) {
      const { key_id: keyId, app_id: appId, lineage, environment, scopes } = row;
      keyUse.add(keyId);
      const perMinute = row.per_minute ?? undefined;
      return { kind: 'api_key', keyId, appId, lineage, environment, scopes, incomeLimits: limitsOf(row), perMinute };
    }
  }
  throw new DomainError(
    'invalid-token',
    'The access token or API key is unknown, expired or revoked. Sign in again, or use another API key.',
  );
}

function wrongEnvironment(environment: 'sandbox' | 'production'): DomainError {
  const takes = environment === 'sandbox' ? 'sk_test_' : 'sk_live_';
  return new DomainError(
    'wrong-environment-key',
    `This is a ${environment} deployment. It accepts only API keys that begin with ${takes}. Use an API key that was issued for this environment.`,
  );
}
