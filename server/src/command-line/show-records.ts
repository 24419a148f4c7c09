/** Formats records of the API for a person. */
import { table } from './command-context.ts'

type Fields = Record<string, unknown>

interface TableOptions {
  columns: readonly string[] | undefined
  /** Of the terminal. */
  width: number
  isColored: boolean
}

/** What says most about a record of each kind; of others the first members are shown. */
const columnsOf: Record<string, readonly string[]> = {
  spaces: ['id', 'name', 'city', 'country', 'status'],
  units: ['id', 'name', 'space.name', 'type', 'base_price_cents', 'currency', 'status'],
  rate_plans: ['id', 'name', 'unit_id', 'currency', 'meal_plan', 'is_default', 'status'],
  channel_targets: ['id', 'name', 'channel_type', 'config.provider', 'status', 'error_message'],
  channel_listings: ['id', 'unit.name', 'channel_target.name', 'external_id', 'status'],
  bookings: ['id', 'guestName', 'checkIn', 'checkOut', 'status', 'totalCents', 'currency', 'source'],
  quotes: ['id', 'unit_id', 'check_in', 'check_out', 'total_cents', 'currency', 'expires_at'],
  events: ['id', 'type', 'created_at'],
  webhook_endpoints: ['id', 'url', 'events', 'status'],
  webhook_deliveries: ['id', 'event_type', 'status', 'attempts', 'response_status', 'created_at'],
  imports: ['id', 'status', 'stage', 'bookings_imported', 'created_at', 'error_message'],
  import_items: ['external_id', 'kind', 'name', 'action', 'reason', 'done_at'],
}

/** Members that are on every record or say little. */
const seldomShown = /^(org_id|account_id|created_at|updated_at|description|metadata)$/
const maxCellWidth = 44

export function showRecords(
  kind: string,
  records: readonly Fields[],
  { columns, width, isColored }: TableOptions,
): string {
  const names = columns ?? fittingColumns(columnsOf[kind] ?? defaultColumns(records[0]!), records, width)
  const rows = records.map((record) => names.map((name) => cell(valueAt(record, name))))
  const isNumber = names.map((_, at) => rows.every((row) => /^-?[\d.]*$/.test(row[at]!)))
  const widths = names.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]!.length)))
  const aligned = [names, ...rows].map((row) =>
    row.map((text, at) => (isNumber[at] ? text.padStart(widths[at]!) : text)),
  )
  const [head = '', ...lines] = table(aligned).split('\n')
  return [isColored ? `\x1b[1m${head}\x1b[0m` : head, ...lines].join('\n')
}

const defaultColumns = (record: Fields) =>
  Object.entries(record)
    .filter(([name, value]) => !seldomShown.test(name) && (typeof value !== 'object' || value === null))
    .map(([name]) => name)

/** As many columns from the left as the terminal is wide; those without any value are left out. */
function fittingColumns(names: readonly string[], records: readonly Fields[], width: number): string[] {
  let used = 0
  return names.filter((name) => {
    const cells = records.map((record) => cell(valueAt(record, name)))
    if (cells.every((text) => text === '')) return false
    used += Math.max(name.length, ...cells.map((text) => text.length)) + 2
    return used - 2 <= width
  })
}

/** The value of a member, which may be nested: `space.name`. */
export const valueAt = (record: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      record,
    )

function cell(value: unknown): string {
  const text =
    Array.isArray(value) && value.every((one) => typeof one !== 'object') ? value.join(', ') : scalar(value)
  return text.length > maxCellWidth ? `${text.slice(0, maxCellWidth - 1)}…` : text
}

/** Times without what nobody reads; text without line breaks and control characters. */
function scalar(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/.exec(text) ?? []
  return day ? `${day} ${time}` : printable(text)
}

/** What others wrote must not control the terminal. */
// eslint-disable-next-line no-control-regex
export const printable = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')

/** A record with a line for each member, nested ones indented. */
export function showRecord(value: unknown): string {
  return isFields(value) ? fieldLines(value).join('\n') : scalar(value)
}

function fieldLines(fields: Fields): string[] {
  const width = Math.max(
    ...Object.entries(fields).map(([name, value]) => (isNested(value) ? 0 : name.length)),
  )
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!isNested(value)) return [`${name.padEnd(width)}  ${cellOf(value)}`.trimEnd()]
    const inner = Array.isArray(value) ? value.flatMap(itemLines) : fieldLines(value as Fields)
    return [`${name}:`, ...inner.map((line) => `  ${line}`)]
  })
}

function itemLines(item: unknown): string[] {
  const lines = isFields(item) ? fieldLines(item) : [scalar(item)]
  return lines.map((line, at) => `${at === 0 ? '-' : ' '} ${line}`)
}

const cellOf = (value: unknown) => (Array.isArray(value) ? value.map(scalar).join(', ') : scalar(value))

/** Lists of plain values take one line. */
const isNested = (value: unknown) =>
  Array.isArray(value)
    ? value.some((one) => typeof one === 'object' && one !== null)
    : isFields(value) && Object.keys(value).length > 0

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
