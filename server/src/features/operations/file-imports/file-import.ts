import { Type, type Static } from 'typebox'
import { Count, Id, Timestamp, nullable, oneOf, ownedFields, text, timestampFields } from '#schema/fields.ts'
import { fieldNames } from './import-fields.ts'

export const importKinds = ['units', 'rates', 'bookings'] as const
export type ImportKind = (typeof importKinds)[number]
export const fileImportStatuses = [
  'planning',
  'planned',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const
export type FileImportStatus = (typeof fileImportStatuses)[number]
export const rowActions = ['create', 'update', 'match', 'skip', 'error'] as const
export type RowAction = (typeof rowActions)[number]
export const dateOrders = ['dmy', 'mdy'] as const
export type DateOrder = (typeof dateOrders)[number]
export type FileFormat = 'csv' | 'json'

export const maxFileBytes = 20 * 1_048_576
export const maxRows = 100_000
export const maxColumns = 200

const kind = { ...oneOf(...importKinds), description: 'What the rows are.' }
const ColumnName = text(255, 'A column of the file.')
const MappedColumn = Type.Object(
  { field: { ...oneOf(...fieldNames), description: 'What is imported.' }, column: ColumnName },
  { title: 'MappedColumn', additionalProperties: false },
)
export type MappedColumn = Static<typeof MappedColumn>
const Mapping = Type.Array(MappedColumn, {
  maxItems: fieldNames.length,
  description: 'The column of each field. Other columns are not imported.',
})
const dateOrder = {
  ...oneOf(...dateOrders),
  description: 'How dates that do not begin with the year are read: day or month first.',
}

const action = { ...oneOf(...rowActions), description: 'What the import does with a row.' }
const RowCount = Type.Object(
  {
    action,
    total: { ...Count(0, maxRows), description: 'All rows.' },
    done: { ...Count(0, maxRows), description: 'Those that were run.' },
  },
  { title: 'RowCount' },
)

/** One import of a file. */
export const FileImport = Type.Object(
  {
    ...ownedFields,
    kind,
    file_name: nullable(text(255, 'As it was uploaded.')),
    columns: Type.Array(ColumnName, { maxItems: maxColumns, description: 'In the order of the file.' }),
    mapping: Mapping,
    date_order: dateOrder,
    row_count: { ...Count(0, maxRows), description: 'Without the header.' },
    planned_count: { ...Count(0, maxRows), description: 'How many rows are planned.' },
    counts: Type.Array(RowCount, { maxItems: rowActions.length, description: 'The planned rows by action.' }),
    status: oneOf(...fileImportStatuses),
    error_message: nullable(text(1_000, 'Why it has failed.')),
    started_at: nullable({ ...Timestamp, description: 'When it was run first.' }),
    finished_at: nullable({ ...Timestamp, description: 'When it ended.' }),
    ...timestampFields,
  },
  { title: 'FileImport' },
)

export const UploadQuery = Type.Object({
  kind,
  file_name: Type.Optional(text(255, 'Shown to users.')),
  account_id: Type.Optional({
    ...Id,
    description: 'The account of new spaces; that of the caller by default.',
  }),
})
export type UploadQuery = Static<typeof UploadQuery>

export const FileImportPatch = Type.Object(
  { mapping: Type.Optional(Mapping), date_order: Type.Optional(dateOrder) },
  {
    title: 'FileImportPatch',
    additionalProperties: false,
    example: { date_order: 'mdy' },
  },
)
export type FileImportPatch = Static<typeof FileImportPatch>

const RowError = Type.Object(
  {
    column: nullable(ColumnName),
    code: text(64, 'A code of a field error or problem.'),
    message: text(2_000, 'What is wrong.'),
    value: nullable(text(255, 'The value in the file, shortened.')),
  },
  { title: 'RowError' },
)
export type RowError = Static<typeof RowError>

export const FileImportRow = Type.Object(
  {
    id: Id,
    position: {
      ...Count(1, 10_000_000),
      description: 'The row of the file; the header of a CSV file is row 1.',
    },
    cells: nullable(
      Type.Array(nullable(text(10_000)), {
        maxItems: maxColumns,
        description: 'The texts in the order of the columns; null when the row is done.',
      }),
    ),
    action: nullable({
      ...oneOf(...rowActions),
      description: 'What the import does; null until the row is planned. Only rows with `error` have errors.',
    }),
    errors: Type.Array(RowError, { maxItems: 100, description: 'Why the row is left out.' }),
    record_id: nullable({ ...Id, description: 'The record here; of rates, the unit.' }),
    done_at: nullable({ ...Timestamp, description: 'When the row was run.' }),
  },
  { title: 'FileImportRow' },
)
