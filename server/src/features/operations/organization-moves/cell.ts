import type { Config } from '#config/config.ts'
import type { Storage } from '#integrations/storage/storage.ts'

/** One installation. */
export interface Cell {
  readonly config: Config
  readonly storage: Storage
}

export interface MoveOptions {
  readonly orgId: string
  /** The name of the target in the map of the router. */
  readonly to: string
  readonly source: Cell
  readonly target: Cell
  /** Sends requests with these keys to the target from now on. May be repeated. */
  readonly switchRoute: (keys: readonly string[]) => Promise<void>
  readonly progress: (what: string, count: number) => void
}
