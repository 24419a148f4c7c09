import type { Config } from '#config/config.ts'
import type { Environment } from './environment.ts'
import type { openHome } from './home.ts'
import type { openComponents } from './components.ts'
import type { ProgressOutput } from './progress.ts'

/** Passed to every step of `vacancy start`. */
export interface StartContext {
  config: Config
  env: Environment
  root: string
  home: ReturnType<typeof openHome>
  progress: ProgressOutput
  components: ReturnType<typeof openComponents>
  port: number
  /** One worker process for all queues instead of three. */
  singleWorker: boolean
  fail: (reason: Error) => void
}
