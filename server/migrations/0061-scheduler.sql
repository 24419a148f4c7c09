-- One worker runs the periodic tasks; another takes over when it has not renewed its term.
create table scheduler (
  only_row boolean primary key default true check (only_row),
  worker uuid,
  until timestamptz(3) not null default now()
);
comment on table scheduler is 'The worker that runs the periodic tasks, and until when.';
insert into scheduler default values;

alter table scheduler enable row level security, force row level security;
create policy workers on scheduler to vacancy_app
  using (true)
  with check (true);
grant select, update (worker, until) on scheduler to vacancy_app;
