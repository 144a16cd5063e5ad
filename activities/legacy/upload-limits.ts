import type { Principal } from '../../domain/auth.ts';
import { MOST_IN_PROGRESS } from '../../domain/documents.ts';
import { DomainError } from '../../domain/errors.ts';
import { isPersonId } from '../../domain/owners.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { lockUploads as lock, uploadsOfApp, uploadsOfOwner, type UploadCounts } from '../../infra/db/queries/legacy.ts';
import { isProved } from '../../infra/db/queries/proof.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';

/** `appId` is null for a person's document. */
interface Payer {
  ownerId: string;
  appId: string | null;
}

type Whose = 'owner' | 'application';

/** Roughly the time to read one document, in seconds. */
const IN_PROGRESS_AGAIN_S = 5;

/** Anybody can open new accounts without proving an address, so these accounts count as one person in the queue. */
const UNPROVEN = 'persons without a proven address';

export async function sharedQueueOf(db: Queries, ownerId: string): Promise<string | null> {
  if (!isPersonId(ownerId)) return null;
  return (await db.maybe(isProved(ownerId)))?.proved === true ? null : UNPROVEN;
}

export function payerOf({ principal, user_id }: { principal: Principal; user_id: string }): Payer {
  return { ownerId: user_id, appId: principal.kind === 'user' || isPersonId(user_id) ? null : principal.appId };
}

export async function lockUploads(tx: Tx, { ownerId, appId }: Payer): Promise<void> {
  // Every process locks in this order, which prevents deadlocks.
  if (appId !== null) await tx.maybe(lock(`documents of application ${appId}`));
  await tx.maybe(lock(`documents of owner ${ownerId}`));
}

export async function requireWithinUploadLimits(
  db: Queries,
  { config }: Pick<Services, 'config'>,
  { ownerId, appId }: Payer,
): Promise<void> {
  const { ownerDocumentsPerDay, appDocumentsPerDay } = config.limits;
  requireWithin('owner', await db.one(uploadsOfOwner(ownerId, ownerDocumentsPerDay)), ownerDocumentsPerDay);
  if (appId === null) return;
  requireWithin('application', await db.one(uploadsOfApp(appId, appDocumentsPerDay)), appDocumentsPerDay);
}

function requireWithin(whose: Whose, { in_progress, next_s }: UploadCounts, perDay: number): void {
  const most = MOST_IN_PROGRESS[whose];
  if (in_progress >= most)
    throw new DomainError(
      'too-many-documents',
      `${most} documents of this ${whose} are already being read. Wait until one of these documents has been read, then send the next document.`,
      { limit: most, per: `${whose}-in-progress`, retry_after: IN_PROGRESS_AGAIN_S },
    );
  if (next_s !== null)
    throw new DomainError(
      'too-many-documents',
      `This ${whose} has reached the limit of ${perDay} documents in 24 hours. Try again later.`,
      { limit: perDay, per: `${whose}-day`, retry_after: Math.max(1, Math.ceil(next_s)) },
    );
}
