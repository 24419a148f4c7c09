/** Imports from a PMS: the plan, the run with its progress, and the report. */
import { createInterface } from 'node:readline/promises'
import { openApiClient, type ApiClient, type ApiOptions } from './api-client.ts'
import { table, type CommandContext } from './command-context.ts'
import { followProgress } from './follow-progress.ts'
import { openProgressIndicator, type ProgressIndicator } from './progress-indicator.ts'

export interface ImportOptions {
  target: string
  include?: string[]
  yes?: boolean
  planOnly?: boolean
}

interface Import {
  id: string
  status: 'planning' | 'planned' | 'running' | 'completed' | 'failed' | 'cancelled'
  stage: string
  counts: { kind: string; action: string; total: number; done: number }[]
  bookings_imported: number
  error_message: string | null
}

interface SkippedItem {
  kind: string
  name: string
  reason: string | null
}

type Result = [facts: object, text: string, isOk: boolean]

const maxSkippedShown = 20

export async function importFromPms(
  context: CommandContext,
  { target, include, yes, planOnly, ...access }: ApiOptions & ImportOptions,
  asJson: boolean,
): Promise<Result> {
  const api = await openApiClient(context, access)
  const progress = openProgressIndicator(context, asJson)
  const body = { channel_target_id: target, ...(include && { include }) }
  const { import: begun } = await api.request<{ import: Import }>('POST', '/api/v1/imports', body)
  const planned = await waitUntilEnded(api, begun, progress)
  if (planned.status !== 'planned') return [planned, describeEnd(planned), false]
  if (planned.counts.length === 0) {
    // While a plan waits, the next import of the target is rejected.
    const { import: cancelled } = await api.request<{ import: Import }>(
      'POST',
      `/api/v1/imports/${planned.id}/cancel`,
    )
    return [cancelled, 'There is nothing to import: the PMS has no rooms or listings.', true]
  }
  const plan = await describePlan(api, planned)
  if (planOnly) return [planned, `${plan}\n\nRun it with vacancy import run ${planned.id}.`, true]
  if (!asJson) context.err.write(`${plan}\n\n`)
  if (!yes && !(await isConfirmed(context)))
    return [planned, `Nothing was imported. Run it with vacancy import run ${planned.id}.`, true]
  return await run(api, planned.id, progress)
}

export async function runImport(
  context: CommandContext,
  id: string,
  options: ApiOptions,
  asJson: boolean,
): Promise<Result> {
  return await run(await openApiClient(context, options), id, openProgressIndicator(context, asJson))
}

async function run(api: ApiClient, id: string, progress: ProgressIndicator): Promise<Result> {
  const { import: started } = await api.request<{ import: Import }>('POST', `/api/v1/imports/${id}/run`)
  const ended = await waitUntilEnded(api, started, progress)
  return [ended, describeEnd(ended), ended.status === 'completed']
}

const waitUntilEnded = (api: ApiClient, begun: Import, progress: ProgressIndicator): Promise<Import> =>
  followProgress(
    begun,
    async () => (await api.request<{ import: Import }>('GET', `/api/v1/imports/${begun.id}`)).import,
    showProgress,
    progress,
  )

function showProgress(
  { status, stage, counts, bookings_imported }: Import,
  progress: ProgressIndicator,
): void {
  if (status === 'planning') return progress.showSpinner('reading the portfolio')
  const sum = (name: 'total' | 'done') => counts.reduce((total, count) => total + count[name], 0)
  const bookings = bookings_imported > 0 ? `, ${bookings_imported.toLocaleString('en')} bookings` : ''
  progress.showBar(sum('done'), sum('total'), `items, now ${stage}${bookings}`)
}

async function describePlan(api: ApiClient, { id, counts }: Import): Promise<string> {
  const query = `action=skip&limit=${maxSkippedShown}`
  const { import_items: skipped } = await api.request<{ import_items: SkippedItem[] }>(
    'GET',
    `/api/v1/imports/${id}/items?${query}`,
  )
  const lines = counts.map(({ kind, action, total }) => [words(kind), action, String(total)])
  const plan = table([['What', 'Action', 'Count'], ...lines])
  if (skipped.length === 0) return plan
  const reasons = skipped.map(({ kind, name, reason }) => [words(kind), name, words(reason ?? '')])
  return `${plan}\n\n${table([['Skipped', 'Name', 'Reason'], ...reasons])}`
}

function describeEnd({ id, status, counts, bookings_imported, error_message }: Import): string {
  const lines = counts.map(({ kind, action, done, total }) => [words(kind), action, `${done}/${total}`])
  const report = lines.length > 0 ? `${table([['What', 'Action', 'Done'], ...lines])}\n\n` : ''
  if (status === 'completed')
    return (
      `${report}Imported, with ${bookings_imported} bookings. Nothing is sent to the PMS yet: listings are paused until ` +
      `vacancy imports live ${id}.`
    )
  if (status === 'planned')
    return `${report}The plan failed before and is complete now. Nothing was imported: run it with vacancy import run ${id}.`
  const reason = error_message ? `: ${error_message}` : ''
  return `${report}The import ${status}${reason.replace(/\.$/, '')}. Continue it with vacancy import run ${id}.`
}

const words = (name: string) => name.replaceAll('_', ' ')

/** Nobody can be asked without a terminal. */
async function isConfirmed({ err }: CommandContext): Promise<boolean> {
  if (!process.stdin.isTTY || !err.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: err })
  try {
    return /^y(es)?$/i.test((await terminal.question('Run it? [y/N] ')).trim())
  } finally {
    terminal.close()
  }
}
