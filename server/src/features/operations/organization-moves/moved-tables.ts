import {
  exportedTables,
  type ExportedTable,
} from '#features/operations/organization-export/exported-tables.ts'

/**
 * Everything that belongs to an organization, as it is: the other cell goes on where this one has stopped. Each table comes
 * after those that it refers to.
 */
export const movedTables: readonly ExportedTable[] = [
  ...exportedTables.map(({ only: _only, values: _values, ...table }) => table),
  { name: 'accepted_months' },
  { name: 'call_budgets' },
  { name: 'listing_checks' },
  { name: 'imports' },
  { name: 'import_items' },
  { name: 'file_imports' },
  { name: 'file_import_rows' },
  {
    name: 'events',
    // A transaction of this cluster means nothing in another. The events keep their order, and precede all that follow.
    numberedBy: 'transaction_id, position',
    values: { transaction_id: `'0'::xid8`, position: 'source.place' },
  },
  { name: 'webhook_deliveries' },
  { name: 'webhook_messages' },
  {
    name: 'notifications',
    // Their events precede all that follow. With its own position, which counts in this cell, an event here would look later.
    values: { event_position: 'case when source.event_position is not null then 0 end' },
  },
  { name: 'payment_notices' },
  { name: 'idempotency_keys' },
  { name: 'exports' },
  { name: 'queue.jobs' },
]

/** Tables with rows of organizations that do not move, and why. */
export const tablesNotMoved: Readonly<Record<string, string>> = {
  organization_moves: 'What each cell does with the organization.',
}
