/** Exports everything of an organization by the API: begins an export, waits for it, and downloads its file. */
import { createWriteStream, existsSync } from 'node:fs'
import { access, constants, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ExportError, ExportStage } from '#features/operations/organization-export/export.ts'
import { openApiClient, type ApiOptions } from './api-client.ts'
import { errorMessage, type CommandContext } from './command-context.ts'
import { CommandError } from './command-error.ts'
import { followProgress } from './follow-progress.ts'
import { openProgressIndicator, type ProgressIndicator } from './progress-indicator.ts'

interface Export {
  id: string
  status: 'pending' | 'running' | 'completed' | 'failed'
  stage: ExportStage
  done: number
  total: number
  size_bytes: number | null
  checksum: string | null
  missing_files: number
  error_code: ExportError | null
}

const root = '/api/v1/exports'

export async function saveExport(
  context: CommandContext,
  path: string,
  options: ApiOptions,
  asJson: boolean,
): Promise<[facts: object, text: string]> {
  if (existsSync(path)) throw new CommandError('usage', `${path} exists already: name a new file.`)
  // Found before the export, which may take minutes.
  await access(dirname(path), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError('usage', `${path} cannot be written (${error.code}).`, error)
  })
  const api = await openApiClient(context, options)
  const progress = openProgressIndicator(context, asJson)
  const { export: begun } = await api.request<{ export: Export }>('POST', root)
  const read = async () => (await api.request<{ export: Export }>('GET', `${root}/${begun.id}`)).export
  const ended = await followProgress(begun, read, showProgress, progress)
  if (ended.status !== 'completed')
    throw new CommandError('failed', reasons[ended.error_code ?? 'internal'], undefined, { export: ended })
  const { download } = await api.request<{ download: { url: string } }>(
    'POST',
    `${root}/${ended.id}/download`,
  )
  // The address that this command reaches, which need not be the public one.
  const url = new URL(new URL(download.url).pathname, api.url)
  await downloadTo(path, url, ended, progress)
  const { size_bytes: sizeBytes, checksum, missing_files: missing } = ended
  const lines = [
    `Exported everything to ${path}: ${sizeBytes!.toLocaleString('en')} bytes.`,
    `Checksum: ${checksum}`,
    ...(missing > 0 ? [`The storage does not have ${missing} files of media.`] : []),
    'Unpack it with tar -xf; vacancy import export imports it into another installation.',
  ]
  return [{ export: ended, file: path }, lines.join('\n')]
}

const reasons: Record<ExportError, string> = {
  storage_unavailable: 'The storage of the service could not be reached: try again later.',
  too_large: 'The file would be too large: ask the operator of the service for an export by vacancy export.',
  interrupted: 'The export was interrupted too often: try again.',
  internal: 'The export failed: try again, and tell support if it fails again.',
}

function showProgress({ status, stage, done, total }: Export, progress: ProgressIndicator): void {
  if (status === 'pending' || total === 0) progress.showSpinner('waiting for the export')
  else progress.showBar(done, total, units[stage])
}

const units: Record<ExportStage, string> = {
  records: 'tables',
  media: 'media files',
  file: 'bytes of the file',
}

/** The address needs no token. */
async function downloadTo(
  path: string,
  url: URL,
  { size_bytes }: Export,
  progress: ProgressIndicator,
): Promise<void> {
  const response = await fetch(url)
  if (!response.ok || !response.body)
    throw new CommandError('failed', `The file could not be downloaded: status ${response.status}.`)
  let done = 0
  try {
    await pipeline(
      Readable.fromWeb(response.body as never),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          progress.showBar((done += chunk.length), size_bytes!, 'bytes downloaded')
          yield chunk
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    )
  } catch (error) {
    // A file that another process has made meanwhile stays.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    await rm(path, { force: true })
    const message = `The download of the file broke off (${errorMessage(error)}), and nothing was saved: try again.`
    throw new CommandError('failed', message, error)
  } finally {
    progress.clear()
  }
}
