import type { PmsFailure } from './pms-failure.ts'

/** How far the PMS is with what it took. `unknown`: it does not say. */
export type TaskState =
  | { readonly state: 'pending' | 'completed' | 'unknown' }
  | {
      readonly state: 'failed'
      readonly failure: PmsFailure
      /** The units and plans that it names, by external id; empty when it names none. */
      readonly externalIds: readonly string[]
    }
