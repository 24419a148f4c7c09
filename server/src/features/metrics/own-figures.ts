import { statfs } from 'node:fs/promises'
import type { Database } from '#db/connect.ts'
import { gauge } from '#metrics.ts'

const pool = gauge('vacancy_database_connections', 'Connections of this process to the database.', 'state')
const waiting = gauge('vacancy_database_waiting', 'What waits in this process for a connection.')
const free = gauge('vacancy_home_free_bytes', 'Room on the disk of VACANCY_HOME that this process may use.')
const size = gauge('vacancy_home_size_bytes', 'Size of the disk of VACANCY_HOME.')

/** Sets the figures of this process that are looked up when somebody asks. Never fails. */
export const ownFigures =
  (database: Pick<Database, 'stats'>, home: string): (() => Promise<void>) =>
  async () => {
    const { total, idle, waiting: queued } = database.stats()
    pool.set({ state: 'busy' }, total - idle)
    pool.set({ state: 'idle' }, idle)
    waiting.set(queued)
    // The folder is made with the first file; until then its disk is that of the process.
    const disk = await statfs(home).catch(() => statfs('.').catch(() => null))
    if (!disk) return
    free.set(disk.bavail * disk.bsize)
    size.set(disk.blocks * disk.bsize)
  }
