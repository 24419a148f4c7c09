import type { Config } from '#config.ts'
import type { Database } from '#db/connect.ts'
import { hasRoom } from '#full-disk.ts'
import type { Checks } from './health.ts'
import { keepAnswer } from './keep-answer.ts'
import { hasDatabaseRoom, isReadOnly, listOverdueJobs } from './queries.ts'

/** What costs the database more than a greeting is asked once in so long. */
const keptMs = 5_000

interface Parts {
  readonly config: Pick<Config, 'home'>
  readonly database: Database
  readonly counters: { reachable(): Promise<boolean> }
  readonly payments: { reachable(): Promise<boolean> }
  readonly pms: { reachable(): Promise<boolean | null> }
}

/** How `/health` looks at each part. */
export const checksOf = (
  { config, database, counters, payments, pms }: Parts,
  isHearing: () => boolean,
): Checks => ({
  database: async () => ((await isReadOnly(database)) ? 'degraded' : 'healthy'),
  notifications: () => Promise.resolve(isHearing()),
  redis: () => counters.reachable(),
  payments: () => payments.reachable(),
  pms: () => pms.reachable().then((answer) => answer ?? true),
  disk: keepAnswer(async () => (await hasRoom(config.home)) && (await hasDatabaseRoom(database)), keptMs),
  queue: keepAnswer(async () => (await listOverdueJobs(database)).length === 0, keptMs),
})
