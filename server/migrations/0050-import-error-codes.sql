-- Why an import from a PMS failed, as a code, so that callers need not read the English message.
alter table imports add column error_code text;
comment on column imports.error_code is 'The code of the failure of the PMS; null for imports that failed before codes were kept.';
