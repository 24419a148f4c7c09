/** Imports from a file: its columns, the errors of its rows, the run with its progress, and the report. */
import { openApiClient, type ApiClient, type ApiOptions } from './api-client.ts'
import { table, type CommandContext } from './command-context.ts'
import { followProgress } from './follow-progress.ts'
import { openProgressIndicator, type ProgressIndicator } from './progress-indicator.ts'
import { readFileAt } from './request-body.ts'
import { printable } from './show-records.ts'

export interface FileOptions {
  kind: string
  map?: MappedColumn[]
  dateOrder?: string
  dryRun?: boolean
}

export interface MappedColumn {
  field: string
  column: string
}

interface FileImport {
  id: string
  columns: string[]
  mapping: MappedColumn[]
  row_count: number
  planned_count: number
  counts: { action: string; total: number; done: number }[]
  status: 'planning' | 'planned' | 'running' | 'completed' | 'failed' | 'cancelled'
  error_message: string | null
}

interface RowWithErrors {
  position: number
  errors: { column: string | null; code: string; message: string; value: string | null }[]
}

type Result = [facts: object, text: string, isOk: boolean]

const root = '/api/v1/file-imports'
const uploadTimeoutMs = 300_000
/** Of a page of the API; a file with more is better corrected before it is tried again. */
const maxRowsShown = 100

export async function importFile(
  context: CommandContext,
  path: string,
  { kind, map, dateOrder, dryRun, ...access }: ApiOptions & FileOptions,
  asJson: boolean,
): Promise<Result> {
  const file = await readFileAt(path)
  const api = await openApiClient(context, access)
  const progress = openProgressIndicator(context, asJson)
  const query = new URLSearchParams({ kind, file_name: file.name.slice(-255) })
  const uploaded = await send(api, 'POST', `${root}?${query.toString()}`, file)
  const mapped = map || dateOrder ? await remap(api, uploaded, map ?? [], dateOrder) : uploaded
  const planned = await follow(api, mapped, progress)
  if (planned.status !== 'planned') return [planned, describeFailure(planned), false]
  const withErrors = await listRowsWithErrors(api, planned)
  if (dryRun) {
    await send(api, 'POST', `${root}/${planned.id}/cancel`)
    return report(planned, withErrors, 'Nothing was imported: this was a dry run.')
  }
  const ended = await follow(api, await send(api, 'POST', `${root}/${planned.id}/run`), progress)
  if (ended.status !== 'completed') return [ended, describeFailure(ended), false]
  return report(ended, await listRowsWithErrors(api, ended), 'Imported.')
}

const send = async (api: ApiClient, method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) =>
  (
    await api.request<{ file_import: FileImport }>(method, path, body, {
      ...(body instanceof Blob && { timeoutMs: uploadTimeoutMs }),
    })
  ).file_import

/** A field has one column and a column one field: what is given replaces what was found. */
const remap = (
  api: ApiClient,
  { id, mapping }: FileImport,
  given: readonly MappedColumn[],
  dateOrder: string | undefined,
): Promise<FileImport> => {
  const found = mapping.filter(
    (one) => !given.some(({ field, column }) => field === one.field || column === one.column),
  )
  return send(api, 'PATCH', `${root}/${id}`, {
    mapping: [...found, ...given],
    ...(dateOrder && { date_order: dateOrder }),
  })
}

const follow = (api: ApiClient, begun: FileImport, progress: ProgressIndicator) =>
  followProgress(begun, () => send(api, 'GET', `${root}/${begun.id}`), showProgress, progress)

function showProgress(
  { status, row_count, planned_count, counts }: FileImport,
  progress: ProgressIndicator,
): void {
  if (status === 'planning') return progress.showBar(planned_count, row_count, 'rows tried out')
  const made = counts.filter(({ action }) => action !== 'error' && action !== 'skip')
  const sum = (name: 'total' | 'done') => made.reduce((total, count) => total + count[name], 0)
  progress.showBar(sum('done'), sum('total'), 'rows imported')
}

async function listRowsWithErrors(api: ApiClient, { id, counts }: FileImport): Promise<RowWithErrors[]> {
  if (!counts.some(({ action }) => action === 'error')) return []
  const path = `${root}/${id}/rows?action=error&limit=${maxRowsShown}`
  const { file_import_rows: rows } = await api.request<{ file_import_rows: RowWithErrors[] }>('GET', path)
  return rows.map(({ position, errors }) => ({ position, errors }))
}

function report(found: FileImport, withErrors: readonly RowWithErrors[], end: string): Result {
  const lines = found.counts.map(({ action, total }) => [actionNames[action] ?? action, String(total)])
  const count = found.counts.find(({ action }) => action === 'error')?.total ?? 0
  const text = [
    table([['Rows', 'Count'], ...lines]),
    ...(count > 0 ? [describeErrors(withErrors)] : []),
    ...(count > withErrors.length
      ? [
          `${count - withErrors.length} more have errors: npx vacancy file-imports list-rows ${found.id} --action error --all`,
        ]
      : []),
    count > 0 ? `${end} Rows with errors: ${count}. Correct the file and import it again.` : end,
  ].join('\n\n')
  return [{ ...found, rows_with_errors: withErrors }, text, count === 0]
}

const actionNames: Record<string, string> = {
  ...{ create: 'new', update: 'changed', match: 'here already', skip: 'skipped', error: 'with errors' },
}

const describeErrors = (withErrors: readonly RowWithErrors[]) =>
  table([
    ['Row', 'Column', 'Value', 'What is wrong'],
    ...withErrors.flatMap(({ position, errors }) =>
      errors.map(({ column, value, message }) =>
        [String(position), column ?? '', value ?? '', message].map(printable),
      ),
    ),
  ])

function describeFailure({ status, error_message, columns }: FileImport): string {
  const reason = error_message ?? `The import is ${status}.`
  return `${reason}\nThe file has the columns ${columns.map(printable).join(', ')}. Map one with --map "column=field".`
}
