-- Each transaction asked a function whether its organization is moving, which took PostgreSQL longer than all other settings
-- of a transaction together. Of an organization in this view it does now. The login reads it: a pooler drops the role of
-- the connection.
create view organizations_in_move as
  select org_id from organization_moves;
comment on view organizations_in_move is 'Organizations that move to another cell, or have moved.';
alter view organizations_in_move owner to vacancy_lookout;
grant select on organizations_in_move to public;
