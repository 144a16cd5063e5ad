import { hasOwnersScope, LOGIN_SCOPES, type Principal, type Scope } from '../domain/auth.ts';
import { DomainError, type ErrorCode } from '../domain/errors.ts';
import { isPersonId, isServiceId, otherOwner, ownerOfAnother, unknownOwner } from '../domain/owners.ts';
import type { Queries } from '../infra/db/connection.ts';
import type { LockedPayment } from '../infra/db/queries/payments.ts';
import * as queries from '../infra/db/queries/reach.ts';
import { accountDisabled, isDisabled } from './auth/enabled.ts';
import { KEY_MACS } from './auth/key-macs.ts';
import { isGenuine, type Authentic } from './macs.ts';
import type { Tx } from '../infra/db/transaction.ts';

interface Needs {
  db: Queries;
}

/** A simulation counts as reading. */
export type Doing = 'reads' | 'writes';

/**
 * An owner whom the service does not know yet. The first write creates the owner, and binds the owner to the
 * application `appId` unless `appId` is null.
 */
export interface NewOwner {
  ownerId: string;
  appId: string | null;
}

export type ResourceKind = keyof typeof queries.resourceReach;

interface AccessRequest {
  principal: Principal;
  /** The caller needs at least one of these scopes. */
  scopes: readonly Scope[];
}

/**
 * A user may act for themselves. A key may act for its application's owners, and for people who granted the application
 * one of the scopes. A key with access to all owners may act for any owner, but only reads the data of a disabled person.
 * @returns the owner to create, if the service does not know the owner yet. Another request may be creating the same
 * owner.
 */
export async function requireOwner(
  { db }: Needs,
  { principal, ownerId, scopes, doing }: AccessRequest & { ownerId: string; doing: Doing },
): Promise<NewOwner | undefined> {
  if (principal.kind === 'user') {
    if (principal.userId === ownerId) return undefined;
    throw otherOwner();
  }
  const isForAll = hasOwnersScope(principal);
  if (isForAll && doing === 'reads') return undefined;
  if (isForAll) await requireNotDisabled(db, ownerId);
  const caller = { owner_id: ownerId, app_id: principal.appId, scopes: grantable(scopes) };
  const { reach } = await db.one(queries.ownerReach(caller));
  const isNew = reach === 'new' || reach === 'reserved';
  if (isNew && isServiceId(ownerId)) {
    if (doing === 'writes') throw unknownOwner();
    if (isPersonId(ownerId)) throw ownerOfAnother();
  }
  if (!isForAll && (reach === 'beyond' || reach === 'reserved')) throw ownerOfAnother();
  return isNew ? { ownerId, appId: isForAll ? null : principal.appId } : undefined;
}

/** Throws the same error whether the resource does not exist or the caller may not use the resource. */
export async function requireResource(
  { db }: Needs,
  { principal, kind, id, scopes }: AccessRequest & { kind: ResourceKind; id: string },
): Promise<void> {
  const isForAll = hasOwnersScope(principal);
  const app = principal.kind === 'user' || isForAll ? null : principal.appId;
  const caller = { id, app_id: app, scopes: app === null ? null : grantable(scopes) };
  const row = await db.maybe(queries.resourceReach[kind](caller));
  if (row && isWithin(principal, row)) {
    if (isForAll && !scopes.every((scope) => scope.startsWith('read:'))) await requireNotDisabled(db, row.owner_id);
    return;
  }
  const code = UNKNOWN[kind] ?? 'not-found';
  throw new DomainError(code, `There is no ${kind === 'plan' ? 'debt plan' : kind} with this id.`);
}

const UNKNOWN: Readonly<Partial<Record<ResourceKind, ErrorCode>>> = {
  allocation: 'unknown-allocation',
  transaction: 'unknown-transaction',
};

/** Applications without access to all owners have lost their grants already. */
async function requireNotDisabled(db: Queries, ownerId: string): Promise<void> {
  if (isPersonId(ownerId) && (await isDisabled(db, ownerId))) throw accountDisabled();
}

export async function bindOwner(tx: Tx, owner: NewOwner | undefined): Promise<void> {
  if (owner === undefined) return;
  const { app_id } = await tx.one(queries.bindOwner(owner.ownerId, owner.appId));
  if (owner.appId !== null && app_id !== owner.appId) throw ownerOfAnother();
}

/** Whether the caller who ordered the payment's current attempt may still act for the owner. */
export async function attemptInReach(
  { owner, payment_id, attempt }: LockedPayment,
  services: Authentic,
): Promise<boolean> {
  return mayPay(services, await owner.tx.maybe(queries.attemptInReach(payment_id, attempt)));
}

/** Whether the person, client or key that set the entry of a standing split may still pay for the owner. */
export async function entryInReach(tx: Tx, services: Authentic, entryId: string): Promise<boolean> {
  return mayPay(services, await tx.maybe(queries.entryInReach(entryId)));
}

async function mayPay(services: Authentic, found: queries.MayPay | undefined): Promise<boolean> {
  if (found === undefined || found.within) return found !== undefined;
  const readAt = performance.now();
  for (const key of found.keys) if (await isGenuine(services, KEY_MACS, key, readAt)) return true;
  return false;
}

/** Null if the caller may use all vault records. */
export function recordsOf(principal: Principal): string | null {
  // No application has a user's id, so a user can use no records.
  if (principal.kind === 'user') return principal.userId;
  return hasOwnersScope(principal) ? null : principal.appId;
}

function isWithin(principal: Principal, { owner_id, reach }: queries.ResourceRow): boolean {
  if (principal.kind === 'user') return principal.userId === owner_id;
  return hasOwnersScope(principal) || reach === 'within';
}

/** A person must have granted at least one of these scopes. If the list is empty, any grant is enough. */
function grantable(scopes: readonly Scope[]): string {
  return scopes
    .filter((scope) => LOGIN_SCOPES.includes(scope))
    .flatMap((scope) => [scope, scope.replace(/^read:/, 'write:')])
    .join();
}
