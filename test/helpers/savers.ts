import { addMonths, londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { planAccruals, type Accrual } from '../../domain/yield.ts';
import { textQuery } from './text-query.ts';
import { asOwner, closeOwner } from './owner.ts';

/** Savers numbered from 1, each with one savings vault and monthly deposits. */
export interface Savers {
  count: number;
  /** The day of the first deposit. */
  start: CalendarDate;
  deposits: number;
}

const AT_ONCE = 5_000;
const NOON = 'T12:00:00Z';

const insertOwners = textQuery(
  'savers.owners',
  `insert into owners (owner_id, created_at) select 'saver-' || i, $3 from generate_series($1::int, $2::int) i`,
);
const insertVaults = textQuery(
  'savers.vaults',
  `insert into vaults (vault_id, owner_id, vault_type, label, created_at)
   select 'vlt_saver-' || i, 'saver-' || i, 'SAVINGS', 'Rainy day', $3 from generate_series($1::int, $2::int) i`,
);
const insertAccounts = textQuery(
  'savers.accounts',
  `insert into ledger_accounts (owner_id, kind, vault_id)
   select 'saver-' || i, kind, case kind when 'vault' then 'vlt_saver-' || i else '' end
     from generate_series($1::int, $2::int) i cross join (values ('employer'), ('vault')) as kinds (kind)`,
);
const insertDeposits = textQuery(
  'savers.deposits',
  `with deposit as (
     select i, 50000 + (i * 7919 + $4::int * 104729) % 90000 as amount from generate_series($1::int, $2::int) i
   ), transfer as (
     insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
     select 'mov_saver-' || i || '-' || $4::int, 'saver-' || i, 'paycheck', 'calc_saver-' || i || '-' || $4::int, $3::timestamptz from deposit
   ), calculation as (
     insert into calculations (calculation_id, owner_id, pay_date, revision, gross_income, locked_for_bills, locked_buffer,
                               safe_to_spend, buffer_rate, obligations, calculated_at)
     select 'calc_saver-' || i || '-' || $4::int, 'saver-' || i, $3::timestamptz::date, 1, amount, amount, 0, 0, '0', '[]', $3::timestamptz from deposit
   ), lot as (
     insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
     select 'alloc_saver-' || i || '-' || $4::int, 'saver-' || i, 'vlt_saver-' || i, 'paycheck', amount, amount, $3::timestamptz from deposit)
   insert into ledger_entries
     (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
   select 'ent_saver-' || i || '-' || $4::int || a.kind, 'mov_saver-' || i || '-' || $4::int, a.account_id, a.owner_id, 'allocation',
          a.vault_id, signed.amount, a.balance + signed.amount, $3::timestamptz
     from deposit
     join ledger_accounts a on a.owner_id = 'saver-' || i and a.kind in ('employer', 'vault')
    cross join lateral (select case a.kind when 'vault' then deposit.amount else -deposit.amount end as amount) signed`,
);
const settle = textQuery(
  'savers.settle',
  'analyze owners, vaults, ledger_accounts, ledger_entries, ledger_transfers, allocations',
);

/** In pence. Deposits are numbered from 0. */
function depositOf(saver: number, deposit: number): number {
  return 50_000 + ((saver * 7_919 + deposit * 104_729) % 90_000);
}

/** Inserts savers as the schema's owner. This skips the checks of the service, but not those of the database. */
export async function seedSavers(
  served: Parameters<typeof asOwner>[0],
  { count, start, deposits }: Savers,
  from = 1,
): Promise<void> {
  const db = await asOwner(served);
  for (let first = from; first < from + count; first += AT_ONCE) {
    const range = [first, Math.min(first + AT_ONCE, from + count) - 1];
    await db.transaction(async (tx) => {
      await tx.run(insertOwners(...range, `${start}${NOON}`));
      await tx.run(insertVaults(...range, `${start}${NOON}`));
      await tx.run(insertAccounts(...range));
      for (let deposit = 0; deposit < deposits; deposit += 1) {
        await tx.run(insertDeposits(...range, `${addMonths(start, deposit)}${NOON}`, deposit));
      }
    });
  }
  await db.run(settle());
  await closeOwner(served);
}

/** The accruals that monthly runs up to a day must post to a saver's vault. */
export function accrualsOf(
  saver: number,
  { start, deposits }: Savers,
  to: CalendarDate,
  annualRate: string,
): Accrual[] {
  const changes = Array.from({ length: deposits }, (_, deposit) => ({
    day: londonDateOf(new Date(`${addMonths(start, deposit)}${NOON}`)),
    amount: pence(depositOf(saver, deposit)),
    firstSeq: deposit,
  }));
  const balance = pence(changes.reduce((sum, { amount }) => sum + amount, 0));
  const standing = { from: start, carried: 0, balance, earned: pence(0), changes, nextSeq: deposits };
  return planAccruals(standing, { to, rates: [{ from: '0001-01-01', annualRate }], monthly: true });
}
