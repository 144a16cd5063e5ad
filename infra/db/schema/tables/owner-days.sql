-- How often an owner has stored something of each kind on `day`, London's, because each kind has a limit a day.
-- `revisions`: of paychecks, debt plans and standing splits. `payee_reads`: bank details of payees, each of which leaves an audit event.
create table owner_days (
  owner_id text primary key,
  day date not null,
  revisions int not null default 0,
  payees int not null default 0,
  payee_reads int not null default 0,
  checks int not null default 0,
  credentials int not null default 0
) with (fillfactor = 70);
