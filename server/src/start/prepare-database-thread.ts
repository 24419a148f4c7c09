import { parentPort, workerData } from 'node:worker_threads'
import { migrate } from '#db/migrate.ts'
import { seed } from '#seed/seed.ts'
import type { Prepared, PrepareOrder } from './prepare-database.ts'

const { url, seeds } = workerData as PrepareOrder
const { applied } = await migrate(url)
const { seeded } = seeds ? await seed(url) : { seeded: false }
parentPort?.postMessage({ applied, seeded } satisfies Prepared)
