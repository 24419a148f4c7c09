/** Repeats the erasures in the journal after a backup was restored, which brings erased data back. */
import { openRestricted } from '#db/effective-role.ts'
import { erasureJournalPath, readJournal } from '#features/reservations/guests/erasure-journal.ts'
import { replayErasure } from '#features/reservations/guests/replay-erasure.ts'
import { openVault } from '#secrets/vault.ts'
import { CommandError } from './command-error.ts'
import { configOf } from './product-config.ts'
import type { CommandContext } from './command-context.ts'

export async function replayErasures(
  context: CommandContext,
  journal: string | undefined,
): Promise<[facts: object, text: string]> {
  const config = configOf(context)
  const path = journal ?? erasureJournalPath(config.home)
  const lines = await readJournal(path).catch((cause: unknown) => {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const why = isMissing
      ? `There is no journal ${path}: no guest was erased yet, or VACANCY_HOME is not that of the upkeep worker.`
      : `The journal could not be read: ${(cause as Error).message}`
    throw new CommandError('failed', why, cause)
  })
  await using database = await openRestricted({
    ...{ ...config.database, role: 'vacancy_app', poolSize: 2, prepare: false },
    ...{ applicationName: 'vacancy guest', statementTimeoutMs: 30_000, onError: () => {} },
  })
  const vault = openVault(config.secrets.keys)
  let enqueued = 0
  for (const line of lines) if (await replayErasure({ database }, vault, line)) enqueued++
  const text = `Of ${lines.length} erasures in ${path}, ${enqueued} were queued again; the others belong to organizations that no longer exist.`
  return [{ erasures: lines.length, asked: enqueued }, text]
}
