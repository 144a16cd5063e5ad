import { DAY_MS } from '../../domain/dates.ts';
import type { IncomeLimits, Scope } from '../../domain/auth.ts';
import { DomainError, invalidInput } from '../../domain/errors.ts';
import * as queries from '../../infra/db/queries/auth.ts';
import type { KeyRow } from '../../infra/db/queries/auth.ts';
import type { MacedKey } from '../../infra/db/queries/macs.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf, newApiKey } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { fits, macColumns } from '../macs.ts';
import { KEY_MACS } from './key-macs.ts';
import { actorOf, checkName, requireApplication, type Operated } from './applications.ts';

type Needs = Pick<Services, 'db' | 'newId' | 'config' | 'keys'> & Operated;
type Database = Pick<Services, 'db' | 'newId'> & Operated;

interface IssuedKey {
  key_id: string;
  /** The secret key, of which the service stores a hash. */
  key: string;
}

const MOST_OVERLAP_DAYS = 7;

interface NewKey {
  app_id: string;
  scopes: readonly Scope[];
  /**
   * Limits on the income that the key asserts, in pence per calendar month. Production requires limits for the scope
   * `assert:income`.
   */
  income_limits?: IncomeLimits | undefined;
  /** Requests per minute. By default, the deployment's limit applies. */
  per_minute?: number | undefined;
  name?: string | undefined;
}

export async function issueApiKey(services: Needs, given: NewKey): Promise<IssuedKey> {
  const { app_id, scopes, income_limits, per_minute, name } = given;
  requireIncomeLimits(services.config.environment, scopes, income_limits);
  await requireApplication(services, app_id);
  return services.db.transaction(async (tx) => {
    const issued = await writeKey(tx, services, {
      app_id,
      scopes,
      income_per_owner: income_limits?.perOwner ?? null,
      income_per_month: income_limits?.perMonth ?? null,
      per_minute: per_minute ?? null,
      name: name === undefined ? null : checkName(name),
    });
    await audit(tx, services, {
      subject: issued.key_id,
      kind: 'key.issued',
      actor: actorOf(services),
      data: { app_id, scopes, ...(income_limits && { income_limits }), ...(per_minute && { per_minute }) },
    });
    return issued;
  });
}

/** Newest first. Without `app_id`, lists the keys of all applications. */
export async function listApiKeys({ db }: Pick<Services, 'db'>, { app_id }: { app_id?: string }) {
  const now = Date.now();
  const rows = await db.many(queries.listKeys(app_id));
  return { items: rows.map((row) => ({ ...row, status: statusOf(row, now) })) };
}

/** The old key works for `overlap_days` more (0 to 7). For idempotency, both keys count as one caller. */
export async function rotateApiKey(
  services: Needs,
  { key_id, overlap_days }: { key_id: string; overlap_days: number },
): Promise<IssuedKey & { replaces: string; old_key_ends_at: string }> {
  const { db } = services;
  if (!Number.isInteger(overlap_days) || overlap_days < 0 || overlap_days > MOST_OVERLAP_DAYS) {
    throw invalidInput('/overlap_days', `The overlap must be a whole number of days from 0 to ${MOST_OVERLAP_DAYS}.`);
  }
  const at = new Date();
  const endsAt = new Date(at.getTime() + overlap_days * DAY_MS);
  return db.transaction(async (tx) => {
    const old = await requireKey(tx, key_id);
    const status = statusOf(old, at.getTime());
    if (status !== 'active')
      throw invalidInput('/key_id', `The key ${key_id} is ${status}. You can rotate only an active key.`);
    // A new row would make what somebody wrote into the old row genuine.
    if (!(await fits(services.keys, KEY_MACS, old))) throw changedKey(key_id);
    const { app_id, scopes, lineage, income_per_owner, income_per_month, per_minute, name } = old;
    const terms = { app_id, scopes, lineage, income_per_owner, income_per_month, per_minute, name };
    const issued = await writeKey(tx, services, terms);
    const expires_at = endsAt.toISOString();
    await tx.run(
      queries.expireKey(key_id, { expires_at, ...(await macColumns(services.keys, KEY_MACS, { ...old, expires_at })) }),
    );
    const data = { replaced_by: issued.key_id, ends_at: expires_at };
    await audit(tx, services, { subject: key_id, kind: 'key.rotated', actor: actorOf(services), data });
    await audit(tx, services, {
      subject: issued.key_id,
      kind: 'key.issued',
      actor: actorOf(services),
      data: { replaces: key_id },
    });
    return { ...issued, replaces: key_id, old_key_ends_at: expires_at };
  });
}

export async function revokeApiKey(services: Database, { key_id }: { key_id: string }) {
  const at = new Date();
  return services.db.transaction(async (tx) => {
    const key = await requireKey(tx, key_id);
    if (key.revoked_at !== null) return { key_id, revoked_at: key.revoked_at };
    await tx.run(queries.revokeKey(key_id, at));
    await audit(tx, services, { subject: key_id, kind: 'key.revoked', actor: actorOf(services), data: {} });
    return { key_id, revoked_at: at.toISOString() };
  });
}

/** A new key has its own id as its lineage. */
type KeyTerms = Pick<KeyRow, 'app_id' | 'scopes' | 'income_per_owner' | 'income_per_month' | 'per_minute' | 'name'> &
  Partial<Pick<KeyRow, 'lineage'>>;

async function writeKey(tx: Tx, services: Omit<Needs, 'db'>, terms: KeyTerms): Promise<IssuedKey> {
  const { newId, config } = services;
  const key_id = newId('key');
  const secret = newApiKey(config.environment);
  const row = {
    key_id,
    ...terms,
    lineage: terms.lineage ?? key_id,
    secret_hash: hashOf(services, secret),
    environment: config.environment,
    created_at: new Date().toISOString(),
    expires_at: null,
  };
  await tx.run(queries.insertKey({ ...row, ...(await macColumns(services.keys, KEY_MACS, row)) }));
  return { key_id, key: secret };
}

function requireIncomeLimits(
  environment: 'sandbox' | 'production',
  scopes: readonly Scope[],
  limits: IncomeLimits | undefined,
): void {
  const asserts = scopes.includes('assert:income');
  if (limits !== undefined && !asserts) {
    throw invalidInput('/income_limits', 'Only a key with the scope assert:income can have income limits.');
  }
  if (limits === undefined && asserts && environment === 'production') {
    throw invalidInput(
      '/income_limits',
      'In production, a key with the scope assert:income must have income limits. Set --income-per-owner and --income-per-month, in pence a month.',
    );
  }
}

export function limitsOf({
  income_per_owner,
  income_per_month,
}: Pick<KeyRow, 'income_per_owner' | 'income_per_month'>): IncomeLimits | undefined {
  if (income_per_owner === null || income_per_month === null) return undefined;
  return { perOwner: income_per_owner, perMonth: income_per_month };
}

async function requireKey(tx: Tx, keyId: string): Promise<KeyRow & MacedKey> {
  const key = await tx.maybe(queries.lockKey(keyId));
  if (key) return key;
  throw new DomainError('not-found', `There is no key ${keyId}. The command "key list" shows all keys.`);
}

function changedKey(keyId: string): DomainError {
  return invalidInput(
    '/key_id',
    `Something other than the service changed the row of the key ${keyId}. Revoke the key, and issue another.`,
  );
}

type KeyStatus = 'active' | 'disabled' | 'ending' | 'expired' | 'revoked';

/** `disabled`: since a backup was restored, until an operator confirms the key. */
function statusOf({ revoked_at, disabled_at, expires_at }: KeyRow, now: number): KeyStatus {
  if (revoked_at !== null) return 'revoked';
  if (disabled_at !== null) return 'disabled';
  if (expires_at === null) return 'active';
  return new Date(expires_at).getTime() > now ? 'ending' : 'expired';
}
