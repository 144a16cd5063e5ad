-- Business time is real time plus this offset.
create table business_clock (
  clock_id text primary key,
  offset_ms bigint not null default 0
);

insert into business_clock (clock_id) values ('sandbox');
