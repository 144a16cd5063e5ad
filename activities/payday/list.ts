import { ownerFor, type Principal } from '../../domain/auth.ts';
import { paydaysOf } from '../../infra/db/queries/payday.ts';
import type { Services } from '../../infra/services.ts';
import type { Payday } from '../../openapi/types.ts';
import { pagesOf, type Page } from '../page.ts';

interface ListRequest {
  principal: Principal;
  user_id?: string;
  limit: number;
  cursor?: string;
}

/** Newest first. */
export async function listPaydays(
  services: Pick<Services, 'db' | 'keys'>,
  { principal, user_id, limit, cursor }: ListRequest,
): Promise<Page<Payday>> {
  const owner = ownerFor(principal, user_id, '/query/user_id');
  const pages = pagesOf(services, { operation: 'listPaydays', filter: { owner } });
  const rows = await services.db.many(paydaysOf({ owner, before: await pages.after(cursor), most: limit + 1 }));
  return pages.page(rows, limit, ({ seq: _seq, attention, ...payday }) => ({
    ...payday,
    attention: attention !== null,
    attention_reason: attention,
  }));
}
