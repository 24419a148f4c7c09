-- An export whose file would be larger than a bucket takes says so.

alter table exports
  drop constraint exports_error_code_check,
  add constraint exports_error_code_check
    check (error_code in ('storage_unavailable', 'too_large', 'interrupted', 'internal')) not valid;
alter table exports validate constraint exports_error_code_check;
