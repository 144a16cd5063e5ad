import { isPersonId } from '../../domain/owners.ts';
import { applicationNameOf } from '../../infra/db/queries/reach.ts';
import type { Services } from '../../infra/services.ts';

/** For people to read. A key chooses the ids of its owners, and they could say anything, such as somebody's name. */
export async function holderOf({ db }: Pick<Services, 'db'>, ownerId: string): Promise<string> {
  if (isPersonId(ownerId)) return ownerId;
  const application = await db.maybe(applicationNameOf(ownerId));
  return `a customer of ${application?.name ?? 'an application'}`;
}
