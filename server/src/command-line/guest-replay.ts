// After a restore, what was forgotten since the back-up is there again: the journal has it forgotten once more.
import { openRestricted } from '#db/effective-role.ts'
import { journalIn, readJournal } from '#features/guests/journal.ts'
import { replayErasure } from '#features/guests/replay-erasure.ts'
import { openOutbox } from '#queue/queue.ts'
import { openVault } from '#secrets.ts'
import { CommandFailure } from './command-failure.ts'
import { configOf } from './product.ts'
import type { Surroundings } from './surroundings.ts'

export async function replayErasures(
  around: Surroundings,
  journal: string | undefined,
): Promise<[facts: object, text: string]> {
  const config = configOf(around)
  const path = journal ?? journalIn(config.home)
  const lines = await readJournal(path).catch((cause: unknown) => {
    throw new CommandFailure('failed', `The journal cannot be read: ${(cause as Error).message}`, cause)
  })
  const database = await openRestricted({
    ...{ ...config.database, role: 'vacancy_app', poolSize: 2, prepare: false },
    ...{ applicationName: 'vacancy guest', statementTimeoutMs: 30_000, onError: () => {} },
  })
  const { outbox, close } = await openOutbox(database)
  try {
    const vault = openVault(config.secrets.keys)
    let asked = 0
    for (const line of lines) if (await replayErasure({ database, outbox }, vault, line)) asked++
    const text = `Of ${lines.length} erasures in ${path}, ${asked} are done again by the workers; organizations that are not there any more have nothing to forget.`
    return [{ erasures: lines.length, asked }, text]
  } finally {
    await close()
    await database.close()
  }
}
