import { ownerFor, type Principal } from '../../domain/auth.ts';
import type { WageStatus } from '../../domain/bank/wages.ts';
import * as queries from '../../infra/db/queries/bank-lists.ts';
import type { WageRow } from '../../infra/db/queries/bank-wages.ts';
import type { Services } from '../../infra/services.ts';
import type { Wage } from '../../openapi/types.ts';
import { pagesOf, type Page } from '../page.ts';
import { openWagePayers } from './wage-texts.ts';

interface ListRequest {
  principal: Principal;
  user_id?: string;
  status?: WageStatus;
  limit: number;
  cursor?: string;
}

/** The latest received first. */
export async function listWages(
  services: Pick<Services, 'db' | 'keys'>,
  { principal, user_id, status, limit, cursor }: ListRequest,
): Promise<Page<Wage>> {
  const owner = ownerFor(principal, user_id, '/query/user_id');
  const pages = pagesOf(services, { operation: 'listWages', filter: { owner, status } });
  const [received_on, seq] = (await pages.positionAfter(cursor))?.split(' ') ?? [];
  const before = received_on === undefined ? undefined : { received_on, seq: Number(seq) };
  const { items, next_cursor } = await pages.page(
    await services.db.many(queries.wageList({ owner, status, before, most: limit + 1 })),
    limit,
    (row) => row,
    (row) => `${row.received_on} ${row.seq}`,
  );
  return { items: await viewsOf(services, items), next_cursor };
}

const ASKED_FOR_DAYS = 60;
const MOST_ASKED = 5;

/** Credits of a connection's accounts that the person is asked about. */
export async function suggestedWages(
  services: Pick<Services, 'db' | 'keys'>,
  { connection_id: connectionId }: { connection_id: string },
): Promise<Wage[]> {
  const wanted = { connectionId, days: ASKED_FOR_DAYS, most: MOST_ASKED };
  return viewsOf(services, await services.db.many(queries.suggestedOf(wanted)));
}

async function viewsOf(services: Pick<Services, 'keys'>, rows: readonly queries.ShownWage[]): Promise<Wage[]> {
  const payers = await openWagePayers(services, rows);
  return rows.map((row, index) => wageView(row, payers[index]!));
}

export function wageView(row: WageRow, payer: string | null): Wage {
  const { wage_id, transaction_id, amount, received_on, matched_by, status, calculation_id } = row;
  return { wage_id, transaction_id, amount, received_on, payer, matched_by, status, calculation_id };
}
