-- Few of many rows: those with errors.

create index file_import_rows_by_action on file_import_rows (org_id, import_id, action, "position");
