import type { Mutation } from './mutation.ts'

/** A possible mistake, planted to check that tests fail. */
export type Fault = {
  readonly name: string
  /** The consequence for users. */
  readonly means: string
  /** Test files: each must fail. */
  readonly caughtBy: readonly string[]
} & ({ readonly code: readonly Mutation[] } | { readonly sql: string })

/** The migration of a fault of the database. It runs after all others. */
export const faultMigration = 'server/migrations/9999-planted-fault.sql'
