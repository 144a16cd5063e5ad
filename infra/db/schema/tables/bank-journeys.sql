-- A person's way to their bank and back, in real time. The person comes back with a state, of which the hash is stored.
-- A journey of an operator, for the house account, has a bank and the operator's name in place of a connection and a person.
-- `sealed` is what was ordered, with the state and the secret of the bank's port. It goes when the journey is settled.
create table bank_journeys (
  journey_id text primary key,
  state_hash text not null,
  connection_id text,
  user_id text,
  house_bank_id text,
  house_by text,
  browser_hash text not null,
  consent_ref text,
  sealed text,
  answers int not null default 0,
  begun_at timestamptz(3) not null,
  finishing_at timestamptz(3),
  outcome text,
  reason text,
  over_at timestamptz(3),
  settled_at timestamptz(3),
  constraint bank_journeys_state_unique unique (state_hash),
  constraint bank_journeys_whose check (
    num_nonnulls(connection_id, user_id) = 2 and num_nonnulls(house_bank_id, house_by) = 0
    or num_nonnulls(connection_id, user_id) = 0 and num_nonnulls(house_bank_id, house_by) = 2),
  constraint bank_journeys_answers check (answers between 0 and 5),
  constraint bank_journeys_outcome check (outcome in ('authorised', 'refused', 'failed')),
  constraint bank_journeys_over check ((outcome is null) = (over_at is null)),
  constraint bank_journeys_reason check (reason is null or outcome = 'failed'),
  constraint bank_journeys_settled check (settled_at is null or (outcome is not null and sealed is null))
);
create index bank_journeys_connection on bank_journeys (connection_id) where outcome is null;
create index bank_journeys_open on bank_journeys (begun_at) where settled_at is null;
create index bank_journeys_settled on bank_journeys (settled_at) where settled_at is not null;

-- What a browser brought back from a bank, sealed under the handle that this browser got.
create table bank_answers (
  handle_hash text primary key,
  journey_id text not null,
  sealed text not null,
  expires_at timestamptz(3) not null,
  constraint bank_answers_journey_fk foreign key (journey_id) references bank_journeys on delete cascade
);
create index bank_answers_journey on bank_answers (journey_id);
create index bank_answers_expires on bank_answers (expires_at);

-- A link by which an operator grants the consent of the house account. It works once.
create table bank_house_links (
  token_hash text primary key,
  bank_id text not null,
  made_by text not null,
  expires_at timestamptz(3) not null
);
create index bank_house_links_expires on bank_house_links (expires_at);
