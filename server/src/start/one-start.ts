import type { Environment } from './environment.ts'
import type { openHome } from './home.ts'
import type { openParts } from './parts.ts'
import type { Progress } from './progress.ts'

/** What every step of one `vacancy start` is given. */
export type Start = {
  env: Environment
  root: string
  home: ReturnType<typeof openHome>
  progress: Progress
  parts: ReturnType<typeof openParts>
  host: string
  port: number
  /** One worker process for all queues instead of one for each kind of work. */
  hasSingleWorker: boolean
  fail: (reason: Error) => void
}
