-- Autovacuum takes growing tables often: statistics choose between indexes, and dead rows slow look-ups down.

-- A message with a `party` waits for its turn (`outbox_take_turns`): the party is the hash of an application, or of a person without one.
-- `begun_at`: its turn began. `delivered`: Temporal has it, and its turn has not ended.
create table outbox_messages (
  message_id bigserial primary key,
  kind text not null,
  workflow_id text not null,
  payload jsonb not null,
  attempts int not null default 0,
  available_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  party text,
  owner_id text,
  begun_at timestamptz(3),
  delivered boolean not null default false,
  constraint outbox_messages_turn check ((party is null) = (owner_id is null) and (party is not null or begun_at is null))
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index outbox_messages_available on outbox_messages (available_at) where party is null;
create index outbox_messages_turn on outbox_messages (party, owner_id, message_id) where party is not null and begun_at is null;
create index outbox_messages_newest on outbox_messages (message_id) where party is not null and begun_at is null;
create index outbox_messages_begun on outbox_messages (owner_id, begun_at) where begun_at is not null;
create index outbox_messages_of on outbox_messages (workflow_id) where party is not null;

-- `last`: the owner of the party, or the party if `of_party` is empty, who last had a turn.
-- `newest`: the last turn was a newcomer's.
create table outbox_turns (
  of_party text primary key,
  last text not null,
  newest boolean not null default false
);
