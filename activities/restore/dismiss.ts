import { DomainError } from '../../domain/errors.ts';
import { dismissNoticed, listRestores, raiseCounter, type RestoreRow } from '../../infra/db/queries/witness.ts';
import { openDebits } from '../../infra/db/queries/restore-steps.ts';
import type { Services } from '../../infra/services.ts';
import { readCounter } from '../../infra/witness/counter.ts';
import type { WitnessFolder } from '../../infra/witness/folder.ts';
import { audit } from '../audit.ts';
import { actorOf, type Operated } from '../auth/applications.ts';

type Needs = Pick<Services, 'db' | 'newId'> & Operated;

const MOST = 20;

/**
 * Ends a false alarm. Without this, the counter of the database would be behind the folder for ever.
 * @throws DomainError `not-found` if nothing was noticed, or if an operator has begun
 */
export async function dismissRestore(
  services: Needs,
  { reason, folder }: { reason: string; folder: Pick<WitnessFolder, 'read'> | undefined },
): Promise<{ restore_id: string; noticed_at: string }> {
  const witnessed = folder && (await readCounter(folder));
  const by = actorOf(services);
  return services.db.transaction(async (tx) => {
    const dismissed = await tx.maybe(dismissNoticed({ at: new Date(), by, reason }));
    if (dismissed === undefined) throw new DomainError('not-found', NOTHING);
    if (witnessed !== undefined) await tx.one(raiseCounter(witnessed.counter));
    const { restore_id: subject } = dismissed;
    await audit(tx, services, { subject, kind: 'restore.dismissed', actor: by, data: { reason } });
    return dismissed;
  });
}

interface Restored {
  restores: RestoreRow[];
  /** Those that no operator has explained. */
  debits: { debit_id: string; amount: number; booked_on: string }[];
}

/** The newest restore first. */
export async function listRestored({ db }: Pick<Services, 'db'>): Promise<Restored> {
  return { restores: await db.many(listRestores(MOST)), debits: await db.many(openDebits()) };
}

const NOTHING = 'No restore was noticed that an operator could dismiss. "restore show" lists them.';
