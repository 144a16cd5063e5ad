import { Migration } from '@mikro-orm/migrations';

/** For `ledger verify`: every transfer needs a cause, and no accrual may end after today. */
export class Migration20261125020200_ledger_causes extends Migration {
  override up(): void {
    this.addSql(`
      create function ledger_causes() returns table (fault text, subject text)
      language sql stable set enable_seqscan = on set enable_hashjoin = on as $$
        ${[...CAUSES, ...FIGURES].join('\n        union all\n        ')}
      $$`);
  }
}

const without = (cause: string, found: string, kinds: readonly string[]) =>
  `select 'transfer without its ${cause}', t.transfer_id from ledger_transfers t
         where t.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')}) and not exists (select from ${found})`;

const OF_PAYMENTS = ['payment', 'payment_completed', 'payment_failed', 'payment_cancelled', 'payment_returned'];

/** The accounts that each kind of transfer may use. */
const MOVES = {
  paycheck: 'employer income safe_to_spend buffer vault',
  paycheck_revision: 'employer income safe_to_spend buffer vault',
  allocation: 'safe_to_spend vault',
  withdrawal: 'vault safe_to_spend',
  transfer: 'vault',
  payment: 'vault in_flight',
  payment_completed: 'in_flight payees',
  payment_failed: 'in_flight vault',
  payment_cancelled: 'in_flight vault',
  payment_returned: 'payees vault',
  interest: 'interest vault',
};

const CAUSES = [
  without(
    'calculation',
    `calculations c where c.calculation_id = t.subject_id and c.owner_id = t.owner_id
           and (c.revision = 1) = (t.kind = 'paycheck')`,
    ['paycheck', 'paycheck_revision'],
  ),
  without('payment', 'payments p where p.payment_id = t.subject_id and p.owner_id = t.owner_id', OF_PAYMENTS),
  without('accrual', 'accruals a where a.accrual_id = t.subject_id and a.owner_id = t.owner_id', ['interest']),
  without(
    'allocation',
    `allocations l where l.allocation_id = t.subject_id and l.owner_id = t.owner_id and l.source = 'allocation'`,
    ['allocation'],
  ),
  `select 'transfer without entries', t.transfer_id from ledger_transfers t
         where not exists (select from ledger_entries e where e.transfer_id = t.transfer_id)`,
  `select 'transfer between accounts that its kind does not move', t.transfer_id
          from ledger_transfers t
         where exists (
           select from ledger_entries e join ledger_accounts a on a.account_id = e.account_id
            where e.transfer_id = t.transfer_id and (t.kind, a.kind::text) not in (
              ${Object.entries(MOVES)
                .flatMap(([kind, accounts]) => accounts.split(' ').map((account) => `('${kind}', '${account}')`))
                .join(', ')}))`,
  `select 'more than one transfer for one cause', min(t.transfer_id) from ledger_transfers t
         where t.kind not in (${OF_PAYMENTS.map((kind) => `'${kind}'`).join(', ')})
         group by t.kind, t.subject_id having count(*) > 1`,
];

const FIGURES = [
  `select 'employer did not pay what was calculated', coalesce(a.owner_id, c.owner_id)
          from (select owner_id, -balance as paid from ledger_accounts where kind = 'employer') a
          full join (
            select owner_id, sum(gross_income) as gross
              from (select distinct on (owner_id, pay_date) owner_id, gross_income from calculations
                     order by owner_id, pay_date, revision desc) newest
             group by owner_id) c using (owner_id)
         where coalesce(a.paid, 0) <> coalesce(c.gross, 0)`,
  `select 'accrual ends after today', accrual_id from accruals where to_date > business_today()`,
];
