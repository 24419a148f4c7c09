-- Few of many items: those of a kind that are skipped, and those whose listing is paused.

create index import_items_by_action on import_items (org_id, import_id, kind, action, "position", id);
create index import_items_of_record on import_items (org_id, import_id, record_id) where kind = 'unit';
