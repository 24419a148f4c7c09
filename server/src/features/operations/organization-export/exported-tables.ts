import { sealedColumns } from '#features/operations/secrets/reseal.ts'

/** One table of an export. Every column that is not generated is exported as it is, unless it is named here. */
export interface ExportedTable {
  readonly name: string
  /** The only columns that are exported. The others get their defaults when they are imported. */
  readonly only?: readonly string[]
  /** SQL for columns that are exported with another value. */
  readonly values?: Readonly<Record<string, string>>
  /** SQL of an order, in which the rows get numbers, from 1: `source.place` in `values`. */
  readonly numberedBy?: string
  /** SQL that selects the rows of the organization that are exported. */
  readonly where?: string
  /** References to a later table: imported when that table is. */
  readonly later?: readonly string[]
}

/**
 * What belongs to an organization, in an order in which each table comes after those that it refers to. What would act on
 * other systems is exported switched off, so that nothing is pushed, fetched or sent before the operator decides so.
 */
export const exportedTables: readonly ExportedTable[] = [
  { name: 'organizations' },
  { name: 'accounts' },
  { name: 'members' },
  { name: 'spaces' },
  { name: 'units' },
  { name: 'unit_references' },
  { name: 'rate_plans' },
  { name: 'charges' },
  { name: 'seasons' },
  { name: 'media' },
  { name: 'media_files', where: 'media_id is not null' },
  { name: 'calendar_nights' },
  { name: 'calendar_blocks' },
  { name: 'calendar_feeds', values: { status: `'inactive'`, error_message: 'null' } },
  { name: 'calendar_changes' },
  { name: 'calendar_change_parts' },
  {
    name: 'channel_targets',
    values: { status: `'inactive'`, error_message: 'null', last_health_check_at: 'null' },
  },
  { name: 'channel_listings', values: { status: `'paused'` } },
  // What the PMS has accepted is not known to another installation: its first push sends everything.
  { name: 'target_syncs', only: ['channel_target_id', 'org_id', 'reconcile_at'] },
  {
    name: 'listing_syncs',
    only: ['channel_listing_id', 'org_id', 'unit_id', 'channel_target_id', 'requested_by'],
  },
  { name: 'sales_stops' },
  { name: 'quotes', later: ['booking_id', 'hold_booking_id'] },
  { name: 'bookings' },
  // Derived from bookings and blocks. Deriving it again took six times as long as the rest of an import.
  { name: 'free_stretches' },
  { name: 'pms_bookings' },
  { name: 'booking_conflicts' },
  // The records only: what is not settled is settled by the installation that asked the provider for it.
  { name: 'payment_intents', values: { next_attempt_at: 'null' } },
  { name: 'payment_refunds', values: { next_attempt_at: 'null' } },
  { name: 'guest_erasures' },
  { name: 'erased_bookings' },
  {
    name: 'webhook_endpoints',
    values: {
      ...{ status: `'disabled'`, disabled_reason: 'null', failing_since: 'null' },
      ...{ held_until: 'null', run: 'null', run_until: 'null' },
    },
  },
  { name: 'alerts' },
  { name: 'sync_audit' },
  { name: 'audit_entries' },
]

/** Tables with rows of organizations that are not exported, and why. */
export const tablesLeftOut: Readonly<Record<string, string>> = {
  accepted_months:
    'What the PMS accepted from here; the first push of another installation sends everything.',
  call_budgets: 'How many calls of the last minute a PMS has answered.',
  events: 'Published here, with cursors that readers got here, and kept for some weeks.',
  exports: 'The files that exports have made, kept for some days.',
  file_import_rows: 'The rows of files that were imported; the records are exported.',
  file_imports: 'As file_import_rows.',
  idempotency_keys: 'Responses of the last day, for requests that are repeated here.',
  import_items: 'What a PMS showed during an import; the records are exported.',
  imports: 'As import_items.',
  listing_checks: 'Comparisons with the PMS that were made from here.',
  notifications: 'Messages that were sent from here, kept for some weeks.',
  organization_moves: 'What this installation does with the organization at the moment.',
  payment_notices: 'Messages of the payment provider to this installation.',
  webhook_deliveries: 'Messages that were sent from here, kept for some weeks.',
  webhook_messages: 'Messages of a PMS to this installation.',
}

/** Columns with secrets, or what is derived from them. They are left out unless sealed secrets are asked for. */
export const secretColumnsOf = (table: string): string[] => [
  ...sealedColumns.filter((sealed) => sealed.table === table).map(({ column }) => column),
  ...(table === 'calendar_feeds' ? ['token_hash'] : []),
]
