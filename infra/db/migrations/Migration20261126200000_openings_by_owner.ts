import { Migration } from '@mikro-orm/migrations';

/**
 * Looks up one owner of a batch at a time, instead of joining all owners. PostgreSQL plans a look-up by key once per
 * connection. It planned each join again in every call, which took longer than the join itself.
 */
export class Migration20261126200000_openings_by_owner extends Migration {
  override up(): void {
    this.owners();
    this.vaults();
    this.ledgerPost();
  }

  private owners(): void {
    this.addSql(`
      create or replace function owners_locked(p_waits boolean, p_owners text[], p_ats timestamptz[])
      returns table (place int, buffer_rate text) language plpgsql as $$
      begin
        for v_place in 1 .. cardinality(p_owners) loop
          place := v_place;
          if p_waits then
            buffer_rate := owner_locked(p_owners[v_place], p_ats[v_place]);
          else
            select o.buffer_rate into buffer_rate from owners o
             where o.owner_id = p_owners[v_place] for no key update skip locked;
            if not found then
              select o.buffer_rate into buffer_rate from owners o where o.owner_id = p_owners[v_place];
              continue when not found;
              place := -v_place;
            end if;
          end if;
          return next;
        end loop;
      end $$`);
  }

  private vaults(): void {
    this.addSql(`
      create or replace function vaults_open(
        p_waits boolean, p_owners text[], p_ats timestamptz[], p_froms text[], p_amounts bigint[], p_lots text[],
        p_tos text[], p_to_types text[], p_to_labels text[]
      ) returns table (
        place int, safe_to_spend bigint, found_from text, from_balance bigint, lots jsonb, found_to text, to_balance bigint
      ) language plpgsql as $$
      declare
        v_place int;
      begin
        for v_place in select o.place from owners_locked(p_waits, p_owners, p_ats) o loop
          if v_place < 0 then
            return query select v_place, 0::bigint, null, 0::bigint, '[]'::jsonb, null, 0::bigint;
            continue;
          end if;
          return query
            select v_place, coalesce(s.balance, 0),
                   f.vault_id, coalesce(taken.balance, 0),
                   case when f.vault_id is null then '[]'
                        else coalesce((
                          select jsonb_agg(jsonb_build_array(lot.allocation_id, lot.available))
                            from lots_to_take(f.vault_id, p_amounts[v_place], p_lots[v_place]) lot), '[]') end,
                   t.vault_id, coalesce(given.balance, 0)
              from (select p_owners[v_place] as owner_id) asked
              left join ledger_accounts s
                on s.owner_id = asked.owner_id and s.kind = 'safe_to_spend' and s.vault_id = ''
              left join vaults f on f.vault_id = p_froms[v_place] and f.owner_id = asked.owner_id
              left join ledger_accounts taken
                on taken.owner_id = asked.owner_id and taken.kind = 'vault' and taken.vault_id = f.vault_id
              left join vaults t on t.owner_id = asked.owner_id and t.vault_id = coalesce(p_tos[v_place], (
                select v.vault_id from vaults v
                 where v.owner_id = asked.owner_id and v.vault_type = p_to_types[v_place] and v.label = p_to_labels[v_place]))
              left join ledger_accounts given
                on given.owner_id = asked.owner_id and given.kind = 'vault' and given.vault_id = t.vault_id;
        end loop;
      end $$`);
  }

  /** `(select p_moves)` hides the array's length. For each known length, PostgreSQL would plan the join again. */
  private ledgerPost(): void {
    this.addSql(`
      create or replace function ledger_post(
        p_transfers text[], p_owners text[], p_kinds text[], p_subjects text[], p_ats timestamptz[],
        p_moves int[], p_entries text[], p_accounts text[], p_vaults text[], p_entry_kinds text[], p_amounts bigint[],
        p_balances bigint[]
      ) returns bigint[] language plpgsql as $$
      declare
        v_accounts bigint[];
        v_balances bigint[];
      begin
        loop
          select array_agg(leg.account_id order by leg.place), array_agg(leg.balance order by leg.place)
            into v_accounts, v_balances
            from (select asked.place, a.account_id,
                         coalesce(asked.balance, (a.balance + sum(asked.amount) over (
                           partition by a.account_id order by asked.place))::bigint) as balance
                    from unnest((select p_moves), (select p_accounts), (select p_vaults), (select p_amounts), (select p_balances))
                         with ordinality as asked (move, account, vault_id, amount, balance, place)
                    left join ledger_accounts a
                      on a.owner_id = p_owners[asked.move] and a.kind = asked.account and a.vault_id = asked.vault_id) leg;
          exit when array_position(v_accounts, null) is null;
          insert into ledger_accounts (owner_id, kind, vault_id)
          select distinct p_owners[leg.move], leg.account, leg.vault_id
            from unnest(p_moves, p_accounts, p_vaults, v_accounts) as leg (move, account, vault_id, account_id)
           where leg.account_id is null
          on conflict do nothing;
        end loop;
        insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
        select made.transfer_id, made.owner_id, made.kind, made.subject_id, made.created_at
          from unnest(p_transfers, p_owners, p_kinds, p_subjects, p_ats) with ordinality
               as made (transfer_id, owner_id, kind, subject_id, created_at, place)
         where made.place = any(p_moves) order by made.place;
        insert into ledger_entries
          (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
        select leg.entry_id, p_transfers[leg.move], leg.account_id, p_owners[leg.move], leg.kind, leg.vault_id, leg.amount,
               leg.balance_after, p_ats[leg.move]
          from unnest(p_moves, p_entries, p_vaults, p_entry_kinds, p_amounts, v_accounts, v_balances) with ordinality
               as leg (move, entry_id, vault_id, kind, amount, account_id, balance_after, place)
         order by leg.place;
        return v_balances;
      end $$`);
  }
}
