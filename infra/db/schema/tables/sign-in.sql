create table email_verifications (
  token_hash text primary key,
  user_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index email_verifications_expires on email_verifications (expires_at);
create index email_verifications_user on email_verifications (user_id);

create table invitations (
  token_hash text primary key,
  invitation_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index invitations_expires on invitations (expires_at);

-- Networks and browsers from which people signed in, as keyed hashes.
create table sign_in_origins (
  user_id text not null,
  origin text not null,
  seen_at timestamptz(3) not null,
  primary key (user_id, origin)
);
create index sign_in_origins_seen_at on sign_in_origins (seen_at);

create table identity_providers (
  provider_id text primary key,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_secret_sealed text not null,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3),
  domains text[] not null default '{}'
);
create unique index identity_providers_issuer on identity_providers (issuer) where removed_at is null;

-- Sign-ins with an identity provider that wait for a proof of the email address.
create table identity_link_requests (
  request_hash text primary key,
  mail_token_hash text,
  provider_id text not null,
  subject_index text not null,
  user_id text not null,
  browser_hash text not null,
  continue_with text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint identity_link_requests_mail_token_hash_unique unique (mail_token_hash)
);
create index identity_link_requests_expires on identity_link_requests (expires_at);

create table user_identities (
  provider_id text not null,
  subject_index text not null,
  user_id text not null,
  created_at timestamptz(3) not null,
  primary key (provider_id, subject_index)
);
create index user_identities_user on user_identities (user_id);

create table sign_in_attempts (
  state_hash text primary key,
  provider_id text not null,
  browser_hash text not null,
  sealed text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index sign_in_attempts_expires on sign_in_attempts (expires_at);
