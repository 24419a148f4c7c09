-- A price that a change replaced is not restored when the unit has another currency now.
alter table calendar_change_parts add column currency text;
comment on column calendar_change_parts.currency is
  'Of the prices. Null for blocked rooms, and for changes of earlier releases.';
