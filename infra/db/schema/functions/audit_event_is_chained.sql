create or replace function audit_event_is_chained() returns trigger language plpgsql as $$
begin
  loop
    select subject_seq + 1, hash into new.subject_seq, new.previous_hash
      from audit_heads where subject = new.subject for no key update;
    if found then
      new.hash := audit_hash(new);
      update audit_heads set subject_seq = new.subject_seq, hash = new.hash where subject = new.subject;
      return new;
    end if;
    new.subject_seq := 1;
    new.previous_hash := '';
    new.hash := audit_hash(new);
    insert into audit_heads (subject, subject_seq, hash) values (new.subject, 1, new.hash) on conflict do nothing;
    if found then
      return new;
    end if;
  end loop;
end $$;
