import { bringUpToDate } from '#up-to-date.ts'
import { seed } from '#seed/seed.ts'
import type { PrepareOrder, PrepareOutcome } from './prepare-database.ts'

process.once('message', (order: PrepareOrder) => {
  void prepare(order).then((outcome) => process.send?.(outcome, () => process.disconnect()))
})

/** The order comes as a message, since arguments are seen by every user of the machine. */
async function prepare({ url, seeds }: PrepareOrder): Promise<PrepareOutcome> {
  try {
    const { applied } = await bringUpToDate(url)
    const { seeded } = seeds ? await seed(url) : { seeded: false }
    return { prepared: { applied, seeded } }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { failure: message || String(code ?? error) }
  }
}
