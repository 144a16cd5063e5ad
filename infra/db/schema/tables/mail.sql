create table mail_messages (
  mail_id bigserial primary key,
  kind text not null,
  user_id text,
  data jsonb not null,
  attempts int not null default 0,
  available_at timestamptz(3) not null,
  created_at timestamptz(3) not null
);
create index mail_messages_available on mail_messages (available_at);
