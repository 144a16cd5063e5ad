import { DomainError, invalidInput } from '../../domain/errors.ts';
import { requireOwnerPrefix } from '../../domain/owners.ts';
import { foldText, isReadable } from '../../domain/text.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { Application } from '../../infra/db/entities/auth.ts';
import * as queries from '../../infra/db/queries/auth.ts';
import type { Row } from '../../infra/db/tables.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';

type Needs = Pick<Services, 'db' | 'newId'> & Operated;

export const OPERATOR = 'operator';

/** Who runs an operator command, such as `operator:ada`. */
export interface Operated {
  operator?: string | undefined;
}

/** The actor in the audit log. */
export function actorOf({ operator = OPERATOR }: Operated): string {
  return operator;
}

/** `owner_prefix` reserves the owner ids with this prefix for the application. */
export async function createApplication(
  services: Needs,
  { name, owner_prefix: prefix = null }: { name: string; owner_prefix?: string | null },
): Promise<{ app_id: string }> {
  const { db } = services;
  const appId = services.newId('app');
  const at = new Date();
  await db.transaction(async (tx) => {
    if (prefix !== null) {
      await tx.run(queries.lockApplications());
      const taken = await ownerPrefixes(tx);
      requireOwnerPrefix(
        prefix,
        taken.map(({ owner_prefix }) => owner_prefix),
      );
    }
    const application = { app_id: appId, name: checkName(name), created_at: at.toISOString(), owner_prefix: prefix };
    await tx.run(queries.insertApplication(application));
    const data = prefix === null ? {} : { owner_prefix: prefix };
    await audit(tx, services, { subject: appId, kind: 'application.created', actor: actorOf(services), data });
  });
  return { app_id: appId };
}

export async function listApplications({ db }: Pick<Services, 'db'>): Promise<{ items: Row<'applications'>[] }> {
  const found = await db.entities().findAll(Application, { orderBy: { createdAt: 'desc', appId: 'desc' } });
  const items = found.map(({ appId, name, createdAt, ownerPrefix }) => {
    return { app_id: appId, name, created_at: createdAt, owner_prefix: ownerPrefix ?? null };
  });
  return { items };
}

export function ownerPrefixes(db: Queries): Promise<{ app_id: string; owner_prefix: string }[]> {
  return db.many(queries.ownerPrefixes());
}

export async function requireApplication({ db }: Pick<Services, 'db'>, appId: string): Promise<void> {
  if ((await db.entities().count(Application, { appId })) > 0) return;
  throw new DomainError(
    'not-found',
    `There is no application ${appId}. The command "app list" shows all applications.`,
  );
}

export function checkName(name: string, most = 128): string {
  const folded = foldText(name);
  if (isReadable(folded) && Array.from(folded).length <= most) return folded;
  throw invalidInput('/name', `A name must have 1 to ${most} printable characters.`);
}
