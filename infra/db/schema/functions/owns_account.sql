-- Whether a connection of the person, authorised at this moment, reads an account with this number, and no other account of the
-- person has the same number. Accounts that their bank no longer shows do not count.
create or replace function owns_account(p_owner text, p_number text) returns boolean language sql stable as $$
  select count(*) = 1 and bool_and(exists (
           select from bank_account_links l join bank_connections c on c.connection_id = l.connection_id
            where l.account_id = a.account_id and l.gone_at is null and c.kind = 'accounts'
              and connection_status(c.status, c.authorise_until, c.valid_until) = 'authorised'))
    from bank_accounts a
   where a.owner_id = p_owner and a.listed_number_hash = p_number and a.gone_at is null
$$;
