import type { CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { lockMany } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/yield.ts';
import { postInterest, type YieldServices } from './post.ts';

/** `code` is an error code of the API, `owner-busy` or `internal-error`. */
export interface AccrualFailure {
  vault_id: string;
  code: string;
}

export interface Accrued {
  accruals: number;
  pence: number;
  failures: AccrualFailure[];
  /** Vaults whose interest up to the run's day was already posted when this call began. */
  already: string[];
}

/** Interest accrues for the days before `to`. `patienceMs` is the longest wait for one locked owner. */
interface RunTo {
  to: CalendarDate;
  patienceMs: () => number;
}

/** PostgreSQL's error code for a lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Posts in one transaction, and then vault by vault if owners were locked or the transaction failed. Reports a vault
 * that fails, and continues with the others.
 * @throws DomainError `dependency-unavailable`.
 */
export async function accrueEach(services: YieldServices, ids: readonly string[], run: RunTo): Promise<Accrued> {
  const together = await accrueTogether(services, ids, run, 0).catch((error: unknown) => {
    throwIfUnavailable(error);
    services.log.warn(
      { vaults: ids.length, reason: String(error) },
      'interest could not be posted for a page of vaults at once; posting it vault by vault',
    );
    return undefined;
  });
  const results: Accrued[] = together ? [together] : [];
  for (const id of together?.busy ?? ids) results.push(await accrueAlone(services, id, run));
  return addUp(results);
}

export function addUp(results: readonly Accrued[]): Accrued {
  return {
    accruals: results.reduce((all, { accruals }) => all + accruals, 0),
    pence: results.reduce((all, { pence }) => all + pence, 0),
    failures: results.flatMap(({ failures }) => failures),
    already: results.flatMap(({ already }) => already),
  };
}

async function accrueAlone(services: YieldServices, id: string, run: RunTo): Promise<Accrued> {
  try {
    return await accrueTogether(services, [id], run, run.patienceMs());
  } catch (error) {
    throwIfUnavailable(error);
    const code = (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE ? 'owner-busy' : 'internal-error';
    services.log.error({ vault_id: id, code, reason: String(error) }, 'the interest of a vault could not be posted');
    return { accruals: 0, pence: 0, failures: [{ vault_id: id, code }], already: [] };
  }
}

/** If the database is unavailable, the page is retried, and its vaults do not count as failed. */
function throwIfUnavailable(error: unknown): void {
  if (error instanceof DomainError && error.code === 'dependency-unavailable') throw error;
}

async function accrueTogether(services: YieldServices, ids: readonly string[], { to }: RunTo, waitMs: number) {
  const { db, clock } = services;
  const at = await clock.now(db);
  return db.transaction(async (tx) => {
    const vaults = await lockMany(tx, queries.openInterest(ids, waitMs));
    const posted = await postInterest(vaults, { at, to, monthly: true });
    const opened = new Set(vaults.map(({ vault_id }) => vault_id));
    const accruals = posted.filter((row) => row.accrual_id !== null);
    const refused = posted.filter((row) => row.accrual_id === null);
    return {
      accruals: accruals.length,
      pence: accruals.reduce((all, { accrued }) => all + accrued, 0),
      failures: refused.map(({ vault_id }) => ({ vault_id, code: 'balance-limit' })),
      already: vaults.filter(({ accrued_to }) => accrued_to !== null && accrued_to >= to).map((row) => row.vault_id),
      busy: ids.filter((id) => !opened.has(id)),
    };
  });
}
