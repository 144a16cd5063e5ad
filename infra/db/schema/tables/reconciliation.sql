-- Whether a payment was found again in the account that paid it. `problem` is what made it need attention; null if nothing did.
-- `returned_by` is the credit of a payment that came back.
create table reconciliations (
  payment_id text primary key,
  owner_id text not null,
  status text not null,
  transaction_id text,
  matched_at timestamptz(3),
  returned_by text,
  problem text,
  checked_at timestamptz(3) not null,
  constraint reconciliations_status check (status in ('pending', 'matched', 'missing')),
  constraint reconciliations_matched check (
    (status = 'matched') = (transaction_id is not null) and (status = 'matched') = (matched_at is not null)),
  constraint reconciliations_transaction_unique unique (transaction_id),
  constraint reconciliations_returned_by_unique unique (returned_by)
);
create index reconciliations_owner on reconciliations (owner_id);
