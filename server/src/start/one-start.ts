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
  fail: (reason: Error) => void
}
