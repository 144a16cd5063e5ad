import { invalidInput } from '../domain/errors.ts';
import { isOwnerId, isPersonId } from '../domain/owners.ts';
import * as queries from '../infra/db/queries/reach.ts';
import type { Services } from '../infra/services.ts';
import { audit } from './audit.ts';
import { actorOf, ownerPrefixes, requireApplication, type Operated } from './auth/applications.ts';

type Needs = Pick<Services, 'db' | 'newId'> & Operated;

export async function showOwner({ db }: Pick<Services, 'db'>, { owner_id }: { owner_id: string }) {
  const row = await db.maybe(queries.ownerApplication(owner_id));
  return { owner_id, app_id: row?.app_id ?? null, bound_at: row?.bound_at ?? null };
}

interface OwnersAsked {
  app_id?: string | undefined;
  /** Leaves out people, who belong to no application. */
  unassigned: boolean;
  limit: number;
}

/** Newest first. Amounts are in pence. */
export async function listOwners({ db }: Pick<Services, 'db'>, { app_id, unassigned, limit }: OwnersAsked) {
  return { items: await db.many(queries.listOwners({ appId: app_id ?? null, unassigned, most: limit })) };
}

/** Pending payments of callers who thereby lose access are refused when they are due. */
export async function assignOwner(services: Needs, { owner_id, app_id }: { owner_id: string; app_id: string }) {
  const { db } = services;
  requireAssignable(owner_id);
  await requireApplication(services, app_id);
  const at = new Date();
  await db.transaction(async (tx) => {
    requirePrefixOf(app_id, owner_id, await ownerPrefixes(tx));
    const before = await tx.maybe(queries.ownerApplication(owner_id));
    await tx.run(queries.assignOwner({ owner_id, app_id, bound_at: at.toISOString() }));
    const data = { app_id, from: before?.app_id ?? null };
    await audit(tx, services, { subject: owner_id, kind: 'owner.assigned', actor: actorOf(services), data });
  });
  return { owner_id, app_id, bound_at: at.toISOString() };
}

function requireAssignable(ownerId: string): void {
  if (isPersonId(ownerId)) {
    throw invalidInput(
      '/owner_id',
      'A registered person cannot be assigned to an application. The person must grant access to the application instead.',
    );
  }
  if (!isOwnerId(ownerId))
    throw invalidInput('/owner_id', 'An owner id must have 1 to 128 printable characters, and must not be . or ..');
}

function requirePrefixOf(
  appId: string,
  ownerId: string,
  prefixes: readonly { app_id: string; owner_prefix: string }[],
): void {
  const own = prefixes.find(({ app_id }) => app_id === appId)?.owner_prefix;
  if (own !== undefined && !ownerId.startsWith(own)) {
    throw invalidInput('/app', `The application ${appId} can have only owners whose ids begin with ${own}.`);
  }
  const other = prefixes.find(({ app_id, owner_prefix }) => app_id !== appId && ownerId.startsWith(owner_prefix));
  if (other === undefined) return;
  throw invalidInput(
    '/app',
    `Owner ids that begin with ${other.owner_prefix} are reserved for the application ${other.app_id}.`,
  );
}
