-- Counts a payment of the owner on its day. Returns the limit that it exceeds, with the count before it, or nothing. If a limit is
-- exceeded, the transaction must be rolled back. The owner must be locked.
-- The count of an application has several rows, so that payments of different owners need not wait for each other. Each row has
-- its share of the limit. Only near the limit, a payment waits for another: then all rows with space might be locked.
create or replace function payment_count(
  p_owner text, p_day date, p_delegated boolean, p_requested_by text, p_most_owner int, p_most_delegated int, p_most_app int
) returns table (exceeded text, used int) language plpgsql as $$
declare
  c_shards constant int := 16;
  v_app text;
  v_shard int;
  v_delegated int;
begin
  insert into owner_payment_counts as c (day, owner_id, used, delegated) values (p_day, p_owner, 1, p_delegated::int)
  on conflict (day, owner_id) do update set used = c.used + 1, delegated = c.delegated + excluded.delegated
  returning c.used - 1, c.delegated - p_delegated::int into used, v_delegated;
  if used >= p_most_owner then
    exceeded := 'owner-count';
    return next;
    return;
  end if;
  if p_delegated and v_delegated >= p_most_delegated then
    exceeded := 'delegated-count';
    used := v_delegated;
    return next;
    return;
  end if;
  select k.app_id into v_app from api_keys k where k.lineage = p_requested_by limit 1;
  if not found then
    return;
  end if;
  if not exists (select from app_payment_counts c where c.day = p_day and c.app_id = v_app) then
    insert into app_payment_counts (day, app_id, shard, used)
    select p_day, v_app, s, 0 from generate_series(0, c_shards - 1) s on conflict do nothing;
  end if;
  select c.shard into v_shard from app_payment_counts c
   where c.day = p_day and c.app_id = v_app and c.used < p_most_app / c_shards + (c.shard < p_most_app % c_shards)::int
   order by random() limit 1 for no key update skip locked;
  if not found then
    select c.shard into v_shard from app_payment_counts c
     where c.day = p_day and c.app_id = v_app and c.used < p_most_app / c_shards + (c.shard < p_most_app % c_shards)::int
     limit 1 for no key update;
  end if;
  if found then
    update app_payment_counts c set used = c.used + 1 where c.day = p_day and c.app_id = v_app and c.shard = v_shard;
    return;
  end if;
  select 'application-count', sum(c.used)::int into exceeded, used from app_payment_counts c
   where c.day = p_day and c.app_id = v_app;
  return next;
end $$;
